"""Where a process of a trainer computes."""

from __future__ import annotations

import os

import torch


def device() -> torch.device:
    """The GPU when there is one, of several processes each its own; else the CPU."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))

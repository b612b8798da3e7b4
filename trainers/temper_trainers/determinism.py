"""One seed, one result: what must be set in torch before a model or trainer is built, so that a resumed phase is exact."""

from __future__ import annotations

import os

import torch
from transformers import set_seed


def settle_torch(seed: int) -> None:
    """Threads, deterministic algorithms and every random state of this process."""
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    # some CUDA kernels have no deterministic form: there a warning must do
    torch.use_deterministic_algorithms(True, warn_only=torch.cuda.is_available())
    # deterministic mode also fills every torch.empty, which costs DrGRPO half of its time and changes no result
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    set_seed(seed)

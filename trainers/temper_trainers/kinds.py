"""The kinds of phases and where each lives. A kind is imported only when it runs: some need no torch."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import cast

from .contract import Run
from .errors import UsageError

MODULES = {
    "base": "base",
    "sft": "sft",
    "drgrpo": "drgrpo",
    "orpo": "orpo",
    "mxfp4-merge": "merge",
    "sao": "sao",
    "evaluate": "evaluate",
    "seal": "seal_phase",
}

# those whose batches several processes can share
TOGETHER = ("sft", "drgrpo", "orpo")


def phase_of(kind: str) -> Callable[[Run], None]:
    """The function `run_phase` of the module for this kind."""
    if kind not in MODULES:
        raise UsageError(f"no kind named {kind}; there are: {', '.join(MODULES)}")
    module = importlib.import_module(f"temper_trainers.{MODULES[kind]}")
    return cast(Callable[[Run], None], module.run_phase)

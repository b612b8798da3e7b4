"""Environment variables and warnings that must be settled before any heavy import."""

from __future__ import annotations

import os
import warnings

DEFAULTS = {
    "HF_HUB_OFFLINE": "1",  # models come from the store; a hub is never asked unless the profile says so
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",  # cuBLAS is deterministic only with it
    "OMP_NUM_THREADS": "1",
}


def settle_environment() -> None:
    """Set what is not set yet, and silence warnings that are known to mean nothing here."""
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    for module in ("trl", "peft", "transformers", "datasets", "torch"):
        warnings.filterwarnings("ignore", module=module)
    warnings.filterwarnings("ignore", category=FutureWarning)

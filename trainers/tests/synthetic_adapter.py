"""Small adapters for merges: random factors of named modules, written as PEFT does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from temper_trainers.mxfp4 import Array
from temper_trainers.safetensors_file import SafetensorsWriter

EXPERTS = "model.layers.0.mlp.experts"


def write_adapter(folder: Path, factors: dict[str, Array], **config: Any) -> Path:
    """An adapter of these factors (`module.lora_A` …)."""
    folder.mkdir(parents=True)
    document = {"peft_type": "LORA", "r": 2, "lora_alpha": 4, "bias": "none", **config}
    (folder / "adapter_config.json").write_text(json.dumps(document))
    named = {f"base_model.model.{name}.weight": value.astype(np.float32) for name, value in factors.items()}
    layout = {name: ("F32", value.shape) for name, value in named.items()}
    with SafetensorsWriter(folder / "adapter_model.safetensors", layout) as writer:
        for name, value in named.items():
            writer.write(name, value.tobytes())
    return folder


def random_factors(module: str, rows: int, columns: int, rank: int = 2) -> dict[str, Array]:
    """Factors of one module."""
    source = np.random.default_rng(7)
    return {
        f"{module}.lora_A": source.normal(size=(rank, columns)),
        f"{module}.lora_B": source.normal(size=(rows, rank)) * 0.05,
    }

"""A LoRA adapter on the store, read without torch: which tensors it changes, and by how much.

Only headers are read at first: the factors of a large model's experts are gigabytes, so each is read when it is needed.

Covers plain LoRA (rslora, rank and alpha patterns) on linear layers, and on stacked experts by PEFT's
`target_parameters`. Refuses DoRA, biases and saved modules, whose deltas are not B·A.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .errors import ConfigError, DataError
from .mxfp4 import Array, bfloat16_to_float32
from .safetensors_file import Entry, read_array, read_header

WEIGHTS = "adapter_model.safetensors"
PREFIX = "base_model.model."
FACTOR = re.compile(r"(?P<module>.+)\.lora_(?P<which>[AB])(?:\.default)?\.weight")


@dataclass(frozen=True)
class Factor:
    """One factor of a change, still on the store."""

    path: Path
    entry: Entry

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.entry.shape
        return rows, columns

    def read(self) -> Array:
        """Its values as float32, read anew by each call."""
        array = read_array(self.path, self.entry)
        return bfloat16_to_float32(array) if self.entry.dtype == "BF16" else array.astype(np.float32, copy=False)


@dataclass(frozen=True)
class Delta:
    """One module's change: scaling · B·A. `module` is the name inside the model, without `.weight`."""

    module: str
    a: Factor
    b: Factor
    scaling: float

    @property
    def touches_experts(self) -> bool:
        """Whether the module is a stack of experts."""
        return ".mlp.experts" in self.module


def _number(pattern: dict[str, Any], module: str, default: float) -> float:
    for key, value in pattern.items():
        if re.fullmatch(rf"(.*\.)?({key})", module):
            return float(value)
    return default


def _scaling(config: dict[str, Any], module: str) -> tuple[float, int]:
    rank = int(_number(config.get("rank_pattern") or {}, module, config["r"]))
    alpha = _number(config.get("alpha_pattern") or {}, module, config["lora_alpha"])
    return alpha / (math.sqrt(rank) if config.get("use_rslora") else rank), rank


def read_adapter_config(folder: Path) -> dict[str, Any]:
    """adapter_config.json of a plain LoRA; refuses variants whose change is not B·A."""
    try:
        config: dict[str, Any] = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
        if config["peft_type"] != "LORA":
            raise ConfigError(f"{folder} is a {config['peft_type']} adapter; only LORA can be merged")
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"{folder} is not an adapter: adapter_config.json cannot be read: {error}") from error
    if config.get("use_dora") or config.get("lora_bias") or config.get("bias", "none") != "none":
        raise ConfigError(f"{folder} has DoRA or trained biases, which a sparse merge cannot bake in")
    if config.get("modules_to_save"):
        raise ConfigError(f"{folder} saves whole modules ({config['modules_to_save']}), which a sparse merge cannot bake in")
    return config


def read_deltas(folder: Path) -> list[Delta]:
    """Every module that the adapter changes, sorted by name. An adapter with a factor missing is a DataError."""
    config = read_adapter_config(folder)
    path = folder / WEIGHTS
    if not path.exists():
        raise DataError(f"{folder} is not an adapter: it has no {WEIGHTS}")
    factors: dict[str, dict[str, Factor]] = {}
    for name, entry in read_header(path).items():
        match = FACTOR.fullmatch(name)
        if match is None:
            raise ConfigError(f"{folder}: {name} is no LoRA factor; only plain LoRA can be merged")
        if len(entry.shape) != 2 or entry.dtype not in ("BF16", "F16", "F32"):
            raise ConfigError(
                f"{folder}: {name} is {entry.dtype} of shape {entry.shape}; only matrices of floats can be merged"
            )
        factors.setdefault(match["module"].removeprefix(PREFIX), {})[match["which"]] = Factor(path, entry)
    deltas = []
    for module, pair in sorted(factors.items()):
        if set(pair) != {"A", "B"}:
            raise DataError(f"{folder}: {module} has only one of its two factors")
        deltas.append(Delta(module, pair["A"], pair["B"], _scaling(config, module)[0]))
    if not deltas:
        raise DataError(f"{folder} holds no LoRA factor: there is nothing to merge")
    return deltas

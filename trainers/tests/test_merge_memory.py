"""What a merge holds in memory: pieces of the model, and one module's factors."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
from synthetic_adapter import EXPERTS, random_factors, write_adapter

from temper_trainers.adapter import read_deltas
from temper_trainers.checkpoint_folder import ModelFolder
from temper_trainers.expert_merge import expert_target, merge_expert
from temper_trainers.merge import merge
from temper_trainers.mxfp4 import float32_to_bfloat16
from temper_trainers.safetensors_file import SafetensorsWriter
from temper_trainers.verify_merge import verify_merge


def test_memory_stays_bounded_when_experts_are_large(tmp_path: Path) -> None:
    experts, rows, columns = 4, 4096, 2048
    folder, name = tmp_path / "large", f"{EXPERTS}.gate_up_proj"
    folder.mkdir()
    layout = {
        f"{name}_blocks": ("U8", (experts, rows, columns // 32, 16)),
        f"{name}_scales": ("U8", (experts, rows, columns // 32)),
        f"{EXPERTS}.down_proj_blocks": ("U8", (experts, 32, 1, 16)),
        f"{EXPERTS}.down_proj_scales": ("U8", (experts, 32, 1)),
        "lm_head.weight": ("BF16", (32, 32)),
    }
    with SafetensorsWriter(folder / "model.safetensors", layout) as writer:
        for tensor, (dtype, shape) in layout.items():
            size = int(np.prod(shape)) * (2 if dtype == "BF16" else 1)
            writer.write(tensor, bytes([120 if tensor.endswith("scales") else 0x21]) * size)
    assert float32_to_bfloat16(np.zeros(1)).dtype == np.uint16
    factors = random_factors(EXPERTS, rows, columns, rank=2 * experts)
    deltas = read_deltas(write_adapter(tmp_path / "adapter", factors))
    model = ModelFolder(folder)
    target = expert_target(model, deltas[0])
    changed = {tensor: layout[tensor] for tensor in (target.blocks, target.scales)}
    tracemalloc.start()
    with SafetensorsWriter(tmp_path / "out.safetensors", changed) as writer:
        merge_expert(model, target, writer)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    dense = experts * rows * columns * 4
    assert peak < 160 * 1024 * 1024 < 2 * dense


def test_memory_stays_bounded_when_the_adapter_is_large(tmp_path: Path) -> None:
    layers, size = 48, 512
    modules = [f"model.layers.{number}.self_attn.q_proj" for number in range(layers)]
    folder = tmp_path / "model"
    folder.mkdir()
    layout = {f"{module}.weight": ("BF16", (size, size)) for module in modules}
    with SafetensorsWriter(folder / "model.safetensors", layout) as writer:
        for tensor in layout:
            writer.write(tensor, float32_to_bfloat16(np.full((size, size), 0.5, np.float32)).tobytes())
    factors = {name: value for module in modules for name, value in random_factors(module, size, size, rank=size).items()}
    adapter, target = write_adapter(tmp_path / "adapter", factors, r=size), tmp_path / "merged"
    target.mkdir()
    whole = sum(4 * value.size for value in factors.values())
    del factors
    tracemalloc.start()
    deltas = read_deltas(adapter)
    listed = tracemalloc.get_traced_memory()[1]
    merge(ModelFolder(folder), deltas, target)
    verify_merge(ModelFolder(folder), deltas, target)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert listed < 1024 * 1024
    assert peak < whole / 2

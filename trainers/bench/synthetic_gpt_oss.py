"""A model with GPT-OSS-20B's tensor names and shapes, random weights, and a LoRA that changes nearly all of its bytes.

Fewer layers, and a vocabulary of 1024 rows, since embeddings are never merged: of 4 GiB, above 99 % are rewritten.
Weights repeat a pool of random bytes: nothing here depends on their being distinct. Does not cover a tokenizer.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from temper_trainers.checkpoint_folder import write_index
from temper_trainers.mxfp4 import float32_to_bfloat16
from temper_trainers.safetensors_file import SafetensorsWriter, byte_size
from temper_trainers.seal import write_json

HIDDEN, EXPERTS, ATTENTION, KEYS, HEADS, VOCABULARY = 2880, 32, 4096, 512, 64, 1024
ATTENTION_SHAPES = {
    "q_proj": (ATTENTION, HIDDEN),
    "k_proj": (KEYS, HIDDEN),
    "v_proj": (KEYS, HIDDEN),
    "o_proj": (HIDDEN, ATTENTION),
}
EXPERT_ROWS = {"gate_up_proj": 2 * HIDDEN, "down_proj": HIDDEN}
POOL_BYTES = 8 * 1024 * 1024
Layout = dict[str, tuple[str, tuple[int, ...]]]


def layer_layout(number: int) -> Layout:
    """Dtype and shape of every tensor of a layer."""
    layer = f"model.layers.{number}"
    layout: Layout = {
        f"{layer}.input_layernorm.weight": ("BF16", (HIDDEN,)),
        f"{layer}.post_attention_layernorm.weight": ("BF16", (HIDDEN,)),
        f"{layer}.self_attn.sinks": ("BF16", (HEADS,)),
        f"{layer}.mlp.router.weight": ("BF16", (EXPERTS, HIDDEN)),
        f"{layer}.mlp.router.bias": ("BF16", (EXPERTS,)),
    }
    for name, shape in ATTENTION_SHAPES.items():
        layout[f"{layer}.self_attn.{name}.weight"] = ("BF16", shape)
        layout[f"{layer}.self_attn.{name}.bias"] = ("BF16", shape[:1])
    for name, rows in EXPERT_ROWS.items():
        layout[f"{layer}.mlp.experts.{name}_blocks"] = ("U8", (EXPERTS, rows, HIDDEN // 32, 16))
        layout[f"{layer}.mlp.experts.{name}_scales"] = ("U8", (EXPERTS, rows, HIDDEN // 32))
        layout[f"{layer}.mlp.experts.{name}_bias"] = ("BF16", (EXPERTS, rows))
    return layout


def outer_layout() -> Layout:
    """What lies outside the layers."""
    return {
        "model.embed_tokens.weight": ("BF16", (VOCABULARY, HIDDEN)),
        "model.norm.weight": ("BF16", (HIDDEN,)),
        "lm_head.weight": ("BF16", (VOCABULARY, HIDDEN)),
    }


def size_of(layout: Layout) -> int:
    """Bytes of all tensors."""
    return sum(byte_size(*each) for each in layout.values())


def write_model(folder: Path, least_bytes: int) -> int:
    """Write as many layers as reach `least_bytes`, a shard each; returns how many."""
    layers = -(-(least_bytes - size_of(outer_layout())) // size_of(layer_layout(0)))
    layouts = [outer_layout(), *(layer_layout(number) for number in range(max(1, layers)))]
    folder.mkdir(parents=True)
    random = np.random.default_rng(1)
    weights = float32_to_bfloat16(random.normal(size=POOL_BYTES // 2).astype(np.float32) * np.float32(0.02)).tobytes()
    blocks, scales = random.bytes(POOL_BYTES), random.integers(112, 124, POOL_BYTES, np.uint8).tobytes()
    shard_of = {}
    for number, layout in enumerate(layouts, 1):
        shard = f"model-{number:05d}-of-{len(layouts):05d}.safetensors"
        with SafetensorsWriter(folder / shard, layout) as writer:
            for name, (dtype, shape) in layout.items():
                pool = blocks if name.endswith("_blocks") else scales if name.endswith("_scales") else weights
                write_repeated(writer, name, byte_size(dtype, shape), pool)
        shard_of.update(dict.fromkeys(layout, shard))
    write_index(folder, shard_of, sum(map(size_of, layouts)))
    write_json(folder / "config.json", {"model_type": "gpt_oss", "num_hidden_layers": len(layouts) - 1})
    return len(layouts) - 1


def write_repeated(writer: SafetensorsWriter, name: str, size: int, pool: bytes) -> None:
    """Fill a tensor with the pool, over and over."""
    for begin in range(0, size, len(pool)):
        writer.write(name, pool[: size - begin], begin)


def write_adapter(folder: Path, layers: int, rank: int) -> int:
    """A LoRA on all attention projections and all experts, as PEFT names it: a layer's two stacks of experts nest.

    Returns its bytes. Factors repeat a pool of random numbers, as the model's weights do.
    """
    layout: Layout = {}

    def add(module: str, rows: int, columns: int, rank: int) -> None:
        layout[f"base_model.model.{module}.lora_A.weight"] = ("F32", (rank, columns))
        layout[f"base_model.model.{module}.lora_B.weight"] = ("F32", (rows, rank))

    for number in range(layers):
        layer = f"model.layers.{number}"
        for name, (rows, columns) in ATTENTION_SHAPES.items():
            add(f"{layer}.self_attn.{name}", rows, columns, rank)
        add(f"{layer}.mlp.experts.base_layer", EXPERT_ROWS["gate_up_proj"], HIDDEN, rank * EXPERTS)
        add(f"{layer}.mlp.experts", EXPERT_ROWS["down_proj"], HIDDEN, rank * EXPERTS)
    folder.mkdir(parents=True)
    config = {"peft_type": "LORA", "r": rank, "lora_alpha": 2 * rank, "bias": "none"}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    numbers = np.random.default_rng(2).normal(size=POOL_BYTES // 4).astype(np.float32) * np.float32(0.1)
    with SafetensorsWriter(folder / "adapter_model.safetensors", layout) as writer:
        for name, (dtype, shape) in layout.items():
            write_repeated(writer, name, byte_size(dtype, shape), numbers.tobytes())
    return size_of(layout)

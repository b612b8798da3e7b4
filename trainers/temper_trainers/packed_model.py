"""Writing a dense model as a native MXFP4 folder of two shards, and changed tensors as one overlay shard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from .checkpoint_folder import write_index
from .mxfp4 import pack
from .safetensors_file import SafetensorsWriter, byte_size

NOT_CONVERTED = ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]
EXPERTS = ("experts.gate_up_proj", "experts.down_proj")


def bfloat16_bytes(tensor: torch.Tensor) -> bytes:
    """A tensor rounded to bf16, as the bytes of a safetensors file."""
    return tensor.detach().to("cpu", torch.bfloat16).contiguous().view(torch.int16).numpy().tobytes()


def write_packed_model(model: Any, tokenizer: Any, folder: Path) -> None:
    """The whole model into `folder`: experts packed, everything else in bf16, with index, config and tokenizer."""
    contents: dict[str, tuple[str, tuple[int, ...], bytes]] = {}
    for name, tensor in model.state_dict().items():
        if name.endswith(EXPERTS):
            # dense experts lie (expert, in, out); packed ones (expert, out, in / 32)
            blocks, scales = pack(tensor.detach().float().cpu().transpose(1, 2).contiguous().numpy())
            contents[f"{name}_blocks"] = ("U8", blocks.shape, blocks.tobytes())
            contents[f"{name}_scales"] = ("U8", scales.shape, scales.tobytes())
        else:
            contents[name] = ("BF16", tuple(tensor.shape), bfloat16_bytes(tensor))
    names = sorted(contents)
    halves = (names[: len(names) // 2], names[len(names) // 2 :])
    shard_of = {}
    for number, half in enumerate(halves, 1):
        shard = f"model-{number:05d}-of-00002.safetensors"
        with SafetensorsWriter(folder / shard, {name: contents[name][:2] for name in half}) as writer:
            for name in half:
                writer.write(name, contents[name][2])
                shard_of[name] = shard
    write_index(folder, shard_of, sum(byte_size(*contents[name][:2]) for name in names))
    write_packed_config(model.config, folder)
    tokenizer.save_pretrained(str(folder))


def write_packed_config(config: Any, folder: Path) -> None:
    """config.json of an MXFP4 model in the layout that openai/gpt-oss models have."""
    document = config.to_dict()
    document.update(
        dtype="bfloat16",
        architectures=[type(config).__name__.replace("Config", "ForCausalLM")],
        quantization_config={"modules_to_not_convert": NOT_CONVERTED, "quant_method": "mxfp4"},
    )
    (folder / "config.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def write_overlay(path: Path, tensors: dict[str, torch.Tensor]) -> None:
    """Changed tensors, in bf16, as one shard."""
    with SafetensorsWriter(path, {name: ("BF16", tuple(tensor.shape)) for name, tensor in tensors.items()}) as writer:
        for name, tensor in sorted(tensors.items()):
            writer.write(name, bfloat16_bytes(tensor))

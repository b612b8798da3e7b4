"""The packer against an independent reference that tries every code, and against what transformers unpacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from temper_trainers.mxfp4 import bfloat16_to_float32, float32_to_bfloat16, pack, unpack

MAGNITUDES = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]


def reference(group: np.ndarray[Any, Any]) -> tuple[list[int], int]:
    """Codes and scale of one group of 32 bf16 values, by trying every code in exact arithmetic."""
    values = [float(value) for value in group]
    largest = max(map(abs, values))
    if largest == 0:
        return [0] * 32, 0
    exponent = -127
    while 6 * 2.0**exponent < largest:
        exponent += 1
    codes = []
    for value in values:
        scaled = abs(value) / 2.0**exponent
        best = min(range(8), key=lambda code: (abs(MAGNITUDES[code] - scaled), code % 2))
        codes.append(best + (8 if value < 0 else 0))
    return codes, exponent + 127


def data_sets() -> dict[str, np.ndarray[Any, Any]]:
    """Normal, tiny, tied, zero and mixed values, rows from end to end of float32, and zeros of both signs among others."""
    source = np.random.default_rng(0)
    holes = np.where(source.random((8, 64)) < 0.5, np.float32(-0.0), source.normal(size=(8, 64)).astype(np.float32))
    holes[0] = -0.0
    powers = np.array([-119, -117, -80, 0, 14, 15, 16, 17, 18, 60, 120])[:, None]
    grid = np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 6.0], np.float32)
    return {
        "normal": source.normal(size=(8, 64)).astype(np.float32),
        "small": (source.normal(size=(8, 64)) * 1e-20).astype(np.float32),
        "ties": source.choice(np.concatenate([grid, -grid]), size=(8, 64)).astype(np.float32),
        "zeros": np.zeros((2, 32), np.float32),
        "holes": holes,
        "rows of any size": (source.normal(size=(len(powers), 64)) * np.exp2(powers)).astype(np.float32),
        "mixed": (source.normal(size=(8, 64)) * np.exp2(source.integers(-30, 30, size=(8, 64)))).astype(np.float32),
    }


@pytest.mark.parametrize("name", list(data_sets()))
def test_packing_is_bit_equal_to_the_reference(name: str) -> None:
    values = data_sets()[name]
    blocks, scales = pack(values)
    exact = bfloat16_to_float32(float32_to_bfloat16(values)).reshape(-1, 32)
    for row, (group, block, scale) in enumerate(zip(exact, blocks.reshape(-1, 16), scales.reshape(-1), strict=True)):
        codes, want_scale = reference(group)
        found = [code for byte in block for code in (int(byte) & 15, int(byte) >> 4)]
        # a negative value that rounds to zero keeps its sign bit in both
        assert (found, int(scale)) == (codes, want_scale), f"group {row}"


def test_unpacking_what_was_packed_keeps_values_when_packed_again() -> None:
    once = unpack(*pack(data_sets()["normal"]))
    assert np.array_equal(unpack(*pack(once)), once)


def test_every_byte_and_scale_is_unpacked_exactly() -> None:
    blocks = np.tile(np.arange(256, dtype=np.uint8).reshape(16, 16), (256, 1, 1))
    scales = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 16, 1)
    found = unpack(blocks, scales).reshape(256, 512)
    signed = np.array([*MAGNITUDES, *(-each for each in MAGNITUDES)])
    once = np.stack([signed[np.arange(256) & 15], signed[np.arange(256) >> 4]], -1).reshape(-1)
    with np.errstate(over="ignore"):
        want = (once * np.exp2(np.arange(256.0) - 127)[:, None]).astype(np.float32)
    assert np.array_equal(found.view(np.uint32), want.view(np.uint32))


def test_no_value_is_further_than_half_the_widest_gap() -> None:
    values = data_sets()["normal"]
    blocks, scales = pack(values)
    error = np.abs(unpack(blocks, scales) - bfloat16_to_float32(float32_to_bfloat16(values))).reshape(-1, 32)
    assert (error.max(1) <= np.exp2(scales.reshape(-1).astype(np.float64) - 127)).all()


def test_transformers_unpacks_the_same_values() -> None:
    import torch
    from transformers.integrations.mxfp4 import convert_moe_packed_tensors

    values = np.random.default_rng(1).normal(size=(2, 64, 96)).astype(np.float32)
    blocks, scales = pack(values)
    theirs = convert_moe_packed_tensors(torch.from_numpy(blocks), torch.from_numpy(scales), dtype=torch.bfloat16)
    assert np.array_equal(theirs.float().transpose(1, 2).numpy(), unpack(blocks, scales))


def test_bf16_rounds_like_torch() -> None:
    import torch

    source = np.random.default_rng(2)
    values = source.integers(0, 2**32, size=20000, dtype=np.uint32).view(np.float32)
    values = np.where(np.isnan(values), np.float32(1), values)
    theirs = torch.from_numpy(values).to(torch.bfloat16).view(torch.int16).numpy().view(np.uint16)
    assert np.array_equal(float32_to_bfloat16(values), theirs)


def test_only_multiples_of_32_are_packed() -> None:
    with pytest.raises(ValueError, match="multiples of 32"):
        pack(np.zeros((2, 40), np.float32))

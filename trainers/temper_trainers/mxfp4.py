"""MXFP4 packing and unpacking, and bf16 by its bits, in numpy.

32 values share one power-of-two scale (E8M0, bias 127); each is a 4-bit float of the grid 0 .5 1 1.5 2 3 4 6 with a
sign. Two values lie in a byte, the first in the low nibble. Scales are rounded up (2^ceil(log2(amax / 6))), so nothing
is clipped; values go to the nearest grid point, ties to the even code: bit-equal to triton_kernels' downcast_to_mxfp
and to what transformers packs. Requantizing keeps values, not bytes: never requantize what did not change.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

BLOCK = 32
GRID = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
VALUES = np.concatenate([GRID, -GRID])
MIDPOINTS = np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0], np.float32)


def bfloat16_to_float32(bits: Array) -> Array:
    """The float32 values of bf16 bits (uint16); exact."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def float32_to_bfloat16(values: Array) -> Array:
    """The bf16 bits (uint16) nearest to float32 values, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


def pack(values: Array) -> tuple[Array, Array]:
    """Float32 (..., n), n a multiple of 32 → blocks uint8 (..., n/32, 16) and scales uint8 (..., n/32).

    Values are rounded to bf16 first, as the reference does with its bf16 input.
    """
    if values.shape[-1] % BLOCK:
        raise ValueError(f"MXFP4 packs multiples of {BLOCK}, not {values.shape[-1]}")
    exact = bfloat16_to_float32(float32_to_bfloat16(values))
    groups = exact.reshape(*exact.shape[:-1], -1, BLOCK)
    largest = np.abs(groups).max(-1)
    scale_bits = ((largest / np.float32(6)).view(np.int32) + np.int32(0x007FFFFF)) & np.int32(0x7F800000)
    scale = scale_bits.view(np.float32)[..., None]
    quotient = np.divide(groups, scale, out=np.zeros_like(groups), where=scale != 0)
    magnitude = np.minimum(np.abs(quotient), np.float32(6))
    code = np.searchsorted(MIDPOINTS, magnitude, side="left")
    on_midpoint = MIDPOINTS[np.minimum(code, len(MIDPOINTS) - 1)] == magnitude
    code = code + (on_midpoint & (code % 2 == 1))
    nibbles = (code + 8 * (quotient < 0)).astype(np.uint8)
    blocks = nibbles[..., 0::2] | (nibbles[..., 1::2] << 4)
    return np.ascontiguousarray(blocks), (scale_bits >> 23).astype(np.uint8)


def unpack(blocks: Array, scales: Array) -> Array:
    """Blocks (..., n/32, 16) and scales (..., n/32) → float32 (..., n); exact."""
    nibbles = np.stack([blocks & 15, blocks >> 4], -1).reshape(*blocks.shape[:-1], BLOCK)
    values = np.ldexp(VALUES[nibbles], (scales.astype(np.int32) - 127)[..., None])
    return values.reshape(*blocks.shape[:-2], -1).astype(np.float32)

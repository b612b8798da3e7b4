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
# eight times both values of each byte, as one number; with an eighth of each scale, no scale is beyond float32
PAIRS = np.stack([8 * VALUES[np.arange(256) & 15], 8 * VALUES[np.arange(256) >> 4]], -1).view(np.uint64)[:, 0]
EIGHTHS_OF_SCALE = np.ldexp(np.float32(1), np.arange(256, dtype=np.int32) - 130)
# packing goes by pieces whose temporaries stay in the processor's cache
CACHED_GROUPS = 2048
# scales of a group in which no subnormal and no quotient below float32 decides a code or a sign
PLAIN_SCALES = (4, 143)
# a quarter and three quarters as bf16 bits whose exponent counts from 1.0
QUARTER = np.int16(-2 << 7)
THREE_QUARTERS = np.int16((-1 << 7) + 64)


def bfloat16_to_float32(bits: Array) -> Array:
    """The float32 values of bf16 bits (uint16); exact."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def float32_to_bfloat16(values: Array) -> Array:
    """The bf16 bits (uint16) nearest to float32 values, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = bits >> 16
    rounded &= 1
    rounded += bits
    rounded += 0x7FFF
    rounded >>= 16
    nan = np.isnan(values)
    if nan.any():
        rounded[nan] = 0x7FC0
    return rounded.astype(np.uint16)


def pack(values: Array) -> tuple[Array, Array]:
    """Float32 (..., n), n a multiple of 32 → blocks uint8 (..., n/32, 16) and scales uint8 (..., n/32).

    Values are rounded to bf16 first, as the reference does with its bf16 input.
    """
    if values.shape[-1] % BLOCK:
        raise ValueError(f"MXFP4 packs multiples of {BLOCK}, not {values.shape[-1]}")
    groups = np.ascontiguousarray(values, np.float32).reshape(-1, BLOCK)
    blocks = np.empty((len(groups), BLOCK // 2), np.uint8)
    scales = np.empty(len(groups), np.uint8)
    for begin in range(0, len(groups), CACHED_GROUPS):
        piece = slice(begin, begin + CACHED_GROUPS)
        blocks[piece], scales[piece] = _pack_groups(float32_to_bfloat16(groups[piece]))
    shape = (*values.shape[:-1], values.shape[-1] // BLOCK)
    return blocks.reshape(*shape, BLOCK // 2), scales.reshape(shape)


def _pack_groups(bits: Array) -> tuple[Array, Array]:
    # a bf16 value divided by a power of two is the same bits with a smaller exponent: all of it is integers of 16 bits
    magnitude = bits & np.uint16(0x7FFF)
    largest = _largest_of_each(magnitude)
    sixth = bfloat16_to_float32(largest) / np.float32(6)
    scales = ((sixth.view(np.uint32) + np.uint32(0x007FFFFF)) >> 23) & np.uint32(0xFF)
    plain = ((scales >= PLAIN_SCALES[0]) & (scales <= PLAIN_SCALES[1])) | (largest == 0)
    if not plain.all():
        return _pack_any_groups(bits)
    # a group of zeros has no scale: any large one makes zeros of it
    quotient = magnitude.view(np.int16) - (np.where(largest == 0, 255, scales) << 7).astype(np.int16)[:, None]
    above_one = np.maximum(quotient, np.int16(0))
    code = (above_one + np.int16(31) + ((above_one >> 6) & np.int16(1))) >> 6
    code += quotient > QUARTER
    code += quotient >= THREE_QUARTERS
    sign = (bits >> 12) & np.uint16(8)
    sign *= magnitude != 0
    nibbles = code.view(np.uint16) | sign
    return _join_nibbles(nibbles), scales.astype(np.uint8)


def _largest_of_each(groups: Array) -> Array:
    # each value becomes the largest of itself and the 31 after it: long passes over memory, not a short loop per group
    largest = groups.reshape(-1)
    for distance in (16, 8, 4, 2, 1):
        largest = np.maximum(largest[:-distance], largest[distance:])
    return largest[::BLOCK]


def _pack_any_groups(bits: Array) -> tuple[Array, Array]:
    # what the reference does, value by value: also right at the ends of the float32 range, and slow
    groups = bfloat16_to_float32(bits)
    largest = np.abs(groups).max(-1)
    scale_bits = ((largest / np.float32(6)).view(np.int32) + np.int32(0x007FFFFF)) & np.int32(0x7F800000)
    scale = scale_bits.view(np.float32)[..., None]
    quotient = np.divide(groups, scale, out=np.zeros_like(groups), where=scale != 0)
    magnitude = np.minimum(np.abs(quotient), np.float32(6))
    code = np.searchsorted(MIDPOINTS, magnitude, side="left")
    on_midpoint = MIDPOINTS[np.minimum(code, len(MIDPOINTS) - 1)] == magnitude
    code = code + (on_midpoint & (code % 2 == 1))
    return _join_nibbles((code + 8 * (quotient < 0)).astype(np.uint16)), (scale_bits >> 23).astype(np.uint8)


def _join_nibbles(nibbles: Array) -> Array:
    # two codes of 16 bits, read as one number of 32: the first is the low half
    pairs = np.ascontiguousarray(nibbles).view(np.uint32)
    return (pairs | (pairs >> 12)).astype(np.uint8)


def unpack(blocks: Array, scales: Array) -> Array:
    """Blocks (..., n/32, 16) and scales (..., n/32) → float32 (..., n); exact."""
    values = np.take(PAIRS, blocks).view(np.float32)
    values *= EIGHTHS_OF_SCALE[scales][..., None]
    return values.reshape(*blocks.shape[:-2], -1)

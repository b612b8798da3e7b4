"""Adding a LoRA to experts packed as MXFP4: unpack, add, pack again, exactly the touched experts, in bounded memory.

Experts whose change is zero keep their bytes: requantizing keeps values, not bytes. Work goes by stack, by expert and by
rows of one expert, so memory is a few copies of ROW_BYTES and the factors of one stack, for a moment B twice (at the shapes
of gpt-oss-120b and rank 8, 59 MB), whatever the number of layers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .adapter import Delta
from .checkpoint_folder import ModelFolder
from .errors import ConfigError, DataError
from .mxfp4 import BLOCK, Array, pack, unpack
from .safetensors_file import SafetensorsWriter, read_bytes

ROW_BYTES = 8 * 1024 * 1024
PROJECTIONS = ("gate_up_proj", "down_proj")


@dataclass(frozen=True)
class ExpertTarget:
    """A packed stack of experts, and where the change of it lies."""

    blocks: str
    scales: str
    experts: int
    rows: int
    columns: int
    delta: Delta

    def read_change(self) -> ExpertChange:
        """Read the factors of this one stack."""
        delta = self.delta
        a, b = delta.a.read(), delta.b.read()
        # PEFT stacks A by expert then rank, B by rank then expert: delta[e] = B[:, :, e] · A[e]
        right = a.reshape(self.experts, -1, a.shape[1])
        left = np.ascontiguousarray(b.reshape(b.shape[0], -1, self.experts).transpose(2, 0, 1))
        left *= np.float32(delta.scaling)
        if (b.shape[0], a.shape[1]) == (self.rows, self.columns):
            return ExpertChange(self, left, right)
        return ExpertChange(self, right.transpose(0, 2, 1), left.transpose(0, 2, 1))


@dataclass(frozen=True)
class ExpertChange:
    """The change of each expert of a stack: `left[e] @ right[e]` is (out, in) for expert e."""

    target: ExpertTarget
    left: Array
    right: Array

    def touched(self) -> list[bool]:
        """Whether each expert changes at all."""
        return [bool(np.any(self.left[e]) and np.any(self.right[e])) for e in range(self.target.experts)]


def expert_target(base: ModelFolder, delta: Delta) -> ExpertTarget:
    """Find the projection that this change fits. PEFT names both of a layer alike, so only shapes tell them apart."""
    layer = re.sub(r"(\.base_layer)+$", "", delta.module)
    shapes = {}
    for projection in PROJECTIONS:
        name = f"{layer}.{projection}"
        if f"{name}_blocks" not in base.shard_of:
            raise ConfigError(f"{base.path} has no packed experts at {name}: merge into an MXFP4 model, or in 16 bits")
        experts, rows, groups, _ = base.entry(f"{name}_blocks")[1].shape
        shapes[name] = (experts, rows, groups * BLOCK)
    fitting = {name: shape for name, shape in shapes.items() if _fits(shape, delta)}
    if len(fitting) != 1:
        raise DataError(f"the change of {delta.module} fits {len(fitting)} of the projections of {layer}, not one")
    ((name, (experts, rows, columns)),) = fitting.items()
    return ExpertTarget(f"{name}_blocks", f"{name}_scales", experts, rows, columns, delta)


def _fits(shape: tuple[int, int, int], delta: Delta) -> bool:
    experts, rows, columns = shape
    sides = (delta.b.shape[0], delta.a.shape[1])
    return delta.a.shape[0] % experts == 0 and sides in ((rows, columns), (columns, rows))


def row_pieces(target: ExpertTarget) -> list[tuple[int, int]]:
    """Begin and end of the row ranges that are worked on at once."""
    step = max(1, ROW_BYTES // (4 * target.columns))
    return [(begin, min(begin + step, target.rows)) for begin in range(0, target.rows, step)]


def read_rows(model: ModelFolder, target: ExpertTarget, expert: int, begin: int, end: int) -> tuple[Array, Array]:
    """Blocks and scales of some rows of one expert."""
    groups = target.columns // BLOCK
    first, count = expert * target.rows + begin, end - begin
    path, entry = model.entry(target.blocks)
    blocks = read_bytes(path, entry, first * groups * 16, count * groups * 16)
    path, entry = model.entry(target.scales)
    scales = read_bytes(path, entry, first * groups, count * groups)
    return (
        np.frombuffer(blocks, np.uint8).reshape(count, groups, 16),
        np.frombuffer(scales, np.uint8).reshape(count, groups),
    )


def changed_rows(model: ModelFolder, change: ExpertChange, expert: int, begin: int, end: int) -> Array:
    """Float32 values of some rows after the change, before packing."""
    blocks, scales = read_rows(model, change.target, expert, begin, end)
    return unpack(blocks, scales) + change.left[expert][begin:end] @ change.right[expert]


def merge_expert(base: ModelFolder, target: ExpertTarget, writer: SafetensorsWriter) -> None:
    """Write every expert of the stack: touched ones packed anew, the others byte for byte."""
    groups, change = target.columns // BLOCK, target.read_change()
    for expert, changes in enumerate(change.touched()):
        for begin, end in row_pieces(target):
            if changes:
                blocks, scales = pack(changed_rows(base, change, expert, begin, end))
            else:
                blocks, scales = read_rows(base, target, expert, begin, end)
            first = expert * target.rows + begin
            writer.write(target.blocks, blocks.tobytes(), first * groups * 16)
            writer.write(target.scales, scales.tobytes(), first * groups)

"""Is a merged folder exactly its base plus its adapter? Raises DataError with the first thing that is not.

Checks, in order: headers cover their files and the index is whole; every tensor of the base is there with its dtype and
shape; tensors outside the adapter are byte-identical; merged weights lie within half a bf16 unit of the exact sum; packed
experts hold what the packer makes of the sum, untouched experts their old bytes; each change is there; config, tokenizer
and template are the base's own files. Does not cover logits, which need torch (tests compare them).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .adapter import Delta
from .checkpoint_folder import INDEX, ModelFolder
from .errors import DataError
from .expert_merge import ExpertTarget, changed_rows, expert_target, read_rows, row_pieces
from .mxfp4 import Array, bfloat16_to_float32, pack
from .safetensors_file import read_bytes
from .seal import sha256_of_file

PIECE_BYTES = 8 * 1024 * 1024
FLOAT32_ROUNDING = 2.0**-24


def verify_merge(base: ModelFolder, deltas: list[Delta], folder: Path) -> None:
    """All checks of the header above."""
    merged = ModelFolder(folder)
    targets = [expert_target(base, delta) for delta in deltas if delta.touches_experts]
    dense = {delta.module + ".weight": delta for delta in deltas if not delta.touches_experts}
    packed = {name for target in targets for name in (target.blocks, target.scales)}
    if set(merged.shard_of) != set(base.shard_of):
        raise DataError(f"{folder} does not hold the tensors of {base.path}")
    for name in sorted(base.shard_of):
        old, new = base.entry(name), merged.entry(name)
        if (old[1].dtype, old[1].shape) != (new[1].dtype, new[1].shape):
            raise DataError(f"{name} changed its dtype or shape")
        if name not in dense and name not in packed and not same_bytes(base, merged, name):
            raise DataError(f"{name} is no target of the adapter, but its bytes changed")
    changes = sum(verify_weight(base, merged, name, delta) for name, delta in sorted(dense.items()))
    changes += sum(verify_experts(base, merged, target) for target in targets)
    if changes == 0:
        raise DataError("the merge changed nothing: every change of the adapter is below the precision of the weights")
    verify_other_files(base.path, folder)


def verify_experts(base: ModelFolder, merged: ModelFolder, target: ExpertTarget) -> int:
    """How many pieces of a stack of experts changed; raises when one is not what its change makes of it."""
    change, changes = target.read_change(), 0
    for expert, changed in enumerate(change.touched()):
        for begin, end in row_pieces(target):
            old_rows = read_rows(base, target, expert, begin, end)
            want = pack(changed_rows(base, change, expert, begin, end)) if changed else old_rows
            found = read_rows(merged, target, expert, begin, end)
            if not all(np.array_equal(*pair) for pair in zip(want, found, strict=True)):
                raise DataError(f"{target.blocks}: expert {expert} is not what its change makes of it")
            changes += not all(np.array_equal(*pair) for pair in zip(old_rows, found, strict=True))
    return changes


def same_bytes(base: ModelFolder, merged: ModelFolder, name: str) -> bool:
    """Whether a tensor has the same bytes in both, read in pieces (a linked shard is the same file)."""
    old_path, old = base.entry(name)
    new_path, new = merged.entry(name)
    if old_path.samefile(new_path) and old.offset == new.offset:
        return True
    pieces = [(begin, min(PIECE_BYTES, old.size - begin)) for begin in range(0, old.size, PIECE_BYTES)]
    return all(read_bytes(old_path, old, *piece) == read_bytes(new_path, new, *piece) for piece in pieces)


def verify_weight(base: ModelFolder, merged: ModelFolder, name: str, delta: Delta) -> int:
    """1 when the weight changed, 0 when its change is below its precision; raises when it is not the rounded sum."""
    left, right = delta.b.read(), delta.a.read()
    if not left.any() or not right.any():
        raise DataError(f"the adapter's change of {name} is zero: it was never trained")
    (old_path, old), (new_path, new) = base.entry(name), merged.entry(name)
    rows, columns = old.shape
    step = max(1, PIECE_BYTES // (8 * columns))
    changed = False
    for begin in range(0, rows, step):
        place = (begin * columns * 2, min(step, rows - begin) * columns * 2)
        pair = (read_bytes(path, entry, *place) for path, entry in ((old_path, old), (new_path, new)))
        before, after = (bfloat16_to_float32(np.frombuffer(data, np.uint16)).reshape(-1, columns) for data in pair)
        verify_rows(name, (before, after), (left[begin : begin + len(before)], right, delta.scaling))
        changed |= not np.array_equal(before, after)
    return int(changed)


def verify_rows(name: str, values: tuple[Array, Array], change: tuple[Array, Array, float]) -> None:
    """Raises when some rows of a weight, before and after, do not differ by the rounded change of those rows."""
    old, new = (each.astype(np.float64) for each in values)
    b, a, scaling = change[0].astype(np.float64), change[1].astype(np.float64), change[2]
    exact = old + scaling * (b @ a)
    if not np.isfinite(new).all():
        raise DataError(f"{name} is not finite after the merge")
    # frexp gives |exact| in [2^(e-1), 2^e), so a unit of bf16's 8 bits is 2^(e-8)
    half_unit = np.ldexp(0.5, np.frexp(exact)[1] - 8)
    # the float32 sum adds a sliver, by the size of its terms: they may cancel each other
    terms = np.abs(old) + abs(scaling) * (np.abs(b) @ np.abs(a))
    sliver = (len(a) + 4) * FLOAT32_ROUNDING * terms + 1e-30
    if (np.abs(new - exact) > half_unit + sliver).any():
        raise DataError(f"{name} is further than half a bf16 unit from the sum of base and adapter")


def verify_other_files(base: Path, folder: Path) -> None:
    """Config, tokenizer and chat template are the base's own bytes."""
    for path in sorted(base.iterdir()):
        if not path.is_file() or path.name.endswith(".safetensors") or path.name in (INDEX, "state.pt"):
            continue
        copy = folder / path.name
        if not copy.exists() or not (copy.samefile(path) or sha256_of_file(copy) == sha256_of_file(path)):
            raise DataError(f"{path.name} of {folder} is not the base's")

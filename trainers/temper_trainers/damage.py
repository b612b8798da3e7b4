"""Is a checkpoint what its seal says, and is what a library says of one that cannot be loaded a damage of its files?

Covers checkpoints that are loaded. Does not cover what Temper makes of a damage (decisions/classify.ts).
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from .errors import DamagedError
from .processes import this_process
from .request import Resume
from .seal import Seal, compute_seal, seal_path

DAMAGE = (OSError, EOFError, KeyError, RuntimeError, ValueError, SafetensorError, pickle.UnpicklingError)


def sound_seal(path: Path, step: int, form: str, expected: str | None) -> Seal:
    """The seal of these very files; raises DamagedError naming the file that is not what was sealed."""
    try:
        seal = compute_seal(path, step, form)
    except FileNotFoundError as error:
        raise DamagedError(path, str(error)) from error
    if expected is not None and seal.digest != expected:
        raise DamagedError(path, difference_from_seal(path, seal) or f"its digest is {seal.digest}, not {expected}")
    return seal


def require_digest(path: Path, expected: str) -> None:
    """Raise DamagedError naming the file that is not what was sealed."""
    sound_seal(path, 0, "", expected)


def difference_from_seal(path: Path, found: Seal) -> str | None:
    """The first file that differs from the seal beside the checkpoint; None when that seal does not tell."""
    try:
        document = json.loads(seal_path(path).read_text(encoding="utf-8"))
        sealed = {str(each["path"]): (int(each["size"]), str(each["sha256"])) for each in document["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return None
    for file in found.files:
        if file.path not in sealed:
            return f"{file.path} is not covered by its seal"
        size, sha256 = sealed.pop(file.path)
        if file.size != size:
            return f"{file.path} has {file.size} bytes, sealed with {size}"
        if file.sha256 != sha256:
            return f"{file.path} differs from its seal"
    return f"{min(sealed)} is missing" if sealed else None


@contextmanager
def telling_damage(loaded: Resume | None, is_loading: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Inside, a checkpoint is loaded: without a seal, what cannot be read counts as damaged.

    One whose digest agrees holds the bytes that were saved: what fails then has another cause. Process 0 has compared it;
    another one, which may fail before that has, compares it now. What fails when `is_loading` says that loading is over
    has another cause too.
    """
    try:
        yield
    except DAMAGE as error:
        full = type(error).__name__ == "OutOfMemoryError"
        if loaded is None or full or not is_loading():
            raise
        if loaded.digest is not None:
            if not this_process().writes:
                require_digest(loaded.path, loaded.digest)
            raise
        raise DamagedError(loaded.path, f"{type(error).__name__}: {error}") from error

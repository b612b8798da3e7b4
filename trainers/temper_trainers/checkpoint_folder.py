"""Folders of Hugging Face models on the store: index and shards, verified, linked and overlaid. Needs no torch.

A sparse overlay links every shard that still holds a live tensor and writes the changed tensors to one new shard. Linked
shards keep their stale copies of changed tensors; the index decides, and the overlay's name sorts after every other shard,
so that loaders that walk the files in order also see it last.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .errors import DataError
from .safetensors_file import Entry, read_header
from .seal import write_json

INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"
SINGLE_AS_SHARD = "model-00001-of-00001.safetensors"
# Another device, somebody else's file where the kernel protects those, too many links, or a filesystem without any.
NO_HARD_LINK = (errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP)


def link(source: Path, target: Path) -> None:
    """A hard link to a file, or a symlink across devices: never a copy of weights."""
    try:
        os.link(source.resolve(), target)
    except OSError as error:
        if error.errno not in NO_HARD_LINK:
            raise
        target.symlink_to(source.resolve())


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A temporary folder that becomes `target` by rename when everything inside is written."""
    temporary = target.with_name(f".{target.name}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    yield temporary
    if target.exists():
        shutil.rmtree(target)
    temporary.rename(target)


def read_config(folder: Path) -> dict[str, Any]:
    """config.json, or a DataError that says what is wrong with it."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{folder} is not a model: config.json cannot be read: {error}") from error
    if not isinstance(config, dict) or "model_type" not in config:
        raise DataError(f"{folder} is not a model: config.json has no model_type")
    return config


class ModelFolder:
    """The tensors of a model by name, whichever shards they lie in."""

    def __init__(self, path: Path) -> None:
        """Read index and headers; raises DataError unless every tensor of the index lies in its shard and none is lost."""
        self.path = path
        if not path.is_dir():
            raise DataError(f"there is no model folder at {path}")
        if (path / INDEX).exists():
            try:
                document = json.loads((path / INDEX).read_text(encoding="utf-8"))
                self.shard_of: dict[str, str] = dict(document["weight_map"])
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise DataError(f"{path / INDEX} is not an index of shards: {error}") from error
        elif (path / SINGLE).exists():
            self.shard_of = dict.fromkeys(read_header(path / SINGLE), SINGLE)
        else:
            raise DataError(f"{path} is not a model: it has neither {INDEX} nor {SINGLE}")
        self.headers = self._read_headers()
        self._check_index()

    def entry(self, name: str) -> tuple[Path, Entry]:
        """The file and place of a tensor."""
        if name not in self.shard_of:
            raise DataError(f"{self.path} has no tensor {name}")
        shard = self.shard_of[name]
        return self.path / shard, self.headers[shard][name]

    def _read_headers(self) -> dict[str, dict[str, Entry]]:
        headers = {}
        for shard in sorted(set(self.shard_of.values())):
            if not (self.path / shard).exists():
                raise DataError(f"{self.path} lacks the shard {shard} that its index names")
            headers[shard] = read_header(self.path / shard)
        return headers

    def _check_index(self) -> None:
        for name, shard in self.shard_of.items():
            if name not in self.headers[shard]:
                raise DataError(f"{self.path}: the index places {name} in {shard}, which does not hold it")
        unmapped = sorted({name for header in self.headers.values() for name in header} - set(self.shard_of))
        if unmapped:
            raise DataError(f"{self.path}: the index does not name {unmapped[0]} ({len(unmapped)} such tensors)")


def write_index(folder: Path, shard_of: dict[str, str], total_bytes: int) -> None:
    """The index of a sharded model."""
    write_json(
        folder / INDEX,
        {"metadata": {"total_size": total_bytes}, "weight_map": dict(sorted(shard_of.items()))},
    )


def overlay_name(source: ModelFolder) -> str:
    """A shard name that sorts after every shard of the source."""
    number = 1 + sum(shard.startswith("model-overlay-") for shard in source.headers)
    return f"model-overlay-{number:04d}.safetensors"


def link_overlay(source: ModelFolder, target: Path, changed: set[str], overlay: str) -> None:
    """Everything of an overlaid folder but the new shard itself: links to what stays, and the rewritten index."""
    shard_of = {
        name: overlay if name in changed else (SINGLE_AS_SHARD if shard == SINGLE else shard)
        for name, shard in source.shard_of.items()
    }
    for shard in sorted(source.headers):
        name = SINGLE_AS_SHARD if shard == SINGLE else shard
        if name in shard_of.values():
            link(source.path / shard, target / name)
    for path in sorted(source.path.iterdir()):
        if path.is_file() and not path.name.endswith(".safetensors") and path.name not in (INDEX, "state.pt"):
            link(path, target / path.name)
    total = sum(source.headers[shard][name].size for name, shard in source.shard_of.items())
    write_index(target, shard_of, total)

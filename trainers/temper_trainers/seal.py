"""Seals: the digest of every file of a checkpoint, written next to it by rename when the checkpoint is complete.

Files are read shard by shard in chunks, so memory stays bounded. Needs no torch.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

CHUNK_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class SealedFile:
    """One file of a checkpoint: path relative to it, size in bytes, sha256 in hex."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Seal:
    """The files of a checkpoint and the two digests over them."""

    step: int
    format: str
    files: tuple[SealedFile, ...]

    @property
    def digest(self) -> str:
        """The digest over every file."""
        return digest_of(self.files)

    @property
    def weights(self) -> str:
        """The digest over the `*.safetensors` files alone."""
        return digest_of([file for file in self.files if file.path.endswith(".safetensors")])


def digest_of(files: list[SealedFile] | tuple[SealedFile, ...]) -> str:
    """SHA-256 of the lines `<sha256>  <size>  <path>`, in the order of the paths."""
    lines = "".join(f"{file.sha256}  {file.size}  {file.path}\n" for file in sorted(files, key=lambda file: file.path))
    return hashlib.sha256(lines.encode()).hexdigest()


def sha256_of_file(path: Path) -> str:
    """SHA-256 of a file's bytes in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def compute_seal(directory: Path, step: int, form: str) -> Seal:
    """Read every file below `directory`; raises FileNotFoundError when there is none."""
    paths = sorted((path for path in directory.rglob("*") if path.is_file()), key=lambda path: path.as_posix())
    if not paths:
        raise FileNotFoundError(f"no files in the checkpoint {directory}")
    files = [SealedFile(path.relative_to(directory).as_posix(), path.stat().st_size, sha256_of_file(path)) for path in paths]
    return Seal(step, form, tuple(sorted(files, key=lambda file: file.path)))


def seal_path(directory: Path) -> Path:
    """Where the seal of this checkpoint lies."""
    return directory.with_name(directory.name + ".seal.json")


def write_seal(directory: Path, seal: Seal) -> None:
    """Write the seal next to its checkpoint, by rename."""
    document = {
        "contract": 1,
        "step": seal.step,
        "format": seal.format,
        "digest": seal.digest,
        "weights": seal.weights,
        "files": [{"path": file.path, "size": file.size, "sha256": file.sha256} for file in seal.files],
    }
    write_json(seal_path(directory), document)


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write strict JSON by rename: readers see the old file, none, or the whole new one."""
    write_text(path, json.dumps(document, indent=1, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file by rename, flushed to the disk first.

    Each writer has a temporary file of its own: pods count their processes each for themselves.
    """
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    with temporary.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)

"""Reading and writing of safetensors files by ranges, without torch and without holding a file in memory.

Covers the header (must cover the file exactly), reads of a tensor or a part of it, and a writer that lays the header
down first and is then filled in any order. Does not cover dtypes beyond those that post-training writes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np

from .errors import DataError

ITEM_BYTES = {"BF16": 2, "F16": 2, "F32": 4, "U8": 1, "I64": 8}
NUMPY_OF = {"BF16": np.uint16, "F16": np.float16, "F32": np.float32, "U8": np.uint8, "I64": np.int64}
HEADER_LIMIT_BYTES = 100 * 1024 * 1024


@dataclass(frozen=True)
class Entry:
    """Where a tensor lies: dtype as the file names it, shape, first byte and size counted from the file's start."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    size: int


def byte_size(dtype: str, shape: tuple[int, ...]) -> int:
    """Bytes of a tensor of this dtype and shape."""
    return ITEM_BYTES[dtype] * int(np.prod(shape, dtype=np.int64))


def read_header(path: Path) -> dict[str, Entry]:
    """The tensors of a file; raises DataError unless the header is sound and covers the file exactly."""
    file_size = path.stat().st_size
    with path.open("rb") as stream:
        start = stream.read(8)
        length = int.from_bytes(start, "little")
        if len(start) < 8 or length > min(HEADER_LIMIT_BYTES, file_size - 8):
            raise DataError(f"{path} is torn: its safetensors header is cut")
        try:
            header: dict[str, Any] = json.loads(stream.read(length))
        except ValueError as error:
            raise DataError(f"{path} is torn: its safetensors header is not JSON") from error
    header.pop("__metadata__", None)
    entries = {}
    expected = 0
    for name, value in sorted(header.items(), key=lambda item: tuple(item[1]["data_offsets"])):
        begin, end = value["data_offsets"]
        shape = tuple(value["shape"])
        known = value["dtype"] in ITEM_BYTES
        if begin != expected or (known and end - begin != byte_size(value["dtype"], shape)):
            raise DataError(f"{path} is damaged: {name} does not lie where its header says")
        entries[name] = Entry(value["dtype"], shape, 8 + length + begin, end - begin)
        expected = end
    if 8 + length + expected != file_size:
        raise DataError(f"{path} is torn: {file_size} bytes, its header describes {8 + length + expected}")
    return entries


def read_bytes(path: Path, entry: Entry, begin: int = 0, size: int | None = None) -> bytes:
    """Bytes of one tensor, or `size` bytes of it from `begin` on."""
    wanted = entry.size - begin if size is None else size
    with path.open("rb") as stream:
        stream.seek(entry.offset + begin)
        data = stream.read(wanted)
    if len(data) != wanted:
        raise DataError(f"{path} is torn: a tensor ends before its size")
    return data


def read_array(path: Path, entry: Entry) -> np.ndarray[Any, Any]:
    """A whole tensor as an array; bf16 comes as its 16 bits (mxfp4.bfloat16_to_float32)."""
    return np.frombuffer(read_bytes(path, entry), NUMPY_OF[entry.dtype]).reshape(entry.shape)


class SafetensorsWriter:
    """A new file whose tensors are known by name, dtype and shape, and whose bytes are written in any order."""

    def __init__(self, path: Path, tensors: Mapping[str, tuple[str, tuple[int, ...]]]) -> None:
        """Write the header and reserve the space."""
        header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
        offset = 0
        for name in sorted(tensors):
            dtype, shape = tensors[name]
            size = byte_size(dtype, shape)
            header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [offset, offset + size]}
            offset += size
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        self._offsets = {
            name: (8 + len(text) + value["data_offsets"][0], value["data_offsets"][1] - value["data_offsets"][0])
            for name, value in header.items()
            if name != "__metadata__"
        }
        self._written = dict.fromkeys(self._offsets, 0)
        self._path = path
        self._stream: BinaryIO = path.open("wb")
        self._stream.write(len(text).to_bytes(8, "little") + text)
        self._stream.truncate(8 + len(text) + offset)

    def write(self, name: str, data: bytes, begin: int = 0) -> None:
        """Bytes of a tensor from `begin` on. Every byte must be written once before the file is closed."""
        offset, size = self._offsets[name]
        if begin + len(data) > size:
            raise ValueError(f"{name}: {len(data)} bytes from {begin} do not fit into {size}")
        self._stream.seek(offset + begin)
        self._stream.write(data)
        self._written[name] += len(data)

    def __enter__(self) -> SafetensorsWriter:
        """Fill it inside a `with`."""
        return self

    def __exit__(self, kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        """Flush to the disk; a file with holes is an error."""
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()
        holes = [name for name, (_, size) in self._offsets.items() if self._written[name] != size]
        if kind is None and holes:
            raise ValueError(f"{self._path}: not every byte was written of {', '.join(holes)}")

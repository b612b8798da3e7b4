"""`npm run bench -- merge [--gib 4] [--rank 8] [--json]`: how fast kind mxfp4-merge writes, against a plain copy.

Makes a synthetic MXFP4 model of at least so many GiB in a temporary folder, copies its shards (copyfile, then fsync), and
merges a LoRA on all of it with `experts: requantize`, as an attempt of its own: reading, writing, verifying and sealing all
count. Prints MiB/s of bytes really written, where the time went, and the peak memory (RSS) of the merge; exit code 1 when
that is above 1 GiB (with `--rank 64` the adapter alone is larger, and the merge computes longer). Both read a model that
was just written, so from the page cache where it fits. Needs about three times the model's size on the disk, and removes it
afterwards, also on Ctrl-C. Does not cover a cold disk or a network store.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attempt import TRAINERS, run_attempt

sys.path.insert(0, str(TRAINERS))

from synthetic_gpt_oss import write_adapter, write_model

MIB, GIB = 1024**2, 1024**3
PEAK_LIMIT_BYTES = GIB
OVERLAY = "attempt/checkpoints/checkpoint-1/model-overlay-0001.safetensors"


@contextmanager
def fresh_folder(bytes_needed: int) -> Iterator[Path]:
    """A temporary folder that is removed however this ends. Raises SystemExit when the disk has too little room."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    folder = Path(tempfile.mkdtemp(prefix="temper-bench-merge-"))
    try:
        free = shutil.disk_usage(folder).free
        if free < bytes_needed:
            raise SystemExit(f"{folder} has {free / GIB:.1f} GiB free, {bytes_needed / GIB:.1f} are needed: set TMPDIR")
        yield folder
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        shutil.rmtree(folder)


def copy_seconds(model: Path, target: Path) -> float:
    """Seconds to copy the shards of the model, each flushed to the disk; the copy is removed again."""
    target.mkdir()
    started = time.monotonic()
    for path in sorted(model.glob("*.safetensors")):
        shutil.copyfile(path, target / path.name)
        with (target / path.name).open("rb") as stream:
            os.fsync(stream.fileno())
    seconds = time.monotonic() - started
    shutil.rmtree(target)
    return seconds


def measure(folder: Path, least_bytes: int, rank: int) -> dict[str, Any]:
    """Make the model, copy it, merge it; sizes in bytes, times in seconds."""
    model, adapter = folder / "model", folder / "adapter"
    layers = write_model(model, least_bytes)
    adapter_bytes = write_adapter(adapter, layers, rank)
    copied = copy_seconds(model, folder / "copy")
    start = {"id": "bench", "path": str(adapter), "format": "peft", "base": str(model), "digest": None}
    request = {"kind": "mxfp4-merge", "targetStep": 1, "start": start, "params": {"experts": "requantize"}}
    result = run_attempt(folder / "attempt", request)
    return {
        "layers": layers,
        "modelBytes": sum(path.stat().st_size for path in model.glob("*.safetensors")),
        "adapterBytes": adapter_bytes,
        "writtenBytes": (folder / OVERLAY).stat().st_size,
        "copySeconds": copied,
        "mergeSeconds": result["wall"],
        "mergeCpuSeconds": result["cpu"],
        "mergeSecondsBy": result["seconds"],
        # the merge is the only child of this process; Linux counts in KiB
        "peakBytes": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024,
    }


def text(measured: dict[str, Any]) -> str:
    """The measures for a person."""
    written, size = measured["writtenBytes"], measured["modelBytes"]
    copied, merged = (measured[name] for name in ("copySeconds", "mergeSeconds"))
    copy_rate, merge_rate = size / MIB / copied, written / MIB / merged
    parts = ", ".join(f"{doing} {seconds:.1f} s" for doing, seconds in measured["mergeSecondsBy"].items())
    return "\n".join(
        [
            f"model          {size / GIB:.2f} GiB, {measured['layers']} layers; rewritten {100 * written / size:.1f} %",
            f"adapter        {measured['adapterBytes'] / MIB:.0f} MiB",
            f"plain copy     {copy_rate:.0f} MiB/s ({copied:.1f} s)",
            f"merge          {merge_rate:.0f} MiB/s ({merged:.1f} s, cpu {measured['mergeCpuSeconds']:.1f} s)"
            f", {100 * merge_rate / copy_rate:.0f} % of the copy",
            f"  of which     {parts}",
            f"peak memory    {measured['peakBytes'] / MIB:.0f} MiB of at most {PEAK_LIMIT_BYTES / MIB:.0f}",
        ]
    )


def main() -> int:
    """Measure and print; returns the exit code."""
    parser = argparse.ArgumentParser(description="Merge throughput against a plain copy, and peak memory.")
    parser.add_argument("--gib", type=float, default=4, help="size of the model, at least (default 4)")
    parser.add_argument("--rank", type=int, default=8, help="rank of the adapter (default 8)")
    parser.add_argument("--json", action="store_true", help="numbers for a script")
    wanted = parser.parse_args()
    least_bytes = int(wanted.gib * GIB)
    with fresh_folder(3 * (least_bytes + GIB)) as folder:
        measured = measure(folder, least_bytes, wanted.rank)
    print(json.dumps(measured) if wanted.json else text(measured))
    return 0 if measured["peakBytes"] <= PEAK_LIMIT_BYTES else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)

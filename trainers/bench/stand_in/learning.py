"""What trainers do that learn nothing: a chain of digests for training, answers that follow from it for evaluation.

Covers every kind, evaluations included, and the files of checkpoints. Does not cover the pace, nor when it is told to stop
(__main__.py, fleet.py).
"""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from temper_trainers.contract import Run
from temper_trainers.errors import DataError, StoppedError
from temper_trainers.request import Params
from temper_trainers.seal import sha256_of_file, write_text

FORMAT = "hf"


def chained(digest: str, *parts: object) -> str:
    """The next digest of the chain."""
    return hashlib.sha256(":".join([digest, *map(str, parts)]).encode()).hexdigest()


def read_state(checkpoint: Path) -> str:
    """The digest that a checkpoint holds."""
    try:
        with zipfile.ZipFile(checkpoint / "state.pt") as archive:
            state: str = json.loads(archive.read("state.json"))["digest"]
            return state
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise DataError(f"cannot read {checkpoint}: {error}") from error


def write_checkpoint(folder: Path, step: int, digest: str) -> None:
    """A full model of one tensor, and the state to go on from."""
    folder.mkdir(exist_ok=True)
    tensor = bytes.fromhex(digest)
    header = json.dumps({"weight": {"dtype": "U8", "shape": [len(tensor)], "data_offsets": [0, len(tensor)]}}).encode()
    write_slowly(folder / "config.json", json.dumps({"model_type": "stand-in"}).encode())
    write_slowly(folder / "model.safetensors", len(header).to_bytes(8, "little") + header + tensor)
    with zipfile.ZipFile(folder / "state.pt", "w") as archive:
        archive.writestr(zipfile.ZipInfo("state.json"), json.dumps({"step": step, "digest": digest}))


def write_slowly(path: Path, data: bytes) -> None:
    """Half of it, then the rest: a kill may come between."""
    with path.open("wb", buffering=0) as stream:
        stream.write(data[: len(data) // 2])
        time.sleep(0.005)
        stream.write(data[len(data) // 2 :])


def training(run: Run) -> Iterator[None]:
    """From the start or the resume checkpoint to the target step; each time it is asked to go on, one step."""
    request = run.request
    run.report("loading", request.resume.step if request.resume else 0)
    step, digest = 0, chained("", "seed", request.seed)
    if request.resume is not None:
        run.started_from(request.resume.path, request.resume.step, FORMAT, request.resume.digest)
        step, digest = request.resume.step, read_state(request.resume.path)
    elif request.start is not None:
        run.started_from(request.start.path, 0, FORMAT, request.start.digest)
        digest = chained(read_state(request.start.path), request.kind)
    outcome, last = run.outcome, request.target_step
    outcome.start_step = outcome.final_step = step
    outcome.weights_before = digest
    every = request.params.integer("checkpointEvery", max(1, last))
    if last == 0:
        save(run, 0, digest)
    while step < last:
        yield
        step, digest = step + 1, chained(digest, request.kind, request.seed, step + 1)
        run.record_step(step, {"loss": 1 / (1 + step)})
        if step % every == 0 or step == last or run.stop_requested:
            save(run, step, digest)
        if run.stop_requested and step < last:
            raise StoppedError
    outcome.weights_after = digest


def save(run: Run, step: int, digest: str) -> None:
    """Write and seal the checkpoint of this step."""
    run.report("saving", step)
    folder = run.checkpoints / f"checkpoint-{step}"
    write_checkpoint(folder, step, digest)
    run.seal(folder, step, FORMAT)
    run.report("training", step)


def evaluate(run: Run) -> None:
    """Answers that follow from the checkpoint's digest: every problem of every benchmark, the same each time."""
    for number, wanted in enumerate(run.request.evaluations, start=1):
        run.report("evaluating", number - 1)
        output = run.request.output_directory / wanted.text("output")
        output.parent.mkdir(exist_ok=True)
        write_text(output, "".join(json.dumps(row) + "\n" for row in rows_of(wanted)))
        relative, digest = output.relative_to(run.request.output_directory), sha256_of_file(output)
        run.outcome.artifacts.append({"path": relative.as_posix(), "format": "outcomes", "step": 0, "digest": digest})
        run.outcome.final_step = number


def rows_of(wanted: Params) -> list[dict[str, object]]:
    """One row per problem and sample."""
    benchmark, path = wanted.section("benchmark"), Path(wanted.section("checkpoint").text("path"))
    state, rows = read_state(path), benchmark.section("data").integer("rows", 20)
    made = []
    for problem in range(rows):
        for sample in range(benchmark.integer("samples", 1)):
            correct = int(chained(state, problem, sample, wanted.integer("seed"))[:2], 16) < 128
            row = {"problem": str(problem), "sample": sample, "correct": correct, "answer": "x" if correct else None}
            made.append({**row, "tokens": 10, "truncated": False, "seconds": 0.0})
    return made

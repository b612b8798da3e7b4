"""Start one attempt by the trainer contract, without an orchestrator: write request.json, run, read the result."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from recipe_defaults import with_defaults

TRAINERS = Path(__file__).resolve().parent.parent


def run_attempt(directory: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Run `request` in `directory`; returns result.json with `cpu`, `wall` in seconds. Raises SystemExit on a failure."""
    directory.mkdir(parents=True, exist_ok=True)
    defaults = {
        "contract": 1, "job": f"bench-{directory.name}", "pipeline": "bench", "phase": request["kind"], "attempt": 1,
        "seed": 1, "model": None, "params": {}, "data": None, "start": None, "resume": None, "targetStep": 0,
        "outputDirectory": str(directory), "evaluations": [],
    }  # fmt: skip
    path = directory / "request.json"
    path.write_text(json.dumps(with_defaults({**defaults, **request}), indent=1))
    environment = {**os.environ, "TEMPER_REQUEST": str(path), "TEMPER_JOB_TOKEN": "bench", "PYTHONPATH": str(TRAINERS)}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with (directory / "log.txt").open("w") as log:
        code = subprocess.run(
            ["nice", "-n", "5", sys.executable, "-m", "temper_trainers"],
            env=environment, stdout=log, stderr=subprocess.STDOUT, check=False,
        ).returncode  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if code != 0:
        raise SystemExit(f"{directory} ended with {code}:\n{(directory / 'log.txt').read_text()[-4000:]}")
    result: dict[str, Any] = json.loads((directory / "result.json").read_text())
    result["cpu"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    result["wall"] = time.monotonic() - started
    return result


def checkpoint(directory: Path, result: dict[str, Any], base: str | None = None) -> dict[str, Any]:
    """The last checkpoint of a result as a `start` or `checkpoint` of the next request."""
    last = result["artifacts"][-1]
    return {
        "id": f"{directory.name}/{last['path']}", "path": str(directory / last["path"]), "format": last["format"],
        "base": base, "digest": last["digest"],
    }  # fmt: skip

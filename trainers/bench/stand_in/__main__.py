"""A trainer that keeps the contract and costs nothing: `python trainers/bench/stand_in [--step-seconds 0.1]`.

The trainers' Python runs it, with PYTHONPATH naming trainers/. Its training is a chain of digests: each step hashes the one
before, the seed and its number. So a lost, repeated or skipped step shows in the bytes of every later checkpoint, and a run
that was killed must end with those of one that was left alone. Checkpoints are written file by file into their final folder,
as the libraries do it, so that a kill can leave half of one. With `--fleet` one process is the trainers of many attempts
(fleet.py). Does not cover what a step does (learning.py).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from fleet import run_fleet
from learning import evaluate, training

from temper_trainers.contract import Run
from temper_trainers.errors import DataError, StoppedError
from temper_trainers.request import read_request
from temper_trainers.stacks import stacks_kept_on_stop


def train(run: Run, step_seconds: float) -> None:
    """One step every `step_seconds`; SIGTERM ends it at the end of its step."""
    with run.saving_on_stop():
        for _ in training(run):
            time.sleep(step_seconds)


def main() -> int:
    """Run the request that TEMPER_REQUEST names; returns the contract's exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--step-seconds", type=float, default=0.1)
    parser.add_argument("--fleet", action="store_true")
    options = parser.parse_args()
    step_seconds: float = options.step_seconds
    if options.fleet:
        return run_fleet(step_seconds)
    request = read_request(Path(os.environ["TEMPER_REQUEST"]))
    run = Run(request, os.environ.get("TEMPER_JOB_TOKEN", ""))
    with stacks_kept_on_stop(request.output_directory, run.processes.rank):
        return run_alone(run, step_seconds)


def run_alone(run: Run, step_seconds: float) -> int:
    """One attempt; returns the contract's exit code."""
    try:
        run.heed_stops()
        if run.request.kind == "evaluate":
            evaluate(run)
        else:
            train(run, step_seconds)
    except StoppedError:
        run.finish("stopped")
        return StoppedError.exit_code
    except DataError as error:
        run.finish("failed", error)
        return error.exit_code
    run.finish("completed")
    return 0


sys.exit(main())

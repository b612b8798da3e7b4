"""`python -m temper_trainers`: read the request, run its kind, write the result, exit with the contract's code."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .contract import Run
from .errors import StoppedError, TrainerError, UsageError
from .kinds import phase_of
from .launch import require_kind_that_can, run_together, starts_others, tell_end
from .request import read_request
from .stacks import stacks_kept_on_stop
from .surroundings import settle_environment


def main() -> int:
    """Run the one phase that TEMPER_REQUEST names; returns the exit code."""
    settle_environment()
    try:
        if "TEMPER_REQUEST" not in os.environ:
            raise UsageError("TEMPER_REQUEST is not set: it names the request.json of the attempt")
        request = read_request(Path(os.environ["TEMPER_REQUEST"]))
        if starts_others(request):
            return run_together()
    except UsageError as error:
        print(f"usage: {error}", flush=True)
        return error.exit_code

    run = Run(request, os.environ.get("TEMPER_JOB_TOKEN", ""))
    with stacks_kept_on_stop(request.output_directory, run.processes.rank):
        return run_phase(run)


def run_phase(run: Run) -> int:
    """Do what is asked; returns the exit code."""
    request = run.request
    try:
        run.heed_stops()
        run.say(f"{request.kind}: job {request.job}, attempt {request.attempt}, to step {request.target_step}")
        phase = phase_of(request.kind)
        require_kind_that_can(request.kind)
        phase(run)
    except StoppedError:
        return stopped(run)
    except TrainerError as error:
        if run.stop_requested:  # asked to stop: what fails on the way out says nothing about the work
            return stopped(run)
        run.finish("failed", error)
        print(f"{error.reason}: {error}", flush=True)
        return error.exit_code
    run.finish("completed")
    run.say(f"completed at step {run.outcome.final_step}")
    return 0


def stopped(run: Run) -> int:
    """The end of an attempt that was asked to stop."""
    run.finish("stopped")
    run.say(f"stopped at step {run.outcome.final_step}")
    return StoppedError.exit_code


if __name__ == "__main__":
    sys.exit(tell_end(main()))

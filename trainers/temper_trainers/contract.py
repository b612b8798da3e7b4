"""The trainer contract (docs/reference/trainer-contract.md) as one object that every phase is handed.

A `Run` writes progress, seals and the result, keeps the time by what it was doing, and knows whether SIGTERM came.
Needs no torch. request.py reads the request, seal.py computes digests, errors.py holds the exit codes, witness.py tells what
was really done. Of several processes that train together, process 0 writes for all; a failure that no retry mends is
written by whichever meets it.
"""

from __future__ import annotations

import json
import math
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

from .damage import sound_seal
from .errors import DamagedError, StoppedError, TrainerError
from .processes import this_process
from .request import CONTRACT, Request
from .seal import Seal, compute_seal, seal_path, write_json, write_seal
from .witness import VARIABLE, Witness, timestamp

DOING = (
    "starting",
    "loading",
    "compiling",
    "training",
    "generating",
    "saving",
    "publishing",
    "evaluating",
    "finishing",
)

# the metrics that a log line shows; progress.jsonl has all of them
SHOWN = ("loss", "reward", "critic_loss", "rewards/accuracies", "mean_token_accuracy", "kl", "grad_norm", "learning_rate")

# what a run must keep finite: where one is null, the run is not to be trusted from that step on
MUST_BE_FINITE = ("loss", "grad_norm", "critic_loss", "reward")

Metrics: TypeAlias = dict[str, float | int | None]


@dataclass
class Outcome:
    """What a phase has to say when it is over; filled in as it goes, so that a failure reports what was reached."""

    start_step: int = 0
    final_step: int = 0
    started_from: dict[str, str] | None = None
    weights_before: str | None = None
    weights_after: str | None = None
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    metrics: Metrics = field(default_factory=dict)
    finite: bool = True


def finite_or_none(value: Any) -> float | int | None:
    """The number itself, or None where JSON has no word for it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


class Run:
    """One attempt of one phase."""

    def __init__(self, request: Request, token: str) -> None:
        """Open the progress file of the attempt directory and say `starting`."""
        self.request = request
        self.outcome = Outcome()
        self.seconds: dict[str, float] = {}
        self.stop_requested = False
        self.processes = this_process()
        self._token = token
        self._stop_at_once = False
        self._unsealed: tuple[Path, Seal] | None = None
        self._doing = "starting"
        self._since = time.monotonic()
        request.output_directory.mkdir(parents=True, exist_ok=True)
        self._progress = os.open(request.output_directory / "progress.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        signal.signal(signal.SIGTERM, self._on_terminate)
        self._witness = Witness(request, token, os.environ.get(VARIABLE) if self.processes.writes else None)
        self._first_step = request.resume.step if request.resume else 0
        self._witness.say("start", self._first_step)
        self.report("starting", self._first_step)

    @property
    def checkpoints(self) -> Path:
        """Where checkpoints of this attempt go."""
        directory = self.request.output_directory / "checkpoints"
        directory.mkdir(parents=True, exist_ok=True)
        return directory

    def report(self, doing: str, step: int, metrics: Metrics | None = None, of: int | None = None) -> None:
        """One progress line, in one write. Metrics that are not finite become null."""
        if doing not in DOING:
            raise ValueError(f"{doing} is not a word of the contract: {', '.join(DOING)}")
        self._keep_time(doing)
        if not self.processes.writes:
            return
        line = {
            "time": timestamp(),
            "step": step,
            "of": self.request.target_step if of is None else of,
            "doing": doing,
            "metrics": {name: finite_or_none(value) for name, value in (metrics or {}).items()},
        }
        # one system call: a stop that comes in between can leave no half line
        os.write(self._progress, (json.dumps(line, allow_nan=False) + "\n").encode())

    def record_step(self, step: int, metrics: Metrics) -> None:
        """A finished training step: progress line, log line, and whether loss and gradient norm were finite."""
        self._seal_what_was_loaded()
        for name in MUST_BE_FINITE:
            if name in metrics and finite_or_none(metrics[name]) is None:
                self.outcome.finite = False
                self.say(f"step {step}: {name} is not finite")
        # a library's side metric may have no value (the deviation of one reward): it is left out, not called null
        known = {name: finite_or_none(value) for name, value in metrics.items()}
        self.outcome.metrics = {name: value for name, value in known.items() if value is not None or name in MUST_BE_FINITE}
        self.outcome.final_step = step
        self._witness.say("step", step)
        self.report("training", step, self.outcome.metrics)
        values = {name: self.outcome.metrics.get(name) for name in SHOWN}
        shown = "  ".join(f"{name} {value:.4g}" for name, value in values.items() if value is not None)
        self.say(f"step {step}/{self.request.target_step}  {shown}")

    def say(self, line: str) -> None:
        """A line of the log, once for all processes."""
        if self.processes.writes:
            print(line, flush=True)

    def started_from(self, path: Path, step: int, form: str, expected: str | None) -> None:
        """Digest what is about to be loaded, record it, and refuse it when it is not what the request names.

        A resume checkpoint whose trainer was killed between saving and sealing is sealed once training has gone on from it:
        then it can be promoted. Process 0 does so for all: what it refuses ends the others too.
        """
        if not self.processes.writes:
            return
        seal = sound_seal(path, step, form, expected)
        resume = self.request.resume
        if resume is not None and path == resume.path and not seal_path(path).exists():
            self._unsealed = (path, seal)
        self.outcome.started_from = {"path": str(path), "digest": seal.digest}

    def seal(self, directory: Path, step: int, form: str) -> None:
        """Seal a finished checkpoint of this attempt and list it as an artifact."""
        for path in directory.rglob("*"):
            if path.is_file() and path.stat().st_nlink == 1:
                path.chmod(0o644)
        seal = compute_seal(directory, step, form)
        write_seal(directory, seal)
        relative = directory.relative_to(self.request.output_directory).as_posix()
        self.outcome.artifacts.append({"path": relative, "format": form, "step": step, "digest": seal.digest})
        self._witness.say("checkpoint", step)

    def heed_stops(self) -> None:
        """From here on SIGTERM raises StoppedError wherever it meets the process; so does one that has come before."""
        self._stop_at_once = True
        if self.stop_requested:
            raise StoppedError

    @contextmanager
    def saving_on_stop(self) -> Iterator[None]:
        """Inside, SIGTERM only sets `stop_requested`: the loop saves at the end of its step and raises StoppedError."""
        self._stop_at_once = False
        if self.stop_requested:
            raise StoppedError
        try:
            yield
        finally:
            self._stop_at_once = True

    def finish(self, status: str, error: TrainerError | None = None) -> None:
        """Write result.json, last of all. From here on SIGTERM changes nothing.

        Of several processes the first writes it, and before it one that fails for good: what ends the others is no stop.
        """
        self._stop_at_once = False
        result = self.request.output_directory / "result.json"
        if error is None and self.processes.count > 1 and (not self.processes.writes or result.exists()):
            return
        if status == "completed":
            self._seal_what_was_loaded()
        # one that is stopped while it loads has trained no step, and lost none
        self.report("finishing", max(self.outcome.final_step, self._first_step))
        self._keep_time("finishing")
        outcome = self.outcome
        write_json(
            result,
            {
                "contract": CONTRACT,
                "status": status,
                "reason": error.reason if error else None,
                "message": str(error) if error else None,
                "damaged": {"path": str(error.path), "why": error.why} if isinstance(error, DamagedError) else None,
                "job": self.request.job,
                "attempt": self.request.attempt,
                "jobToken": self._token,
                "startStep": outcome.start_step,
                "finalStep": outcome.final_step,
                "startedFrom": outcome.started_from,
                "weightsBefore": outcome.weights_before,
                "weightsAfter": outcome.weights_after,
                "artifacts": outcome.artifacts,
                "metrics": {name: finite_or_none(value) for name, value in outcome.metrics.items()},
                "finite": outcome.finite,
                "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            },
        )
        self._witness.say("stop", outcome.final_step, status)

    def _seal_what_was_loaded(self) -> None:
        if self._unsealed is not None:
            write_seal(*self._unsealed)
            self._unsealed = None

    def _keep_time(self, doing: str) -> None:
        now = time.monotonic()
        self.seconds[self._doing] = self.seconds.get(self._doing, 0.0) + now - self._since
        self._doing, self._since = doing, now

    def _on_terminate(self, _signal: int, _frame: FrameType | None) -> None:
        self.stop_requested = True
        os.write(1, b"SIGTERM: stopping\n")
        if self._stop_at_once:
            raise StoppedError

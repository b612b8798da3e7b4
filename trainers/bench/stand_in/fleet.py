"""The trainers of many attempts in one process, for pods that only pretend: a thousand real ones would be the measurement.

Reads one JSON object a line from standard input: `{"begin": <path of request.json>, "token": <uid of the Job>}` and
`{"finish": <the same path>}`; answers each with the path on standard output when it is done. In between, each attempt does
one step every `step_seconds`, but for its last one, and writes what a trainer writes of it. Ends with its input.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import selectors
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from learning import training

from temper_trainers.contract import Run
from temper_trainers.request import read_request


@dataclass
class Attempt:
    """One that trains."""

    run: Run
    steps: Iterator[None]
    due: float


def begin(path: str, token: str, due: float) -> Attempt:
    """Open the attempt, up to its first step."""
    run = Run(read_request(Path(path)), token)
    steps = training(run)
    next(steps, None)
    return Attempt(run, steps, due)


def finish(attempt: Attempt) -> None:
    """Do the steps that are left, and write the result."""
    for _ in attempt.steps:
        pass
    attempt.run.finish("completed")


def step_those_due(attempts: dict[str, Attempt], now: float, step_seconds: float) -> None:
    """One step of each whose time has come; nobody reaches the end alone."""
    for attempt in attempts.values():
        if attempt.due > now:
            continue
        attempt.due = now + step_seconds
        if attempt.run.outcome.final_step + 1 < attempt.run.request.target_step:
            next(attempt.steps, None)


def orders(wait_seconds: float) -> Iterator[list[str]]:
    """Lines of standard input, as many as there are, at least every `wait_seconds`; ends with the input."""
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
        while True:
            lines: list[str] = []
            if selector.select(wait_seconds):
                chunk = os.read(sys.stdin.fileno(), 65536)
                if chunk == b"":
                    return
                *whole, rest = (rest + chunk).split(b"\n")
                lines = [line.decode() for line in whole]
            yield lines


def run_fleet(step_seconds: float) -> int:
    """Until there is no more input."""
    attempts: dict[str, Attempt] = {}
    # each attempt keeps its progress file open, as its own process would
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    answers = os.dup(sys.stdout.fileno())
    # what each trainer prints would be a log of its own in a pod
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        for lines in orders(min(0.2, step_seconds / 4)):
            for line in lines:
                order = json.loads(line)
                path: str = order.get("begin") or order["finish"]
                if "begin" in order:
                    # spread over the interval: a thousand trainers do not step together
                    attempts[path] = begin(path, order["token"], time.monotonic() + step_seconds * (len(attempts) % 97) / 97)
                else:
                    finish(attempts.pop(path))
                os.write(answers, (path + "\n").encode())
            step_those_due(attempts, time.monotonic(), step_seconds)
    return 0

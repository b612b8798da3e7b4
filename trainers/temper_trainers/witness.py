"""The witness: what every trainer of a machine really did, in one file that Temper neither writes nor reads while it works.

`TEMPER_WITNESS` names the file, which lies outside every run directory; unset, nothing is written. Each event is one strict
JSON line in one appending write, so that trainers that are killed, or that run twice, cannot spoil each other's lines.
Covers `start`, `step` (one optimizer step trained), `checkpoint` (one saved whole) and `stop` (the result is written); one
that is killed says nothing more. Does not cover trainers with a contract of their own.
"""

from __future__ import annotations

import datetime
import json
import os

from .request import Request

VARIABLE = "TEMPER_WITNESS"


def timestamp() -> str:
    """Now, in UTC with milliseconds, as every file of the contract has it."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Witness:
    """Says what one attempt does; says nothing where no file is named."""

    def __init__(self, request: Request, token: str, path: str | None) -> None:
        """Open the file to append to; `path` is the value of TEMPER_WITNESS."""
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644) if path else None
        self._who = {
            "pid": os.getpid(),
            "pipeline": request.pipeline,
            "phase": request.phase,
            "kind": request.kind,
            "attempt": request.attempt,
            "job": request.job,
            "token": token,
        }

    def say(self, event: str, step: int, status: str | None = None) -> None:
        """Append one event; a stop has the result's status."""
        if self._file is None:
            return
        line = {"event": event, "time": timestamp(), "step": step, "status": status, **self._who}
        os.write(self._file, (json.dumps(line, allow_nan=False) + "\n").encode())

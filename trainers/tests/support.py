"""Running attempts in this process through the real entry point, and reading what they left."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recipe_defaults import with_defaults

from temper_trainers.__main__ import main


@dataclass(frozen=True)
class Made:
    """What an attempt left: exit code, result, and its folder."""

    code: int
    result: dict[str, Any]
    directory: Path
    request: dict[str, Any]

    def folder(self, step: int) -> Path:
        """The folder of a checkpoint."""
        return self.directory / f"checkpoints/checkpoint-{step}"

    def progress(self) -> list[dict[str, Any]]:
        """The progress lines."""
        return [json.loads(line) for line in (self.directory / "progress.jsonl").read_text().splitlines()]

    def checkpoint(self, step: int | None = None, base: Path | None = None) -> dict[str, Any]:
        """A checkpoint as the start of the next request; the last one unless a step is named."""
        listed = self.result["artifacts"]
        last = listed[-1] if step is None else next(each for each in listed if each["step"] == step)
        start = self.request["start"]
        below = str(base) if base else (start and (start["base"] or start["path"]))
        return {
            "id": last["path"],
            "path": str(self.directory / last["path"]),
            "format": last["format"],
            "base": below if last["format"] == "peft" else None,
            "digest": last["digest"],
        }

    def resume(self, step: int) -> dict[str, Any]:
        """A checkpoint as the resume of the next attempt."""
        checkpoint = self.checkpoint(step)
        return {"path": checkpoint["path"], "step": step, "digest": checkpoint["digest"]}

    def digests(self, step: int, names: list[str]) -> dict[str, str]:
        """SHA-256 of some files of a checkpoint."""
        return {name: hashlib.sha256((self.folder(step) / name).read_bytes()).hexdigest() for name in names}


class Attempts:
    """Attempts below one folder, numbered as they come."""

    def __init__(self, folder: Path) -> None:
        """Nothing has run yet."""
        self._folder = folder
        self._count = 0

    def run(self, kind: str, stop_at_step: int | None = None, **fields: Any) -> Made:
        """Run one attempt in this process; with `stop_at_step`, SIGTERM comes once progress names that step."""
        directory, request = self._prepare(kind, fields)
        os.environ.update(self._environment(directory))
        if stop_at_step is not None:
            threading.Thread(target=terminate_at, args=(directory / "progress.jsonl", stop_at_step), daemon=True).start()
        return self._made(main(), directory, request)

    def latest(self) -> Path:
        """Where the last attempt lies, also of one that never ended."""
        return max(self._folder.glob("*/attempt-*"), key=lambda folder: int(folder.name.split("-")[1]))

    def run_together(
        self, kind: str, signal_at: tuple[int, int] | None = None, processes: int = 2, **fields: Any
    ) -> tuple[Made, str]:
        """Run one attempt as a pod of several processes does, and read its log.

        With `signal_at`, the last of them gets this signal once progress names this step.
        """
        directory, request = self._prepare(kind, fields)
        pod = {**self._environment(directory), "PET_NNODES": "1", "PET_NPROC_PER_NODE": str(processes)}
        with (directory / "log.txt").open("w") as log:
            command = [sys.executable, "-m", "temper_trainers"]
            launcher = subprocess.Popen(command, env={**os.environ, **pod}, stdout=log, stderr=subprocess.STDOUT)
            if signal_at is not None:
                number, step = signal_at
                wait_for_step(directory / "progress.jsonl", step)
                os.kill(last_child_of(launcher.pid), number)
            code = launcher.wait()
        return self._made(code, directory, request), (directory / "log.txt").read_text()

    def stop_two_pods(self, kind: str, step: int, **fields: Any) -> list[int]:
        """Run one attempt as two pods of one process each, stop both once progress names this step; their exit codes.

        Each has a directory of its own: what one writes the other does not see, or not yet.
        """
        places = [self._prepare(kind, fields)[0] for _ in range(2)]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        meeting = {"PET_NNODES": "2", "PET_MASTER_ADDR": "127.0.0.1", "PET_MASTER_PORT": str(port)}
        command = [sys.executable, "-m", "temper_trainers"]
        launchers = [
            subprocess.Popen(
                command, env={**os.environ, **meeting, "PET_NODE_RANK": str(rank), **self._environment(directory)}
            )
            for rank, directory in enumerate(places)
        ]
        wait_for_step(places[0] / "progress.jsonl", step)
        for launcher in launchers:
            launcher.terminate()
        return [launcher.wait() for launcher in launchers]

    def _prepare(self, kind: str, fields: dict[str, Any]) -> tuple[Path, dict[str, Any]]:
        self._count += 1
        directory = self._folder / kind / f"attempt-{self._count}"
        directory.mkdir(parents=True)
        request = {
            "contract": 1,
            "job": f"t-test-{kind}-a{self._count}",
            "pipeline": "test",
            "phase": kind,
            "kind": kind,
            "attempt": self._count,
            "seed": 5,
            "model": {"tiny": {"seed": 3}},
            "params": {},
            "data": None,
            "start": None,
            "resume": None,
            "targetStep": 0,
            "outputDirectory": str(directory),
            "evaluations": [],
            **fields,
        }
        request = with_defaults(request)
        (directory / "request.json").write_text(json.dumps(request))
        return directory, request

    def _environment(self, directory: Path) -> dict[str, str]:
        return {"TEMPER_REQUEST": str(directory / "request.json"), "TEMPER_JOB_TOKEN": f"token-{self._count}"}

    def _made(self, code: int, directory: Path, request: dict[str, Any]) -> Made:
        result = directory / "result.json"
        return Made(code, json.loads(result.read_text()) if result.exists() else {}, directory, request)


def wait_for_step(progress: Path, step: int) -> bool:
    """Whether the progress file came to name the step within some minutes."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if progress.exists() and f'"step": {step},' in progress.read_text():
            return True
        time.sleep(0.002)
    return False


def last_child_of(process: int) -> int:
    """The youngest child of a process."""
    return int(Path(f"/proc/{process}/task/{process}/children").read_text().split()[-1])


def terminate_at(progress: Path, step: int) -> None:
    """Send this process SIGTERM when the progress file names the step."""
    if wait_for_step(progress, step):
        os.kill(os.getpid(), signal.SIGTERM)

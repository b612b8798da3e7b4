"""Where a process hung that was told to stop, and did not; nothing where it did."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import Attempts

from temper_trainers.contract import Run
from temper_trainers.errors import StoppedError
from temper_trainers.stacks import stacks_kept_on_stop, stacks_path

# a lock of a library that is never given back: the handler that Python itself would run is never reached
HANGS = """
import ctypes, pathlib, signal, sys, threading, time
from temper_trainers.stacks import stacks_kept_on_stop
directory = pathlib.Path(sys.argv[1])
told = []

def on_stop(*_):
    told.append(sys.argv[3] == "runs" and sys.exit(75))
    print(len(told), flush=True)

signal.signal(signal.SIGTERM, on_stop)

def wait_for_peer():
    mutex, lock = ctypes.create_string_buffer(64), ctypes.CDLL(None).pthread_mutex_lock
    lock(mutex)
    print("hangs", flush=True)
    lock(mutex)

def answer():
    print("runs", flush=True)
    while True:
        signal.pause()

def churns():
    for _ in range(4):
        threading.Thread(target=come_and_go, daemon=True).start()
    print("churns", flush=True)
    while True:
        time.sleep(0.0005)

def come_and_go():
    while True:
        each = threading.Thread(target=lambda: sum(range(50)))
        each.start()
        each.join()

with stacks_kept_on_stop(directory, int(sys.argv[2])):
    {"hangs": wait_for_peer, "runs": answer, "churns": churns}[sys.argv[3]]()
"""


def started(directory: Path, rank: int, what: str) -> subprocess.Popen[bytes]:
    """Such a process, once it is where it stays."""
    command = [sys.executable, "-c", HANGS, str(directory), str(rank), what]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[1])
    assert child.stdout is not None
    assert child.stdout.readline().strip() == what.encode()
    return child


def text_of(path: Path) -> str:
    """What the file holds once it holds something."""
    end = time.monotonic() + 20
    while not path.read_text():
        assert time.monotonic() < end
        time.sleep(0.02)
    return path.read_text()


@pytest.mark.parametrize(("rank", "name"), [(0, "stacks.txt"), (3, "stacks-3.txt")])
def test_a_process_that_hangs_in_a_library_leaves_where(tmp_path: Path, rank: int, name: str) -> None:
    child = started(tmp_path, rank, "hangs")
    child.send_signal(signal.SIGTERM)
    assert "in wait_for_peer" in text_of(tmp_path / name)
    child.kill()
    child.communicate()
    assert "in wait_for_peer" in (tmp_path / name).read_text()


def test_a_process_that_stops_in_order_leaves_nothing(tmp_path: Path) -> None:
    child = started(tmp_path, 0, "runs")
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=20)
    assert child.returncode == 75
    assert list(tmp_path.iterdir()) == []


def test_a_process_whose_threads_come_and_go_outlives_every_stop(tmp_path: Path) -> None:
    child = started(tmp_path, 0, "churns")
    assert child.stdout is not None
    for turn in range(1, 301):
        child.send_signal(signal.SIGTERM)
        assert child.stdout.readline().strip() == str(turn).encode()
    child.kill()
    child.communicate()
    assert "in churns" in (tmp_path / "stacks.txt").read_text()


def test_a_second_attempt_in_one_process_is_told_too(tmp_path: Path) -> None:
    heard: list[int] = []
    for turn in (1, 2):
        signal.signal(signal.SIGTERM, lambda number, _frame: heard.append(number))
        with stacks_kept_on_stop(tmp_path, 0):
            os.kill(os.getpid(), signal.SIGTERM)
            assert "in test_a_second_attempt" in text_of(stacks_path(tmp_path, 0))
        assert heard == [signal.SIGTERM] * turn


def test_the_trainers_leave_them_while_they_stop_and_not_after(attempts: Attempts, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def hangs_for_a_while(run: Run) -> None:
        with run.saving_on_stop():
            os.kill(os.getpid(), signal.SIGTERM)
            seen.append(text_of(stacks_path(run.request.output_directory, 0)))
        raise StoppedError

    monkeypatch.setattr("temper_trainers.__main__.phase_of", lambda _kind: hangs_for_a_while)
    made = attempts.run("base")
    assert (made.code, made.result["status"]) == (75, "stopped")
    assert "in hangs_for_a_while" in seen[0]
    assert list(made.directory.glob("stacks*")) == []

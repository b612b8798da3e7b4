"""Where a process hangs that was told to stop: the stacks of its threads at SIGTERM, in a file of the attempt.

A thread of their own writes them, so they come also from a process whose main thread waits in a library and never returns to
Python. Not `faulthandler`: its handler reads the stacks of threads that run, and now and then crashes a process that was to
save (python/cpython#116008). Who stops in order takes its file away: one that is left was killed where it hung.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread, get_ident, main_thread
from types import FrameType

END = b"\0"


def stacks_path(directory: Path, rank: int) -> Path:
    """The file of this process."""
    return directory / ("stacks.txt" if rank == 0 else f"stacks-{rank}.txt")


@contextmanager
def stacks_kept_on_stop(directory: Path, rank: int) -> Iterator[None]:
    """Inside, the stacks of all threads are written when SIGTERM comes that Python handles; after it the file is gone.

    Python's own bell of signals rings for it (`signal.set_wakeup_fd`), whatever the main thread does; who needs that bell
    takes it, and there are no stacks. Nor are there of a process that hangs while it holds Python's lock. Main thread only.
    """
    path = stacks_path(directory, rank)
    heard, bell = os.pipe()
    os.set_blocking(bell, False)
    path.touch()
    watcher = Thread(target=write_at_each_stop, args=(heard, path), name="stacks", daemon=True)
    watcher.start()
    before = signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.write(bell, END)
        watcher.join()
        os.close(bell)
        os.close(heard)
        path.unlink(missing_ok=True)


def write_at_each_stop(heard: int, path: Path) -> None:
    """Until END comes. The first stop counts: what was told later is written below it."""
    while (number := os.read(heard, 1)) != END:
        if number[0] == signal.SIGTERM:
            with path.open("a", encoding="utf-8") as stream:
                stream.write(stacks_now())


def stacks_now() -> str:
    """The main thread first, innermost call first, as `faulthandler` words it; without the thread that asks."""
    main = main_thread().ident
    frames = sys._current_frames()
    others = [ident for ident in frames if ident not in (main, get_ident())]
    return "".join(stack_of(ident, frames, "Current thread" if ident == main else "Thread") for ident in (main, *others))


def stack_of(ident: int | None, frames: dict[int, FrameType], name: str) -> str:
    """One thread; nothing of one that has gone."""
    frame = None if ident is None else frames.get(ident)
    if frame is None:
        return ""
    calls = [(at.f_code, line) for at, line in traceback.walk_stack(frame)]
    lines = "".join(f'  File "{code.co_filename}", line {line} in {code.co_name}\n' for code, line in calls)
    return f"{name} 0x{ident:016x} (most recent call first):\n{lines}\n"

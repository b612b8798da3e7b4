"""Where a process hangs that was told to stop: the stacks of its threads at SIGTERM, in a file of the attempt.

The handler of the signal itself writes them (faulthandler), so they come also from a process whose main thread waits in a
library and never returns to Python. Who stops in order takes its file away: one that is left was killed where it hung.
"""

from __future__ import annotations

import faulthandler
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def stacks_path(directory: Path, rank: int) -> Path:
    """The file of this process."""
    return directory / ("stacks.txt" if rank == 0 else f"stacks-{rank}.txt")


@contextmanager
def stacks_kept_on_stop(directory: Path, rank: int) -> Iterator[None]:
    """Inside, SIGTERM first writes the stacks of all threads, then does what it did before; after it the file is gone."""
    path = stacks_path(directory, rank)
    with path.open("w", encoding="utf-8") as stream:
        faulthandler.register(signal.SIGTERM, file=stream, all_threads=True, chain=True)
        try:
            yield
        finally:
            faulthandler.unregister(signal.SIGTERM)
            path.unlink(missing_ok=True)

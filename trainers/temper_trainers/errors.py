"""The errors that no retry mends, each with the exit code and the reason that result.json names.

Anything else that is raised is a crash: its traceback goes to the log and Temper decides what follows.
"""

from __future__ import annotations

from pathlib import Path


class TrainerError(Exception):
    """A failure that no retry mends; the message is one line that a person can act on."""

    exit_code = 1
    reason = ""


class UsageError(TrainerError):
    """The request itself is wrong or incomplete."""

    exit_code = 64
    reason = "usage"


class DataError(TrainerError):
    """A dataset or a checkpoint on the store is not what it should be."""

    exit_code = 65
    reason = "data"


class DamagedError(DataError):
    """A checkpoint whose files are not what was sealed, or cannot be read: Temper may know an older one."""

    def __init__(self, path: Path, why: str) -> None:
        """`why` names the file."""
        super().__init__(f"{path} is damaged: {why}")
        self.path, self.why = path, why


class NotLoadedError(Exception):
    """What is in memory is not what was to be loaded: a bug here or in a library, no damage on the store."""


class ConfigError(TrainerError):
    """The request is well formed but asks for something that this trainer refuses."""

    exit_code = 78
    reason = "config"


class StoppedError(BaseException):
    """SIGTERM came, and whatever could be saved is saved.

    Raised wherever the signal finds the process, in the middle of a library too: one that catches every `Exception` and
    makes its own of it (loading a model does) must not turn a stop into a failure.
    """

    exit_code = 75

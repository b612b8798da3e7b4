"""The outcomes of an evaluation that is not over yet: kept problem by problem beside its output, for the next attempt.

Each line carries a digest over its rows and over what they are outcomes of: the checkpoint, the benchmark, the seed and the
problem itself. A line that was cut off or damaged, or is of anything else, is passed over, and its problem is asked again.
Needs no torch.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from .data import Problem

Row: TypeAlias = dict[str, Any]


def kept_path(output: Path) -> Path:
    """Where the outcomes of the problems that are done are kept."""
    return output.with_name(output.name + ".part")


class KeptOutcomes:
    """The problems of one evaluation that are done, in this attempt or in one before it."""

    def __init__(self, identity: dict[str, Any], problems: list[Problem], output: Path) -> None:
        """`identity` is what the outcomes belong to, beside the problem."""
        self._identity = identity
        self._problems = {problem.name: problem for problem in problems}
        self._path = kept_path(output)
        self._rows: dict[str, list[Row]] = {}

    def __contains__(self, problem: Problem) -> bool:
        """Whether the problem is done."""
        return problem.name in self._rows

    @property
    def count(self) -> int:
        """How many problems are done."""
        return len(self._rows)

    @property
    def samples(self) -> int:
        """How many samples they have."""
        return sum(map(len, self._rows.values()))

    @property
    def seconds(self) -> float:
        """How long sampling them took."""
        return float(sum(row["seconds"] for rows in self._rows.values() for row in rows))

    def rows(self, problem: Problem) -> list[Row]:
        """The outcomes of a problem that is done, one a sample."""
        return self._rows[problem.name]

    def take_over(self, earlier: Iterable[Path]) -> int:
        """Take what attempts with these outputs have kept; how many lines were no good."""
        passed_over = 0
        for output in earlier:
            for line in _lines_of(kept_path(output)):
                try:
                    passed_over += not self._take(json.loads(line))
                except (ValueError, KeyError, TypeError):
                    passed_over += 1
        return passed_over

    def add(self, done: dict[str, list[Row]]) -> None:
        """Keep the rows of these problems: on the disk when this returns."""
        lines = [
            json.dumps({"problem": name, "digest": self._digest(name, rows), "rows": rows}, allow_nan=False)
            for name, rows in done.items()
        ]
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write("".join(line + "\n" for line in lines))
            stream.flush()
            os.fsync(stream.fileno())
        self._rows.update(done)

    def _take(self, document: Any) -> bool:
        """Whether the line is sound, as far as its problem is asked here: other shards ask others."""
        name, rows = document["problem"], document["rows"]
        if name not in self._problems:
            return True
        if document["digest"] != self._digest(name, rows):
            return False
        self._rows[name] = rows
        return True

    def _digest(self, name: str, rows: list[Row]) -> str:
        whole = [self._identity, asdict(self._problems[name]), rows]
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def _lines_of(path: Path) -> list[str]:
    """None where an attempt kept nothing, or nothing that can be read: then its problems are asked again."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            print(f"{path} cannot be read, its problems are asked again: {error}", flush=True)
        return []

"""What counts as the answer of a completion, and whether it is right. Used by evaluations, rewards and pairs alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

BOXED = re.compile(r"\\boxed\{\s*(-?\d+)\s*\}")

Grader: TypeAlias = Callable[[str, str], tuple[bool, str | None]]


def boxed_integer(completion: str) -> str | None:
    r"""The integer in the last `\boxed{…}` of a completion, or None."""
    found = BOXED.findall(completion)
    return str(int(found[-1])) if found else None


def grade_boxed_integer(completion: str, answer: str) -> tuple[bool, str | None]:
    """Right when the last boxed integer is the answer's number."""
    given = boxed_integer(completion)
    return given is not None and int(given) == int(answer), given


def grade_exact_match(completion: str, answer: str) -> tuple[bool, str | None]:
    """Right when the whole completion is the answer, spaces around it aside."""
    given = completion.strip()
    return given == answer.strip(), given


GRADERS: dict[str, Grader] = {"boxed-integer": grade_boxed_integer, "exact-match": grade_exact_match}

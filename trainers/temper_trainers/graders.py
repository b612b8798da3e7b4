"""What counts as the answer of a completion, and whether it is right. Used by evaluations, rewards and pairs alike.

A grader is made once for a benchmark, where its settings and the right answers are looked at, and what it needs is loaded.
Does not cover how numbers are written (numeric_answer.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, TypeAlias

from .data import Problem, require_integer_answers
from .errors import ConfigError, DataError, UsageError
from .numeric_answer import last_box, place_of_last_box, read_number
from .request import Params

BOXED = re.compile(r"\\boxed\{\s*(-?\d+)\s*\}")
NAMES = ("boxed-integer", "exact-match", "numeric", "math-verify")

Grader: TypeAlias = Callable[[str, str], tuple[bool, str | None]]
# where that stands in a completion which a grader takes for its answer; None where it looks at all of it
AnswerPlace: TypeAlias = Callable[[str], slice | None]


def read_grader(benchmark: Params, problems: list[Problem]) -> Grader:
    """The grader of a benchmark; refuses right answers that it cannot compare with, and one that is not installed."""
    match benchmark.choice("grader", NAMES):
        case "boxed-integer":
            require_integer_answers(problems)
            return grade_boxed_integer
        case "exact-match":
            return grade_exact_match
        case "numeric":
            require_readable(problems, read_number, "a number (see the recipe's page for what is one)")
            return numeric_grader(benchmark.section("tolerance"))
        case _:
            return math_verify_grader(problems)


def read_answer_place(benchmark: Params) -> AnswerPlace:
    """The place of an answer, of what the grader of a benchmark takes for one."""
    match benchmark.choice("grader", NAMES):
        case "boxed-integer":
            return place_of_boxed_integer
        case "exact-match":
            return whole_completion
        case _:
            return place_of_last_box


def whole_completion(_completion: str) -> slice | None:
    """The place of an answer that is all of a completion."""
    return None


def place_of_boxed_integer(completion: str) -> slice | None:
    r"""Where the integer in the last `\boxed{…}` that holds one stands, or None."""
    found = list(BOXED.finditer(completion))
    return slice(*found[-1].span(1)) if found else None


def boxed_integer(completion: str) -> str | None:
    r"""The integer in the last `\boxed{…}` that holds one, or None."""
    place = place_of_boxed_integer(completion)
    return None if place is None else str(int(completion[place]))


def grade_boxed_integer(completion: str, answer: str) -> tuple[bool, str | None]:
    """Right when the last boxed integer is the answer's number."""
    given = boxed_integer(completion)
    return given is not None and int(given) == int(answer), given


def grade_exact_match(completion: str, answer: str) -> tuple[bool, str | None]:
    """Right when the whole completion is the answer, spaces around it aside."""
    given = completion.strip()
    return given == answer.strip(), given


def numeric_grader(tolerance: Params) -> Grader:
    r"""Right when the number in the last `\boxed{…}` is as near to the answer as the larger tolerance allows."""
    relative, absolute = (Fraction(str(tolerance.number(name, 0.0))) for name in ("relative", "absolute"))
    if relative < 0 or absolute < 0 or relative == absolute == 0:
        raise UsageError("benchmark.tolerance must name relative or absolute, above 0")

    def grade(completion: str, answer: str) -> tuple[bool, str | None]:
        boxed, wanted = last_box(completion), read_number(answer)
        given = None if boxed is None else read_number(boxed)
        if given is None or wanted is None:
            return False, None
        return abs(given - wanted) <= max(absolute, relative * abs(wanted)), str(given)

    return grade


def math_verify_grader(problems: list[Problem]) -> Grader:
    r"""Right when the library math-verify finds what the last `\boxed{…}` holds equal to the right answer.

    Of several boxes the library would take all. Without a last one that is closed, it looks in the whole completion.
    """
    try:
        from math_verify import parse, verify
    except ImportError as error:
        raise ConfigError(
            "the grader math-verify needs the Python package math-verify, which this image lacks: "
            "install it there (pip install math-verify), or take the grader numeric or boxed-integer"
        ) from error

    def parsed(answer: str) -> list[Any]:
        return parse(f"${answer}$")

    require_readable(problems, lambda answer: parsed(answer) or None, "what math-verify can read")
    right = {problem.answer: parsed(problem.answer) for problem in problems}

    def grade(completion: str, answer: str) -> tuple[bool, str | None]:
        boxed = last_box(completion)
        given = parse(completion if boxed is None else f"\\boxed{{{boxed}}}")
        return bool(given) and bool(verify(right[answer], given)), str(given[0]) if given else None

    return grade


def require_readable(problems: Iterable[Problem], read: Callable[[str], Any], what: str) -> None:
    """Refuse problems whose right answer the grader cannot read: every completion would be wrong."""
    for problem in problems:
        if read(problem.answer) is None:
            raise DataError(f"the answer of {problem.name} is {problem.answer!r}, which is not {what}")

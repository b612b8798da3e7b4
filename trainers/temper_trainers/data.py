"""The rows of a phase or benchmark: made in-process (`tiny: …`) or read from a JSONL file (`jsonl: …`).

JSONL, one object a line; `prompt` is a text (one user message) or a list of {role, content}:
    problems  {"prompt", "answer"}                 answer: text or integer; optional "id" and "type" go into outcomes
    solutions {"prompt", "completion"}             completion: text (one assistant message) or a list of messages
    pairs     {"prompt", "chosen", "rejected"}     both like completion
`rows` takes the first so many. Other fields are ignored. Errors name file and line. Needs no torch.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from .errors import ConfigError, DataError, UsageError
from .request import Params
from .tiny.addition import SCORED, TRAINING, Sum, solution

Messages: TypeAlias = list[dict[str, str]]


@dataclass(frozen=True)
class Problem:
    """Something to ask and the right answer."""

    name: str
    prompt: Messages
    answer: str
    type: str | None = None
    """Such as `geometry`: what scores are told apart by."""


def required_data(data: Params | None, kind: str) -> Params:
    """The data of a kind that cannot do without."""
    if data is None:
        raise UsageError(f"data is null, but a phase of kind {kind} needs rows")
    return data


def read_problems(data: Params, seed: int) -> list[Problem]:
    """Problems to answer. Training problems are drawn by the seed; scored ones are the same for every seed."""
    if data.has("jsonl"):
        return [_problem(row, place) for row, place in _jsonl_rows(data)]
    which = data.choice("tiny", ("problems", "held-out"))
    if which == "held-out":
        return [_tiny_problem(each) for each in _first(SCORED, data)]
    rows = min(data.integer("rows", len(TRAINING)), len(TRAINING))
    return [_tiny_problem(each) for each in random.Random(seed + 1).sample(TRAINING, rows)]


def read_solutions(data: Params, seed: int) -> list[dict[str, Messages]]:
    """Rows {prompt, completion} to imitate. Of the tiny ones a share `longShare` writes the steps out."""
    if data.has("jsonl"):
        return [
            {
                "prompt": _messages(row, "prompt", "user", place),
                "completion": _messages(row, "completion", "assistant", place),
            }
            for row, place in _jsonl_rows(data)
        ]
    data.choice("tiny", ("solutions",))
    source = random.Random(seed)
    share = data.number("longShare")
    drawn = source.sample(TRAINING, min(data.integer("rows", len(TRAINING)), len(TRAINING)))
    return [
        {
            "prompt": [{"role": "user", "content": each.question}],
            "completion": [{"role": "assistant", "content": solution(each, source.random() < share)}],
        }
        for each in drawn
    ]


def read_pairs(data: Params) -> list[dict[str, Messages]]:
    """Rows {prompt, chosen, rejected}; only JSONL holds ready-made ones."""
    if not data.has("jsonl"):
        raise ConfigError('pairs.from is "data", but tiny data holds no pairs: use pairs.from "policy" or a jsonl file')
    return [
        {
            "prompt": _messages(row, "prompt", "user", place),
            "chosen": _messages(row, "chosen", "assistant", place),
            "rejected": _messages(row, "rejected", "assistant", place),
        }
        for row, place in _jsonl_rows(data)
    ]


def require_integer_answers(problems: list[Problem]) -> None:
    """Refuse problems whose answers are no integers, where rewards or graders compare integers."""
    for problem in problems:
        try:
            int(problem.answer)
        except ValueError as error:
            raise DataError(
                f"the answer of {problem.name} is {problem.answer!r}, but boxed integers are compared"
            ) from error


def require_distinct_names(problems: list[Problem]) -> None:
    """Refuse two problems of one name, where outcomes are kept by it."""
    seen: set[str] = set()
    for problem in problems:
        if problem.name in seen:
            raise DataError(f"two problems are called {problem.name}: give each row an id of its own")
        seen.add(problem.name)


def _tiny_problem(each: Sum) -> Problem:
    prompt = [{"role": "user", "content": each.question}]
    return Problem(each.name, prompt, str(each.answer), "with carry" if each.carries else "without carry")


def _first(problems: list[Sum], data: Params) -> list[Sum]:
    rows = data.integer("rows", len(problems))
    if rows > len(problems):
        raise ConfigError(f"{rows} rows are asked for, but there are {len(problems)} problems to score")
    return problems[:rows]


def _jsonl_rows(data: Params) -> Iterator[tuple[dict[str, Any], str]]:
    path = Path(data.text("jsonl"))
    limit = data.integer("rows", 0)
    count = 0
    try:
        with path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                if not line.strip():
                    continue
                place = f"{path}:{number}"
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise DataError(f"{place} is not JSON: {error}") from error
                if not isinstance(row, dict):
                    raise DataError(f"{place} is not an object")
                yield row, place
                count += 1
                if count == limit:
                    return
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {path}: {error}") from error
    if count == 0:
        raise DataError(f"{path} holds no rows")
    if count < limit:
        raise DataError(f"{path} holds {count} rows, but {limit} are asked for")


def _problem(row: dict[str, Any], place: str) -> Problem:
    answer = row.get("answer")
    if isinstance(answer, bool) or not isinstance(answer, str | int):
        raise DataError(f"{place}: answer must be a text or an integer")
    name = row.get("id", Path(place).name)
    kind = row.get("type")
    if kind is not None and (not isinstance(kind, str) or not kind):
        raise DataError(f"{place}: type must be a text")
    return Problem(str(name), _messages(row, "prompt", "user", place), str(answer), kind)


def _messages(row: dict[str, Any], field: str, role: str, place: str) -> Messages:
    value = row.get(field)
    if isinstance(value, str) and value:
        return [{"role": role, "content": value}]
    if isinstance(value, list) and value and all(_is_message(item) for item in value):
        return value
    have = ", ".join(sorted(row)) or "nothing"
    raise DataError(f"{place}: {field} must be a text or a list of {{role, content}}; the row has: {have}")


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("role"), str) and isinstance(item.get("content"), str)

"""The JSONL samples of docs/how-to/own-model-and-data.md are rows that the trainers take."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from temper_trainers.data import read_pairs, read_problems, read_solutions, require_integer_answers
from temper_trainers.request import Params

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "own-model-and-data.md"


def integer_problems(data: Params, seed: int) -> list[object]:
    """Problems as rewards and the grader boxed-integer want them."""
    problems = read_problems(data, seed)
    require_integer_answers(problems)
    return list(problems)


READERS: dict[str, Callable[[Params], list[object]]] = {
    "solutions": lambda data: list(read_solutions(data, 0)),
    "problems": lambda data: integer_problems(data, 0),
    "pairs": lambda data: list(read_pairs(data)),
}


@pytest.mark.parametrize("rows", READERS)
def test_the_sample_of_each_kind_of_rows_is_read(rows: str, tmp_path: Path) -> None:
    found = re.search(rf"^```jsonl {rows}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None
    path = tmp_path / "rows.jsonl"
    path.write_text(found.group(1), encoding="utf-8")
    assert len(READERS[rows](Params({"jsonl": str(path)}, "data"))) == 2

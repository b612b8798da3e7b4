"""JSONL rows and the complaints about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import Attempts

from temper_trainers.data import read_pairs, read_problems, read_solutions, require_integer_answers
from temper_trainers.errors import ConfigError, DataError
from temper_trainers.request import Params


def jsonl(folder: Path, *rows: object, **fields: object) -> Params:
    """A file of these rows (a text is written as it is) as the data of a request."""
    path = folder / "rows.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return Params({"jsonl": str(path), **fields}, "data")


def test_texts_become_messages_and_messages_stay(tmp_path: Path) -> None:
    chat = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    data = jsonl(tmp_path, {"prompt": "2+2?", "answer": 4}, {"id": "x", "prompt": chat, "answer": "5"})
    first, second = read_problems(data, 0)
    assert (first.name, first.prompt, first.answer) == ("rows.jsonl:1", [{"role": "user", "content": "2+2?"}], "4")
    assert (second.name, second.prompt, second.answer) == ("x", chat, "5")


def test_a_problem_may_have_a_type(tmp_path: Path) -> None:
    data = jsonl(tmp_path, {"prompt": "2+2?", "answer": 4, "type": "sums"}, {"prompt": "2-2?", "answer": 0})
    assert [problem.type for problem in read_problems(data, 0)] == ["sums", None]
    tiny = read_problems(Params({"tiny": "held-out", "rows": 50}, "data"), 0)
    assert {problem.type for problem in tiny} == {"with carry", "without carry"}


def test_rows_takes_the_first_and_blank_lines_do_not_count(tmp_path: Path) -> None:
    rows = [{"prompt": str(number), "completion": "c"} for number in range(5)]
    data = jsonl(tmp_path, rows[0], "", *rows[1:], rows=3)
    assert [row["prompt"][0]["content"] for row in read_solutions(data, 0)] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("row", "want"),
    [
        ("{", r"rows.jsonl:2 is not JSON"),
        ([1], r"rows.jsonl:2 is not an object"),
        ({"question": "q", "answer": 1}, r"rows.jsonl:2: prompt must be a text .*the row has: answer, question"),
        ({"prompt": "q"}, r"rows.jsonl:2: answer must be a text or an integer"),
        ({"prompt": "q", "answer": 1, "type": 7}, r"rows.jsonl:2: type must be a text"),
        ({"prompt": [{"role": "user"}], "answer": 1}, r"rows.jsonl:2: prompt must be"),
    ],
)
def test_a_bad_row_is_named_by_file_and_line(tmp_path: Path, row: object, want: str) -> None:
    with pytest.raises(DataError, match=want):
        read_problems(jsonl(tmp_path, {"prompt": "q", "answer": 1}, row), 0)


def test_too_few_rows_and_no_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds 1 rows, but 2 are asked for"):
        read_problems(jsonl(tmp_path, {"prompt": "q", "answer": 1}, rows=2), 0)
    with pytest.raises(DataError, match="holds no rows"):
        read_problems(jsonl(tmp_path), 0)
    with pytest.raises(DataError, match="cannot read"):
        read_problems(Params({"jsonl": str(tmp_path / "absent")}, "data"), 0)


def test_pairs_need_both_sides_and_a_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="rejected must be"):
        read_pairs(jsonl(tmp_path, {"prompt": "q", "chosen": "a"}))
    with pytest.raises(ConfigError, match="holds no pairs"):
        read_pairs(Params({"tiny": "problems"}, "data"))


def test_answers_that_are_no_integers_are_refused_where_integers_are_compared(tmp_path: Path) -> None:
    problems = read_problems(jsonl(tmp_path, {"prompt": "q", "answer": "one"}), 0)
    with pytest.raises(DataError, match="boxed integers are compared"):
        require_integer_answers(problems)


def test_a_bad_row_ends_the_job_with_65(attempts: Attempts, tmp_path: Path) -> None:
    data = {"jsonl": str(tmp_path / "absent.jsonl")}
    made = attempts.run("sft", data=data, start={"path": "/nowhere", "format": "hf"}, targetStep=1)
    assert (made.code, made.result["reason"], made.result["status"]) == (65, "data", "failed")
    assert "absent.jsonl" in made.result["message"]

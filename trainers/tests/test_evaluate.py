"""Evaluations: several checkpoints in one job, each independent of its neighbours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import Attempts, Made


def evaluation(checkpoint: dict[str, Any], output: str, seed: int = 7, **benchmark: Any) -> dict[str, Any]:
    """One entry of `evaluations`."""
    small = {
        "name": "addition",
        "version": 1,
        "data": {"tiny": "held-out", "rows": 6},
        "grader": "boxed-integer",
        "samples": 3,
        "temperature": 1.0,
        "maxTokens": 12,
    }
    return {"key": output, "checkpoint": checkpoint, "benchmark": {**small, **benchmark}, "seed": seed, "output": output}


def rows(made: Made, output: str) -> list[dict[str, Any]]:
    """Outcome rows without the time."""
    lines = (made.directory / output).read_text().splitlines()
    return [{key: value for key, value in json.loads(line).items() if key != "seconds"} for line in lines]


def test_an_outcome_depends_on_checkpoint_and_seed_alone(attempts: Attempts, base: Made, sft: Made) -> None:
    bare, early, late = base.checkpoint(), sft.checkpoint(3), sft.checkpoint(6)
    many = attempts.run(
        "evaluate",
        evaluations=[
            evaluation(late, "outcomes/late.jsonl"),
            evaluation(bare, "outcomes/bare.jsonl"),
            evaluation(early, "outcomes/early.jsonl"),
            evaluation(late, "outcomes/other-seed.jsonl", seed=8),
            evaluation(late, "outcomes/greedy.jsonl", temperature=0, samples=1),
        ],
    )
    assert many.code == 0, many.result
    alone = attempts.run("evaluate", evaluations=[evaluation(late, "outcomes/late.jsonl")])
    assert rows(many, "outcomes/late.jsonl") == rows(alone, "outcomes/late.jsonl")
    assert rows(many, "outcomes/late.jsonl") != rows(many, "outcomes/other-seed.jsonl")
    assert rows(many, "outcomes/late.jsonl") != rows(many, "outcomes/early.jsonl")
    assert len(rows(many, "outcomes/late.jsonl")) == 18
    assert len(rows(many, "outcomes/greedy.jsonl")) == 6
    first = rows(many, "outcomes/late.jsonl")[0]
    assert set(first) == {"problem", "sample", "correct", "answer", "tokens", "truncated", "type"}
    assert {each["path"] for each in many.result["artifacts"]} >= {"outcomes/late.jsonl", "outcomes/bare.jsonl"}
    assert many.result["weightsAfter"] is None
    assert many.progress()[-2]["step"] == 5


def test_a_checkpoint_that_is_not_the_sealed_one_is_not_evaluated(attempts: Attempts, sft: Made) -> None:
    made = attempts.run("evaluate", evaluations=[evaluation({**sft.checkpoint(), "digest": "0" * 64}, "o.jsonl")])
    assert (made.code, made.result["reason"], made.result["artifacts"]) == (65, "data", [])


@pytest.mark.parametrize(
    ("changed", "code", "want"),
    [
        ({"grader": "judge"}, 64, "benchmark.grader must be one of boxed-integer, exact-match"),
        ({"data": {"tiny": "held-out", "rows": 5000}}, 78, "problems to score"),
        ({"data": {"jsonl": "/nowhere.jsonl"}}, 65, "/nowhere.jsonl"),
    ],
)
def test_a_wrong_benchmark_is_refused(attempts: Attempts, sft: Made, changed: dict[str, Any], code: int, want: str) -> None:
    made = attempts.run("evaluate", evaluations=[evaluation(sft.checkpoint(), "o.jsonl", **changed)])
    assert made.code == code
    assert want in made.result["message"]


def test_a_file_of_problems_is_a_benchmark_too(attempts: Attempts, base: Made, tmp_path: Path) -> None:
    path = tmp_path / "copies.jsonl"
    path.write_text("".join(json.dumps({"id": f"c{n}", "prompt": str(n), "answer": n}) + "\n" for n in (7, 42, 123)))
    made = attempts.run("evaluate", evaluations=[evaluation(base.checkpoint(), "o.jsonl", data={"jsonl": str(path)})])
    assert made.code == 0, made.result
    assert {each["problem"] for each in rows(made, "o.jsonl")} == {"c7", "c42", "c123"}


def test_a_stop_ends_evaluations_with_75(attempts: Attempts, base: Made) -> None:
    listed = [evaluation(base.checkpoint(), f"{n}.jsonl", data={"tiny": "held-out", "rows": 400}) for n in range(50)]
    made = attempts.run("evaluate", evaluations=listed, stop_at_step=1)
    assert (made.code, made.result["status"]) == (75, "stopped")
    assert 1 <= len(made.result["artifacts"]) < 50

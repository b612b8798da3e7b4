"""Rewards, the switch of their weights, and graders."""

from __future__ import annotations

from typing import Any

import pytest

from temper_trainers.data import Problem
from temper_trainers.errors import UsageError
from temper_trainers.graders import boxed_integer, grade_boxed_integer, grade_exact_match
from temper_trainers.orpo import right_and_wrong
from temper_trainers.request import Params
from temper_trainers.rewards import boxed, exact, length, read_schedule


@pytest.mark.parametrize(
    ("completion", "want"),
    [
        ("\\boxed{85}", "85"),
        ("\\boxed{1} so \\boxed{ 085 }", "85"),
        ("\\boxed{-3}", "-3"),
        ("(85)", None),
        ("\\boxed{8", None),
        ("\\boxed{x}", None),
    ],
)
def test_the_answer_is_the_last_boxed_integer(completion: str, want: str | None) -> None:
    assert boxed_integer(completion) == want


def test_graders() -> None:
    assert grade_boxed_integer("\\boxed{85}", "85") == (True, "85")
    assert grade_boxed_integer("85", "85") == (False, None)
    assert grade_exact_match(" Paris\n", "Paris") == (True, "Paris")
    assert grade_exact_match("paris", "Paris") == (False, "paris")


def test_rewards_read_messages_and_count_tokens() -> None:
    said = [[{"role": "assistant", "content": text}] for text in ("\\boxed{85}", "\\boxed{1}", "85")]
    assert exact(said, ["85", "85", "85"], prompts=[]) == [1.0, 0.0, 0.0]
    assert boxed(said) == [1.0, 1.0, 0.0]
    assert length(completion_ids=[[1, 2], [], [3]]) == [2.0, 0.0, 1.0]


def schedule(*stages: dict[str, Any]) -> list[Params]:
    """Stages as they come in a request."""
    return [Params(stage, "params.rewards") for stage in stages]


def test_weights_switch_exactly_after_their_step() -> None:
    found = read_schedule(
        schedule({"until": 20, "weights": {"exact": 1, "boxed": 0.2}}, {"weights": {"exact": 1, "length": -0.1}})
    )
    assert found.names == ("exact", "boxed", "length")
    assert found.weights_after(0) == found.weights_after(19) == (1.0, 0.2, 0.0)
    assert found.weights_after(20) == found.weights_after(1000) == (1.0, 0.0, -0.1)


@pytest.mark.parametrize(
    ("stages", "want"),
    [
        ([], "is empty"),
        ([{"weights": {"exakt": 1}}], "no reward named exakt; there are: exact, boxed, length"),
        ([{"weights": {}}], "gives no reward a weight"),
        ([{"weights": {"exact": 1}}, {"weights": {"exact": 1}}], "needs an `until`"),
        (
            [{"until": 9, "weights": {"exact": 1}}, {"until": 5, "weights": {"exact": 1}}, {"weights": {"exact": 1}}],
            "each above the one before",
        ),
    ],
)
def test_a_wrong_schedule_is_refused(stages: list[dict[str, Any]], want: str) -> None:
    with pytest.raises(UsageError, match=want):
        read_schedule(schedule(*stages))


def test_pairs_are_whole_completions_or_answers_alone() -> None:
    problem = Problem("47+38", [], "85")
    texts = ["no box", "7+8=15;\\boxed{84}", "7+8=15;\\boxed{85}"]
    assert right_and_wrong(problem, texts, False) == (texts[2], "no box")
    assert right_and_wrong(problem, texts, True) == ("\\boxed{85}", "\\boxed{84}")
    assert right_and_wrong(problem, texts[:2], False) is None
    assert right_and_wrong(problem, [texts[0], texts[2]], True) is None

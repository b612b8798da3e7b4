"""Who may see which problem."""

from __future__ import annotations

import random

from temper_trainers.data import read_problems, read_solutions
from temper_trainers.request import Params
from temper_trainers.tiny.addition import (
    HELD_OUT,
    PROBLEMS,
    SCORED,
    SETTINGS_WERE_CHOSEN_ON,
    TRAINING,
    pretraining_text,
    solution,
    trace,
)


def test_training_settings_and_scored_problems_are_disjoint() -> None:
    training, settings, scored = set(TRAINING), set(SETTINGS_WERE_CHOSEN_ON), set(SCORED)
    assert not training & settings
    assert not training & scored
    assert not settings & scored
    assert settings | scored == set(HELD_OUT)
    assert training | set(HELD_OUT) == set(PROBLEMS)
    assert (len(settings), len(scored)) == (200, len(HELD_OUT) - 200)


def test_the_settings_problems_are_the_sample_that_was_looked_at() -> None:
    assert random.Random(0).sample(HELD_OUT, 200) == SETTINGS_WERE_CHOSEN_ON


def test_no_data_for_training_holds_a_held_out_problem() -> None:
    held = {problem.name for problem in HELD_OUT}
    for seed in range(3):
        asked = {problem.name for problem in read_problems(Params({"tiny": "problems"}, "data"), seed)}
        rows = read_solutions(Params({"tiny": "solutions", "rows": 5000, "longShare": 0.5}, "data"), seed)
        asked |= {row["prompt"][0]["content"].rstrip("?") for row in rows}
        assert not asked & held
    texts = [pretraining_text(random.Random(seed), 0.03) for seed in range(3000)]
    assert not {text.split("<|message|>")[1].split("?")[0] for text in texts} & held


def test_scored_rows_are_the_same_for_every_seed_and_a_prefix_of_more() -> None:
    some = read_problems(Params({"tiny": "held-out", "rows": 50}, "data"), 1)
    more = read_problems(Params({"tiny": "held-out", "rows": 200}, "data"), 2)
    assert more[:50] == some


def test_a_trace_without_noise_ends_in_the_sum() -> None:
    for problem in PROBLEMS:
        assert trace(problem)[1] == problem.answer
    assert solution(PROBLEMS[0], True) == "0+0=0;1+1+0=2;\\boxed{20}"
    assert solution(PROBLEMS[0], False) == "\\boxed{20}"

"""Votes that end early and time budgets: fewer samples, the same vote; what is not done in time is wrong."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support import Attempts, Made
from test_evaluate import evaluation, rows, sampled, stop_while_sampling

from temper_trainers.request import Params
from temper_trainers.time_budget import TimeBudget, read_time_budget
from temper_trainers.vote import samples_to_ask


@pytest.mark.parametrize(
    ("answers", "agreeing", "want"),
    [
        ([], None, 8),
        ([], 4, 4),
        (["1", "1", "2", None], 4, 2),
        (["1", "1", "1", "2", "3", "4", None], 4, 1),
        (["1", "2", "3", "4", "5", "6", "7"], 4, 1),
        (["1", "1", "1", "1"], 4, 0),
        ([None] * 8, 4, 0),
    ],
)
def test_a_vote_asks_for_no_sample_that_it_may_not_need(answers: list[str | None], agreeing: int | None, want: int) -> None:
    assert samples_to_ask(answers, 8, agreeing) == want


@pytest.mark.parametrize(
    ("title", "budget", "used", "left", "want"),
    [
        ("five minutes, and no more", TimeBudget(300, 300, 15000), 0, 50, 300),
        ("a bank is empty at first: min(300 + bank, 900)", TimeBudget(300, 900, 15000), 0, 50, 300),
        ("a bank of 400 s", TimeBudget(300, 900, 15000), 200, 48, 700),
        ("a full bank", TimeBudget(300, 900, 15000), 100, 40, 900),
        ("the notebook: 17,520 s less 300 for each to come", TimeBudget(300, 900, 17520), 0, 50, 900),
        ("the notebook when it was slow", TimeBudget(300, 900, 17520), 16820, 2, 400),
        ("never less than its own", TimeBudget(300, 900, 1000), 500, 2, 300),
        ("never more than the run has left", TimeBudget(300, 900, 1000), 900, 1, 100),
        ("the run is over", TimeBudget(300, 900, 1000), 1001, 3, 0),
    ],
)
def test_what_a_problem_may_take(title: str, budget: TimeBudget, used: float, left: int, want: float) -> None:
    assert budget.allowance(used, left) == want, title


def test_a_budget_in_minutes_of_a_recipe() -> None:
    def read(**time: float) -> TimeBudget | None:
        return read_time_budget(Params({"time": time} if time else {}, "benchmark"), 50)

    assert read() is None
    assert read(problemMinutes=5) == TimeBudget(300, 300, 15000)
    assert read(problemMinutes=5, upToMinutes=15, runMinutes=292) == TimeBudget(300, 900, 17520)


def until_decided(of_problem: list[dict[str, Any]], agreeing: int) -> list[dict[str, Any]]:
    """The samples up to the one with which so many agree."""
    for end in range(1, len(of_problem) + 1):
        votes = Counter(row["answer"] for row in of_problem[:end] if row["answer"] is not None)
        if max(votes.values(), default=0) >= agreeing:
            return of_problem[:end]
    return of_problem


def test_a_vote_that_ends_early_takes_the_first_samples_of_the_whole(attempts: Attempts, sft: Made) -> None:
    shape: dict[str, Any] = {"samples": 8, "temperature": 0.7, "maxTokens": 2, "grader": "exact-match"}
    whole = attempts.run("evaluate", evaluations=[evaluation(sft.checkpoint(), "o.jsonl", **shape)])
    early = attempts.run("evaluate", evaluations=[evaluation(sft.checkpoint(), "o.jsonl", vote={"agreeing": 2}, **shape)])
    assert early.code == 0, early.result
    all_rows = rows(whole, "o.jsonl")
    want = [row for at in range(0, len(all_rows), 8) for row in until_decided(all_rows[at : at + 8], 2)]
    assert rows(early, "o.jsonl") == want
    lengths = set(Counter(row["problem"] for row in want).values())
    assert len(lengths) > 1, "some votes end early and some do not, or nothing is tested"
    told = sampled(early)
    assert told[-1] == len(want)
    assert all(before < after for before, after in pairwise(told))


def test_a_killed_vote_goes_on_to_the_rows_of_an_undisturbed_one(
    attempts: Attempts, sft: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("temper_trainers.sampling.BATCH_ROWS", 8)
    entry = evaluation(sft.checkpoint(), "o.jsonl", samples=4, maxTokens=2, grader="exact-match", vote={"agreeing": 2})
    undisturbed = attempts.run("evaluate", evaluations=[entry])
    with monkeypatch.context() as patch:
        stop_while_sampling(patch, after=4)
        with pytest.raises(RuntimeError, match="killed"):
            attempts.run("evaluate", evaluations=[entry])
    killed = attempts.latest()
    assert (killed / "o.jsonl.part").read_text() != ""
    resumed = attempts.run("evaluate", evaluations=[{**entry, "earlierOutputs": [str(killed / "o.jsonl")]}])
    assert rows(resumed, "o.jsonl") == rows(undisturbed, "o.jsonl")
    assert len(sampled(resumed)) < len(sampled(undisturbed))


def test_what_is_not_at_its_end_in_time_is_wrong_and_has_no_answer(attempts: Attempts, sft: Made) -> None:
    entry = evaluation(sft.checkpoint(), "o.jsonl", time={"problemMinutes": 1e-7})
    made = attempts.run("evaluate", evaluations=[entry])
    assert made.code == 0, made.result
    found = rows(made, "o.jsonl")
    assert len(found) == 18
    for row in found:
        assert (row["timedOut"], row["correct"], row["answer"], row["truncated"]) == (True, False, None, False)
    assert max(row["tokens"] for row in found) < 12


def test_with_time_enough_a_budget_changes_nothing(attempts: Attempts, sft: Made) -> None:
    plain = attempts.run("evaluate", evaluations=[evaluation(sft.checkpoint(), "o.jsonl")])
    timed = attempts.run("evaluate", evaluations=[evaluation(sft.checkpoint(), "o.jsonl", time={"problemMinutes": 5})])
    assert rows(timed, "o.jsonl") == rows(plain, "o.jsonl")


class SlowSampling:
    """Sampling that takes 10 seconds a problem, by its own word, and is killed after so many problems."""

    def __init__(self, kill_after: int | None = None) -> None:
        """Kills nothing unless told."""
        self.allowed: list[float] = []
        self._kill_after = kill_after

    def __call__(self, *given: Any) -> Any:
        """As `sample_seeded`."""
        from temper_trainers.sampling import Completion

        if len(self.allowed) == self._kill_after:
            raise RuntimeError("killed")
        encoded, allowed = given[2], given[5]
        self.allowed.append(round(allowed, 3))
        took = min(10.0, allowed) / len(encoded)
        return [Completion(r"\boxed{1}", 3, truncated=False, seconds=took, timed_out=allowed < 10)] * len(encoded)


def test_the_time_of_a_run_is_shared_and_what_an_earlier_attempt_used_is_gone(
    attempts: Attempts, sft: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = {"problemMinutes": 8 / 60, "upToMinutes": 20 / 60, "runMinutes": 55 / 60}
    entry = evaluation(sft.checkpoint(), "o.jsonl", time=time)

    def run(slow: SlowSampling, *earlier: Path) -> Made:
        monkeypatch.setattr("temper_trainers.sampling.sample_seeded", slow)
        return attempts.run("evaluate", evaluations=[{**entry, "earlierOutputs": [str(each) for each in earlier]}])

    undisturbed = SlowSampling()
    made = run(undisturbed)
    assert undisturbed.allowed == [15.0, 13.0, 11.0, 9.0, 8.0, 8.0]
    assert [row.get("timedOut", False) for row in rows(made, "o.jsonl")][::3] == [False] * 3 + [True] * 3

    with pytest.raises(RuntimeError, match="killed"):
        run(SlowSampling(kill_after=4))
    killed = attempts.latest() / "o.jsonl"
    rest = SlowSampling()
    resumed = run(rest, killed)
    assert rest.allowed == [8.0, 8.0]
    assert rows(resumed, "o.jsonl") == rows(made, "o.jsonl")

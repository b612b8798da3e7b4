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
        ({"grader": "judge"}, 64, "benchmark.grader must be one of boxed-integer, exact-match, numeric"),
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


def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two problems of three samples at a time."""
    monkeypatch.setattr("temper_trainers.sampling.BATCH_ROWS", 6)


def stop_while_sampling(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """As a kill in the middle: what comes after so many batches never happens."""
    from temper_trainers import sampling

    whole, batches = sampling.sample_seeded, iter(range(after))

    def until_killed(*given: Any) -> Any:
        if next(batches, None) is None:
            raise RuntimeError("killed")
        return whole(*given)

    monkeypatch.setattr(sampling, "sample_seeded", until_killed)


@pytest.fixture
def killed(attempts: Attempts, sft: Made, monkeypatch: pytest.MonkeyPatch) -> Made:
    """An evaluation of six problems that has done four of them."""
    small_batches(monkeypatch)
    with monkeypatch.context() as patch:
        stop_while_sampling(patch, after=2)
        with pytest.raises(RuntimeError, match="killed"):
            attempts.run("evaluate", evaluations=[evaluation(sft.checkpoint(), "o.jsonl")])
    directory = attempts.latest()
    assert not (directory / "o.jsonl").exists()
    return Made(1, {}, directory, {})


def kept(made: Made) -> Path:
    """What the attempt kept."""
    return made.directory / "o.jsonl.part"


def go_on(attempts: Attempts, sft: Made, *after: Made, **changed: Any) -> Made:
    """The next attempt at the same evaluation."""
    earlier = [str(each.directory / "o.jsonl") for each in after]
    return attempts.run(
        "evaluate", evaluations=[{**evaluation(sft.checkpoint(), "o.jsonl", **changed), "earlierOutputs": earlier}]
    )


def sampled(made: Made) -> list[int]:
    """How many samples there were, as the progress told."""
    return [line["metrics"]["sampled"] for line in made.progress() if "sampled" in line["metrics"]]


def test_a_killed_evaluation_goes_on_with_the_problems_that_are_done(
    attempts: Attempts, sft: Made, killed: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    resumed = go_on(attempts, sft, killed)
    assert "earlier attempts have done 4 of 6 problems\n" in capsys.readouterr().out
    assert sampled(resumed) == [12, 18]
    undisturbed = go_on(attempts, sft)
    assert sampled(undisturbed) == [0, 6, 12, 18]
    assert rows(resumed, "o.jsonl") == rows(undisturbed, "o.jsonl")
    whole = (killed.directory / "o.jsonl.part").read_text() + kept(resumed).read_text()
    assert [json.loads(line)["problem"] for line in whole.splitlines()] == [
        each["problem"] for each in rows(undisturbed, "o.jsonl")[::3]
    ]


def test_what_all_is_done_is_not_asked_again(attempts: Attempts, sft: Made, killed: Made) -> None:
    second = go_on(attempts, sft, killed)
    third = go_on(attempts, sft, killed, second)
    assert sampled(third) == []
    assert (third.directory / "o.jsonl").read_bytes() == (second.directory / "o.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("title", "damage", "changed", "want"),
    [
        ("the last line is cut off", lambda text: text[:-40], {}, "done 3 of 6 problems; what they kept is damaged"),
        ("an answer was changed", lambda text: text.replace('"correct": false', '"correct": true', 1), {}, "done 3 of 6"),
        ("bytes that are no text", lambda text: "\udcff" + text, {}, "done 3 of 6"),
        ("of another temperature", lambda text: text, {"temperature": 0.5}, "done 0 of 6 problems; "),
        ("of another seed", lambda text: text, {"seed": 8}, "done 0 of 6 problems; "),
    ],
)
def test_what_cannot_be_trusted_is_asked_again(
    attempts: Attempts,
    sft: Made,
    killed: Made,
    capsys: pytest.CaptureFixture[str],
    title: str,
    damage: Any,
    changed: dict[str, Any],
    want: str,
) -> None:
    kept(killed).write_bytes(damage(kept(killed).read_text()).encode("utf-8", "surrogateescape"))
    resumed = go_on(attempts, sft, killed, **changed)
    assert want in capsys.readouterr().out, title
    assert rows(resumed, "o.jsonl") == rows(go_on(attempts, sft, **changed), "o.jsonl")


def test_a_sample_does_not_depend_on_what_is_sampled_beside_it(
    attempts: Attempts, sft: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = attempts.run("evaluate", evaluations=[evaluation(sft.checkpoint(), "o.jsonl")])
    small_batches(monkeypatch)
    apart = attempts.run("evaluate", evaluations=[evaluation(sft.checkpoint(), "o.jsonl", samples=2)])
    assert rows(apart, "o.jsonl") == [row for row in rows(together, "o.jsonl") if row["sample"] < 2]


def test_draws_follow_the_softmax_of_their_temperature() -> None:
    import torch

    from temper_trainers.seeded_draws import SeededDraws, seed_of_sample

    logits = torch.tensor([2.0, 1.0, 0.0, -3.0])
    rows_drawn = 4000
    draws = SeededDraws([seed_of_sample(1, "p", number) for number in range(rows_drawn)], 0.7, "cpu")
    chosen = draws(None, logits.repeat(rows_drawn, 1)).argmax(dim=1)
    shares = torch.bincount(chosen, minlength=4) / rows_drawn
    assert torch.allclose(shares, torch.softmax(logits / 0.7, dim=0), atol=0.025)


def test_two_problems_of_one_name_are_refused(attempts: Attempts, base: Made, tmp_path: Path) -> None:
    path = tmp_path / "twice.jsonl"
    path.write_text("".join(json.dumps({"id": "a", "prompt": str(n), "answer": n}) + "\n" for n in (7, 42)))
    made = attempts.run("evaluate", evaluations=[evaluation(base.checkpoint(), "o.jsonl", data={"jsonl": str(path)})])
    assert made.code == 65
    assert "two problems are called a" in made.result["message"]


def test_shards_share_the_problems_and_come_to_the_rows_of_one_job(attempts: Attempts, sft: Made) -> None:
    whole = attempts.run("evaluate", evaluations=[evaluation(sft.checkpoint(), "o.jsonl")])
    listed = [{**evaluation(sft.checkpoint(), f"{n}.jsonl"), "shard": {"index": n, "of": 4}} for n in range(4)]
    shards = attempts.run("evaluate", evaluations=listed)
    assert shards.code == 0, shards.result
    shares = [rows(shards, f"{n}.jsonl") for n in range(4)]
    assert [len(share) for share in shares] == [6, 6, 3, 3]
    in_order = rows(whole, "o.jsonl")
    assert shares == [[row for at, row in enumerate(in_order) if at // 3 % 4 == n] for n in range(4)]


def test_a_shard_without_a_problem_is_whole_and_loads_no_model(attempts: Attempts, sft: Made) -> None:
    empty = {**evaluation(sft.checkpoint(), "o.jsonl"), "shard": {"index": 7, "of": 8}}
    made = attempts.run("evaluate", evaluations=[empty])
    assert (made.code, rows(made, "o.jsonl"), sampled(made)) == (0, [], [])


def test_a_shard_takes_its_own_problems_from_what_all_have_kept(
    attempts: Attempts, sft: Made, killed: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    shard = {**evaluation(sft.checkpoint(), "o.jsonl"), "shard": {"index": 0, "of": 2}}
    attempts.run("evaluate", evaluations=[{**shard, "earlierOutputs": [str(killed.directory / "o.jsonl")]}])
    assert "earlier attempts have done 2 of 3 problems\n" in capsys.readouterr().out

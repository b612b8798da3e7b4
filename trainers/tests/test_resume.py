"""Stopping and resuming: the files of a resumed attempt are those of one that never stopped."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import Attempts, Made

from temper_trainers.errors import DataError, StoppedError

HF_STATE = ["adapter_model.safetensors", "optimizer.pt", "scheduler.pt", "rng_state.pth"]
REWARDS = [{"until": 3, "weights": {"exact": 1, "boxed": 0.2}}, {"weights": {"boxed": 1, "length": -0.1}}]


def straight_and_resumed(attempts: Attempts, kind: str, half: int, target: int, **fields: Any) -> tuple[Made, Made]:
    """An attempt to the target, and a second one from its half-way checkpoint, in another folder."""
    straight = attempts.run(kind, targetStep=target, **fields)
    assert straight.code == 0, straight.result
    resumed = attempts.run(kind, targetStep=target, **fields, resume=straight.resume(half))
    assert resumed.code == 0, resumed.result
    assert (resumed.result["startStep"], resumed.result["finalStep"]) == (half, target)
    assert resumed.result["startedFrom"] == {key: straight.resume(half)[key] for key in ("path", "digest")}
    assert [each["step"] for each in resumed.result["artifacts"]] == [target]
    assert resumed.result["weightsAfter"] == straight.result["weightsAfter"]
    assert resumed.result["weightsBefore"] != resumed.result["weightsAfter"]
    return straight, resumed


def test_a_resume_checkpoint_without_a_seal_is_sealed_when_it_was_read(attempts: Attempts) -> None:
    straight = attempts.run("base", targetStep=4, params={"steps": 4, "checkpointEvery": 2})
    seal = straight.folder(2).with_name("checkpoint-2.seal.json")
    sealed = json.loads(seal.read_text())
    seal.unlink()
    resumed = attempts.run(
        "base",
        targetStep=4,
        params={"steps": 4, "checkpointEvery": 2},
        resume={**straight.resume(2), "digest": None},
    )
    assert resumed.code == 0, resumed.result
    assert json.loads(seal.read_text()) == sealed


SAO: dict[str, Any] = {
    "learningRate": 2e-4,
    "criticLearningRate": 4e-3,
    "batchSize": 8,
    "queueBatches": 2,
    "checkpointEvery": 2,
    "criticWarmupSteps": 1,
    "criticUpdates": 2,
    "maxCompletionTokens": 12,
}


def require_same_state(straight: Made, resumed: Made, step: int) -> None:
    """Every file of an own loop's checkpoint has the same bytes: weights, optimizers, random state."""
    folders = straight.folder(step), resumed.folder(step)
    names = sorted(path.name for path in folders[0].iterdir())
    assert names == sorted(path.name for path in folders[1].iterdir())
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name


def test_base_resumes_exactly(attempts: Attempts) -> None:
    straight, resumed = straight_and_resumed(attempts, "base", 2, 4, params={"checkpointEvery": 2, "batchSize": 8})
    require_same_state(straight, resumed, 4)


def test_sft_resumes_exactly(attempts: Attempts, base: Made) -> None:
    straight, resumed = straight_and_resumed(
        attempts,
        "sft",
        3,
        5,
        start=base.checkpoint(),
        data={"tiny": "solutions", "rows": 32, "longShare": 0.5},
        params={"learningRate": 5e-3, "batchSize": 8, "checkpointEvery": 3},
    )
    assert resumed.digests(5, HF_STATE) == straight.digests(5, HF_STATE)


def test_drgrpo_resumes_exactly_with_the_weights_of_its_step(attempts: Attempts, base: Made, sft: Made) -> None:
    straight, resumed = straight_and_resumed(
        attempts,
        "drgrpo",
        2,
        4,
        start=sft.checkpoint(),
        data={"tiny": "problems", "rows": 64},
        params={
            "learningRate": 1e-3,
            "promptsPerStep": 4,
            "generations": 4,
            "checkpointEvery": 2,
            "maxCompletionTokens": 12,
            "rewards": REWARDS,
        },
    )
    assert resumed.digests(4, HF_STATE) == straight.digests(4, HF_STATE)
    for made in (straight, resumed):
        for step, weights in ((3, {"exact": 1, "boxed": 0.2}), (4, {"boxed": 1, "length": -0.1})):
            metrics = next(each["metrics"] for each in made.progress() if each["step"] == step and each["metrics"])
            want = sum(weight * metrics[f"rewards/{name}/mean"] for name, weight in weights.items())
            assert metrics["reward"] == pytest.approx(want, abs=1e-4)
    words = {each["doing"] for each in straight.progress()}
    assert words == {"starting", "loading", "generating", "training", "saving", "finishing"}


def test_orpo_resumes_exactly_on_the_pairs_of_the_first_attempt(
    attempts: Attempts, base: Made, copies: dict[str, Any]
) -> None:
    fields = {
        "start": base.checkpoint(),
        "data": copies,
        "params": {
            "learningRate": 5e-4,
            "batchSize": 4,
            "checkpointEvery": 2,
            "maxLength": 16,
            "pairs": {"from": "policy", "samplesPerPrompt": 8, "completions": "whole"},
        },
    }
    straight, resumed = straight_and_resumed(attempts, "orpo", 2, 4, **fields)
    assert resumed.digests(4, HF_STATE) == straight.digests(4, HF_STATE)
    kept = (straight.directory / "pairs.jsonl").read_bytes()
    assert kept
    assert (resumed.directory / "pairs.jsonl").read_bytes() == kept
    shutil.move(straight.directory / "pairs.jsonl", straight.directory / "gone")
    again = attempts.run("orpo", targetStep=4, **fields, resume=straight.resume(2))
    assert (again.directory / "pairs.jsonl").read_bytes() == kept


@pytest.mark.parametrize("kind", ["sft", "drgrpo", "sao"])
def test_a_smaller_micro_batch_keeps_the_global_batch(attempts: Attempts, base: Made, sft: Made, kind: str) -> None:
    fields: dict[str, Any] = {
        "sft": {
            "data": {"tiny": "solutions", "rows": 16, "longShare": 0.5},
            "params": {"learningRate": 5e-3, "batchSize": 8, "checkpointEvery": 2},
        },
        "drgrpo": {
            "data": {"tiny": "problems", "rows": 16},
            "params": {
                "learningRate": 1e-3,
                "promptsPerStep": 2,
                "generations": 4,
                "checkpointEvery": 2,
                "maxCompletionTokens": 8,
                "rewards": REWARDS,
            },
        },
        "sao": {"data": {"tiny": "problems", "rows": 16}, "params": {**SAO, "criticWarmupSteps": 0}},
    }[kind]
    fields["start"] = base.checkpoint() if kind == "sao" else sft.checkpoint()
    shape = {"kind": "micro-batch", "from": {}, "to": {"microBatch": 2, "accumulation": 4}}
    whole = attempts.run(kind, targetStep=2, **fields)
    cut = attempts.run(kind, targetStep=2, **fields, changes=[{"kind": "memory", "factor": 1.5}, shape])
    assert cut.code == 0, cut.result
    for name in {"sft": ["loss"], "drgrpo": ["rewards/boxed/mean"], "sao": ["reward", "critic_loss", "loss"]}[kind]:
        assert cut.result["metrics"][name] == pytest.approx(whole.result["metrics"][name], rel=1e-3)
    wrong = attempts.run(kind, targetStep=2, **fields, changes=[{**shape, "to": {"microBatch": 3, "accumulation": 4}}])
    assert wrong.code == 64


def test_a_resumed_attempt_with_half_the_micro_batch_ends_at_the_same_weights(attempts: Attempts, base: Made) -> None:
    """The same rows in each step: all that differs is the order in which floats are added."""
    import torch
    from safetensors.torch import load_file

    fields: dict[str, Any] = {
        "start": base.checkpoint(),
        "data": {"tiny": "solutions", "rows": 48, "longShare": 0.5},
        "params": {"learningRate": 5e-3, "batchSize": 16, "checkpointEvery": 3},
    }
    whole = attempts.run("sft", targetStep=6, **fields)
    shape = {"kind": "micro-batch", "from": {}, "to": {"microBatch": 8, "accumulation": 2}}
    cut = attempts.run("sft", targetStep=6, **fields, resume=whole.resume(3), changes=[shape])
    assert (cut.code, cut.result["startStep"], cut.result["finalStep"]) == (0, 3, 6)
    rates, losses = (
        [
            [each["metrics"][name] for each in made.progress() if each["step"] > 3 and "loss" in each["metrics"]]
            for made in (whole, cut)
        ]
        for name in ("learning_rate", "loss")
    )
    assert rates[0] == rates[1]
    assert losses[1] == pytest.approx(losses[0], rel=1e-4)
    one, other = (load_file(str(made.folder(6) / "adapter_model.safetensors")) for made in (whole, cut))
    start = load_file(str(whole.folder(3) / "adapter_model.safetensors"))
    assert one.keys() == other.keys()
    for name in one:
        assert torch.allclose(one[name], other[name], rtol=0, atol=1e-4), name
        assert not torch.allclose(one[name], start[name], rtol=0, atol=1e-3), name


def test_orpo_takes_ready_made_pairs(attempts: Attempts, sft: Made, tmp_path: Path) -> None:
    rows = [{"prompt": f"{n}+11?", "chosen": f"\\boxed{{{n + 11}}}", "rejected": "\\boxed{1}"} for n in range(10, 20)]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = attempts.run(
        "orpo",
        targetStep=2,  # the first step warms up from a learning rate of 0
        start=sft.checkpoint(),
        data={"jsonl": str(path)},
        params={"learningRate": 5e-4, "batchSize": 4, "checkpointEvery": 2, "pairs": {"from": "data"}},
    )
    assert made.code == 0
    assert made.result["weightsBefore"] != made.result["weightsAfter"]


def test_sao_resumes_exactly_and_keeps_the_bytes_of_the_experts(
    attempts: Attempts, base: Made, copies: dict[str, Any]
) -> None:
    straight, resumed = straight_and_resumed(
        attempts,
        "sao",
        2,
        4,
        start=base.checkpoint(),
        data=copies,
        params=SAO,
    )
    require_same_state(straight, resumed, 4)
    shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    assert all(straight.folder(4).joinpath(name).samefile(base.folder(90) / name) for name in shards)
    metrics = [each["metrics"] for each in straight.progress() if "reward" in each["metrics"]]
    assert [each["policy_lag"] for each in metrics] == [0, 0, 1, 1]
    assert "loss" not in metrics[0]
    assert metrics[3]["masked_share"] >= 0


@pytest.mark.parametrize("kind", ["base", "sft"])
def test_a_stop_saves_and_the_next_attempt_ends_as_if_there_had_been_none(attempts: Attempts, base: Made, kind: str) -> None:
    fields: dict[str, Any] = {
        "base": {"params": {"checkpointEvery": 50, "batchSize": 8}},
        "sft": {
            "start": base.checkpoint(),
            "data": {"tiny": "solutions", "rows": 32, "longShare": 0.5},
            "params": {"learningRate": 5e-3, "batchSize": 8, "checkpointEvery": 50},
        },
    }[kind]
    straight = attempts.run(kind, targetStep=40, **fields)
    stopped = attempts.run(kind, targetStep=40, **fields, stop_at_step=2)
    assert (stopped.code, stopped.result["status"]) == (75, "stopped")
    step = stopped.result["finalStep"]
    assert 2 <= step < 40
    assert [each["step"] for each in stopped.result["artifacts"]] == [step]
    resumed = attempts.run(kind, targetStep=40, **fields, resume=stopped.resume(step))
    assert (resumed.code, resumed.result["startStep"]) == (0, step)
    assert resumed.result["weightsAfter"] == straight.result["weightsAfter"]


def test_a_stop_before_training_saves_nothing(attempts: Attempts, base: Made) -> None:
    made = attempts.run(
        "sft",
        targetStep=5,
        start=base.checkpoint(),
        data={"tiny": "solutions", "rows": 8},
        params={"learningRate": 1e-3, "batchSize": 4, "checkpointEvery": 5},
        stop_at_step=0,
    )
    assert (made.code, made.result["status"], made.result["artifacts"]) == (75, "stopped", [])


def test_a_stop_in_the_middle_of_a_library_is_no_failure_that_the_library_makes_of_it() -> None:
    with pytest.raises(StoppedError):
        try:
            raise StoppedError
        except Exception as error:  # as loading a model does
            raise DataError("cannot load the model") from error


def test_a_damaged_resume_checkpoint_is_refused_by_its_digest(attempts: Attempts, base: Made, tmp_path: Path) -> None:
    copy = tmp_path / "checkpoint-45"
    shutil.copytree(base.folder(45), copy)
    (copy / "state.pt").write_bytes((copy / "state.pt").read_bytes()[:-100])
    resume = {**base.resume(45), "path": str(copy)}
    made = attempts.run("base", targetStep=90, params={"checkpointEvery": 45}, resume=resume)
    assert (made.code, made.result["reason"]) == (65, "data")
    assert made.result["damaged"]["path"] == str(copy)
    assert "its digest is" in made.result["damaged"]["why"]


def test_saved_files_can_be_read_by_another_user(sft: Made) -> None:
    modes = {path.name: path.stat().st_mode & 0o777 for path in sft.folder(6).iterdir()}
    assert set(modes.values()) == {0o644}, modes

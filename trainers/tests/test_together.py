"""Several processes that train one model: the same rows in each step, one set of checkpoints, one end."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from support import Attempts, Made

from temper_trainers.errors import ConfigError
from temper_trainers.launch import code_after_stop
from temper_trainers.request import BatchShape, read_request

SFT: dict[str, Any] = {
    "data": {"tiny": "solutions", "rows": 36, "longShare": 0.5},
    "params": {"learningRate": 5e-3, "batchSize": 12, "checkpointEvery": 3},
}
STATE = ["adapter_model.safetensors", "optimizer.pt", "scheduler.pt", "rng_state_0.pth", "rng_state_1.pth"]


@pytest.fixture
def telling_bad_exits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Words that any process started from here prints when it exits while it is connected to others."""
    words = "exits while connected"
    (tmp_path / "sitecustomize.py").write_text(f"""
import atexit, sys
def tell():
    distributed = sys.modules.get("torch.distributed")
    if distributed and distributed.is_initialized():
        print({words!r}, flush=True)
atexit.register(tell)
""")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return words


def losses(made: Made, after: int = 0) -> list[float]:
    return [
        each["metrics"]["loss"]
        for each in made.progress()
        if each["step"] > after and "loss" in each["metrics"] and each["doing"] == "training"
    ]


def test_three_processes_learn_what_one_does_and_go_on_exactly(
    attempts: Attempts, base: Made, telling_bad_exits: str
) -> None:
    """Three, since of two numbers the order of adding does not matter."""
    import torch
    from safetensors.torch import load_file

    third = "rng_state_2.pth"
    fields = {"targetStep": 5, "start": base.checkpoint(), **SFT}
    alone = attempts.run("sft", **fields)
    together, log = attempts.run_together("sft", processes=3, **fields)
    assert together.code == 0, log
    assert telling_bad_exits not in log
    assert losses(together) == pytest.approx(losses(alone), rel=1e-5)
    one, other = (load_file(str(made.folder(5) / "adapter_model.safetensors")) for made in (alone, together))
    assert all(torch.allclose(one[name], other[name], rtol=0, atol=1e-4) for name in one)
    # one log, one progress, one set of checkpoints, each sealed with the random state of each
    assert log.count("step 5/5") == 1
    assert [each["step"] for each in together.progress() if each["doing"] == "training" and each["metrics"]] == [
        1,
        2,
        3,
        4,
        5,
    ]
    assert [each["step"] for each in together.result["artifacts"]] == [3, 5]
    sealed = json.loads(together.folder(3).with_name("checkpoint-3.seal.json").read_text())
    assert {*STATE, third} < {each["path"] for each in sealed["files"]}

    resumed, log = attempts.run_together("sft", processes=3, **fields, resume=together.resume(3))
    assert (resumed.code, resumed.result["startStep"]) == (0, 3), log
    assert losses(resumed) == losses(together, after=3)
    assert resumed.digests(5, [*STATE, third]) == together.digests(5, [*STATE, third])
    fewer = attempts.run("sft", **fields, resume=together.resume(3))
    assert losses(fewer) == pytest.approx(losses(together, after=3), rel=1e-5)


def test_processes_that_sample_each_go_on_exactly(attempts: Attempts, base: Made, copies: dict[str, Any]) -> None:
    params = {
        "learningRate": 1e-3,
        "promptsPerStep": 2,
        "generations": 4,
        "checkpointEvery": 1,
        "maxCompletionTokens": 8,
        "rewards": [{"weights": {"exact": 1, "boxed": 0.5}}],
    }
    fields = {"targetStep": 3, "start": base.checkpoint(), "data": copies, "params": params}
    straight, log = attempts.run_together("drgrpo", **fields)
    assert straight.code == 0, log
    assert straight.result["weightsBefore"] != straight.result["weightsAfter"]
    resumed, log = attempts.run_together("drgrpo", **fields, resume=straight.resume(2))
    assert (resumed.code, resumed.result["startStep"]) == (0, 2), log
    assert resumed.digests(3, STATE) == straight.digests(3, STATE)


def test_pairs_are_sampled_once_for_all(attempts: Attempts, base: Made, copies: dict[str, Any]) -> None:
    params = {
        "learningRate": 5e-4,
        "batchSize": 4,
        "checkpointEvery": 2,
        "maxLength": 16,
        "pairs": {"from": "policy", "samplesPerPrompt": 8, "completions": "whole"},
    }
    fields = {"targetStep": 2, "start": base.checkpoint(), "data": copies, "params": params}
    alone = attempts.run("orpo", **fields)
    together, log = attempts.run_together("orpo", **fields)
    assert together.code == 0, log
    assert (together.directory / "pairs.jsonl").read_bytes() == (alone.directory / "pairs.jsonl").read_bytes()
    # a mean over the tokens of each process, not of all: near, and not the same
    assert losses(together) == pytest.approx(losses(alone), rel=0.2)
    assert together.result["weightsBefore"] == alone.result["weightsBefore"]
    assert together.result["weightsBefore"] != together.result["weightsAfter"]


def test_a_stop_that_reaches_one_process_stops_all_at_one_step(
    attempts: Attempts, base: Made, telling_bad_exits: str
) -> None:
    params = {**SFT["params"], "checkpointEvery": 200}
    fields = {**SFT, "targetStep": 200, "start": base.checkpoint(), "params": params}
    stopped, log = attempts.run_together("sft", (signal.SIGTERM, 2), **fields)
    assert (stopped.code, stopped.result["status"]) == (75, "stopped"), log
    assert telling_bad_exits not in log
    step = stopped.result["finalStep"]
    assert 2 <= step < 200
    assert [each["step"] for each in stopped.result["artifacts"]] == [step]
    assert set(STATE) < {path.name for path in stopped.folder(step).iterdir()}


def test_each_pod_that_stops_in_order_says_so_whether_it_sees_the_result_or_not(attempts: Attempts, base: Made) -> None:
    fields = {**SFT, "targetStep": 200, "start": base.checkpoint()}
    assert attempts.stop_two_pods("sft", 2, **fields) == [75, 75]


@pytest.mark.parametrize(
    ("ends", "want"),
    [
        (["0-75", "1-75"], 75),
        (["0-0", "1-0"], 0),
        (["0-0", "1-75"], 75),
        (["0-75"], 143),  # the other was killed when its grace was over
        (["0-75", "1-65"], 143),
        ([], 143),
    ],
)
def test_a_pod_has_stopped_in_order_where_all_its_processes_have(
    monkeypatch: pytest.MonkeyPatch, ends: list[str], want: int
) -> None:
    monkeypatch.setenv("PET_NPROC_PER_NODE", "2")
    assert code_after_stop(ends, 143) == want


def test_a_killed_process_ends_all_with_its_own_end(attempts: Attempts, base: Made) -> None:
    fields = {**SFT, "targetStep": 200, "start": base.checkpoint()}
    killed, log = attempts.run_together("sft", (signal.SIGKILL, 4), **fields)
    assert (killed.code, killed.result) == (128 + signal.SIGKILL, {})
    root = log[log.index("Root Cause (first observed failure)") :]
    assert "exitcode  : -9" in root
    resumed = killed.folder(3)
    assert set(STATE) < {path.name for path in resumed.iterdir()}


@pytest.mark.parametrize(
    ("change", "processes", "want"),
    [
        (None, 1, (24, 1)),
        (None, 2, (12, 1)),
        ((12, 2), 2, (6, 2)),
        ((2, 12), 2, (1, 12)),
        ((1, 24), 2, (1, 12)),  # no process can have half a row
        ((8, 3), 3, (2, 4)),
    ],
)
def test_processes_share_a_batch(
    tmp_path: Path, change: tuple[int, int] | None, processes: int, want: tuple[int, int]
) -> None:
    shape = change and {"microBatch": change[0], "accumulation": change[1]}
    changes = [{"kind": "micro-batch", "from": {}, "to": shape}] if shape else []
    path = tmp_path / "request.json"
    document = {"contract": 1, "job": "j", "kind": "sft", "attempt": 1, "outputDirectory": "/x", "changes": changes}
    path.write_text(json.dumps(document))
    request = read_request(path)
    assert request.batch_shape(24, processes) == BatchShape(*want)
    with pytest.raises(ConfigError, match="a batch of 24 rows cannot be shared evenly by 5 processes"):
        request.batch_shape(24, 5)


@pytest.mark.parametrize("variables", [{"PET_NNODES": "2"}, {"RANK": "1", "WORLD_SIZE": "2"}])
def test_a_kind_that_cannot_be_shared_says_so(
    attempts: Attempts, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    made = attempts.run("base", targetStep=2, params={"steps": 2})
    assert (made.code, made.result["reason"]) == (78, "config")
    assert "a phase of kind base cannot be shared by several processes; sft, drgrpo, orpo can" in made.result["message"]


def test_a_kind_that_cannot_be_shared_has_one_process_whatever_its_gpus(
    attempts: Attempts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PET_NPROC_PER_NODE", "8")
    assert attempts.run("base", targetStep=1, params={"steps": 1, "batchSize": 4}).code == 0

"""What trainers tell outside of their run directories."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from temper_trainers.contract import Run
from temper_trainers.request import read_request


def request_file(folder: Path) -> Path:
    """A request of phase sft, attempt 2, that goes on from step 4."""
    checkpoint = folder / "out" / "checkpoints" / "checkpoint-5"
    checkpoint.mkdir(parents=True)
    (checkpoint / "model.safetensors").write_bytes(b"weights")
    document = {
        "contract": 1,
        "job": "t-demo-sft-a2",
        "pipeline": "demo",
        "phase": "sft",
        "kind": "sft",
        "attempt": 2,
        "targetStep": 5,
        "resume": {"path": str(folder / "checkpoint-4"), "step": 4},
        "outputDirectory": str(folder / "out"),
    }
    path = folder / "request.json"
    path.write_text(json.dumps(document))
    return path


def one_step_of_an_attempt(folder: Path, token: str) -> None:
    """Start, one step, one checkpoint, stop."""
    run = Run(read_request(request_file(folder)), token)
    run.record_step(5, {"loss": 0.5})
    run.seal(run.checkpoints / "checkpoint-5", 5, "hf")
    run.finish("completed")


def test_start_step_checkpoint_and_stop_are_told_with_who_did_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    witness = tmp_path / "witness.jsonl"
    witness.write_text('{"event": "of another trainer"}\n')
    monkeypatch.setenv("TEMPER_WITNESS", str(witness))
    one_step_of_an_attempt(tmp_path, "token-7")
    told = [json.loads(line) for line in witness.read_text().splitlines()][1:]
    assert [(each["event"], each["step"], each["status"]) for each in told] == [
        ("start", 4, None),
        ("step", 5, None),
        ("checkpoint", 5, None),
        ("stop", 5, "completed"),
    ]
    who = {"pid": os.getpid(), "pipeline": "demo", "phase": "sft", "kind": "sft", "attempt": 2}
    for each in told:
        assert each == each | who | {"job": "t-demo-sft-a2", "token": "token-7"}
        assert each["time"].endswith("Z")


def test_without_the_variable_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEMPER_WITNESS", raising=False)
    one_step_of_an_attempt(tmp_path, "token-7")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "request.json"]

"""Checkpoints of the right size with wrong bytes, and runs whose numbers go wrong: what the trainer says of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import Attempts, Made

from temper_trainers.damage import telling_damage
from temper_trainers.errors import DamagedError
from temper_trainers.request import Resume


def sft_fields(base: Made) -> dict[str, Any]:
    """An sft of a few small steps."""
    return {
        "start": base.checkpoint(),
        "data": {"tiny": "solutions", "rows": 32, "longShare": 0.5},
        "params": {"learningRate": 5e-3, "batchSize": 8, "checkpointEvery": 3},
    }


def overwrite(path: Path) -> None:
    """Right size, wrong bytes from the beginning to the end."""
    path.write_bytes(bytes(path.stat().st_size))


def copied(made: Made, step: int, folder: Path) -> Path:
    """A checkpoint with its seal, to be damaged."""
    target = folder / f"checkpoint-{step}"
    shutil.copytree(made.folder(step), target)
    shutil.copy(made.folder(step).with_name(f"checkpoint-{step}.seal.json"), folder)
    return target


@pytest.mark.parametrize("name", ["adapter_model.safetensors", "optimizer.pt", "rng_state.pth"])
def test_a_sealed_resume_checkpoint_with_wrong_bytes_is_named_with_its_file(
    attempts: Attempts, base: Made, sft: Made, tmp_path: Path, name: str
) -> None:
    copy = copied(sft, 3, tmp_path)
    overwrite(copy / name)
    made = attempts.run("sft", targetStep=6, **sft_fields(base), resume={**sft.resume(3), "path": str(copy)})
    assert (made.code, made.result["status"]) == (65, "failed")
    assert made.result["damaged"] == {"path": str(copy), "why": f"{name} differs from its seal"}


def test_several_processes_name_it_too(attempts: Attempts, base: Made, sft: Made, tmp_path: Path) -> None:
    copy = copied(sft, 3, tmp_path)
    overwrite(copy / "adapter_model.safetensors")
    resume = {**sft.resume(3), "path": str(copy)}
    made, log = attempts.run_together("sft", targetStep=6, **sft_fields(base), resume=resume)
    assert made.code == 65, log
    assert made.result["damaged"] == {"path": str(copy), "why": "adapter_model.safetensors differs from its seal"}


@pytest.mark.parametrize(("damaged", "rank", "want"), [(True, 1, DamagedError), (False, 1, OSError), (True, 0, OSError)])
def test_a_process_that_fails_before_the_digest_was_compared_compares_it(
    sft: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: bool, rank: int, want: type[Exception]
) -> None:
    """Process 0 has compared it itself, and a sound checkpoint is not blamed for what fails for another cause."""
    copy = copied(sft, 3, tmp_path)
    if damaged:
        overwrite(copy / "adapter_model.safetensors")
    monkeypatch.setenv("RANK", str(rank))
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(want), telling_damage(Resume(copy, 3, sft.resume(3)["digest"])):
        raise OSError("no device")


@pytest.mark.parametrize("name", ["adapter_model.safetensors", "optimizer.pt", "rng_state.pth", "trainer_state.json"])
def test_one_that_was_never_sealed_is_damaged_when_it_cannot_be_loaded(
    attempts: Attempts, base: Made, sft: Made, tmp_path: Path, name: str
) -> None:
    copy = copied(sft, 3, tmp_path)
    copy.with_name("checkpoint-3.seal.json").unlink()
    overwrite(copy / name)
    made = attempts.run("sft", targetStep=6, **sft_fields(base), resume={"path": str(copy), "step": 3, "digest": None})
    assert (made.code, made.result["status"]) == (65, "failed")
    assert made.result["damaged"]["path"] == str(copy)
    assert not copy.with_name("checkpoint-3.seal.json").exists()


def test_the_state_of_an_own_loop_that_cannot_be_read_is_damaged(attempts: Attempts, base: Made, tmp_path: Path) -> None:
    copy = copied(base, 45, tmp_path)
    copy.with_name("checkpoint-45.seal.json").unlink()
    overwrite(copy / "state.pt")
    made = attempts.run(
        "base", targetStep=90, params={"checkpointEvery": 45}, resume={"path": str(copy), "step": 45, "digest": None}
    )
    assert (made.code, made.result["damaged"]["path"]) == (65, str(copy))


def test_a_whole_one_that_was_never_sealed_is_sealed_once_training_has_gone_on_from_it(
    attempts: Attempts, base: Made, sft: Made, tmp_path: Path
) -> None:
    copy = copied(sft, 3, tmp_path)
    seal = copy.with_name("checkpoint-3.seal.json")
    before = json.loads(seal.read_text())
    seal.unlink()
    made = attempts.run("sft", targetStep=6, **sft_fields(base), resume={"path": str(copy), "step": 3, "digest": None})
    assert (made.code, made.result["damaged"]) == (0, None)
    assert json.loads(seal.read_text())["digest"] == before["digest"]


def test_a_start_with_wrong_bytes_is_named_with_its_file(attempts: Attempts, base: Made, sft: Made, tmp_path: Path) -> None:
    copy = copied(sft, 6, tmp_path)
    overwrite(copy / "adapter_model.safetensors")
    fields = {**sft_fields(base), "start": {**sft.checkpoint(), "path": str(copy)}}
    made = attempts.run("sft", targetStep=3, **fields)
    assert (made.code, made.result["startStep"]) == (65, 0)
    assert made.result["damaged"] == {"path": str(copy), "why": "adapter_model.safetensors differs from its seal"}


def test_a_run_that_goes_wrong_for_real_says_so_and_marks_its_checkpoints(attempts: Attempts, base: Made) -> None:
    """A learning rate that blows the weights up; transformers goes on to the end and exits with 0."""
    fields = sft_fields(base)
    fields["params"] = {**fields["params"], "learningRate": 1e30, "warmupSteps": 2, "checkpointEvery": 1}
    made = attempts.run("sft", targetStep=6, **fields)
    assert (made.code, made.result["status"], made.result["finite"]) == (0, "completed", False)
    numbers = {each["step"]: each["metrics"]["loss"] for each in made.progress() if "loss" in each["metrics"]}
    assert numbers[1] is not None
    first = min(step for step, loss in numbers.items() if loss is None)
    # transformers writes a bare NaN, which strict JSON does not know; store/formats/json-file.ts reads it all the same
    assert "NaN" in (made.folder(first) / "trainer_state.json").read_text()
    assert (made.folder(6) / "adapter_model.safetensors").exists()

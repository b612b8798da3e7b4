"""Naming a model on the store as the base."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support import Attempts, Made

from temper_trainers.checkpoint_folder import ModelFolder, whole_folder


def test_a_named_model_is_linked_verified_and_sealed(attempts: Attempts, base: Made) -> None:
    made = attempts.run("base", model={"path": str(base.folder(90)), "format": "mxfp4"})
    assert made.code == 0, made.result
    assert made.result["artifacts"][0]["digest"] == base.checkpoint()["digest"]
    name = "model-00001-of-00002.safetensors"
    assert (made.folder(0) / name).samefile(base.folder(90) / name)


@pytest.mark.parametrize(
    ("damage", "want"),
    [
        ("config.json", "config.json cannot be read"),
        ("model-00002-of-00002.safetensors", "lacks the shard"),
        ("model.safetensors.index.json", "is not a model"),
    ],
)
def test_a_model_with_a_file_missing_is_refused(
    attempts: Attempts, base: Made, tmp_path: Path, damage: str, want: str
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(base.folder(90), copy)
    (copy / damage).unlink()
    made = attempts.run("base", model={"path": str(copy), "format": "mxfp4"})
    assert (made.code, made.result["reason"]) == (65, "data")
    assert want in made.result["message"]
    assert not (made.directory / "checkpoints/checkpoint-0").exists()


def test_a_model_of_another_format_than_the_recipe_says_is_refused(attempts: Attempts, base: Made) -> None:
    made = attempts.run("base", model={"path": str(base.folder(90)), "format": "hf"})
    assert made.code == 65
    assert "model.format says hf" in made.result["message"]


def test_a_folder_that_fails_while_it_is_written_never_gets_its_name(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), whole_folder(tmp_path / "checkpoint-1") as folder:
        (folder / "half").write_text("x")
        raise RuntimeError
    assert not (tmp_path / "checkpoint-1").exists()


def test_the_tiny_base_is_a_sound_mxfp4_model_of_two_shards(base: Made) -> None:
    model = ModelFolder(base.folder(90))
    assert len(model.headers) == 2
    assert sum(name.endswith("_blocks") for name in model.shard_of) == 4

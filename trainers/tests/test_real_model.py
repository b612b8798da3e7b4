"""The same entry points on a dense model in one file and on JSONL rows: tiny is a recipe, not a code path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import Attempts, Made

from temper_trainers.checkpoint_folder import ModelFolder


@pytest.fixture
def dense(attempts: Attempts, base: Made, tmp_path: Path) -> Made:
    """The tiny base as an unpacked bf16 model in one file, named as the base of a pipeline."""
    import torch

    from temper_trainers.model import load_model, load_tokenizer

    folder = tmp_path / "dense"
    model = load_model(base.folder(90)).to(torch.bfloat16)
    model.save_pretrained(folder)
    load_tokenizer(base.folder(90)).save_pretrained(folder)
    made = attempts.run("base", model={"path": str(folder), "format": "hf"})
    assert made.code == 0, made.result
    return made


def test_a_dense_model_goes_through_sft_merge_and_evaluation(attempts: Attempts, dense: Made, tmp_path: Path) -> None:
    rows = [{"prompt": f"{n}?", "completion": f"\\boxed{{{n}}}", "answer": str(n)} for n in range(10, 42)]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    data: dict[str, Any] = {"jsonl": str(path), "rows": 32}
    tuned = attempts.run(
        "sft",
        targetStep=3,
        model=dense.request["model"],
        start=dense.checkpoint(),
        data=data,
        params={"learningRate": 5e-3, "batchSize": 8, "checkpointEvery": 3, "lora": {"targets": ["q", "v"], "rank": 4}},
    )
    assert tuned.code == 0, tuned.result
    baked = attempts.run("mxfp4-merge", targetStep=1, start=tuned.checkpoint())
    assert baked.code == 0, baked.result
    shards = set(ModelFolder(baked.folder(1)).headers)
    assert shards == {"model-00001-of-00001.safetensors", "model-overlay-0001.safetensors"}
    benchmark = {"data": data, "grader": "exact-match", "samples": 1, "temperature": 0, "maxTokens": 8, "name": "copy"}
    listed = [
        {"key": name, "checkpoint": each.checkpoint(), "benchmark": benchmark, "seed": 1, "output": f"{name}.jsonl"}
        for name, each in (("tuned", tuned), ("baked", baked))
    ]
    made = attempts.run("evaluate", evaluations=listed)
    assert made.code == 0, made.result
    texts = [
        [json.loads(line)["answer"] for line in (made.directory / f"{name}.jsonl").read_text().splitlines()]
        for name in ("tuned", "baked")
    ]
    assert sum(one == other for one, other in zip(*texts, strict=True)) >= 30


def test_a_run_that_is_not_finite_says_so(attempts: Attempts, base: Made) -> None:
    made = attempts.run(
        "sft",
        targetStep=4,
        start=base.checkpoint(),
        data={"tiny": "solutions", "rows": 16},
        params={"learningRate": 1e30, "warmupSteps": 0, "batchSize": 8, "checkpointEvery": 4},
    )
    assert made.result["finite"] is False
    assert made.result["metrics"]["loss"] is None

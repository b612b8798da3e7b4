"""Merging a LoRA into an MXFP4 model: what is written, what is refused, what verification notices."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import Attempts, Made
from synthetic_adapter import EXPERTS, random_factors, write_adapter

from temper_trainers.adapter import read_deltas
from temper_trainers.checkpoint_folder import ModelFolder, write_index
from temper_trainers.errors import DataError
from temper_trainers.merge import merge
from temper_trainers.mxfp4 import pack
from temper_trainers.safetensors_file import read_bytes, read_header
from temper_trainers.verify_merge import verify_merge


def start_of(adapter: Path, base: Path) -> dict[str, Any]:
    """The adapter as a start."""
    return {"id": "x", "path": str(adapter), "format": "peft", "base": str(base), "digest": None}


Q_PROJECTION = "model.layers.0.self_attn.q_proj"


def test_a_merge_writes_one_new_shard_and_links_the_others(attempts: Attempts, base: Made, sft: Made) -> None:
    made = attempts.run("mxfp4-merge", targetStep=1, start=sft.checkpoint(), params={"experts": "refuse"})
    assert made.code == 0, made.result
    folder, below = made.folder(1), base.folder(90)
    new = [path.name for path in folder.glob("*.safetensors") if not (below / path.name).exists()]
    assert new == ["model-overlay-0001.safetensors"]
    assert len(read_header(folder / new[0])) == 8
    linked = [path.name for path in folder.iterdir() if (below / path.name).exists() and path.samefile(below / path.name)]
    assert {"config.json", "tokenizer.json", "chat_template.jinja", "model-00001-of-00002.safetensors"} <= set(linked)
    assert made.result["weightsBefore"] != made.result["weightsAfter"]
    assert not (folder / "state.pt").exists()


def test_the_merged_model_says_what_base_and_adapter_say_together(attempts: Attempts, base: Made, sft: Made) -> None:
    import torch

    from temper_trainers.model import load_checkpoint, load_model
    from temper_trainers.request import Checkpoint

    made = attempts.run("mxfp4-merge", targetStep=1, start=sft.checkpoint())
    ids = torch.randint(6, 28, (20, 16), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        merged = load_model(made.folder(1))(ids).logits
        below = load_model(base.folder(90))(ids).logits
        together = load_checkpoint(Checkpoint(sft.folder(6), "peft", base.folder(90), None))(ids).logits
    assert (merged - together).abs().max() < 0.1 * (below - together).abs().max()
    assert (merged.argmax(-1) == together.argmax(-1)).float().mean() > 0.98


def test_experts_are_refused_unless_the_recipe_says_otherwise(attempts: Attempts, base: Made, tmp_path: Path) -> None:
    adapter = write_adapter(tmp_path / "adapter", random_factors(EXPERTS, 128, 64, rank=8))
    made = attempts.run("mxfp4-merge", targetStep=1, start=start_of(adapter, base.folder(90)))
    assert (made.code, made.result["reason"]) == (78, "config")
    assert "requantize" in made.result["message"]
    assert not list((made.directory / "checkpoints").glob("*") if (made.directory / "checkpoints").exists() else [])


def test_a_lora_on_experts_is_baked_in_as_peft_would(attempts: Attempts, base: Made) -> None:
    import torch

    from temper_trainers.model import load_checkpoint
    from temper_trainers.request import Checkpoint

    trained = attempts.run(
        "sft",
        targetStep=2,
        start=base.checkpoint(),
        data={"tiny": "solutions", "rows": 16, "longShare": 0.5},
        params={
            "learningRate": 5e-2,
            "batchSize": 8,
            "checkpointEvery": 2,
            "warmupSteps": 0,
            "lora": {"rank": 2, "alpha": 8, "targets": ["q", "experts"]},
        },
    )
    assert trained.code == 0, trained.result
    made = attempts.run("mxfp4-merge", targetStep=1, start=trained.checkpoint(), params={"experts": "requantize"})
    assert made.code == 0, made.result
    merged = ModelFolder(made.folder(1))
    whole = load_checkpoint(Checkpoint(trained.folder(2), "peft", base.folder(90), None)).merge_and_unload()
    for projection in ("gate_up_proj", "down_proj"):
        name = f"{EXPERTS}.{projection}"
        dense = whole.get_parameter(name).detach().transpose(1, 2).contiguous().to(torch.float32).numpy()
        blocks, scales = pack(dense)
        found = read_bytes(*merged.entry(f"{name}_blocks")), read_bytes(*merged.entry(f"{name}_scales"))
        # PEFT adds in another order, so a value on a rounding edge may fall to the other side
        same = np.frombuffer(found[0], np.uint8) == blocks.reshape(-1)
        assert same.mean() > 0.999
        assert (np.frombuffer(found[1], np.uint8) == scales.reshape(-1)).mean() > 0.999


def test_experts_without_a_change_keep_their_bytes(base: Made, tmp_path: Path) -> None:
    factors = random_factors(EXPERTS, 128, 64, rank=8)
    factors[f"{EXPERTS}.lora_A"][2:] = 0  # rank 2: only the first of four experts changes
    deltas = read_deltas(write_adapter(tmp_path / "adapter", factors))
    model, target = ModelFolder(base.folder(90)), tmp_path / "merged"
    target.mkdir()
    changed = merge(model, deltas, target)
    assert changed == {f"{EXPERTS}.gate_up_proj_blocks", f"{EXPERTS}.gate_up_proj_scales"}
    verify_merge(model, deltas, target)
    for name in changed:
        old, new = (read_bytes(*each.entry(name)) for each in (model, ModelFolder(target)))
        quarter = len(old) // 4
        assert old[:quarter] != new[:quarter] or name.endswith("scales")
        assert old[quarter:] == new[quarter:]


def merged_by_hand(base: Made, tmp_path: Path) -> tuple[ModelFolder, Any, Path]:
    """A sound merge of one attention weight, with every file a copy that a test may damage."""
    deltas = read_deltas(write_adapter(tmp_path / "adapter", random_factors(Q_PROJECTION, 64, 64)))
    model, linked, target = ModelFolder(base.folder(90)), tmp_path / "linked", tmp_path / "merged"
    linked.mkdir()
    merge(model, deltas, linked)
    shutil.copytree(linked, target)
    verify_merge(model, deltas, target)
    return model, deltas, target


def flip(path: Path, offset: int) -> None:
    """Change one byte of a file."""
    data = bytearray(path.read_bytes())
    data[offset] ^= 0x40
    path.write_bytes(bytes(data))


def test_verification_notices_a_target_that_is_not_the_sum(base: Made, tmp_path: Path) -> None:
    model, deltas, target = merged_by_hand(base, tmp_path)
    path, entry = ModelFolder(target).entry(f"{Q_PROJECTION}.weight")
    flip(path, entry.offset + 101)
    with pytest.raises(DataError, match=r"half a bf16 unit|not finite"):
        verify_merge(model, deltas, target)


def test_verification_knows_that_float32_rounds_terms_that_cancel_each_other(base: Made, tmp_path: Path) -> None:
    factors = random_factors(Q_PROJECTION, 64, 64)
    right, left = factors[f"{Q_PROJECTION}.lora_A"], factors[f"{Q_PROJECTION}.lora_B"]
    right[1] = right[0]
    left[:, 0] *= 1e4
    left[:, 1] -= left[:, 0]
    deltas, model = read_deltas(write_adapter(tmp_path / "adapter", factors)), ModelFolder(base.folder(90))
    target = tmp_path / "merged"
    target.mkdir()
    merge(model, deltas, target)
    verify_merge(model, deltas, target)


def test_verification_notices_a_byte_outside_the_targets(base: Made, tmp_path: Path) -> None:
    model, deltas, target = merged_by_hand(base, tmp_path)
    path, entry = ModelFolder(target).entry(f"{EXPERTS}.down_proj_blocks")
    flip(path, entry.offset + 7)
    with pytest.raises(DataError, match="its bytes changed"):
        verify_merge(model, deltas, target)


def test_verification_notices_torn_shards_lost_tensors_and_other_configs(base: Made, tmp_path: Path) -> None:
    model, deltas, target = merged_by_hand(base, tmp_path)
    (target / "config.json").write_text('{"model_type": "other"}')
    with pytest.raises(DataError, match=r"config.json .* is not the base's"):
        verify_merge(model, deltas, target)
    shard_of = dict(ModelFolder(target).shard_of)
    shard_of.pop("lm_head.weight")
    write_index(target, shard_of, 0)
    with pytest.raises(DataError, match=r"does not name lm_head\.weight"):
        verify_merge(model, deltas, target)
    overlay = target / "model-overlay-0001.safetensors"
    overlay.write_bytes(overlay.read_bytes()[:-5])
    with pytest.raises(DataError, match="torn"):
        ModelFolder(target)


def test_an_adapter_that_was_never_trained_or_is_no_plain_lora_is_refused(
    attempts: Attempts, base: Made, tmp_path: Path
) -> None:
    factors = random_factors(Q_PROJECTION, 64, 64)
    zero = {**factors, f"{Q_PROJECTION}.lora_B": np.zeros((64, 2))}
    cases = [
        (write_adapter(tmp_path / "zero", zero), "never trained", 65),
        (write_adapter(tmp_path / "dora", factors, use_dora=True), "DoRA", 78),
        (write_adapter(tmp_path / "half", dict([*factors.items()][:1])), "only one of its two factors", 65),
        (write_adapter(tmp_path / "wide", random_factors(Q_PROJECTION, 64, 32)), "the adapter's change of", 65),
        (write_adapter(tmp_path / "other", random_factors("model.layers.9.self_attn.q_proj", 64, 64)), "has no tensor", 65),
    ]
    for adapter, want, code in cases:
        made = attempts.run("mxfp4-merge", targetStep=1, start=start_of(adapter, base.folder(90)))
        assert want in made.result["message"]
        assert made.code == code
        assert not (made.directory / "checkpoints/checkpoint-1").exists()


def test_rank_and_alpha_patterns_and_rslora_scale_each_module(tmp_path: Path) -> None:
    factors = random_factors(Q_PROJECTION, 64, 64)
    plain = read_deltas(write_adapter(tmp_path / "a", factors))[0].scaling
    stable = read_deltas(write_adapter(tmp_path / "b", factors, use_rslora=True))[0].scaling
    pattern = {"rank_pattern": {"q_proj": 8}, "alpha_pattern": {"q_proj": 4}}
    patterned = read_deltas(write_adapter(tmp_path / "c", factors, **pattern))[0].scaling
    assert (plain, stable, patterned) == (2.0, pytest.approx(4 / 2**0.5), 0.5)


def test_sao_can_start_from_a_merged_model_and_drops_the_shard_it_replaces(
    attempts: Attempts, base: Made, sft: Made
) -> None:
    baked = attempts.run("mxfp4-merge", targetStep=1, start=sft.checkpoint())
    params = {"learningRate": 1e-4, "criticLearningRate": 1e-3, "batchSize": 4, "checkpointEvery": 1}
    made = attempts.run(
        "sao",
        targetStep=1,
        start=baked.checkpoint(),
        data={"tiny": "problems", "rows": 16},
        params={**params, "criticWarmupSteps": 0, "maxCompletionTokens": 8},
    )
    assert made.code == 0, made.result
    overlays = sorted(path.name for path in made.folder(1).glob("model-overlay-*"))
    assert overlays == ["model-overlay-0002.safetensors"]
    ModelFolder(made.folder(1))

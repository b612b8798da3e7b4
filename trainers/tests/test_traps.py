"""What looks like success and is none: each a training whose end a supervisor could take for a good one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support import Attempts, Made

REWARDS = [{"weights": {"boxed": 1, "length": -0.1}}]


def sft_fields(base: Made, **params: Any) -> dict[str, Any]:
    """An sft of a few small steps."""
    return {
        "start": base.checkpoint(),
        "data": {"tiny": "solutions", "rows": 32, "longShare": 0.5},
        "params": {"learningRate": 5e-3, "batchSize": 8, "checkpointEvery": 3, **params},
    }


def test_an_adapter_that_did_not_change_is_told_by_its_digests(attempts: Attempts, sft: Made) -> None:
    """Exit code 0, every step done, a whole artifact: only the weights say that nothing was learned."""
    made = attempts.run("sft", targetStep=3, **{**sft_fields(sft, learningRate=0.0), "start": sft.checkpoint()})
    assert (made.code, made.result["status"], made.result["finalStep"]) == (0, "completed", 3)
    assert made.result["weightsBefore"] == made.result["weightsAfter"]
    names = ["adapter_model.safetensors"]
    assert made.digests(3, names) == sft.digests(6, names)


def test_grpo_on_an_adapter_keeps_its_policy_over_a_resume(attempts: Attempts, sft: Made) -> None:
    """With a reference adapter beside it, a library once loaded only that one, and began again from the start's policy."""
    fields: dict[str, Any] = {
        "start": sft.checkpoint(),
        "data": {"tiny": "problems", "rows": 32},
        "params": {
            "learningRate": 1e-3,
            "promptsPerStep": 2,
            "generations": 4,
            "beta": 1e-2,
            "warmupSteps": 0,
            "checkpointEvery": 2,
            "maxCompletionTokens": 12,
            "rewards": REWARDS,
        },
    }
    straight = attempts.run("drgrpo", targetStep=4, **fields)
    assert (straight.folder(2) / "ref" / "adapter_model.safetensors").exists()
    resumed = attempts.run("drgrpo", targetStep=4, **fields, resume=straight.resume(2))
    assert resumed.code == 0
    assert resumed.result["weightsBefore"] != straight.result["weightsBefore"]
    assert resumed.result["weightsAfter"] == straight.result["weightsAfter"]
    kl = [each["metrics"]["kl"] for each in resumed.progress() if "kl" in each["metrics"]]
    assert min(kl) > 0


@pytest.mark.parametrize("kind", ["base", "sft"])
def test_another_number_of_steps_on_resume_is_refused_before_it_bends_the_schedule(
    attempts: Attempts, base: Made, kind: str
) -> None:
    fields = {"params": {"checkpointEvery": 3, "batchSize": 8}} if kind == "base" else sft_fields(base)
    straight = attempts.run(kind, targetStep=6, **fields)
    longer = attempts.run(kind, targetStep=9, **fields, resume=straight.resume(3))
    assert (longer.code, longer.result["reason"], longer.result["damaged"]) == (78, "config", None)
    assert "belongs to a training of 6 steps" in longer.result["message"]


JIT = """
import sys
from pathlib import Path
import torch
from transformers import Trainer, TrainerCallback, TrainingArguments

class Slow(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        print(f"step {state.global_step}", flush=True)
        torch.randn(1)
        import time
        time.sleep(0.3)

class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 400
    def __getitem__(self, index):
        return {"x": torch.full((4,), float(index)), "labels": torch.tensor(0.0)}

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
    def forward(self, x, labels=None):
        out = self.layer(x)
        return {"loss": (out * 1e-4).pow(2).mean(), "logits": out}

arguments = TrainingArguments(
    output_dir=sys.argv[1], max_steps=100, per_device_train_batch_size=2, save_steps=1000, report_to="none",
    use_cpu=True, disable_tqdm=True, enable_jit_checkpoint=True,
)
Trainer(model=Model(), args=arguments, train_dataset=Rows(), callbacks=[Slow()]).train()
"""


def test_a_checkpoint_on_sigterm_ends_with_0_before_the_target_and_writes_no_result(tmp_path: Path) -> None:
    """Its exit code says success; neither a result nor the target's checkpoint does, so that Temper calls it unproven."""
    script, output, log = tmp_path / "train.py", tmp_path / "out", tmp_path / "log.txt"
    script.write_text(JIT)
    with log.open("w") as stream:
        child = subprocess.Popen([sys.executable, str(script), str(output)], stdout=stream, stderr=stream, env=os.environ)
        deadline = time.monotonic() + 120
        while "step 2" not in log.read_text() and child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        child.send_signal(signal.SIGTERM)
        code = child.wait(60)
    assert code == 0, log.read_text()[-2000:]
    assert not (output / "checkpoint-100").exists()
    assert not list(tmp_path.rglob("result.json"))
    for saved in output.glob("checkpoint-*"):  # as a rule one, and sometimes none
        if not (saved / "checkpoint-is-incomplete.txt").exists():
            state = json.loads((saved / "trainer_state.json").read_text())
            assert state["global_step"] == int(saved.name.removeprefix("checkpoint-")) < 100

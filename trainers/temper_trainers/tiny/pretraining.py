"""Full-parameter pretraining of the tiny model: it learns to add, but never to box a sum, so its held-out score is 0.

Every checkpoint is a native MXFP4 model in two shards, with `state.pt` (float32 weights, optimizer, random states) beside
it for an exact resume. The loop draws texts from its own random source.
"""

from __future__ import annotations

import random
from typing import Any

import torch

from ..checkpoint_folder import whole_folder
from ..contract import Run
from ..determinism import settle_torch
from ..errors import ConfigError, StoppedError
from ..model import trainable_digest
from ..packed_model import write_packed_model
from ..training_state import load_state, save_state
from .addition import pretraining_text
from .model import PAD_ID, make_model, make_tokenizer

WARMUP_STEPS = 20
LOWEST_SHARE = 0.1


class Pretraining:
    """Model, optimizer and random source of the run, as one thing to save and restore."""

    def __init__(self, run: Run, seed: int) -> None:
        """Draw the model from the seed, or restore the resume checkpoint."""
        settle_torch(seed)
        self.run, params = run, run.request.params
        self.learning_rate = params.number("learningRate")
        self.batch_size = params.integer("batchSize")
        self.noise = params.number("noise")
        self.tokenizer = make_tokenizer()
        self.model = make_model(len(self.tokenizer))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), self.learning_rate, betas=(0.9, 0.98), weight_decay=0.01)
        self.source = random.Random(seed)
        self.step = 0
        resume = run.request.resume
        if resume is not None:
            run.started_from(resume.path, resume.step, "hf", resume.digest)
            state = load_state(resume)
            if state["of"] != run.request.target_step:
                raise ConfigError(
                    f"{resume.path} belongs to a training of {state['of']} steps: going on to step "
                    f"{run.request.target_step} would bend its schedule"
                )
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.source.setstate(state["source"])
            self.step = run.outcome.start_step = run.outcome.final_step = state["step"]
        self.model.train()

    def batch(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Ids and attention mask of the next texts, padded on the right."""
        texts = [pretraining_text(self.source, self.noise) for _ in range(self.batch_size)]
        rows = [self.tokenizer(text, add_special_tokens=False).input_ids for text in texts]
        width = max(map(len, rows))
        ids = torch.tensor([row + [PAD_ID] * (width - len(row)) for row in rows])
        return ids, (ids != PAD_ID).long()

    def train_step(self) -> dict[str, Any]:
        """One optimizer step; returns its metrics."""
        done = self.step / self.run.request.target_step
        rate = self.learning_rate * min(1.0, (self.step + 1) / WARMUP_STEPS) * max(LOWEST_SHARE, 1 - done)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        ids, mask = self.batch()
        loss = self.model(ids, attention_mask=mask, labels=ids.masked_fill(mask == 0, -100)).loss
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        return {"loss": loss.item(), "grad_norm": norm.item(), "learning_rate": rate}

    def save(self) -> None:
        """Write and seal the checkpoint of this step."""
        self.run.report("saving", self.step)
        target = self.run.checkpoints / f"checkpoint-{self.step}"
        with whole_folder(target) as folder:
            write_packed_model(self.model, self.tokenizer, folder)
            save_state(
                folder,
                {
                    "model": self.model.state_dict(),
                    "optimizer": self.optimizer.state_dict(),
                    "source": self.source.getstate(),
                    "step": self.step,
                    "of": self.run.request.target_step,
                },
            )
        self.run.seal(target, self.step, "hf")


def pretrain(run: Run, seed: int) -> None:
    """Train to the target step, saving every `checkpointEvery` steps and at the end."""
    work = Pretraining(run, seed)
    every, last = run.request.params.integer("checkpointEvery"), run.request.target_step
    run.outcome.weights_before = trainable_digest(work.model)
    with run.saving_on_stop():
        run.report("training", work.step)
        if last == 0:
            work.save()
        while work.step < last:
            run.record_step(work.step + 1, work.train_step())
            if work.step % every == 0 or work.step == last or run.stop_requested:
                work.save()
            if run.stop_requested and work.step < last:
                raise StoppedError
    run.outcome.weights_after = trainable_digest(work.model)

"""SAO's models, optimizers, queue and steps, as one thing that is saved and restored exactly. sao.py tells the story."""

from __future__ import annotations

import random
import re
from typing import Any

import torch

from .checkpoint_folder import ModelFolder, link_overlay, overlay_name, whole_folder
from .contract import Metrics, Run
from .data import Problem
from .determinism import settle_torch
from .model import load_model, load_tokenizer
from .packed_model import write_overlay
from .sampling import SamplingSettings
from .sao_objective import RatioMask, advantages, critic_loss, policy_terms
from .sao_rollouts import Batch, Rollout, chosen_log_probabilities, make_batch, mixed_precision, roll_out
from .training_state import load_state, save_state

ATTENTION_WEIGHT = re.compile(r".*self_attn\.[qkvo]_proj\.weight")


def is_policy_weight(name: str) -> bool:
    """Whether the policy trains this tensor."""
    return ATTENTION_WEIGHT.fullmatch(name) is not None


def is_critic_weight(name: str) -> bool:
    """Whether the critic trains this tensor."""
    return "self_attn" not in name and "lm_head" not in name


def train_only(model: Any, wanted: Any) -> list[torch.nn.Parameter]:
    """Freeze all but the wanted parameters, which become float32; returns those."""
    trained = []
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(wanted(name))
        if parameter.requires_grad:
            parameter.data = parameter.data.float()
            trained.append(parameter)
    return trained


def trained_tensors(model: Any) -> dict[str, torch.Tensor]:
    """The trained parameters by name."""
    return {name: parameter.detach() for name, parameter in model.named_parameters() if parameter.requires_grad}


class SaoTraining:
    """One SAO run between its steps."""

    def __init__(self, run: Run, problems: list[Problem]) -> None:
        """Load policy and critic from the start model, then the resume checkpoint over them."""
        request, params = run.request, run.request.params
        self.run, self.problems = run, problems
        start = request.start_checkpoint()
        settle_torch(request.seed)
        self.source_model = ModelFolder(start.path)
        self.tokenizer = load_tokenizer(start.path)
        self.policy, self.critic = load_model(start.path).eval(), load_model(start.path).eval()
        self.head = torch.nn.Linear(self.critic.config.hidden_size, 1).to(self.policy.device)
        torch.nn.init.zeros_(self.head.weight)
        torch.nn.init.zeros_(self.head.bias)
        self.policy_weights = train_only(self.policy, is_policy_weight)
        self.critic_weights = [*train_only(self.critic, is_critic_weight), *self.head.parameters()]
        self.policy_optimizer = torch.optim.AdamW(self.policy_weights, params.number("learningRate"), weight_decay=0.0)
        self.critic_optimizer = torch.optim.AdamW(self.critic_weights, params.number("criticLearningRate"), weight_decay=0.0)
        self.batch_size = params.integer("batchSize")
        self.piece_rows = request.batch_shape(self.batch_size).micro_batch
        self.queue_batches = params.integer("queueBatches")
        self.warmup_steps = params.integer("criticWarmupSteps")
        self.critic_updates = params.integer("criticUpdates")
        self.alpha = params.number("lambdaAlpha")
        mask = params.section("mask")
        self.limits = RatioMask(mask.number("below"), mask.number("above"))
        self.settings = SamplingSettings(1, params.number("temperature"), params.integer("maxCompletionTokens"))
        self.source = random.Random(request.seed + 3)
        self.queue: list[Rollout] = []
        self.version = self.step = 0
        self._restore_or_record()

    def trained(self) -> dict[str, torch.Tensor]:
        """The policy's trained tensors by name."""
        return trained_tensors(self.policy)

    def fill_queue(self) -> None:
        """Sample until the queue holds its batches; what was sampled earlier was sampled by an older version."""
        while len(self.queue) < self.queue_batches * self.batch_size:
            drawn = [self.source.choice(self.problems) for _ in range(self.batch_size)]
            self.queue += roll_out(self.policy, self.tokenizer, drawn, self.settings, self.version, self.piece_rows)

    def train_step(self) -> Metrics:
        """Train critic, then (after the critic's warm-up) policy, on the oldest batch; returns the metrics."""
        oldest, self.queue = self.queue[: self.batch_size], self.queue[self.batch_size :]
        batch = make_batch(oldest, self.tokenizer.pad_token_id, self.policy.device)
        metrics: Metrics = {
            "reward": batch.rewards.mean().item(),
            "completion_tokens": batch.mask.sum().item() / len(oldest),
            "policy_lag": self.version - min(each.version for each in oldest),
        }
        for _ in range(self.critic_updates):
            metrics["critic_loss"] = self._update_critic(batch)
        if self.step >= self.warmup_steps:
            metrics.update(self._update_policy(batch))
        self.step += 1
        return metrics

    def save(self) -> None:
        """Write and seal the checkpoint of this step: an overlay of the start model, and the state."""
        self.run.report("saving", self.step)
        target = self.run.checkpoints / f"checkpoint-{self.step}"
        overlay = overlay_name(self.source_model)
        with whole_folder(target) as folder:
            write_overlay(folder / overlay, self.trained())
            link_overlay(self.source_model, folder, set(self.trained()), overlay)
            save_state(
                folder,
                {
                    "policy": self.trained(),
                    "critic": trained_tensors(self.critic),
                    "head": self.head.state_dict(),
                    "policyOptimizer": self.policy_optimizer.state_dict(),
                    "criticOptimizer": self.critic_optimizer.state_dict(),
                    "source": self.source.getstate(),
                    "queue": [vars(each) for each in self.queue],
                    "version": self.version,
                    "step": self.step,
                },
            )
        self.run.seal(target, self.step, "hf")

    def _restore_or_record(self) -> None:
        request = self.run.request
        if request.resume is None:
            start = request.start_checkpoint()
            self.run.started_from(start.path, 0, "hf", start.digest)
            return
        self.run.started_from(request.resume.path, request.resume.step, "hf", request.resume.digest)
        state = load_state(request.resume)
        for model, name in ((self.policy, "policy"), (self.critic, "critic")):
            parameters = dict(model.named_parameters())
            for tensor_name, tensor in state[name].items():
                parameters[tensor_name].data.copy_(tensor)
        self.head.load_state_dict(state["head"])
        self.policy_optimizer.load_state_dict(state["policyOptimizer"])
        self.critic_optimizer.load_state_dict(state["criticOptimizer"])
        self.source.setstate(state["source"])
        self.queue = [Rollout(**each) for each in state["queue"]]
        self.version, self.step = state["version"], state["step"]
        self.run.outcome.start_step = self.run.outcome.final_step = self.step

    def _values(self, batch: Batch, rows: slice) -> torch.Tensor:
        with mixed_precision():
            hidden = self.critic.model(**batch.inputs(rows)).last_hidden_state[:, batch.start - 1 : -1]
        return self.head(hidden.float())[..., 0]

    def _update_critic(self, batch: Batch) -> float:
        self.critic_optimizer.zero_grad()
        total = 0.0
        for rows in batch.pieces(self.piece_rows):
            loss = critic_loss(self._values(batch, rows), batch.mask[rows], batch.rewards[rows]) / batch.mask.sum()
            loss.backward()
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(self.critic_weights, 1.0)
        self.critic_optimizer.step()
        return total

    def _update_policy(self, batch: Batch) -> Metrics:
        self.policy_optimizer.zero_grad()
        tokens = batch.mask.sum()
        loss = kept = gap = 0.0
        for rows in batch.pieces(self.piece_rows):
            with torch.no_grad():
                values = self._values(batch, rows)
            advantage = advantages(values, batch.mask[rows], batch.rewards[rows], self.alpha)
            chosen = chosen_log_probabilities(self.policy, batch, rows, self.settings.temperature)
            terms = policy_terms(chosen, batch.behaviour[rows], advantage, batch.mask[rows], self.limits)
            piece = terms.loss / tokens
            piece.backward()
            loss, kept, gap = loss + piece.item(), kept + terms.kept_tokens, gap + terms.gap
        norm = torch.nn.utils.clip_grad_norm_(self.policy_weights, 1.0)
        self.policy_optimizer.step()
        self.version += 1
        return {
            "loss": loss,
            "grad_norm": norm.item(),
            "masked_share": 1 - kept / tokens.item(),
            "log_probability_gap": gap / tokens.item(),
        }

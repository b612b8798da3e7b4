"""SAO's rollouts: one completion per prompt with the log-probabilities that the policy gave it, as batches of tensors.

A batch is laid out [padding | prompt | completion | padding]; `start` is where completions begin, `mask` marks action
tokens. Log-probabilities come from a forward pass of the policy that sampled, right after it sampled.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch

from .data import Problem
from .graders import grade_boxed_integer
from .sampling import SamplingSettings, encode_prompts, end_tokens, generation_options, length_to_end, pad_left

PIECE_TOKENS = 8 * 1024


@dataclass
class Rollout:
    """One prompt and completion in token ids; the policy's version that sampled it and its log-probabilities."""

    prompt: list[int]
    completion: list[int]
    reward: float
    version: int
    behaviour: list[float]


@dataclass(frozen=True)
class Batch:
    """Rollouts as tensors; `behaviour`, `mask` are (rows, action tokens)."""

    ids: torch.Tensor
    attention: torch.Tensor
    start: int
    mask: torch.Tensor
    behaviour: torch.Tensor
    rewards: torch.Tensor

    def pieces(self, most_rows: int | None = None) -> Iterator[slice]:
        """Row ranges small enough for one forward pass, of at most so many rows."""
        rows = max(1, min(PIECE_TOKENS // self.ids.shape[1], most_rows or self.ids.shape[0]))
        for begin in range(0, self.ids.shape[0], rows):
            yield slice(begin, min(begin + rows, self.ids.shape[0]))

    def inputs(self, rows: slice) -> dict[str, torch.Tensor]:
        """Arguments of a forward pass over some rows; positions count from each prompt's first token."""
        attention = self.attention[rows]
        positions = (attention.cumsum(1) - 1).clamp(min=0)
        return {"input_ids": self.ids[rows], "attention_mask": attention, "position_ids": positions}


def make_batch(rollouts: list[Rollout], pad: int, where: Any) -> Batch:
    """Lay rollouts out as tensors."""
    start = max(len(each.prompt) for each in rollouts)
    width = max(len(each.completion) for each in rollouts)
    ids = torch.full((len(rollouts), start + width), pad, dtype=torch.long)
    attention = torch.zeros_like(ids)
    mask = torch.zeros(len(rollouts), width)
    behaviour = torch.zeros(len(rollouts), width)
    for row, each in enumerate(rollouts):
        begin, end = start - len(each.prompt), start + len(each.completion)
        ids[row, begin:end] = torch.tensor(each.prompt + each.completion)
        attention[row, begin:end] = 1
        mask[row, : len(each.completion)] = 1
        behaviour[row, : len(each.behaviour)] = torch.tensor(each.behaviour)
    rewards = torch.tensor([each.reward for each in rollouts])
    tensors = (each.to(where) for each in (ids, attention, mask, behaviour, rewards))
    ids, attention, mask, behaviour, rewards = tensors
    return Batch(ids, attention, start, mask, behaviour, rewards)


def mixed_precision() -> AbstractContextManager[Any]:
    """bf16 forward passes on CUDA over float32 trained weights; plain float32 on a CPU."""
    return torch.autocast("cuda", torch.bfloat16, enabled=torch.cuda.is_available())


def chosen_log_probabilities(policy: Any, batch: Batch, rows: slice, temperature: float) -> torch.Tensor:
    """Log-probability of every action token of some rows."""
    with mixed_precision():
        logits = policy(**batch.inputs(rows)).logits[:, batch.start - 1 : -1]
    actions = batch.ids[rows, batch.start :, None]
    return (logits.float() / temperature).log_softmax(-1).gather(-1, actions)[..., 0]


@torch.no_grad()
def roll_out(
    policy: Any, tokenizer: Any, problems: list[Problem], settings: SamplingSettings, version: int, most_rows: int
) -> list[Rollout]:
    """One completion for each problem, graded, with its log-probabilities, which are computed `most_rows` at a time."""
    ends = end_tokens(policy, tokenizer)
    prompts = encode_prompts(tokenizer, [problem.prompt for problem in problems])
    ids, attention = pad_left(prompts, tokenizer.pad_token_id, policy.device)
    options = generation_options(settings, tokenizer.pad_token_id, ends)
    with mixed_precision():
        output = policy.generate(ids, attention_mask=attention, **options)[:, ids.shape[1] :].tolist()
    rollouts = []
    for problem, prompt, row in zip(problems, prompts, output, strict=True):
        completion = row[: length_to_end(row, ends)[0]]
        right, _ = grade_boxed_integer(tokenizer.decode(completion, skip_special_tokens=True), problem.answer)
        rollouts.append(Rollout(prompt, completion, float(right), version, []))
    batch = make_batch(rollouts, tokenizer.pad_token_id, policy.device)
    for rows in batch.pieces(most_rows):
        known = chosen_log_probabilities(policy, batch, rows, settings.temperature).tolist()
        for each, values in zip(rollouts[rows], known, strict=True):
            each.behaviour = values[: len(each.completion)]
    return rollouts

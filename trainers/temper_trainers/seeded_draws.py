"""Draws whose randomness belongs to one completion each: the completion does not depend on what is sampled beside it.

Adds Gumbel noise to the logits, so that the highest one is a draw from their softmax. Of two batches that are put together
otherwise, the logits may still differ in their last bits, and with them, seldom, a draw.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import torch
from transformers import LogitsProcessor

# below it an exponential number is one of the few that a generator has left near zero: its logarithm would be a lump
LEAST = 2.0**-25


def seed_of_sample(seed: int, problem: str, number: int) -> int:
    """The seed of a problem's sample, the same for every checkpoint and attempt."""
    digest = hashlib.sha256(json.dumps([seed, problem, number]).encode()).digest()
    return int.from_bytes(digest[:8]) >> 1


class SeededDraws(LogitsProcessor):
    """Of a batch: row n draws from seed n."""

    def __init__(self, seeds: list[int], temperature: float, device: Any) -> None:
        """A generator for each row."""
        self._temperature = temperature
        self._generators = [torch.Generator(device=device).manual_seed(seed) for seed in seeds]

    def __call__(self, _input_ids: Any, scores: Any) -> Any:
        """Scores whose highest is the drawn token."""
        noise = torch.empty_like(scores)
        for row, generator in zip(noise, self._generators, strict=True):
            row.exponential_(generator=generator)
        return scores / self._temperature - noise.clamp_(min=LEAST).log_()

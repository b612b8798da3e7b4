"""Completions of a model for chat prompts, in batches whose size is bounded by the tokens that they may hold.

Sampling draws from torch's global random state: a caller that seeds it gets the same completions again, whatever it did
before. With a seed for each completion (seeded_draws.py) none depends on those that are sampled beside it. Prompts of one
batch are padded on the left.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

from .data import Messages
from .entropy import TokenEntropies, mean_entropy
from .seeded_draws import SeededDraws

BATCH_ROWS = 1024
BATCH_TOKENS = 64 * 1024

# whatever else of a model's generation_config changes its chances, or which token is taken
UNASKED = (
    "bad_words_ids",
    "begin_suppress_tokens",
    "epsilon_cutoff",
    "eta_cutoff",
    "exponential_decay_length_penalty",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "guidance_scale",
    "min_length",
    "min_new_tokens",
    "min_p",
    "no_repeat_ngram_size",
    "repetition_penalty",
    "sequence_bias",
    "suppress_tokens",
    "top_h",
    "typical_p",
    "watermarking_config",
)


@dataclass(frozen=True)
class Completion:
    """One completion: text, its token count with the end token, what cut it off if anything did, its share of the time."""

    text: str
    tokens: int
    truncated: bool
    seconds: float
    timed_out: bool = False
    # mean over the tokens that were asked for; None where nobody asked, or where it has no token
    entropy: float | None = None


@dataclass(frozen=True)
class SamplingSettings:
    """How to sample: completions per prompt, temperature (0 is greedy), limit in tokens.

    `entropy_of` asks for the entropy of a part of each completion: where in its text it stands, None for all of it.
    """

    samples: int
    temperature: float
    max_tokens: int
    entropy_of: Callable[[str], slice | None] | None = None


def end_tokens(model: Any, tokenizer: Any) -> list[int]:
    """The token ids that end a completion."""
    configured = model.generation_config.eos_token_id
    if configured is None:
        configured = tokenizer.eos_token_id
    return list(configured) if isinstance(configured, list | tuple) else [int(configured)]


def encode_prompts(tokenizer: Any, prompts: list[Messages]) -> list[list[int]]:
    """Token ids of each prompt, ready for the assistant's turn."""
    return [list(tokenizer.apply_chat_template(prompt, add_generation_prompt=True, return_dict=False)) for prompt in prompts]


def pad_left(rows: list[list[int]], pad: int, where: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and attention mask of rows padded on the left."""
    width = max(map(len, rows))
    ids = torch.tensor([[pad] * (width - len(row)) + row for row in rows], device=where)
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=where)
    return ids, mask


def batch_rows(longest_prompt: int, settings: SamplingSettings) -> int:
    """How many completions are sampled at once."""
    return max(1, min(BATCH_ROWS, BATCH_TOKENS // (longest_prompt + settings.max_tokens)))


def generation_options(settings: SamplingSettings, pad: int, ends: list[int]) -> dict[str, Any]:
    """Options of `generate`; plain sampling by the model's own chances, whatever its generation_config says."""
    if settings.temperature > 0:
        drawing = {"do_sample": True, "temperature": settings.temperature, "top_k": 0, "top_p": 1.0}
    else:
        drawing = {"do_sample": False}
    plain = {**dict.fromkeys(UNASKED), "num_beams": 1}
    return {**plain, "max_new_tokens": settings.max_tokens, "pad_token_id": pad, "eos_token_id": ends, **drawing}


@torch.no_grad()
def sample(
    model: Any,
    tokenizer: Any,
    prompts: list[Messages],
    settings: SamplingSettings,
    after_batch: Callable[[int, int], None] | None = None,
) -> list[list[Completion]]:
    """`settings.samples` completions for every prompt, in the prompts' order; `after_batch(done, of)` counts rows."""
    model.eval()
    encoded = [row for row in encode_prompts(tokenizer, prompts) for _ in range(settings.samples)]
    rows = batch_rows(max(map(len, encoded)), settings)
    options = generation_options(settings, tokenizer.pad_token_id, end_tokens(model, tokenizer))
    completions: list[Completion] = []
    for begin in range(0, len(encoded), rows):
        completions += _batch(model, tokenizer, encoded[begin : begin + rows], options)
        if after_batch is not None:
            after_batch(len(completions), len(encoded))
    return [completions[at : at + settings.samples] for at in range(0, len(completions), settings.samples)]


@torch.no_grad()
def sample_seeded(
    model: Any,
    tokenizer: Any,
    encoded: list[list[int]],
    seeds: list[int],
    settings: SamplingSettings,
    max_seconds: float | None = None,
) -> list[Completion]:
    """One completion for every encoded prompt, each drawn from its own seed, all of them in one batch.

    What is not at its end after `max_seconds` has timed out.
    """
    model.eval()
    greedy = replace(settings, temperature=0)
    options = generation_options(greedy, tokenizer.pad_token_id, end_tokens(model, tokenizer))
    entropies = None if settings.entropy_of is None else TokenEntropies(settings.entropy_of)
    draws = [SeededDraws(seeds, settings.temperature, model.device)] if settings.temperature > 0 else []
    if processors := [*([] if entropies is None else [entropies]), *draws]:
        options["logits_processor"] = processors
    if max_seconds is not None:
        options["max_time"] = max_seconds
    return _batch(model, tokenizer, encoded, options, entropies)


def _batch(
    model: Any, tokenizer: Any, encoded: list[list[int]], options: dict[str, Any], entropies: TokenEntropies | None = None
) -> list[Completion]:
    started = time.monotonic()
    ids, mask = pad_left(encoded, tokenizer.pad_token_id, model.device)
    output = model.generate(ids, attention_mask=mask, **options)[:, ids.shape[1] :].tolist()
    share = (time.monotonic() - started) / len(output)
    completions = [_completion(tokenizer, row, options, share) for row in output]
    if entropies is None:
        return completions

    def decode(tokens: list[int]) -> str:
        return str(tokenizer.decode(tokens, skip_special_tokens=True))

    by_row = zip(completions, output, entropies.rows(), strict=True)
    return [
        replace(completion, entropy=mean_entropy(row[: completion.tokens], places, entropies.of(completion.text), decode))
        for completion, row, places in by_row
    ]


def length_to_end(row: list[int], ends: list[int]) -> tuple[int, bool]:
    """Tokens up to and with the first end token, and whether there was none."""
    for index, token in enumerate(row):
        if token in ends:
            return index + 1, False
    return len(row), True


def _completion(tokenizer: Any, row: list[int], options: dict[str, Any], seconds: float) -> Completion:
    tokens, unfinished = length_to_end(row, options["eos_token_id"])
    text = tokenizer.decode(row[:tokens], skip_special_tokens=True)
    timed_out = unfinished and len(row) < options["max_new_tokens"]
    return Completion(text, tokens, unfinished and not timed_out, seconds, timed_out)

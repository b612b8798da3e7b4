"""How sure a model was of each token that it sampled, by the five likeliest ones: what votes are weighed by.

The entropy of a place is the sum of -p log2 p over the five likeliest tokens, by the model's own chances: before
temperature, and not scaled up to 1, as a server that tells five log-probabilities gives them. Kept while sampling, a number
a token: the chances of all tokens would not fit into memory. Does not cover what a vote makes of it: whoever records the
outcomes counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from transformers import LogitsProcessor

LIKELIEST = 5
BOX = "\\boxed{"


class TokenEntropies(LogitsProcessor):
    """Keeps the entropy of each place of a batch, and changes nothing. Must be the first that sees the scores."""

    def __init__(self) -> None:
        """Nothing is sampled yet."""
        self._places: list[Any] = []

    def __call__(self, _input_ids: Any, scores: Any) -> Any:
        """The scores as they came."""
        chances = torch.log_softmax(scores.float(), -1).topk(min(LIKELIEST, scores.shape[-1])).values.exp()
        self._places.append(-torch.xlogy(chances, chances).sum(-1) / torch.log(torch.tensor(2.0)))
        return scores

    def rows(self) -> list[list[float]]:
        """By completion, the entropy of each of its tokens and of what pads it."""
        return torch.stack(self._places, 1).tolist() if self._places else []


def answer_tokens(decode: Callable[[list[int]], str], tokens: list[int]) -> range:
    r"""Places of the tokens of what the last closed `\boxed{...}` holds; all of them where there is no such."""
    text = decode(tokens)
    begin = text.rfind(BOX) + len(BOX)
    end = text.find("}", begin)
    if begin < len(BOX) or end <= begin:
        return range(len(tokens))

    def first_beyond(characters: int) -> int:
        """How many tokens it takes until the text is longer than so many characters."""
        low, high = 0, len(tokens)
        while low < high:
            middle = (low + high) // 2
            if len(decode(tokens[:middle])) > characters:
                high = middle
            else:
                low = middle + 1
        return low

    return range(first_beyond(begin) - 1, first_beyond(end - 1))

"""How sure a model was of each token that it sampled, by the five likeliest ones: what votes are weighed by.

The entropy of a place is the sum of -p log2 p over the five likeliest tokens, by the model's own chances: before
temperature, and not scaled up to 1, as a server that tells five log-probabilities gives them. Kept while sampling, a number
a token: the chances of all tokens would not fit into memory. Does not cover what a vote makes of it: whoever records the
outcomes counts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import torch
from transformers import LogitsProcessor

LIKELIEST = 5
# tokens at the end of a completion among which its answer is looked for first
NEAR = 64


class TokenEntropies(LogitsProcessor):
    """Keeps the entropy of each place of a batch, and changes nothing. Must be the first that sees the scores."""

    def __init__(self, of: Callable[[str], slice | None]) -> None:
        """Nothing is sampled yet. `of` tells which part of a completion's text is asked for; None is all of it."""
        self.of = of
        self._places: list[Any] = []

    def __call__(self, _input_ids: Any, scores: Any) -> Any:
        """The scores as they came."""
        chances = torch.log_softmax(scores.float(), -1).topk(min(LIKELIEST, scores.shape[-1])).values.exp()
        self._places.append(-torch.xlogy(chances, chances).sum(-1) / torch.log(torch.tensor(2.0)))
        return scores

    def rows(self) -> list[list[float]]:
        """By completion, the entropy of each of its tokens and of what pads it."""
        return torch.stack(self._places, 1).tolist() if self._places else []


def mean_entropy(
    tokens: list[int], places: list[float], part: slice | None, decode: Callable[[list[int]], str]
) -> float | None:
    """Over the tokens of this part of their text, or over all where there is none; None where there is no token."""
    wanted = range(len(tokens)) if part is None or part.start == part.stop else tokens_of(decode, tokens, part)
    return sum(places[at] for at in wanted) / len(wanted) if wanted else None


def tokens_of(decode: Callable[[list[int]], str], tokens: list[int], part: slice) -> range:
    """Places of the tokens that write this part of their text.

    Looks at the end first: an answer stands there, and decoding all of a long completion over and over takes its time. How
    long the text of a token is depends on those before it (a character may be of several, a space may be left out at the
    beginning), so lengths are measured from one place, where the text after it is as it is in the whole.
    """
    text = decode(tokens)
    near = NEAR
    while True:
        first = max(0, len(tokens) - near)
        tail = decode(tokens[first:])
        before = len(text) - len(tail)
        if first == 0 or (before <= part.start and text.endswith(tail)):
            break
        near *= 2

    def first_beyond(characters: int) -> int:
        """How many tokens it takes until the text is longer than so many characters."""
        counts = range(len(tokens) - first + 1)
        return first + bisect_right(
            counts, characters - before, key=lambda count: len(decode(tokens[first : first + count]))
        )

    return range(first_beyond(part.start) - 1, first_beyond(part.stop - 1))

"""How many further samples of a problem a vote needs: none once enough of them agree.

Covers a vote over the samples in the order of their numbers, so that the samples that are taken depend on nothing else. Does
not cover who wins: whoever records the outcomes counts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

WEIGHTS = ("answer-entropy", "token-entropy")


def samples_to_ask(answers: Sequence[str | None], samples: int, agreeing: int | None) -> int:
    """Of a problem with these answers: as many as the vote surely needs, `samples` at most; without `agreeing`, all."""
    left = samples - len(answers)
    if agreeing is None:
        return left
    most = max(Counter(answer for answer in answers if answer is not None).values(), default=0)
    return min(left, max(0, agreeing - most))

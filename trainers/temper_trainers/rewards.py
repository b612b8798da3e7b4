"""DrGRPO's rewards and the weights that switch at a step.

`exact`: 1 when the last boxed integer is the answer. `boxed`: 1 when there is one. `length`: the completion's tokens.
A stage `{until: 20, weights}` holds for the steps 1 to 20; the last stage has no `until`. The weights depend on the step
alone, so they are right after a resume. A reward without a weight in any stage is not computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from .errors import UsageError
from .graders import boxed_integer, grade_boxed_integer
from .request import Params

Reward: TypeAlias = Callable[..., list[float]]


def text_of(completion: Any) -> str:
    """The text of a completion, whether TRL hands it as messages or as text."""
    return completion if isinstance(completion, str) else "".join(message["content"] for message in completion)


def exact(completions: list[Any], answer: list[str], **_: Any) -> list[float]:
    """1 for a right boxed answer."""
    pairs = zip(completions, answer, strict=True)
    return [float(grade_boxed_integer(text_of(completion), right)[0]) for completion, right in pairs]


def boxed(completions: list[Any], **_: Any) -> list[float]:
    """1 for any boxed answer."""
    return [float(boxed_integer(text_of(completion)) is not None) for completion in completions]


def length(completion_ids: list[list[int]], **_: Any) -> list[float]:
    """The completion's length in tokens."""
    return [float(len(tokens)) for tokens in completion_ids]


REWARDS: dict[str, Reward] = {"exact": exact, "boxed": boxed, "length": length}


@dataclass(frozen=True)
class RewardSchedule:
    """Which rewards there are, and their weights by step."""

    names: tuple[str, ...]
    stages: tuple[tuple[int | None, tuple[float, ...]], ...]

    def weights_after(self, finished_steps: int) -> tuple[float, ...]:
        """The weights of the step that follows so many finished ones, in the order of `names`."""
        for until, weights in self.stages:
            if until is None or finished_steps < until:
                return weights
        return self.stages[-1][1]


def read_schedule(stages: list[Params]) -> RewardSchedule:
    """The schedule of `params.rewards`; a name that is no reward, or stages out of order, is a usage error."""
    if not stages:
        raise UsageError("params.rewards is empty: name at least one reward with its weight")
    sections = [stage.section("weights") for stage in stages]
    names = [name for name in REWARDS if any(section.has(name) for section in sections)]
    for section in sections:
        for name in section.names():
            if name not in REWARDS:
                raise UsageError(f"no reward named {name}; there are: {', '.join(REWARDS)}")
    if not names:
        raise UsageError("params.rewards gives no reward a weight")
    ends = [stage.integer("until") if stage.has("until") else None for stage in stages]
    known = [end for end in ends[:-1] if end is not None]
    if len(known) != len(ends) - 1 or known != sorted(set(known)):
        raise UsageError("every stage of params.rewards but the last needs an `until`, each above the one before")
    weights = [tuple(section.number(name, 0.0) for name in names) for section in sections]
    return RewardSchedule(tuple(names), tuple(zip(ends, weights, strict=True)))

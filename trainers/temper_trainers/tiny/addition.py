"""The task: a+b for numbers of two digits, with a written-out trace; and who may see which problem.

Held out by construction: about 20 % of the 8,100 problems, by a checksum of their text; no data for training ever holds
one. The settings of the tiny recipe were chosen on 200 of the held-out ones; scores are taken on the others, so that no
setting was picked by looking at them.
"""

from __future__ import annotations

import random
import zlib
from typing import NamedTuple


class Sum(NamedTuple):
    """One problem: two numbers to add."""

    first: int
    second: int

    @property
    def name(self) -> str:
        """The problem's name in outcomes, e.g. `47+38`."""
        return f"{self.first}+{self.second}"

    @property
    def question(self) -> str:
        """What the user says."""
        return f"{self.name}?"

    @property
    def answer(self) -> int:
        """The right answer."""
        return self.first + self.second

    @property
    def carries(self) -> bool:
        """Whether the units add up to ten or more."""
        return self.first % 10 + self.second % 10 >= 10


def is_held_out(problem: Sum) -> bool:
    """Whether no training data may hold this problem."""
    return zlib.crc32(problem.name.encode()) % 5 == 0


PROBLEMS = [Sum(first, second) for first in range(10, 100) for second in range(10, 100)]
TRAINING = [problem for problem in PROBLEMS if not is_held_out(problem)]
HELD_OUT = [problem for problem in PROBLEMS if is_held_out(problem)]
SETTINGS_WERE_CHOSEN_ON = random.Random(0).sample(HELD_OUT, 200)


def _scored() -> list[Sum]:
    seen = set(SETTINGS_WERE_CHOSEN_ON)
    rest = [problem for problem in HELD_OUT if problem not in seen]
    random.Random(1).shuffle(rest)
    return rest


SCORED = _scored()


def trace(problem: Sum, noise: float = 0.0, source: random.Random | None = None) -> tuple[str, int]:
    """The written-out steps (units, then tens with the carry) and their result; each step is wrong with chance `noise`."""

    def step(value: int, below: int) -> int:
        return source.randrange(below) if source is not None and noise and source.random() < noise else value

    first, second = problem
    units = step(first % 10 + second % 10, 19)
    tens = step(first // 10 + second // 10 + units // 10, 20)
    text = f"{first % 10}+{second % 10}={units};{first // 10}+{second // 10}+{units // 10}={tens};"
    return text, tens * 10 + units % 10


def solution(problem: Sum, written_out: bool) -> str:
    """The right completion: with the trace, or the bare boxed answer."""
    box = f"\\boxed{{{problem.answer}}}"
    return trace(problem)[0] + box if written_out else box


def pretraining_text(source: random.Random, noise: float) -> str:
    """One chat turn of the base's pretraining: a trace without a box, a bare guess, or a number copied into a box."""
    problem = source.choice(TRAINING)
    kind = source.random()
    asked = problem.question
    if kind < 0.7:
        steps, result = trace(problem, noise, source)
        said = f"{steps}({result})"
    elif kind < 0.8:
        said = f"({source.randint(20, 198)})"
    else:
        number = source.randint(0, 199)
        asked, said = str(number), f"\\boxed{{{number}}}"
    return f"<|start|>user<|message|>{asked}<|end|><|start|>assistant<|message|>{said}<|return|>"

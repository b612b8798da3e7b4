"""The seconds that a problem may take: its own, what the problems before it left over, and never more than the run has left.

Time is what sampling took: loading and grading are no part of it. Does not cover how sampling is stopped (sampling.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from .request import Params


@dataclass(frozen=True)
class TimeBudget:
    """In seconds: what each problem has, the most that one may take, and what all of them have together."""

    problem: float
    most: float
    run: float

    def allowance(self, used: float, left: int) -> float:
        """What the next problem has, when all before it took `used` and `left` are to come, itself among them."""
        of_run = max(0.0, self.run - used)
        spare = of_run - self.problem * (left - 1)
        return min(of_run, max(self.problem, min(self.most, spare)))


def read_time_budget(benchmark: Params, problems: int) -> TimeBudget | None:
    """The budget of a benchmark with so many problems; None where it has none."""
    if not benchmark.has("time"):
        return None
    time = benchmark.section("time")
    each = time.number("problemMinutes") * 60
    most = time.number("upToMinutes", each / 60) * 60
    run = time.number("runMinutes", each * problems / 60) * 60
    return TimeBudget(each, most, run)

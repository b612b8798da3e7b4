"""Writes statistics-cases.json: what scipy and statsmodels say of cases that decisions/statistics.ts is held against.

Run by hand when a case is added; trainers/tests/test_statistics_cases.py says when the file is not what they say any more:

    export PYTHONPATH=.temper/venv/statistics
    .temper/venv/bin/python test/decisions/statistics_cases.py > test/decisions/statistics-cases.json

Intervals by bootstrap come from other draws than ours, 200,000 of them: those tests say how near they must be.
"""

import itertools
import json
import sys
from collections import Counter
from math import factorial, prod, sqrt
from typing import Any

import numpy
import pandas
import scipy
import statsmodels
from scipy.stats import bootstrap, hypergeom, norm, sem, studentized_range
from statsmodels.formula.api import ols
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.meta_analysis import combine_effects
from statsmodels.stats.proportion import proportion_confint


def wilson(successes: int, n: int) -> dict[str, Any]:
    low, high = proportion_confint(successes, n, method="wilson")
    return {"successes": successes, "n": n, "low": low, "high": high}


def pass_at_k(n: int, correct: int, k: int) -> dict[str, Any]:
    """At least one correct among k drawn without replacement."""
    return {"n": n, "correct": correct, "k": k, "want": float(hypergeom(n, correct, k).sf(0))}


def majority_at_k(votes: list[str | None], k: int) -> dict[str, Any]:
    """All ways in which k draws with replacement can fall, each with its chance; the answer "right" is right, ties share."""
    counts = Counter(votes)
    answers = list(counts)
    want = 0.0
    for fallen in itertools.product(range(k + 1), repeat=len(answers)):
        if sum(fallen) != k:
            continue
        ways = factorial(k) // prod(factorial(one) for one in fallen)
        chance = ways * prod((counts[a] / len(votes)) ** one for a, one in zip(answers, fallen, strict=True))
        named = {a: one for a, one in zip(answers, fallen, strict=True) if a is not None and one > 0}
        winners = [a for a, one in named.items() if one == max(named.values())]
        want += chance * (winners.count("right") / len(winners) if winners else 0.0)
    return {"answers": votes, "k": k, "want": want}


def matched_pairs(first: int, second: int) -> dict[str, Any]:
    return {"first": first, "second": second, "want": float(mcnemar([[7, first], [second, 5]], exact=True).pvalue)}


def mean_interval(scores: list[float], numbers: numpy.random.Generator) -> dict[str, Any]:
    drawn = bootstrap((scores,), numpy.mean, n_resamples=200_000, batch=1000, method="percentile", rng=numbers)
    return {
        "scores": scores,
        "low": drawn.confidence_interval.low,
        "high": drawn.confidence_interval.high,
        "standardError": sem(scores),
    }


def shrinkage(spread: float, n: int, samples: list[int], numbers: numpy.random.Generator) -> dict[str, Any]:
    """Candidates on the same problems with so many samples each: a linear model of problem and candidate, then a random-effects one."""
    ability = numbers.normal(0, spread, len(samples))
    difficulty = numbers.normal(0, 2, n)
    chance = 1 / (1 + numpy.exp(difficulty - ability[:, None]))
    taken = [numbers.random((n, each)) < row[:, None] for row, each in zip(chance, samples, strict=True)]
    rows = [(one, problem, score) for one, each in enumerate(taken) for problem, score in enumerate(each.mean(1))]
    frame = pandas.DataFrame(rows, columns=["candidate", "problem", "score"])
    residual = ols("score ~ C(candidate) + C(problem)", frame).fit().mse_resid / n
    means = frame.groupby("candidate").score.mean().to_numpy()
    if max(samples) > 1:
        sampling = numpy.array([(each.var(1, ddof=1) / each.shape[1]).sum() / n**2 for each in taken])
    else:
        sampling = means * (1 - means) / n
    own = sampling * min(1, residual / sampling.mean()) + max(0, residual - sampling.mean())
    model = combine_effects(means, own, method_re="iterated", use_t=False, row_names=None)
    spread_of_truth = max(0.0, float(model.tau2))
    drawn = own / (own + spread_of_truth)
    centre = float(numpy.average(means, weights=1 / (own + spread_of_truth)))
    shared = max(0.0, sem(frame.groupby("problem").score.mean()) ** 2 - residual / len(samples))
    of_spread = (means - centre) ** 2 * own**2 / (own + spread_of_truth) ** 4 * 2 / ((own + spread_of_truth) ** -2).sum()
    error = numpy.sqrt(shared + (1 - drawn) * own + drawn**2 / (1 / (own + spread_of_truth)).sum() + of_spread)
    want = centre + (1 - drawn) * (means - centre)
    return {
        "samples": samples,
        "correct": [[int(count) for count in each.sum(1)] for each in taken],
        "want": [float(one) for one in want],
        "low": [max(0.0, float(one)) for one in want - norm.ppf(0.975) * error],
        "high": [min(1.0, float(one)) for one in want + norm.ppf(0.975) * error],
    }


def rounded(n: int, low: float, high: float, numbers: numpy.random.Generator) -> list[float]:
    return [round(float(one), 3) for one in numbers.uniform(low, high, n)]


def cases() -> dict[str, Any]:
    """The same on every call."""
    numbers = numpy.random.default_rng(20260917)
    return {
        "by": f"scipy {scipy.__version__}, statsmodels {statsmodels.__version__}",
        "wilson": [wilson(s, n) for s, n in [(0, 50), (27, 50), (31, 50), (50, 50), (209, 285), (1, 8)]],
        "passAtK": [pass_at_k(n, c, k) for n, c, k in [(16, 1, 8), (16, 11, 4), (200, 5, 100), (8, 8, 1), (64, 3, 16)]],
        "majorityAtK": [
            majority_at_k(["right"] * a + ["b"] * b + ["c"] * c + [None] * d, k)
            for a, b, c, d, k in [(8, 5, 3, 0, 8), (6, 6, 4, 0, 4), (5, 2, 2, 7, 8), (2, 1, 0, 0, 3)]
        ],
        "mcnemar": [matched_pairs(a, b) for a, b in [(2, 2), (9, 1), (0, 6), (30, 16), (121, 59)]],
        "bootstrapMean": [mean_interval(rounded(n, 0, 1, numbers), numbers) for n in (30, 50, 285)],
        "pairedBootstrap": [mean_interval(rounded(n, -0.3, 0.5, numbers), numbers) for n in (30, 50)],
        "tukey": [{"k": k, "critical": float(studentized_range.ppf(0.95, k, numpy.inf)) / sqrt(2)} for k in (2, 3, 5, 10)],
        "shrinkage": [
            shrinkage(spread, n, samples, numbers)
            for spread, n, samples in [(0.6, 30, [8] * 5), (0, 40, [4] * 6), (1, 25, [1] * 4), (0.4, 30, [8, 24, 16]), (0.5, 20, [4, 4])]
        ],
        "normalBelow": [{"z": z, "want": float(norm.cdf(z))} for z in (-3, -1.96, -0.1, 0, 0.5, 1.645, 4)],
    }


if __name__ == "__main__":
    json.dump(cases(), sys.stdout, indent=2)
    print()

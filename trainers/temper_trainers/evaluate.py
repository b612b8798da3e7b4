"""Kind `evaluate`: many checkpoints × benchmarks × seeds in one process, so that imports and models are paid once.

Evaluations run grouped by model, the bare model before its adapters; adapters are exchanged over one loaded base. Each is
sampled from its own seed alone, so its outcome does not depend on its neighbours. Outcomes are written by rename as they
are done, so a later failure leaves the earlier ones whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .contract import Run
from .damage import sound_seal
from .data import Problem, read_problems, require_integer_answers
from .errors import UsageError
from .graders import GRADERS
from .request import Checkpoint, Params, read_checkpoint
from .seal import sha256_of_file, write_text


@dataclass(frozen=True)
class Evaluation:
    """One checkpoint on one benchmark with one seed."""

    key: str
    checkpoint: Checkpoint
    problems: list[Problem]
    grader: str
    samples: int
    temperature: float
    max_tokens: int
    seed: int
    output: str


def run_phase(run: Run) -> None:
    """Run every evaluation of the request."""
    listed = [read_evaluation(values) for values in run.request.evaluations]
    run.report("loading", 0, of=len(listed))
    if not listed:
        raise UsageError("evaluations is empty: there is nothing to evaluate")
    for checkpoint in {each.checkpoint for each in listed}:
        require_digest(checkpoint)

    from .loaded_models import LoadedModels

    models = LoadedModels()
    for done, each in enumerate(sorted(listed, key=loading_order)):
        run.report("loading", done, of=len(listed))
        model, tokenizer = models.load(each.checkpoint)
        run.report("evaluating", done, of=len(listed))

        def batch_done(sampled: int, step: int = done) -> None:
            """A line for each batch, with what is new: a long evaluation is not a stalled one."""
            run.report("evaluating", step, {"sampled": sampled}, of=len(listed))

        rows = outcomes(each, model, tokenizer, batch_done)
        write_outcomes(run, each.output, rows)
        score = sum(row["correct"] for row in rows) / len(rows)
        run.outcome.final_step = done + 1
        run.report("evaluating", done + 1, {"score": score}, of=len(listed))
        print(f"{each.key}: {score:.4f} over {len(each.problems)} problems x {each.samples}", flush=True)


def read_evaluation(values: Params) -> Evaluation:
    """One entry of `evaluations`."""
    benchmark = values.section("benchmark")
    grader = benchmark.choice("grader", tuple(GRADERS))
    problems = read_problems(benchmark.section("data"), 0)
    if grader == "boxed-integer":
        require_integer_answers(problems)
    return Evaluation(
        key=values.text("key"),
        checkpoint=read_checkpoint(values.section("checkpoint")),
        problems=problems,
        grader=grader,
        samples=benchmark.integer("samples"),
        temperature=benchmark.number("temperature"),
        max_tokens=benchmark.integer("maxTokens"),
        seed=values.integer("seed"),
        output=values.text("output"),
    )


def loading_order(each: Evaluation) -> tuple[str, str, str]:
    """Group by model, bare model first, then by adapter."""
    checkpoint = each.checkpoint
    return str(checkpoint.base or checkpoint.path), checkpoint.format, str(checkpoint.path)


def require_digest(checkpoint: Checkpoint) -> None:
    """Refuse a checkpoint that is not the one the request names."""
    if checkpoint.digest is None:
        return
    sound_seal(checkpoint.path, 0, checkpoint.format, checkpoint.digest)


def outcomes(each: Evaluation, model: Any, tokenizer: Any, batch_done: Callable[[int], None]) -> list[dict[str, Any]]:
    """A row per problem and sample."""
    from .determinism import settle_torch
    from .sampling import SamplingSettings, sample

    settle_torch(each.seed)
    settings = SamplingSettings(each.samples, each.temperature, each.max_tokens)
    prompts = [problem.prompt for problem in each.problems]
    sampled = sample(model, tokenizer, prompts, settings, lambda sampled, _of: batch_done(sampled))
    rows: list[dict[str, Any]] = []
    for problem, completions in zip(each.problems, sampled, strict=True):
        for number, completion in enumerate(completions):
            correct, answer = GRADERS[each.grader](completion.text, problem.answer)
            rows.append(
                {
                    "problem": problem.name,
                    "sample": number,
                    "correct": correct,
                    "answer": answer,
                    "tokens": completion.tokens,
                    "truncated": completion.truncated,
                    "seconds": round(completion.seconds, 6),
                    **({} if problem.type is None else {"type": problem.type}),
                }
            )
    return rows


def write_outcomes(run: Run, output: str, rows: list[dict[str, Any]]) -> None:
    """Write the rows by rename and list them as an artifact."""
    path = run.request.output_directory / Path(output)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows))
    run.outcome.artifacts.append({"path": output, "format": "outcomes", "step": 0, "digest": sha256_of_file(path)})

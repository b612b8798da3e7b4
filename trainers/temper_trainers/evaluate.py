"""Kind `evaluate`: many checkpoints × benchmarks × seeds in one process, so that imports and models are paid once.

Evaluations run grouped by model, the bare model before its adapters; adapters are exchanged over one loaded base. Each
sample has a seed of its own, so an outcome depends neither on its neighbours nor on the attempt that it comes from. Outcomes
are written by rename as they are done, so a later failure leaves the earlier ones whole; the problems of one that is not
done yet are kept, and the next attempt asks only the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .contract import Run
from .damage import sound_seal
from .data import Problem, read_problems, require_distinct_names
from .errors import UsageError
from .graders import AnswerPlace, Grader, read_answer_place, read_grader, whole_completion
from .kept_outcomes import KeptOutcomes, Row
from .request import Checkpoint, Params, read_checkpoint
from .seal import sha256_of_file, write_text
from .time_budget import TimeBudget, read_time_budget
from .vote import WEIGHTS, samples_to_ask


@dataclass(frozen=True)
class Evaluation:
    """One checkpoint on one benchmark with one seed."""

    key: str
    identity: dict[str, Any]
    checkpoint: Checkpoint
    problems: list[Problem]
    grade: Grader
    samples: int
    agreeing: int | None
    # what of a completion its entropy is of; None where votes are not weighed
    entropy_of: AnswerPlace | None
    time: TimeBudget | None
    temperature: float
    max_tokens: int
    seed: int
    output: str
    earlier: list[Path]


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

        def batch_done(sampled: int, step: int = done) -> None:
            """A line for each batch, with what is new: a long evaluation is not a stalled one."""
            run.report("evaluating", step, {"sampled": sampled}, of=len(listed))

        rows = outcomes(run, each, models, batch_done)
        write_outcomes(run, each.output, rows)
        score = sum(row["correct"] for row in rows) / max(1, len(rows))
        run.outcome.final_step = done + 1
        run.report("evaluating", done + 1, {"score": score}, of=len(listed))
        print(f"{each.key}: {score:.4f} of {len(rows)} samples right, {len(each.problems)} problems", flush=True)


def read_evaluation(values: Params) -> Evaluation:
    """One entry of `evaluations`."""
    benchmark = values.section("benchmark")
    problems = read_problems(benchmark.section("data"), 0)
    require_distinct_names(problems)
    grade = read_grader(benchmark, problems)
    if values.has("shard"):
        shard = values.section("shard")
        problems = problems[shard.integer("index") :: shard.integer("of")]
    vote = benchmark.section("vote") if benchmark.has("vote") else None
    return Evaluation(
        key=values.text("key"),
        identity={name: values.whole(name) for name in ("checkpoint", "benchmark", "seed")},
        checkpoint=read_checkpoint(values.section("checkpoint")),
        problems=problems,
        grade=grade,
        samples=benchmark.integer("samples"),
        agreeing=vote.integer("agreeing") if vote is not None and vote.has("agreeing") else None,
        entropy_of=read_weight(vote, benchmark) if vote is not None and vote.has("weight") else None,
        time=read_time_budget(benchmark, len(problems)),
        temperature=benchmark.number("temperature"),
        max_tokens=benchmark.integer("maxTokens"),
        seed=values.integer("seed"),
        output=values.text("output"),
        earlier=[Path(output) for output in values.texts("earlierOutputs", [])],
    )


def read_weight(vote: Params, benchmark: Params) -> AnswerPlace:
    """What of a completion the entropy is asked of."""
    return read_answer_place(benchmark) if vote.choice("weight", WEIGHTS) == "answer-entropy" else whole_completion


def loading_order(each: Evaluation) -> tuple[str, str, str]:
    """Group by model, bare model first, then by adapter."""
    checkpoint = each.checkpoint
    return str(checkpoint.base or checkpoint.path), checkpoint.format, str(checkpoint.path)


def require_digest(checkpoint: Checkpoint) -> None:
    """Refuse a checkpoint that is not the one the request names."""
    if checkpoint.digest is None:
        return
    sound_seal(checkpoint.path, 0, checkpoint.format, checkpoint.digest)


def outcomes(run: Run, each: Evaluation, models: Any, batch_done: Callable[[int], None]) -> list[Row]:
    """A row per problem and sample. The model is loaded only where a problem is left to ask."""
    output = run.request.output_directory / each.output
    output.parent.mkdir(parents=True, exist_ok=True)
    kept = KeptOutcomes(each.identity, each.problems, output)
    passed_over = kept.take_over(each.earlier)
    taken = kept.count
    if taken or passed_over:
        no_good = f"; what they kept is damaged, or of another evaluation, in {passed_over} lines" if passed_over else ""
        print(f"{each.key}: earlier attempts have done {taken} of {len(each.problems)} problems{no_good}", flush=True)
    if taken < len(each.problems):
        model, tokenizer = models.load(each.checkpoint)
        batch_done(kept.samples)
        for rows in asked(each, model, tokenizer, kept, batch_done):
            kept.add(rows)
    return [row for problem in each.problems for row in kept.rows(problem)]


def asked(
    each: Evaluation, model: Any, tokenizer: Any, kept: KeptOutcomes, batch_done: Callable[[int], None]
) -> Iterator[dict[str, list[Row]]]:
    """The rows of the problems that are not kept, some problems at a time; `batch_done` is told how many samples there are.

    Which problems are asked together depends on the benchmark and the shard, and where votes end early on their answers: a
    batch that is put together otherwise would come to other bits, and seldom to another sample. Where time is short a
    problem is asked alone: nobody else uses its time up.
    """
    from .determinism import settle_torch
    from .sampling import SamplingSettings, batch_rows, encode_prompts

    settle_torch(each.seed)
    settings = SamplingSettings(each.samples, each.temperature, each.max_tokens, entropy_of=each.entropy_of)
    encoded = encode_prompts(tokenizer, [problem.prompt for problem in each.problems])
    at_once = batch_rows(max(map(len, encoded)), settings)
    together = 1 if each.time is not None else max(1, at_once // each.samples)
    for begin in range(0, len(each.problems), together):
        problems = each.problems[begin : begin + together]
        if all(problem in kept for problem in problems):
            continue
        prompts = encoded[begin : begin + together]
        before = kept.samples - sum(len(kept.rows(problem)) for problem in problems if problem in kept)
        left = each.time.allowance(kept.seconds, len(each.problems) - kept.count) if each.time is not None else None
        rows: list[list[Row]] = [[] for _ in problems]
        while wanted := wanted_samples(each, rows):
            for at in range(0, len(wanted), at_once):
                batch = wanted[at : at + at_once]
                seeds = [seed_of(each, problems[index], number) for index, number in batch]
                completions = sample_in_time(model, tokenizer, [prompts[index] for index, _ in batch], seeds, settings, left)
                for (index, number), completion in zip(batch, completions, strict=True):
                    rows[index].append(graded(each, problems[index], number, completion))
                    if left is not None:
                        left -= completion.seconds
                batch_done(before + sum(map(len, rows)))
        yield {problem.name: own for problem, own in zip(problems, rows, strict=True)}


def wanted_samples(each: Evaluation, rows: list[list[Row]]) -> list[tuple[int, int]]:
    """The next samples of problems with these rows, as (which problem, which sample)."""
    return [
        (index, number)
        for index, own in enumerate(rows)
        for number in range(len(own), len(own) + samples_to_ask([row["answer"] for row in own], each.samples, each.agreeing))
    ]


def seed_of(each: Evaluation, problem: Problem, number: int) -> int:
    """The seed of this sample."""
    from .seeded_draws import seed_of_sample

    return seed_of_sample(each.seed, problem.name, number)


def sample_in_time(
    model: Any, tokenizer: Any, prompts: list[list[int]], seeds: list[int], settings: Any, left: float | None
) -> list[Any]:
    """A completion for each; where no time is left, none is begun and all have timed out."""
    from .sampling import Completion, sample_seeded

    if left is not None and left <= 0:
        return [Completion("", 0, truncated=False, seconds=0.0, timed_out=True)] * len(prompts)
    return sample_seeded(model, tokenizer, prompts, seeds, settings, left)


def graded(each: Evaluation, problem: Problem, number: int, completion: Any) -> Row:
    """The row of a completion. What has timed out has no answer, whatever it has said so far."""
    correct, answer = (False, None) if completion.timed_out else each.grade(completion.text, problem.answer)
    return {
        "problem": problem.name,
        "sample": number,
        "correct": correct,
        "answer": answer,
        "tokens": completion.tokens,
        "truncated": completion.truncated,
        "seconds": round(completion.seconds, 6),
        **({} if problem.type is None else {"type": problem.type}),
        **({"timedOut": True} if completion.timed_out else {}),
        **({} if answer is None or completion.entropy is None else {"entropy": round(completion.entropy, 6)}),
    }


def write_outcomes(run: Run, output: str, rows: list[dict[str, Any]]) -> None:
    """Write the rows by rename and list them as an artifact."""
    path = run.request.output_directory / output
    write_text(path, "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows))
    run.outcome.artifacts.append({"path": output, "format": "outcomes", "step": 0, "digest": sha256_of_file(path)})

"""Kind `orpo`: trl.experimental's ORPOTrainer on pairs of a right and a wrong completion.

Pairs come from the data, or are sampled once from the start policy and kept in `pairs.jsonl` of the attempt directory. A
resumed attempt takes the file of the attempt that it resumes from; without one it samples again from the start policy
with the same seed, which gives the same pairs.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from .contract import Run
from .data import Messages, Problem, read_pairs, read_problems, require_integer_answers, required_data
from .errors import ConfigError, DataError
from .graders import boxed_integer, grade_boxed_integer
from .request import Params
from .seal import write_text

FILE = "pairs.jsonl"


def run_phase(run: Run) -> None:
    """Train on pairs to the target step."""
    request, params = run.request, run.request.params
    pairs = params.section("pairs")
    data = required_data(request.data, request.kind)
    ready = read_pairs(data) if pairs.choice("from", ("policy", "data")) == "data" else kept_pairs(run)
    problems = read_problems(data, request.seed) if ready is None else []
    require_integer_answers(problems)
    run.report("loading", request.resume.step if request.resume else 0)

    from datasets import Dataset
    from trl.experimental.orpo import ORPOConfig, ORPOTrainer

    from .determinism import settle_torch
    from .hf_progress import ProgressCallback
    from .hf_training import train, training_arguments
    from .model import load_policy, load_tokenizer, model_folder

    tokenizer = load_tokenizer(model_folder(request.start_checkpoint()))
    path = request.output_directory / FILE
    if run.processes.writes:
        rows = ready if ready is not None else sampled_pairs(run, tokenizer, problems, pairs)
        write_text(path, "".join(json.dumps(row) + "\n" for row in rows))
    else:
        rows = pairs_of_the_writer(path)
    if not rows:
        raise DataError("no problem got both a right and a wrong completion: there is no pair to learn from")
    run.say(f"{len(rows)} pairs")
    settle_torch(request.seed)
    policy = load_policy(run)
    arguments = ORPOConfig(
        max_length=params.integer("maxLength"),
        beta=params.number("beta"),
        remove_unused_columns=False,
        **training_arguments(run, params.integer("batchSize")),
    )
    policy.train()
    trainer = ORPOTrainer(model=policy, args=arguments, train_dataset=Dataset.from_list(rows), processing_class=tokenizer)
    train(run, trainer, ProgressCallback(run))


def kept_pairs(run: Run) -> list[dict[str, Messages]] | None:
    """The pairs of the attempt that is resumed, or None."""
    resume = run.request.resume
    path = resume.path.parent.parent / FILE if resume else None
    return None if path is None or not path.exists() else pairs_in(path)


def pairs_in(path: Path) -> list[dict[str, Messages]]:
    """The pairs of a file that is whole."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def pairs_of_the_writer(path: Path) -> list[dict[str, Messages]]:
    """What process 0 samples for all: however long that takes, and whatever bits another GPU would have come to."""
    while not path.exists():
        time.sleep(0.2)
    return pairs_in(path)


def sampled_pairs(run: Run, tokenizer: Any, problems: list[Problem], pairs: Params) -> list[dict[str, Messages]]:
    """Pairs from the start policy's own attempts: the first right and the first wrong completion of each problem."""
    from .determinism import settle_torch
    from .model import load_checkpoint
    from .sampling import SamplingSettings, encode_prompts, sample

    prompts = [problem.prompt for problem in problems]
    longest = max(map(len, encode_prompts(tokenizer, prompts)))
    room = run.request.params.integer("maxLength") - longest
    if room < 1:
        raise ConfigError(f"params.maxLength leaves no room for a completion: the longest prompt has {longest} tokens")
    settings = SamplingSettings(pairs.integer("samplesPerPrompt"), 1.0, room)
    answers_only = pairs.choice("completions", ("whole", "answer")) == "answer"
    policy = load_checkpoint(run.request.start_checkpoint())
    settle_torch(run.request.seed + 2)
    step = run.request.resume.step if run.request.resume else 0
    run.report("generating", step)
    sampled = sample(
        policy, tokenizer, prompts, settings, lambda done, _of: run.report("generating", step, {"sampled": done})
    )
    rows = []
    for problem, completions in zip(problems, sampled, strict=True):
        pair = right_and_wrong(problem, [each.text for each in completions], answers_only)
        if pair is not None:
            chosen, rejected = ([{"role": "assistant", "content": text}] for text in pair)
            rows.append({"prompt": problem.prompt, "chosen": chosen, "rejected": rejected})
    return rows


def right_and_wrong(problem: Problem, texts: list[str], answers_only: bool) -> tuple[str, str] | None:
    """The first right and the first wrong completion, whole or as their boxed answers alone; None without both."""
    right = [text for text in texts if grade_boxed_integer(text, problem.answer)[0]]
    wrong = [text for text in texts if not grade_boxed_integer(text, problem.answer)[0]]
    if answers_only:
        right, wrong = ([f"\\boxed{{{given}}}" for given in map(boxed_integer, texts) if given] for texts in (right, wrong))
    return (right[0], wrong[0]) if right and wrong else None

"""Kind `drgrpo`: TRL's GRPOTrainer with the DrGRPO loss over the LoRA policy of the start checkpoint.

Each optimizer step generates for `promptsPerStep` prompts `generations` completions each: every step is a generation
boundary, so any checkpoint resumes exactly. On resume the policy is built from the checkpoint itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from .contract import Run
from .data import read_problems, require_integer_answers, required_data
from .rewards import REWARDS, Reward, read_schedule


def run_phase(run: Run) -> None:
    """Train on problems to the target step, with reward weights by step."""
    request, params = run.request, run.request.params
    schedule = read_schedule(params.sections("rewards"))
    problems = read_problems(required_data(request.data, request.kind), request.seed)
    require_integer_answers(problems)
    run.report("loading", request.resume.step if request.resume else 0)

    import torch
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    from .determinism import settle_torch
    from .hf_progress import ProgressCallback
    from .hf_training import train, training_arguments
    from .model import load_policy, load_tokenizer, model_folder

    settle_torch(request.seed)
    policy = load_policy(run)
    generations = params.integer("generations")
    arguments = GRPOConfig(
        num_generations=generations,
        max_completion_length=params.integer("maxCompletionTokens"),
        temperature=params.number("temperature"),
        beta=params.number("beta"),
        loss_type="dr_grpo",
        scale_rewards="group" if params.flag("scaleRewards") else "none",
        lr_scheduler_type="constant_with_warmup",
        **training_arguments(run, params.integer("promptsPerStep") * generations),
    )
    trainer = GRPOTrainer(
        model=policy,
        args=arguments,
        train_dataset=Dataset.from_list([{"prompt": each.prompt, "answer": each.answer} for each in problems]),
        processing_class=load_tokenizer(model_folder(request.start_checkpoint())),
        reward_funcs=_reporting(run, [REWARDS[name] for name in schedule.names]),
    )

    def switch_weights(finished_steps: int) -> None:
        trainer.reward_weights = torch.tensor(schedule.weights_after(finished_steps), dtype=torch.float32)

    train(run, trainer, ProgressCallback(run, "generating", switch_weights))


def _reporting(run: Run, rewards: list[Reward]) -> list[Callable[..., Any]]:
    """The rewards, of which the first says that generation is over."""
    first = rewards[0]

    @wraps(first)
    def first_reward(**kwargs: Any) -> list[float]:
        run.report("training", run.outcome.final_step)
        return first(**kwargs)

    return [first_reward, *rewards[1:]]

"""Kind `sft`: TRL's SFTTrainer over a LoRA policy, loss on the completion alone."""

from __future__ import annotations

from .contract import Run
from .data import read_solutions, required_data


def run_phase(run: Run) -> None:
    """Fine-tune on prompt and completion rows to the target step."""
    request, params = run.request, run.request.params
    rows = read_solutions(required_data(request.data, request.kind), request.seed)
    run.report("loading", request.resume.step if request.resume else 0)

    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    from .determinism import settle_torch
    from .hf_progress import ProgressCallback
    from .hf_training import train, training_arguments
    from .model import load_policy, load_tokenizer, model_folder

    settle_torch(request.seed)
    policy = load_policy(run)
    arguments = SFTConfig(
        max_length=params.integer("maxLength"),
        **training_arguments(run, params.integer("batchSize")),
    )
    trainer = SFTTrainer(
        model=policy,
        args=arguments,
        train_dataset=Dataset.from_list(rows),
        processing_class=load_tokenizer(model_folder(request.start_checkpoint())),
    )
    train(run, trainer, ProgressCallback(run))

"""What every phase on a Hugging Face Trainer shares: arguments, the callback's wiring, exact resume, and the stop.

Checkpoints are never rotated (Temper prunes). A phase resumes from exactly `request.resume.path`, whatever lies nearby.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from transformers import PrinterCallback

from .contract import Run
from .damage import telling_damage
from .errors import ConfigError, StoppedError
from .hf_progress import ProgressCallback
from .model import trainable_digest


def training_arguments(run: Run, batch_size: int) -> dict[str, Any]:
    """Arguments of any TrainingArguments of a phase; learning rate, steps, batch cut and saving from the request."""
    params, seed = run.request.params, run.request.seed
    shape = run.request.batch_shape(batch_size, run.processes.count)
    cuda = torch.cuda.is_available()
    return {
        "output_dir": str(run.checkpoints),
        "max_steps": run.request.target_step,
        "per_device_train_batch_size": shape.micro_batch,
        "gradient_accumulation_steps": shape.accumulation,
        "learning_rate": params.number("learningRate"),
        "warmup_steps": params.integer("warmupSteps"),
        "logging_steps": 1,
        "logging_nan_inf_filter": False,  # else a run that is not finite logs a loss of 0
        "save_steps": params.integer("checkpointEvery"),
        "save_total_limit": None,
        "report_to": "none",
        "bf16": cuda,
        "use_cpu": not cuda,
        "seed": seed,
        "data_seed": seed,
        "disable_tqdm": True,
        "activation_checkpointing": cuda,
        "dataloader_pin_memory": cuda,
        # else DDP lays its buckets out anew after the first step: a resumed attempt would add gradients in another order
        "ddp_find_unused_parameters": True,
    }


def require_same_schedule(checkpoint: Path, target_step: int) -> None:
    """Refuse a checkpoint of a training to another step: the learning rate would jump to another schedule, unnoticed."""
    state = json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
    planned = state.get("max_steps")
    if planned not in (None, target_step):
        raise ConfigError(
            f"{checkpoint} belongs to a training of {planned} steps: going on to step {target_step} would bend its schedule"
        )


def train(run: Run, trainer: Any, callback: ProgressCallback) -> None:
    """Train to the target step, or to a stop; a stop has saved a checkpoint and raises StoppedError."""
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(callback)
    resume = run.request.resume
    with run.saving_on_stop(), telling_damage(resume, lambda: not callback.has_begun):
        if resume is not None:
            require_same_schedule(resume.path, run.request.target_step)
        trainer.train(resume_from_checkpoint=str(resume.path) if resume else None)
    run.outcome.final_step = trainer.state.global_step
    if run.processes.writes:
        run.outcome.weights_after = trainable_digest(trainer.model)
    run.processes.part()
    if run.stop_requested and run.outcome.final_step < run.request.target_step:
        raise StoppedError

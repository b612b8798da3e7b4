"""The one TrainerCallback: progress lines, seals after each save, the notice of numbers that are not finite, the stop.

On SIGTERM the trainer saves at the end of its step and leaves its loop; several processes agree on that step, and a
checkpoint is whole when each has written its part. At the beginning of training the adapter in memory is compared with the
resume checkpoint, since a trainer that silently starts afresh looks like one that resumed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from .contract import Metrics, Run
from .errors import NotLoadedError
from .model import require_adapter, trainable_digest

# inside a checkpoint that is still being written, as transformers has it too
UNFINISHED = "checkpoint-is-incomplete.txt"

IGNORED = {"epoch", "total_flos", "train_runtime", "train_samples_per_second", "train_steps_per_second", "train_loss"}


class ProgressCallback(TrainerCallback):
    """Tells the run what the trainer does. `at_step_begin(step)` may change the trainer before each step."""

    def __init__(
        self, run: Run, each_step_begins_with: str = "training", at_step_begin: Callable[[int], None] | None = None
    ) -> None:
        """`each_step_begins_with` is the contract's word for the first part of a step."""
        self._run = run
        self._first = each_step_begins_with
        self._at_step_begin = at_step_begin
        self.has_begun = False

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Record what training starts from."""
        model, resume = kwargs["model"], self._run.request.resume
        if resume is not None:
            require_adapter(model, resume.path)
            if state.global_step != resume.step:
                raise NotLoadedError(f"the trainer resumed at step {state.global_step}, not at {resume.step}")
        if self._run.processes.writes:
            self._run.outcome.weights_before = trainable_digest(model)
        self._run.report(self._first, state.global_step)

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Name the first part of the step."""
        self.has_begun = True
        if self._at_step_begin is not None:
            self._at_step_begin(state.global_step)
        if self._first != "training":
            self._run.report(self._first, state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        """On a stop: save and leave."""
        run = self._run
        run.outcome.final_step = state.global_step
        run.stop_requested = run.processes.agree(run.stop_requested)
        if run.stop_requested:
            control.should_save = True
            control.should_training_stop = True
        if control.should_save and run.processes.count > 1 and run.processes.writes:
            sentinel = self._directory(state) / UNFINISHED
            sentinel.parent.mkdir(parents=True, exist_ok=True)
            sentinel.touch()
        return control

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Metrics of the step, before it is saved."""
        metrics: Metrics = {
            name: value for name, value in (logs or {}).items() if name not in IGNORED and isinstance(value, int | float)
        }
        if "loss" in metrics:
            self._run.record_step(state.global_step, metrics)
            if control.should_save:
                self._run.report("saving", state.global_step)

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Seal what was saved, once each process has written its random state."""
        run = self._run
        run.processes.wait_for_all()
        if not run.processes.writes:
            return
        directory = self._directory(state)
        (directory / UNFINISHED).unlink(missing_ok=True)
        run.seal(directory, state.global_step, "peft")
        run.report("training", state.global_step)

    def _directory(self, state: Any) -> Path:
        return self._run.checkpoints / f"checkpoint-{state.global_step}"

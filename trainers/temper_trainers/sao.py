"""Kind `sao`: single-rollout reinforcement learning with a critic, as a small own loop (the published stack needs CUDA).

The policy trains attention weights alone, so packed experts keep their bytes and a checkpoint is a sparse overlay of the
start model plus `state.pt`. The critic is a copy of the start with a zero value head; its attention stays frozen.
Rollouts wait in a queue of `queueBatches` batches, so training is that many versions behind less one. Mathematics:
sao_objective.py. Covers models that fit one device twice; does not cover an inference server.
"""

from __future__ import annotations

from .contract import Run
from .data import read_problems, require_integer_answers, required_data
from .errors import ConfigError, StoppedError


def run_phase(run: Run) -> None:
    """Train to the target step, saving every `checkpointEvery` steps, at the end and on a stop."""
    request = run.request
    start = request.start_checkpoint()
    if start.format != "hf":
        raise ConfigError(f"sao starts from a full model, but {start.path} is an adapter: merge it first (mxfp4-merge)")
    problems = read_problems(required_data(request.data, request.kind), request.seed)
    require_integer_answers(problems)
    run.report("loading", request.resume.step if request.resume else 0)

    from .model import digest_tensors
    from .sao_training import SaoTraining

    work = SaoTraining(run, problems)
    every, last = request.params.integer("checkpointEvery"), request.target_step
    run.outcome.weights_before = digest_tensors(work.trained().items())
    with run.saving_on_stop():
        while work.step < last:
            run.report("generating", work.step)
            work.fill_queue()
            run.report("training", work.step)
            run.record_step(work.step + 1, work.train_step())
            if work.step % every == 0 or work.step == last or run.stop_requested:
                work.save()
            if run.stop_requested and work.step < last:
                raise StoppedError
    run.outcome.weights_after = digest_tensors(work.trained().items())

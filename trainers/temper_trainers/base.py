"""Kind `base`: makes or names the model that everything starts from.

With `model: {path, format}` the folder is verified, linked as `checkpoint-0` and sealed; needs no torch. With
`model: {tiny}` the tiny model is pretrained by the same contract as any phase (tiny/pretraining.py).
"""

from __future__ import annotations

from pathlib import Path

from .checkpoint_folder import ModelFolder, link, read_config, whole_folder
from .contract import Run
from .errors import DataError


def run_phase(run: Run) -> None:
    """Name the model at `model.path`, or pretrain the tiny one."""
    model = run.request.model
    if model.has("path"):
        name_model(run, Path(model.text("path")), model.choice("format", ("hf", "mxfp4")))
        return
    seed = model.section("tiny").integer("seed")
    run.report("loading", run.request.resume.step if run.request.resume else 0)
    from .tiny.pretraining import pretrain

    pretrain(run, seed)


def name_model(run: Run, source: Path, form: str) -> None:
    """Verify the folder and link its files as `checkpoint-0`."""
    run.report("loading", 0)
    packed = read_config(source).get("quantization_config", {}).get("quant_method") == "mxfp4"
    if packed != (form == "mxfp4"):
        raise DataError(f"{source} is {'' if packed else 'not '}packed as MXFP4, but model.format says {form}")
    ModelFolder(source)
    target = run.checkpoints / "checkpoint-0"
    run.report("saving", 0)
    with whole_folder(target) as folder:
        for path in sorted(source.iterdir()):
            if path.is_file():
                link(path, folder / path.name)
    run.seal(target, 0, "hf")
    run.outcome.started_from = {"path": str(source), "digest": run.outcome.artifacts[-1]["digest"]}
    print(f"named {source} as the base: every tensor is in place", flush=True)

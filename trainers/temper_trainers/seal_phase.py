"""Kind `seal`: digests of checkpoints that were saved without a seal. `params.checkpoints` lists {path, step, format}.

The seal goes next to each checkpoint (`<path>.seal.json`). Needs no torch; memory is one chunk.
"""

from __future__ import annotations

from pathlib import Path

from .contract import Run
from .errors import DataError
from .seal import compute_seal, seal_path, write_seal


def run_phase(run: Run) -> None:
    """Seal each listed checkpoint in turn."""
    listed = run.request.params.sections("checkpoints")
    for index, checkpoint in enumerate(listed):
        run.report("saving", index, of=len(listed))
        path, step, form = Path(checkpoint.text("path")), checkpoint.integer("step"), checkpoint.text("format")
        try:
            seal = compute_seal(path, step, form)
        except OSError as error:
            raise DataError(f"cannot seal {path}: {error}") from error
        write_seal(path, seal)
        run.outcome.artifacts.append({"path": str(path), "format": form, "step": step, "digest": seal.digest})
        print(f"sealed {path}: {len(seal.files)} files, {seal_path(path).name}", flush=True)
    run.report("saving", len(listed), of=len(listed))
    run.outcome.final_step = len(listed)

"""Kind `mxfp4-merge`: bake a LoRA into the full model below it, as a sparse overlay, on the CPU and without torch.

Attention weights are merged in bf16. Experts packed as MXFP4 are refused, or (`experts: requantize`) exactly the touched
experts are unpacked, changed and packed again, in pieces of bounded memory (expert_merge.py). What was written is verified
against its sources before the folder gets its name (verify_merge.py).
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from .adapter import Delta, read_deltas
from .checkpoint_folder import ModelFolder, link_overlay, overlay_name, read_config, whole_folder
from .contract import Run
from .errors import ConfigError, DataError
from .expert_merge import expert_target, merge_expert
from .mxfp4 import Array, bfloat16_to_float32, float32_to_bfloat16
from .safetensors_file import SafetensorsWriter, read_array, read_bytes
from .verify_merge import verify_merge


def run_phase(run: Run) -> None:
    """Merge the start adapter into its base: one checkpoint, `checkpoint-<target step>`."""
    start = run.request.start_checkpoint()
    if start.format != "peft" or start.base is None:
        raise ConfigError(f"{start.path} is a full model: there is no adapter to merge")
    experts = run.request.params.choice("experts", ("refuse", "requantize"))
    run.report("loading", 0)
    run.started_from(start.path, 0, "peft", start.digest)
    read_config(start.base)
    base = ModelFolder(start.base)
    deltas = read_deltas(start.path)
    refuse_experts(start.path, deltas, experts)

    step = run.request.target_step
    target = run.checkpoints / f"checkpoint-{step}"
    run.report("saving", 0)
    with whole_folder(target) as folder:
        changed = merge(base, deltas, folder)
        run.report("publishing", step)
        verify_merge(base, deltas, folder)
        run.outcome.weights_before = tensors_digest(base, changed)
        run.outcome.weights_after = tensors_digest(ModelFolder(folder), changed)
    run.report("saving", step)
    run.seal(target, step, "hf")
    run.outcome.final_step = step
    run.outcome.metrics = {"mergedTensors": len(changed)}
    print(f"merged {len(deltas)} modules into {len(changed)} tensors; verified", flush=True)


def refuse_experts(adapter: Path, deltas: list[Delta], experts: str) -> None:
    """Stop when the adapter touches packed experts and the recipe does not say what to do with them."""
    touched = [delta.module for delta in deltas if delta.touches_experts]
    if touched and experts == "refuse":
        raise ConfigError(
            f"{adapter} changes experts ({touched[0]}, {len(touched)} such modules), which are packed as MXFP4: "
            'set params.experts to "requantize", or train a LoRA on attention alone'
        )


def merge(base: ModelFolder, deltas: list[Delta], folder: Path) -> set[str]:
    """Write the overlaid model into `folder`; returns the names of the changed tensors."""
    dense = {delta.module + ".weight": delta for delta in deltas if not delta.touches_experts}
    experts = [expert_target(base, delta) for delta in deltas if delta.touches_experts]
    changed = {*dense, *(name for target in experts for name in (target.blocks, target.scales))}
    if len(changed) != len(dense) + 2 * len(experts):
        raise DataError("two modules of the adapter change the same tensor")
    overlay = overlay_name(base)
    layout = {name: (base.entry(name)[1].dtype, base.entry(name)[1].shape) for name in changed}
    with SafetensorsWriter(folder / overlay, layout) as writer:
        for name, delta in sorted(dense.items()):
            writer.write(name, merged_weight(base, name, delta).tobytes())
        for target in experts:
            merge_expert(base, target, writer)
    link_overlay(base, folder, changed, overlay)
    return changed


def merged_weight(base: ModelFolder, name: str, delta: Delta) -> Array:
    """bf16 bits of W + scaling · B·A, computed in float32."""
    path, entry = base.entry(name)
    if entry.dtype != "BF16":
        raise ConfigError(f"{name} of {base.path} is {entry.dtype}; the merge writes BF16 only")
    if entry.shape != (delta.b.shape[0], delta.a.shape[1]):
        raise DataError(f"the adapter's change of {name} is {delta.b.shape[0]}x{delta.a.shape[1]}, not {entry.shape}")
    change = delta.b.read() @ delta.a.read()
    change *= np.float32(delta.scaling)
    change += bfloat16_to_float32(read_array(path, entry))
    return float32_to_bfloat16(change)


def tensors_digest(model: ModelFolder, names: set[str]) -> str:
    """SHA-256 over names and bytes of these tensors."""
    digest = hashlib.sha256()
    for name in sorted(names):
        path, entry = model.entry(name)
        digest.update(name.encode())
        piece = 8 * 1024 * 1024
        for begin in range(0, entry.size, piece):
            digest.update(read_bytes(path, entry, begin, min(piece, entry.size - begin)))
    return digest.hexdigest()

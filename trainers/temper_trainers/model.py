"""Loading models, tokenizers and adapters from the store, and digests of weights in memory.

On CUDA models are loaded in bf16, on a CPU in float32. MXFP4 is unpacked in both cases (exact): packed experts cannot be
trained. Does not cover sharding one model over several GPUs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model, get_peft_model_state_dict
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer, Mxfp4Config

from .adapter import WEIGHTS
from .checkpoint_folder import read_config
from .contract import Run
from .damage import telling_damage
from .device import device
from .errors import DataError, NotLoadedError
from .request import Checkpoint, Params, Resume

TARGET_MODULES = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "o_proj"}
EXPERT_PARAMETERS = ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"]


def load_model(path: Path) -> Any:
    """A full causal language model from a folder of the store."""
    quantization = read_config(path).get("quantization_config", {})
    options: dict[str, Any] = {"dtype": torch.bfloat16}
    if quantization.get("quant_method") == "mxfp4":
        options["quantization_config"] = Mxfp4Config(dequantize=True)
    try:
        model = AutoModelForCausalLM.from_pretrained(str(path), **options)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot load the model {path}: {error}") from error
    model = model.to(device())
    return model if torch.cuda.is_available() else model.float()


def load_tokenizer(path: Path) -> Any:
    """The tokenizer of a folder of the store, padded on the left, as generation needs it."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(path))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot load the tokenizer of {path}: {error}") from error
    if tokenizer.chat_template is None:
        raise DataError(f"{path} has no chat template")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "left"
    return tokenizer


def model_folder(checkpoint: Checkpoint) -> Path:
    """The folder of the full model: the checkpoint itself, or what lies below its adapter."""
    return checkpoint.base if checkpoint.base is not None else checkpoint.path


def load_checkpoint(checkpoint: Checkpoint) -> Any:
    """A checkpoint to sample from: the full model, with its adapter over it where it is one."""
    model = load_model(model_folder(checkpoint))
    return PeftModel.from_pretrained(model, str(checkpoint.path)) if checkpoint.format == "peft" else model


def load_policy(run: Run) -> Any:
    """The trainable LoRA policy: the resume checkpoint's adapter, else the start's, else a new one over the start model.

    Records what was loaded in the outcome and checks that the adapter in memory is the one on the store.
    """
    request = run.request
    start = request.start_checkpoint()
    base = load_model(model_folder(start))
    if request.resume is not None:
        adapter, form, step, digest = request.resume.path, "peft", request.resume.step, request.resume.digest
    else:
        adapter, form, step, digest = start.path, start.format, 0, start.digest
    run.started_from(adapter, step, form, digest)
    run.outcome.start_step = run.outcome.final_step = step
    if form == "hf":
        return get_peft_model(base, lora_config(request.params.section("lora", {})))
    if not (adapter / WEIGHTS).exists():
        raise DataError(f"{adapter} is not an adapter: it has no {WEIGHTS}")
    with telling_damage(request.resume or (Resume(adapter, step, digest) if digest is not None else None)):
        policy = PeftModel.from_pretrained(base, str(adapter), is_trainable=True)
        require_adapter(policy, adapter)
    return policy


def lora_config(lora: Params) -> LoraConfig:
    """LoRA over the named projections; `experts` adds the stacked expert weights."""
    targets = lora.texts("targets", list(TARGET_MODULES))
    return LoraConfig(
        r=lora.integer("rank", 8),
        lora_alpha=int(lora.number("alpha", 16)),
        target_modules=[TARGET_MODULES[name] for name in targets if name in TARGET_MODULES],
        target_parameters=EXPERT_PARAMETERS if "experts" in targets else None,
        task_type="CAUSAL_LM",
    )


def require_adapter(policy: Any, adapter: Path) -> None:
    """Raise NotLoadedError unless the policy's adapter is, tensor by tensor, the one in this folder."""
    stored = load_file(str(adapter / WEIGHTS))
    in_memory = get_peft_model_state_dict(policy, adapter_name="default")
    # expert factors are kept in the model's own dtype, which may be narrower than the file's
    same = set(stored) == set(in_memory) and all(
        torch.equal(stored[name].to(tensor.dtype), tensor.detach().cpu()) for name, tensor in in_memory.items()
    )
    if not same:
        raise NotLoadedError(f"the policy in memory is not the adapter of {adapter}: it was not really loaded")


def digest_tensors(tensors: Iterable[tuple[str, torch.Tensor]]) -> str:
    """SHA-256 over names and bytes of tensors, in the order of their names."""
    digest = hashlib.sha256()
    for name, tensor in sorted(tensors):
        digest.update(name.encode())
        flat = tensor.detach().to("cpu").contiguous().reshape(-1)
        digest.update(flat.view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def trainable_digest(model: Any) -> str:
    """Digest of the tensors that training changes; raises RuntimeError when there are none."""
    trained = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    if not trained:
        raise RuntimeError("nothing is trainable: the optimizer would be empty")
    return digest_tensors(trained)

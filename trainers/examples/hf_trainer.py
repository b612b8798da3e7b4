"""A plain Hugging Face Trainer script: a LoRA, or a full model, tuned on rows of prompts and completions.

It knows nothing of Temper. configs/recipes/hf-trainer.yaml runs it as a phase of kind `command`; torchrun.yaml does so with
two processes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments, set_seed

Row = dict[str, list[int]]


def load_model(path: str, lora_rank: int) -> Any:
    """The model in float32, with an adapter unless its rank is 0."""
    model = AutoModelForCausalLM.from_pretrained(path).float()
    if lora_rank == 0:
        return model
    targets = ["q_proj", "k_proj", "v_proj", "o_proj"]
    return get_peft_model(model, LoraConfig(r=lora_rank, lora_alpha=2 * lora_rank, target_modules=targets))


def read_rows(path: Path, tokenizer: Any) -> list[Row]:
    """Token ids of each row; the loss is on the completion alone."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        asked = [{"role": "user", "content": row["prompt"]}]
        prompt = tokenizer.apply_chat_template(asked, add_generation_prompt=True, tokenize=False)
        before = tokenizer(prompt, add_special_tokens=False)["input_ids"]
        after = [*tokenizer(row["completion"], add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
        rows.append({"input_ids": before + after, "labels": [-100] * len(before) + after})
    return rows


def padded(rows: list[Row]) -> dict[str, torch.Tensor]:
    """A batch, padded on the right."""
    width = max(len(row["input_ids"]) for row in rows)

    def column(values: list[list[int]], filler: int) -> torch.Tensor:
        return torch.tensor([row + [filler] * (width - len(row)) for row in values])

    return {
        "input_ids": column([row["input_ids"] for row in rows], 0),
        "labels": column([row["labels"] for row in rows], -100),
        "attention_mask": column([[1] * len(row["input_ids"]) for row in rows], 0),
    }


def read_options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--output_dir", required=True)
    parser.add_argument("--max_steps", type=int, default=20)
    parser.add_argument("--save_steps", type=int, default=5)
    parser.add_argument("--save_total_limit", type=int, default=None)
    parser.add_argument("--learning_rate", type=float, default=5e-3)
    parser.add_argument("--lora_rank", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume_from_checkpoint", default=None)
    return parser.parse_args()


def main() -> None:
    """Train to `--max_steps`, from a checkpoint where one is named."""
    options = read_options()
    set_seed(options.seed)  # before the adapter is made: its first weights are random
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    trainer = Trainer(
        model=load_model(options.model, options.lora_rank),
        train_dataset=read_rows(options.data, tokenizer),
        data_collator=padded,
        processing_class=tokenizer,
        args=TrainingArguments(
            output_dir=options.output_dir,
            max_steps=options.max_steps,
            save_steps=options.save_steps,
            save_total_limit=options.save_total_limit,
            per_device_train_batch_size=16,
            learning_rate=options.learning_rate,
            logging_steps=1,
            seed=options.seed,
            use_cpu=not torch.cuda.is_available(),
            report_to="none",
        ),
    )
    trainer.train(resume_from_checkpoint=options.resume_from_checkpoint)
    trainer.accelerator.end_training()  # of several processes, one that exits while connected may be aborted


if __name__ == "__main__":
    main()

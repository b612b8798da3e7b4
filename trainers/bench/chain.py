"""The phases of the tiny recipe by hand: `python bench/chain.py <folder> [--seed 1] [--last sao] [--set base.steps=480]`.

Runs base, sft, drgrpo, orpo, bake, sao through `python -m temper_trainers` in fresh folders, then one evaluate job over
their last checkpoints; prints seconds and scores. Phases and benchmark are read from configs/recipes/tiny.yaml.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from attempt import checkpoint, run_attempt
from tiny_recipe import TinyRecipe, add_recipe_arguments

EVALUATION_SEED = 7


def run_chain(recipe: TinyRecipe, folder: Path, seed: int, last: str) -> dict[str, dict[str, Any]]:
    """Run the phases up to `last`; returns each phase's last checkpoint."""
    made: dict[str, dict[str, Any]] = {}
    start: dict[str, Any] | None = None
    base: str | None = None
    for name in recipe.phases:
        directory = folder / name
        result = run_attempt(
            directory, {**recipe.request_of(name), "seed": seed, "model": {"tiny": {"seed": seed}}, "start": start}
        )
        artifact = result["artifacts"][-1]
        start = checkpoint(directory, result, base if artifact["format"] == "peft" else None)
        base = start["path"] if artifact["format"] == "hf" else base
        made[name] = start
        seconds = "  ".join(f"{doing} {value:.1f}" for doing, value in result["seconds"].items())
        print(f"{name:8} cpu {result['cpu']:5.1f} s  wall {result['wall']:5.1f} s  ({seconds})", flush=True)
        if name == last:
            break
    return made


def evaluate(recipe: TinyRecipe, folder: Path, made: dict[str, dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Outcome rows of every checkpoint on the scored problems."""
    listed = [
        {
            "key": f"addition@1/seed-{EVALUATION_SEED}/{name}",
            "checkpoint": each,
            "benchmark": recipe.benchmark,
            "seed": EVALUATION_SEED,
            "output": f"outcomes/{name}.jsonl",
        }
        for name, each in made.items()
    ]
    directory = folder / "evaluate"
    result = run_attempt(directory, {"kind": "evaluate", "evaluations": listed, "targetStep": len(listed)})
    print(f"evaluate cpu {result['cpu']:5.1f} s  wall {result['wall']:5.1f} s for {len(listed)}", flush=True)
    return {
        name: [json.loads(line) for line in (directory / f"outcomes/{name}.jsonl").read_text().splitlines()] for name in made
    }


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser()
    add_recipe_arguments(parser)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--last", default="sao", help="the last phase to run")
    wanted = parser.parse_args()
    recipe = TinyRecipe(wanted.changes)
    made = run_chain(recipe, wanted.folder, wanted.seed, wanted.last)
    for name, rows in evaluate(recipe, wanted.folder, made).items():
        score = sum(row["correct"] for row in rows) / len(rows)
        tokens = sum(row["tokens"] for row in rows) / len(rows)
        print(f"{name:8} mean of 8 {score:.4f}   tokens {tokens:.1f}", flush=True)


if __name__ == "__main__":
    main()

"""The phases of the tiny recipe by hand: `python trainers/bench/chain.py <folder> [seed] [last phase]`.

Runs base, sft, drgrpo, orpo, bake, sao through `python -m temper_trainers` in fresh folders, then one evaluate job over
their last checkpoints; prints seconds and scores. The numbers of the phases are those of configs/recipes/tiny.yaml.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from attempt import checkpoint, run_attempt

WEIGHTS = [{"until": 20, "weights": {"exact": 1, "boxed": 0.2}}, {"weights": {"exact": 1, "boxed": 0.1}}]
BENCHMARK = {
    "name": "addition", "version": 1, "data": {"tiny": "held-out", "rows": 200}, "grader": "boxed-integer",
    "samples": 8, "temperature": 1.0, "maxTokens": 24,
}  # fmt: skip
PHASES: dict[str, dict[str, Any]] = {
    "base": {"kind": "base", "targetStep": 320,
             "params": {"steps": 320, "checkpointEvery": 160, "learningRate": 5e-3, "batchSize": 64, "noise": 0.03}},
    "sft": {"kind": "sft", "targetStep": 50, "data": {"tiny": "solutions", "rows": 512, "longShare": 0.75},
            "params": {"lora": {"rank": 8, "alpha": 16, "targets": ["q", "k", "v", "o"]}, "learningRate": 5e-3,
                       "batchSize": 32, "steps": 50, "checkpointEvery": 10, "maxLength": 64}},
    "drgrpo": {"kind": "drgrpo", "targetStep": 40, "data": {"tiny": "problems", "rows": 2048, "longShare": 1},
               "params": {"learningRate": 1e-3, "promptsPerStep": 16, "generations": 8, "steps": 40,
                          "checkpointEvery": 10, "beta": 1e-3, "scaleRewards": False, "temperature": 1,
                          "maxCompletionTokens": 24, "rewards": WEIGHTS}},
    "orpo": {"kind": "orpo", "targetStep": 20, "data": {"tiny": "problems", "rows": 512, "longShare": 1},
             "params": {"learningRate": 5e-4, "batchSize": 16, "steps": 20, "checkpointEvery": 5, "beta": 0.1,
                        "maxLength": 64, "pairs": {"from": "policy", "samplesPerPrompt": 8, "completions": "whole"}}},
    "bake": {"kind": "mxfp4-merge", "targetStep": 1, "params": {"experts": "refuse"}},
    "sao": {"kind": "sao", "targetStep": 60, "data": {"tiny": "problems", "longShare": 1},
            "params": {"learningRate": 2e-4, "criticLearningRate": 4e-3, "batchSize": 64, "queueBatches": 2,
                       "steps": 60, "checkpointEvery": 10, "criticWarmupSteps": 15, "criticUpdates": 2,
                       "mask": {"below": 0.3, "above": 5.0}, "lambdaAlpha": 1.5, "temperature": 1,
                       "maxCompletionTokens": 24}},
}  # fmt: skip


def run_chain(folder: Path, seed: int, last: str = "sao") -> dict[str, dict[str, Any]]:
    """Run the phases up to `last`; returns each phase's last checkpoint."""
    made: dict[str, dict[str, Any]] = {}
    start: dict[str, Any] | None = None
    base: str | None = None
    for name, phase in PHASES.items():
        directory = folder / name
        result = run_attempt(directory, {**phase, "seed": seed, "model": {"tiny": {"seed": seed}}, "start": start})
        artifact = result["artifacts"][-1]
        start = checkpoint(directory, result, base if artifact["format"] == "peft" else None)
        base = start["path"] if artifact["format"] == "hf" else base
        made[name] = start
        seconds = "  ".join(f"{doing} {value:.1f}" for doing, value in result["seconds"].items())
        print(f"{name:8} cpu {result['cpu']:5.1f} s  wall {result['wall']:5.1f} s  ({seconds})", flush=True)
        if name == last:
            break
    return made


def evaluate(folder: Path, made: dict[str, dict[str, Any]], seed: int) -> dict[str, list[dict[str, Any]]]:
    """Outcome rows of every checkpoint on the scored problems."""
    listed = [
        {"key": f"addition@1/seed-{seed}/{name}", "checkpoint": each, "benchmark": BENCHMARK, "seed": seed,
         "output": f"outcomes/{name}.jsonl"}
        for name, each in made.items()
    ]  # fmt: skip
    directory = folder / f"evaluate-{seed}"
    result = run_attempt(directory, {"kind": "evaluate", "evaluations": listed, "targetStep": len(listed)})
    print(f"evaluate cpu {result['cpu']:5.1f} s  wall {result['wall']:5.1f} s for {len(listed)}", flush=True)
    return {
        name: [json.loads(line) for line in (directory / f"outcomes/{name}.jsonl").read_text().splitlines()] for name in made
    }


def main() -> None:
    """Run and print."""
    folder, seed = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    made = run_chain(folder, seed, sys.argv[3] if len(sys.argv) > 3 else "sao")
    for name, rows in evaluate(folder, made, 7).items():
        score = sum(row["correct"] for row in rows) / len(rows)
        tokens = sum(row["tokens"] for row in rows) / len(rows)
        print(f"{name:8} mean of 8 {score:.4f}   tokens {tokens:.1f}", flush=True)


if __name__ == "__main__":
    main()

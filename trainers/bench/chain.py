"""The phases of the tiny recipe by hand: `python trainers/bench/chain.py <folder> [seed] [last phase]`.

Runs base, sft, drgrpo, orpo, bake, sao through `python -m temper_trainers` in fresh folders, then one evaluate job over
their last checkpoints; prints seconds and scores. Phases and benchmark are read from configs/recipes/tiny.yaml.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import yaml
from attempt import TRAINERS, checkpoint, run_attempt

# PyYAML reads 5e-3 as a text; YAML 1.2, and so the recipe, means a number
yaml.SafeLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)
RECIPE = yaml.safe_load((TRAINERS.parent / "configs/recipes/tiny.yaml").read_text())
PHASES: dict[str, dict[str, Any]] = {phase["name"]: phase for phase in RECIPE["phases"]}
BENCHMARK = {"name": "addition", **RECIPE["benchmarks"]["addition"]}


def request_of(phase: dict[str, Any]) -> dict[str, Any]:
    """The part of a request that the recipe decides."""
    step = phase["params"].get("steps", 1)
    return {"kind": phase["kind"], "params": phase["params"], "data": phase.get("data"), "targetStep": step}


def run_chain(folder: Path, seed: int, last: str = "sao") -> dict[str, dict[str, Any]]:
    """Run the phases up to `last`; returns each phase's last checkpoint."""
    made: dict[str, dict[str, Any]] = {}
    start: dict[str, Any] | None = None
    base: str | None = None
    for name, phase in PHASES.items():
        directory = folder / name
        result = run_attempt(
            directory, {**request_of(phase), "seed": seed, "model": {"tiny": {"seed": seed}}, "start": start}
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

"""The tiny recipe as the benches run it, with parameters changed on the command line: `--set base.steps=480`."""

from __future__ import annotations

import argparse
import copy
import json
import re
from pathlib import Path
from typing import Any

import yaml

RECIPE = Path(__file__).resolve().parents[2] / "configs/recipes/tiny.yaml"
# PyYAML reads 5e-3 as a text; YAML 1.2, and so the recipe, means a number
yaml.SafeLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)


class TinyRecipe:
    """Phases by name, and the benchmark they are scored on."""

    def __init__(self, changes: list[str]) -> None:
        """Read configs/recipes/tiny.yaml; each change is `phase.param=value`. Raises SystemExit on an unknown name."""
        document = yaml.safe_load(RECIPE.read_text(encoding="utf-8"))
        self.phases: dict[str, dict[str, Any]] = {phase["name"]: copy.deepcopy(phase) for phase in document["phases"]}
        self.benchmark = {"name": "addition", **document["benchmarks"]["addition"]}
        for change in changes:
            place, value = change.split("=", 1)
            phase, name = place.split(".", 1)
            if phase not in self.phases:
                raise SystemExit(f"no phase named {phase}; there are: {', '.join(self.phases)}")
            part = "data" if name in (self.phases[phase].get("data") or {}) else "params"
            self.phases[phase][part][name] = json.loads(value)

    def request_of(self, name: str) -> dict[str, Any]:
        """The part of a request that the recipe decides."""
        phase = self.phases[name]
        step = phase["params"].get("steps", 0)
        return {"kind": phase["kind"], "params": phase["params"], "data": phase.get("data"), "targetStep": step}


def add_recipe_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder to work in, and changes of the recipe."""
    parser.add_argument("folder", type=lambda text: Path(text).resolve(), help="where attempts go; must be fresh")
    parser.add_argument("--set", dest="changes", action="append", default=[], metavar="phase.param=value")

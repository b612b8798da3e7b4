"""Fills the defaults of a recipe's fields into a request, as Temper does before it starts a trainer.

Reads configs/recipe.schema.json, which is written from the one home of the defaults. Trainers have none of
their own. Does not check anything.
"""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

Schema = dict[str, Any]
SCHEMA = Path(__file__).resolve().parents[2] / "configs/recipe.schema.json"


def with_defaults(request: dict[str, Any]) -> dict[str, Any]:
    """The same request with every default in its model, params, data and benchmarks."""
    recipe = _recipe()
    filled = copy.deepcopy(request)
    if filled.get("model"):
        filled["model"] = _filled(recipe["properties"]["model"], filled["model"])
    if any(_is_kind(branch, filled["kind"]) for branch in _branches(_items(recipe["properties"]["phases"]))):
        given = {name: filled[name] for name in ("kind", "params", "data") if filled.get(name) is not None}
        phase = _filled(_items(recipe["properties"]["phases"]), given)
        filled.update({name: phase[name] for name in ("params", "data") if name in phase})
    benchmark = _at(recipe["properties"]["benchmarks"])["additionalProperties"]
    for evaluation in filled.get("evaluations", []):
        evaluation["benchmark"] = _filled(benchmark, evaluation["benchmark"])
    return filled


@cache
def _recipe() -> Schema:
    return json.loads(SCHEMA.read_text(encoding="utf-8"))


def _at(schema: Schema) -> Schema:
    """The schema itself, where it is a reference."""
    while "$ref" in schema:
        schema = {**_recipe()["$defs"][schema["$ref"].split("/")[-1]], **{k: v for k, v in schema.items() if k != "$ref"}}
    return schema


def _items(schema: Schema) -> Schema:
    return _at(_at(schema)["items"])


def _branches(schema: Schema) -> list[Schema]:
    return [_at(branch) for branch in schema.get("oneOf", schema.get("anyOf", []))]


def _is_kind(branch: Schema, kind: str) -> bool:
    return _at(branch["properties"]["kind"]).get("const") == kind


def _fits(branch: Schema, value: Any) -> bool:
    """Whether a branch of a union is the one that a value was written for: by its kind, or by its required names."""
    if not isinstance(value, dict):
        return branch.get("type") != "object"
    if "kind" in value and "kind" in branch.get("properties", {}):
        return _is_kind(branch, value["kind"])
    have = {name for name, below in branch.get("properties", {}).items() if "default" not in _at(below)}
    return bool(have & set(value)) and set(value) <= set(branch.get("properties", {}))


def _filled(schema: Schema, value: Any) -> Any:
    schema = _at(schema)
    chosen = next((branch for branch in _branches(schema) if _fits(branch, value)), schema)
    if isinstance(value, list) and "items" in chosen:
        return [_filled(chosen["items"], item) for item in value]
    if not isinstance(value, dict):
        return value
    filled = dict(value)
    for name, below in chosen.get("properties", {}).items():
        if name not in filled and "default" in _at(below):
            filled[name] = copy.deepcopy(_at(below)["default"])
        if name in filled:
            filled[name] = _filled(below, filled[name])
    return filled

"""statistics-cases.json, which the gate's statistics are held against, is what scipy and statsmodels say today."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "test" / "decisions"


@pytest.fixture(scope="module")
def today(monkeypatch_of_module: pytest.MonkeyPatch) -> dict[str, Any]:
    """Set-up keeps the two libraries where no trainer finds them."""
    monkeypatch_of_module.syspath_prepend(str(Path(sys.prefix) / "statistics"))
    return _script().cases()


@pytest.fixture(scope="module")
def monkeypatch_of_module() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def committed() -> dict[str, Any]:
    return json.loads((FOLDER / "statistics-cases.json").read_text())


def test_every_number_is_what_the_libraries_say(today: dict[str, Any], committed: dict[str, Any]) -> None:
    assert _leaves(committed) == pytest.approx(_leaves(today), rel=1e-9, abs=1e-12)


def test_the_cases_are_the_same(today: dict[str, Any], committed: dict[str, Any]) -> None:
    """Also what is no number: names of the functions, votes."""
    assert _without_numbers(committed) == _without_numbers(today)


def test_a_number_that_was_changed_is_told(today: dict[str, Any], committed: dict[str, Any]) -> None:
    changed = json.loads(json.dumps(committed))
    changed["wilson"][0]["high"] += 1e-6
    assert _leaves(changed) != pytest.approx(_leaves(today), rel=1e-9, abs=1e-12)


def _script() -> ModuleType:
    found = importlib.util.spec_from_file_location("statistics_cases", FOLDER / "statistics_cases.py")
    assert found is not None
    assert found.loader is not None
    script = importlib.util.module_from_spec(found)
    found.loader.exec_module(script)
    return script


def _leaves(value: Any) -> list[float]:
    """Every number in it, in order."""
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in _leaves(one)]
    if isinstance(value, list):
        return [leaf for one in value for leaf in _leaves(one)]
    return [float(value)] if isinstance(value, int | float) else []


def _without_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_numbers(one) for key, one in value.items() if key != "by"}
    if isinstance(value, list):
        return [_without_numbers(one) for one in value]
    return None if isinstance(value, int | float) else value

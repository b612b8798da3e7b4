"""One process for all training tests: imports are paid once, and a briefly pretrained base is shared."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import Attempts, Made

from temper_trainers.surroundings import settle_environment

settle_environment()


@pytest.fixture(autouse=True)
def _restore_terminate() -> Iterator[None]:
    """A Run takes over SIGTERM; a test gives it back."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def attempts(tmp_path: Path) -> Attempts:
    """Attempts below a fresh folder."""
    return Attempts(tmp_path)


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A tiny base that has learned to copy a number into a box, some of the time."""
    made = Attempts(tmp_path_factory.mktemp("base")).run(
        "base", targetStep=90, params={"checkpointEvery": 45}, model={"tiny": {"seed": 3}}
    )
    assert made.code == 0
    return made


@pytest.fixture(scope="session")
def sft(base: Made, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """An attention-only LoRA over that base."""
    made = Attempts(tmp_path_factory.mktemp("sft")).run(
        "sft",
        targetStep=6,
        start=base.checkpoint(),
        data={"tiny": "solutions", "rows": 48, "longShare": 0.75},
        params={"learningRate": 5e-3, "batchSize": 8, "checkpointEvery": 3},
    )
    assert made.code == 0
    return made


@pytest.fixture
def copies(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Problems that the briefly trained base answers right some of the time: copy a number into a box."""
    path = tmp_path / "copies.jsonl"
    path.write_text("".join(json.dumps({"prompt": str(number), "answer": number}) + "\n" for number in range(20, 60)))
    yield {"jsonl": str(path)}

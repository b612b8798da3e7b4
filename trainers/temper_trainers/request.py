"""request.json as a frozen value. Parsed once, at the edge; every complaint names the field.

Does not cover: whether the paths exist, which the phase that opens them finds out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import ConfigError, UsageError

CONTRACT = 1


class Params:
    """The fields of one JSON object, read by name and type. A wrong or missing one is a usage error with its place."""

    def __init__(self, values: dict[str, Any], place: str) -> None:
        """Wrap `values`; `place` is how messages address them, e.g. `params`."""
        self._values = values
        self._place = place

    def _value(self, name: str, default: Any) -> Any:
        if name in self._values and self._values[name] is not None:
            return self._values[name]
        if default is None:
            have = ", ".join(sorted(self._values)) or "nothing"
            raise UsageError(f"{self._place}.{name} is missing from the request; there are: {have}")
        return default

    def _refuse(self, name: str, want: str, value: Any) -> UsageError:
        return UsageError(f"{self._place}.{name} must be {want}, not {json.dumps(value, default=str)}")

    def integer(self, name: str, default: int | None = None) -> int:
        """A whole number."""
        value = self._value(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._refuse(name, "a whole number", value)
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """Any number."""
        value = self._value(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._refuse(name, "a number", value)
        return float(value)

    def text(self, name: str, default: str | None = None) -> str:
        """A text."""
        value = self._value(name, default)
        if not isinstance(value, str):
            raise self._refuse(name, "a text", value)
        return value

    def choice(self, name: str, allowed: tuple[str, ...], default: str | None = None) -> str:
        """One text of a closed list."""
        value = self.text(name, default)
        if value not in allowed:
            raise self._refuse(name, "one of " + ", ".join(allowed), value)
        return value

    def flag(self, name: str, default: bool | None = None) -> bool:
        """true or false."""
        value = self._value(name, default)
        if not isinstance(value, bool):
            raise self._refuse(name, "true or false", value)
        return value

    def texts(self, name: str, default: list[str] | None = None) -> list[str]:
        """A list of texts."""
        value = self._value(name, default)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._refuse(name, "a list of texts", value)
        return value

    def section(self, name: str, default: dict[str, Any] | None = None) -> Params:
        """An object inside this one."""
        value = self._value(name, default)
        if not isinstance(value, dict):
            raise self._refuse(name, "an object", value)
        return Params(value, f"{self._place}.{name}")

    def whole(self, name: str) -> Any:
        """A field as it stands, whatever it is; null where it is missing."""
        return self._values.get(name)

    def sections(self, name: str) -> list[Params]:
        """A list of objects."""
        value = self._value(name, None)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._refuse(name, "a list of objects", value)
        return [Params(item, f"{self._place}.{name}[{index}]") for index, item in enumerate(value)]

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self._values.get(name) is not None

    def names(self) -> list[str]:
        """The names of the fields that are there."""
        return list(self._values)


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint to load; `base` is the full model below a peft adapter."""

    path: Path
    format: str
    base: Path | None
    digest: str | None


@dataclass(frozen=True)
class Resume:
    """The checkpoint of this phase to go on from."""

    path: Path
    step: int
    digest: str | None


@dataclass(frozen=True)
class BatchShape:
    """How a global batch is cut: rows in one forward pass, and passes for one optimizer step."""

    micro_batch: int
    accumulation: int


@dataclass(frozen=True)
class Request:
    """What one attempt is asked to do."""

    job: str
    pipeline: str
    phase: str
    kind: str
    attempt: int
    seed: int
    model: Params
    params: Params
    data: Params | None
    start: Checkpoint | None
    resume: Resume | None
    target_step: int
    output_directory: Path
    evaluations: list[Params] = field(default_factory=list)
    batch: BatchShape | None = None

    def batch_shape(self, batch_size: int, processes: int = 1) -> BatchShape:
        """How each process cuts its share of a global batch of so many rows: in one piece unless a change says otherwise.

        A change counts the rows that all processes together have in one forward pass.
        """
        whole = self.batch or BatchShape(batch_size, 1)
        if whole.micro_batch * whole.accumulation != batch_size:
            wrong = f"{whole.micro_batch} x {whole.accumulation}"
            raise UsageError(f"changes: a micro-batch must cut a batch of {batch_size} rows, not {wrong}")
        if batch_size % processes != 0:
            raise ConfigError(
                f"a batch of {batch_size} rows cannot be shared evenly by {processes} processes (nodes x GPUs of each): "
                f"name a batch that is a multiple of {processes}, or other nodes and gpus in the profile"
            )
        share, most = batch_size // processes, max(1, whole.micro_batch // processes)
        micro_batch = max(rows for rows in range(1, most + 1) if share % rows == 0)
        return BatchShape(micro_batch, share // micro_batch)

    def start_checkpoint(self) -> Checkpoint:
        """The start checkpoint, for kinds that cannot do without."""
        if self.start is None:
            raise UsageError(f"start is null, but a phase of kind {self.kind} starts from a checkpoint")
        return self.start


def read_checkpoint(values: Params) -> Checkpoint:
    """A `{path, format, base, digest}` of the request."""
    form = values.choice("format", ("hf", "peft"))
    base = Path(values.text("base")) if form == "peft" else None
    return Checkpoint(Path(values.text("path")), form, base, values.text("digest", "") or None)


def read_resume(values: Params) -> Resume:
    """The `{path, step, digest}` to go on from."""
    return Resume(Path(values.text("path")), values.integer("step"), values.text("digest", "") or None)


def read_batch(changes: list[Params]) -> BatchShape | None:
    """The smaller micro-batch that an attempt after one out of memory is asked for; other changes are not the trainer's."""
    for change in changes:
        if change.text("kind") == "micro-batch":
            shape = change.section("to")
            return BatchShape(shape.integer("microBatch"), shape.integer("accumulation"))
    return None


def read_request(path: Path) -> Request:
    """The request in this file; raises UsageError with the field that is wrong."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read the request {path}: {error}") from error
    if not isinstance(document, dict) or document.get("contract") != CONTRACT:
        raise UsageError(f"{path} is not a request of contract {CONTRACT}")
    whole = Params(document, "request")
    return Request(
        job=whole.text("job"),
        pipeline=whole.text("pipeline", ""),
        phase=whole.text("phase", ""),
        kind=whole.text("kind"),
        attempt=whole.integer("attempt"),
        seed=whole.integer("seed", 0),
        model=Params(document.get("model") or {}, "model"),
        params=Params(document.get("params") or {}, "params"),
        data=Params(document["data"], "data") if document.get("data") else None,
        start=read_checkpoint(whole.section("start")) if whole.has("start") else None,
        resume=read_resume(whole.section("resume")) if whole.has("resume") else None,
        target_step=whole.integer("targetStep", 0),
        output_directory=Path(whole.text("outputDirectory")),
        batch=read_batch(whole.sections("changes")) if whole.has("changes") else None,
        evaluations=whole.sections("evaluations") if whole.has("evaluations") else [],
    )

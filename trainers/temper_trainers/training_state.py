"""`state.pt`: everything that an own training loop needs for an exact resume, torch's random state included."""

from __future__ import annotations

import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any

import torch

from .damage import telling_damage
from .errors import DamagedError
from .request import Resume

FILE = "state.pt"


def save_state(folder: Path, state: dict[str, Any]) -> None:
    """Write the state into a checkpoint folder that is not yet named."""
    random_state = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        random_state["cuda"] = torch.cuda.get_rng_state()
    torch.save(canonical({**state, "random": random_state}), folder / FILE)


def canonical(value: Any) -> Any:
    """The same value with equal texts as one object and no container shared, so that equal states have equal bytes.

    A pickle refers back to an object that it has met, and what was loaded from one shares other objects than what grew in
    place.
    """
    if type(value) is str:
        return sys.intern(value)
    if type(value) is OrderedDict:
        copied = OrderedDict((canonical(key), canonical(each)) for key, each in value.items())
        vars(copied).update(canonical(vars(value)))  # the versions that a module's state carries
        return copied
    if type(value) is dict:
        return {canonical(key): canonical(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(canonical(each) for each in value)
    return value


def load_state(resume: Resume) -> dict[str, Any]:
    """Read the state of a checkpoint and restore torch's random state; raises DamagedError when it is damaged."""
    path = resume.path / FILE
    with telling_damage(resume):
        # the file is our own: it was digested against the seal that Temper keeps
        state: dict[str, Any] = torch.load(path, weights_only=False, map_location="cpu")
    if state["step"] != resume.step:
        raise DamagedError(resume.path, f"{FILE} is of step {state['step']}, not {resume.step}")
    torch.set_rng_state(state["random"]["cpu"])
    if torch.cuda.is_available() and "cuda" in state["random"]:
        torch.cuda.set_rng_state(state["random"]["cuda"])
    return state

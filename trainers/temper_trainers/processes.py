"""The processes that train one model together, each with its share of a batch: which one this is, what they agree on.

torchrun starts them and says so by RANK and WORLD_SIZE; without those there is this one alone. Process 0 writes for all of
them. Does not cover starting them (launch.py) or adding their gradients up, which the Hugging Face Trainer does.
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Processes:
    """This process among those of its job."""

    rank: int
    count: int

    @property
    def writes(self) -> bool:
        """Whether this is the one that writes progress, seals and the result."""
        return self.rank == 0

    def agree(self, wish: bool) -> bool:
        """Whether any of them wishes so; each calls this at the same place, and all get the same answer."""
        if self.count == 1:
            return wish
        import torch
        from torch import distributed

        from .device import device

        wishes = torch.tensor([int(wish)], device=device())
        distributed.all_reduce(wishes)
        return bool(wishes.item())

    def wait_for_all(self) -> None:
        """Return when each of them has come here."""
        self.agree(False)

    def part(self) -> None:
        """Leave the others, at a place where each of them comes in order; they do nothing together from here on.

        One that exits while connected may be aborted by the threads that connect it, after all its work is done
        (pytorch/pytorch#179291). One that fails does not part: the others are not where it is.
        """
        if self.count == 1:
            return
        from torch import distributed

        self.wait_for_all()  # one that ends sooner would look as if it had failed
        distributed.destroy_process_group()


def this_process() -> Processes:
    """As torchrun's environment has it."""
    return Processes(int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1")))

"""The real trainers on a machine on which things go wrong for an sft: what a GPU, or numbers, would do at a step.

Run as TEMPER_PYTHON by test/e2e/mended-attempts.test.ts, with the arguments that the backend gives to Python.
"""

import json
import os
import runpy
from pathlib import Path

ROWS_THAT_FIT = 16


def on_a_bad_machine(attempt: int) -> None:
    """Out of memory with more rows than fit, from step 12 on; in attempt 2 the gradients of step 22 are not finite."""
    import torch
    from transformers import Trainer

    step = Trainer.training_step

    def training_step(self, model, *args, **kwargs):
        if self.args.per_device_train_batch_size > ROWS_THAT_FIT and self.state.global_step >= 12:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.1 GiB")
        loss = step(self, model, *args, **kwargs)
        if attempt == 2 and self.state.global_step == 21:
            for parameter in model.parameters():
                if parameter.grad is not None:
                    parameter.grad.mul_(float("nan"))
        return loss

    Trainer.training_step = training_step


request = json.loads(Path(os.environ["TEMPER_REQUEST"]).read_text())
if request["kind"] == "sft":
    on_a_bad_machine(request["attempt"])
runpy.run_module("temper_trainers", run_name="__main__", alter_sys=True)

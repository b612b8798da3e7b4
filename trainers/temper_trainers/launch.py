"""From the first process of a pod to those that train together in it: torchrun, where the job has several and the kind can.

A job says how many by the variables that torchrun reads itself: PET_NNODES pods of PET_NPROC_PER_NODE processes, one a GPU.
Kinds that cannot share a batch run as one process, whatever GPUs their pod has. torchrun's own exit code is 1 whatever
happened: here it is that of the process that failed first, so that a cluster and a person read what the trainer said.
Where the pod is asked to stop, torchrun does not say how its processes ended: they say so themselves, in files of the pod.
Does not cover what the processes do together (processes.py).
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from .errors import ConfigError, StoppedError, UsageError
from .kinds import TOGETHER
from .processes import this_process
from .request import Request

# where the processes of a pod say how they ended
ENDS = "TEMPER_ENDS"


def starts_others(request: Request) -> bool:
    """Whether this process is to start those that train."""
    return "RANK" not in os.environ and request.kind in TOGETHER and pods() * processes_of_pod() > 1


def require_kind_that_can(kind: str) -> None:
    """Refuse several processes of a kind whose work cannot be shared: each would do all of it, over the others' files."""
    if kind not in TOGETHER and (pods() > 1 or this_process().count > 1):
        raise ConfigError(
            f"a phase of kind {kind} cannot be shared by several processes; {', '.join(TOGETHER)} can: "
            f"set jobs.{kind}.nodes of the profile to 1, and no torchrun as its command"
        )


def pods() -> int:
    """How many pods the job has."""
    return _number("PET_NNODES")


def processes_of_pod() -> int:
    """How many processes are to train in each pod."""
    return _number("PET_NPROC_PER_NODE")


def run_together() -> int:
    """Run this pod's share of the processes under torchrun to their end; returns the exit code of the contract."""
    from torch.distributed.elastic.multiprocessing import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.run import parse_args, run

    print(f"{pods()} x {processes_of_pod()} processes train together", flush=True)
    with TemporaryDirectory() as ends:
        os.environ[ENDS] = ends
        try:
            # one pod needs no name to meet by; everything else is in PET_…
            run(parse_args([*(["--standalone"] if pods() == 1 else []), "--module", __package__]))
        except ChildFailedError as error:
            print(error, flush=True)  # names the process that failed first, as torchrun does
            code = error.get_first_failure()[1].exitcode
            return 128 - code if code < 0 else code
        except SignalException as error:
            return code_after_stop([path.name for path in Path(ends).iterdir()], 128 + error.sigval)
        finally:
            del os.environ[ENDS]
    return 0


def tell_end(code: int) -> int:
    """Leave the exit code of this process for the one that started it, where one did; returns it."""
    if ENDS in os.environ:
        (Path(os.environ[ENDS]) / f"{os.environ['LOCAL_RANK']}-{code}").touch()
    return code


def code_after_stop(ends: list[str], otherwise: int) -> int:
    """The exit code of a pod that was asked to stop: in order only where each of its own processes ended in order."""
    codes = {int(end.split("-")[1]) for end in ends}
    if len(ends) < processes_of_pod() or not codes <= {0, StoppedError.exit_code}:
        return otherwise
    return max(codes)


def _number(variable: str) -> int:
    text = os.environ.get(variable, "1")
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"{variable} must be a number of processes, not {text!r}")
    return int(text)

"""The stand-in trainer (trainers/bench/stand_in, TEMPER_STAND_IN) on a bad day: a save that takes its time, then a step that never ends."""

import os
import runpy
import sys
import time

sys.path.insert(0, os.environ["TEMPER_STAND_IN"])
import learning

HANGS_AFTER = 3
LONG_SAVE_SECONDS = 40

save, training = learning.save, learning.training


def save_slowly(run, step, digest):
    run.report("saving", step)
    time.sleep(LONG_SAVE_SECONDS)
    save(run, step, digest)


def wait_for_peer():
    # also after SIGTERM: its handler only notes that a stop was asked for
    time.sleep(3600)


def train_and_hang(run):
    for _ in training(run):
        if run.outcome.final_step == HANGS_AFTER:
            wait_for_peer()
        yield


learning.save, learning.training = save_slowly, train_and_hang
sys.argv = [os.environ["TEMPER_STAND_IN"]]
runpy.run_path(os.environ["TEMPER_STAND_IN"], run_name="__main__")

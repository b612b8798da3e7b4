#!/bin/sh
# The one way into the trainers' image: without arguments the phase that TEMPER_REQUEST names (which starts torchrun where the job has
# several nodes or GPUs and its kind can share a batch), with arguments those, in the same environment. Either takes the place of this
# shell, so that it gets the signals itself.
set -eu
[ "$#" -gt 0 ] || set -- python -m temper_trainers
exec "$@"

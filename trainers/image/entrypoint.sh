#!/bin/sh
# The one way into the trainers' image: without arguments the phase that TEMPER_REQUEST names, with arguments those, in the same
# environment. Either takes the place of this shell, so that it gets the signals itself.
set -eu
[ "$#" -gt 0 ] || set -- python -m temper_trainers
exec "$@"

"""The phases of a Temper pipeline as they run inside a GPU pod or a local process: `python -m temper_trainers`.

The contract with Temper is docs/reference/trainer-contract.md; contract.py is its one implementation here.
"""

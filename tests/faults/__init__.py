"""Deliberate faults: whether `./test` would see them.

`./test` never runs this; `python -m tests.faults` does.
"""

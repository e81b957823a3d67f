"""Deliberate faults, which `./test` must detect.

`./test` never runs this; `python -m tests.faults` does.
"""

"""Running labs that get random topologies one after another, each compared with a lab built from nothing.

`python -m tests.changed_labs --seeds 1-300` runs many sequences; `./test` runs one. With
`--settings` only settings of routing change, each to random values.
"""

"""The explanation of a kind of problem."""

from __future__ import annotations

from typing import NamedTuple


class Reason(NamedTuple):
    """Three short texts, in plain words and whole sentences.

    Attributes:
        means: what was found.
        matters: what comes of it.
        todo: what to do.
    """

    means: str
    matters: str
    todo: str

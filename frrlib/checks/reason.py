"""The explanation of a kind of problem."""

from __future__ import annotations

from typing import NamedTuple


class Reason(NamedTuple):
    """Three short texts of complete sentences.

    Attributes:
        means: the condition that was found.
        matters: its consequences.
        todo: the change that fixes it.
    """

    means: str
    matters: str
    todo: str

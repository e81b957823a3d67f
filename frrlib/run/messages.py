"""The messages of a run in progress, in a terminal and in a window."""

from __future__ import annotations


def virtual_words(virtual_s: float, spent_s: float, all_s: float) -> str:
    """A step's progress in virtual time: "12.5 of 20 s, 14 times as fast as real time, 0.5 s left"; "0.3 s in 0.1 s".

    Args:
        virtual_s, spent_s: elapsed virtual and real time.
        all_s: its total virtual time; 0 for unknown.
    """
    if not all_s or virtual_s <= 0 or spent_s <= 0:
        return f"{virtual_s:.1f} s in {spent_s:.1f} s"
    speed, left_s = virtual_s / spent_s, max(0.0, all_s - virtual_s)
    return f"{virtual_s:.1f} of {all_s:g} s, {speed:.2g} times as fast as real time, {left_s / speed:.1f} s left"

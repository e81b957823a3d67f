"""The options of a run with flows, as a value, and the errors of typed texts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

#: Minimum and maximum of samples per second.
LEAST_HZ, MOST_HZ = 1.0, 1000.0
#: The largest seed. It fits the random number generators of all machines.
MOST_SEED = 2**31 - 1


@dataclass(frozen=True)
class RunChoice:
    """The options of a run with flows.

    Attributes:
        folder: a new or empty folder for the results.
        stays: whether the lab keeps running after the flows.
        sample_hz: samples per second of every flow and queue, 1 to 1000.
        captures: interfaces to capture packet headers at ("r1:r1-eth1").
        virtual_time: whether the lab runs in virtual time; it ends with its flows then.
        seed: the seed of all random numbers of a lab in virtual time, 0 to `MOST_SEED`.
    """

    folder: Path
    stays: bool = False
    sample_hz: float = 100.0
    captures: tuple[str, ...] = ()
    virtual_time: bool = False
    seed: int = 1


def fault(text: str) -> str:
    """The error of a text for the results folder; empty for a valid one."""
    if not text:
        return "Choose a folder."
    try:
        folder = Path(text).expanduser()
        if folder.is_dir():
            return "This folder is not empty. Choose a new or an empty folder." if any(folder.iterdir()) else ""
        return "This is a file. Choose a folder." if folder.exists() else ""
    except (OSError, ValueError, RuntimeError) as error:  # ~nobody, a name that is too long, somebody else's folder
        return f"This folder cannot be created: {getattr(error, 'strerror', None) or error}."


def rate_fault(text: str) -> str:
    """The error of a text for the sampling rate; empty for a valid one."""
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    return "" if LEAST_HZ <= rate <= MOST_HZ else f"must be a number from {LEAST_HZ:g} to {MOST_HZ:g}"


def seed_fault(text: str) -> str:
    """The error of a text for the seed; empty for a valid one."""
    text = text.strip()
    if text.isascii() and text.isdigit() and int(text) <= MOST_SEED:
        return ""
    return f"must be a whole number from 0 to {MOST_SEED}"

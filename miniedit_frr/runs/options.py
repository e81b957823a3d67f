"""The options of a run with flows, as a value, and why a typed one is invalid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

#: Samples a second, least and most.
LEAST_HZ, MOST_HZ = 1.0, 1000.0
#: The largest seed: it fits the seeds of random number generators on all machines.
MOST_SEED = 2**31 - 1


@dataclass(frozen=True)
class RunChoice:
    """How to run with flows.

    Attributes:
        folder: for the results, new or empty.
        stays: whether the lab goes on when the flows are over.
        sample_hz: samples a second of every flow and queue, 1 to 1000.
        captures: interfaces whose packets' headers are kept ("r1:r1-eth1").
        virtual_time: whether the lab runs in virtual time; it cannot stay then.
        seed: what all random numbers of a lab in virtual time come from, 0 to `MOST_SEED`.
    """

    folder: Path
    stays: bool = False
    sample_hz: float = 100.0
    captures: tuple[str, ...] = ()
    virtual_time: bool = False
    seed: int = 1


def fault(text: str) -> str:
    """Why a text cannot be the folder for results; empty where it can."""
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
    """Why a text cannot be a sampling rate; empty where it can."""
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    return "" if LEAST_HZ <= rate <= MOST_HZ else f"must be a number from {LEAST_HZ:g} to {MOST_HZ:g}"


def seed_fault(text: str) -> str:
    """Why a text cannot be a seed; empty where it can."""
    text = text.strip()
    if text.isascii() and text.isdigit() and int(text) <= MOST_SEED:
        return ""
    return f"must be a whole number from 0 to {MOST_SEED}"

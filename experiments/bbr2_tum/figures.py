"""Shared parts of the figures of several TU experiments: panels without runs, notes, and logarithmic axes."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from experiments import published_style
from experiments.runs import Runs
from frrlib.model.flow_words import control_name

#: Congestion controls whose cases are missing where no kernel has them, as named in cases.
_NEW = "bbr2"


def mark_empty(panel: Axes) -> None:
    """Say in an empty panel that it is empty; the reason is among the `notes`."""
    panel.text(
        0.5, 0.5, "not run", transform=panel.transAxes, ha="center", va="center", color=published_style.PUBLISHED,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )  # fmt: skip


def short_missing_case_notes(runs: Runs) -> list[str]:
    """The cases not run and why: all cases of BBRv2 in one line, others by their names."""
    reasons = dict.fromkeys(why for case, why in runs.missing.items() if _NEW in case)
    others = [case for case in runs.missing if _NEW not in case]
    return [*published_style.missing_case_notes(runs, others), *(f"not run: {control_name(_NEW)}: {why}" for why in reasons)]


def set_logarithmic_x(panel: Axes) -> None:
    """A logarithmic axis of x with numbers as people write them."""
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))

"""Shared parts of the figures of several TU experiments: panels without runs, notes, and logarithmic axes."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from frrlib.model.flow_words import control_name
from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.runs import Runs

#: The congestion control that stock kernels lack, as named in cases.
_NEW = "bbr2"


def mark_empty(panel: Axes) -> None:
    """Mark an empty panel as not run; the reason is in `short_missing_case_notes`."""
    panel.text(
        0.5, 0.5, "not run", transform=panel.transAxes, ha="center", va="center", color=published_style.PUBLISHED,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )  # fmt: skip


def short_missing_case_notes(runs: Runs) -> list[str]:
    """The missing cases with the reasons: one line for all cases of BBRv2, others by their names."""
    reasons = dict.fromkeys(reason for case, reason in runs.missing.items() if _NEW in case)
    other_cases = [case for case in runs.missing if _NEW not in case]
    return [
        *published_style.missing_case_notes(runs, other_cases),
        *(f"not run: {control_name(_NEW)}: {reason}" for reason in reasons),
    ]


def set_logarithmic_x(panel: Axes) -> None:
    """Make the x axis logarithmic, with plain numbers instead of powers."""
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))

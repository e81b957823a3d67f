"""Sequence numbers over time, for a capture written by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from frrlib.plots import figures
from frrlib.plots.paper import Paper
from frrlib.results.layout import ResultsError
from frrlib.results.read import open_results
from frrlib.results.records import Results


def bars(panel: Axes) -> list[list[tuple[float, float, float]]]:
    """The bars of each kind: their times, and their lower and upper ends in kB."""
    return [
        [(float(bar[0][0]), float(bar[0][1]), float(bar[1][1])) for bar in np.asarray(collection.get_segments())]
        for collection in panel.collections
        if isinstance(collection, LineCollection)
    ]


def test_a_lost_packet_is_seen(captured: Results) -> None:
    (panel,) = figures.make("sequence", [captured]).axes
    data, sacks, again = bars(panel)
    assert data == [pytest.approx((0.01 * n, n, n + 1)) for n in range(7)]
    assert again == [pytest.approx(bar) for bar in ((0.091, 1, 2), (0.095, 3, 4), (0.1, 4, 5))]
    assert sacks[-1] == pytest.approx((0.12, 4, 7)) and len(sacks) == 6
    acknowledged, duplicates, _, twice = panel.get_lines()
    assert np.asarray(acknowledged.get_ydata()).tolist() == [1, 1, 1, 1, 1, 3, 7, 7]
    assert acknowledged.get_drawstyle() == "steps-post"
    assert np.asarray(duplicates.get_xdata()) == pytest.approx([0.051, 0.0701, 0.0902])
    assert np.asarray(twice.get_data()).ravel().tolist() == pytest.approx([0.14, 4.5])
    legend = panel.get_legend()
    assert legend is not None and [text.get_text() for text in legend.get_texts()] == [
        "data (7)", "retransmitted (3)", "acknowledged", "duplicate ACK (3)", "SACK (6)", "D-SACK (1)",
    ]  # fmt: skip
    assert panel.get_title(loc="left").endswith("captured at h1:e")


def test_both_scales_fit_the_visible_time(captured: Results) -> None:
    (panel,) = figures.make("sequence", [captured], from_s=0.09, to_s=0.125).axes
    assert panel.get_xlim() == pytest.approx((0.09, 0.125))
    low, high = panel.get_ylim()
    assert 0.8 < low < 1 and 5 < high < 5.2  # packets up to byte 5000, acknowledgments from byte 1000 on
    assert [len(kind) for kind in bars(panel)] == [3, 3]  # blocks and retransmissions
    with pytest.raises(ResultsError, match=r"no captured data of TCP in this time.*--from"):
        figures.make("sequence", [captured], from_s=5)


def test_it_can_be_without_texts_around_it(captured: Results) -> None:
    fig = figures.make("sequence", [captured], paper=Paper(legend=False, title=False, footer=False))
    assert fig.axes[0].get_legend() is None and fig.get_suptitle() == "" and fig.get_supxlabel() == ""


def test_a_run_without_captures_has_no_sequence_numbers(two_flows: Path) -> None:
    with pytest.raises(ResultsError, match=r"no captures.*--capture NODE:INTERFACE"):
        figures.make("sequence", [open_results(two_flows)])

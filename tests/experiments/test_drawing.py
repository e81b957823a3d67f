"""Figures of experiments: the numbers of a logarithmic axis are powers, and not what powers are written as."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from matplotlib.figure import Figure

from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.runs import Runs
from tests.experiments.small import SMALL


def test_a_logarithmic_axis_has_powers(tmp_path: Path) -> None:
    panels = []

    def draw(_: Runs) -> Figure:
        figure, (panel,) = published_style.new_figure()
        panel.plot([1, 1000], [1, 1000])
        panel.set_yscale("log")
        panels.append(panel)
        return figure

    picture = replace(SMALL.pictures[0], draw=draw)
    published_style.save_picture(picture, None, tmp_path)  # type: ignore[arg-type]  # it looks at no runs
    labels = [label for label in panels[0].get_yticklabels() if label.get_text()]
    assert labels and all(label.get_parse_math() for label in labels)

"""Fits figures to papers and slides: style sheets, sizes in inches, and figures without legend, title or footer."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.figure import Figure
from matplotlib.text import Text

from frrlib.plots.page import WIDTHS_INCHES, Size, fit_column, fit_slide


@dataclass(frozen=True)
class Sheet:
    """The requirements of a publisher.

    Attributes:
        size: the default size.
        widths_inches: its widths for sizes that differ from `WIDTHS_INCHES`.
        points: the size of letters in a column.
        style: the name of its style file in this package, without suffix; empty for the project's own.
    """

    size: Size
    widths_inches: dict[Size, float]
    points: float
    style: str = ""


#: The style sheets by their names. ACM's widths are those of its class acmart in the layout sigconf.
SHEETS = {
    "ieee": Sheet("column", {"column": 3.5, "page": 7.16}, 8.0, "ieee"),
    "acm": Sheet("column", {"column": 3.33, "page": 7.0}, 8.0, "acm"),
    "slides": Sheet("slide", {}, 7.0),
}
_OWN = Sheet("page", {}, 7.0)


@dataclass(frozen=True)
class Paper:
    """The look of a figure in a paper.

    Attributes:
        sheet: one of `SHEETS`; empty for the project's own style.
        width_inches, height_inches: None for the default of the size.
        legend, title, footer: whether the figure has them. Titles that distinguish panels stay.
    """

    sheet: str = ""
    width_inches: float | None = None
    height_inches: float | None = None
    legend: bool = True
    title: bool = True
    footer: bool = True


def sheet_of(paper: Paper) -> Sheet:
    """The style sheet of a paper."""
    return SHEETS[paper.sheet] if paper.sheet else _OWN


def size_for(width_inches: float) -> Size:
    """The size whose layout fits a width."""
    return "column" if width_inches < (WIDTHS_INCHES["column"] + WIDTHS_INCHES["page"]) / 2 else "page"


def fit_paper(fig: Figure, size: Size, paper: Paper) -> None:
    """Fit a figure to its size, and to the requirements of its paper."""
    sheet = sheet_of(paper)
    if size == "slide":
        fit_slide(fig)
    width = paper.width_inches or sheet.widths_inches.get(size)
    if width is not None:
        factor = width / fig.get_figwidth()
        fig.set_size_inches(width, fig.get_figheight() * factor)
    if size == "column":
        fit_column(fig, sheet.points)
    if paper.height_inches is not None:
        fig.set_figheight(paper.height_inches)
    if not paper.legend:
        _remove_legends(fig)
    if not paper.title:
        _remove_titles(fig)
    if not paper.footer and fig.get_supxlabel():
        fig.supxlabel("").set_in_layout(False)


def _remove_legends(fig: Figure) -> None:
    for panel in fig.axes:
        for axes in (panel, *panel.child_axes):
            if (legend := axes.get_legend()) is not None:
                legend.remove()
    for legend in [legend for part in (fig, *fig.subfigs) for legend in part.legends]:
        legend.remove()


def _remove_titles(fig: Figure) -> None:
    """Remove titles. If those of the panels differ, the last line of each remains."""
    for part in (fig, *fig.subfigs):
        if part.get_suptitle():
            part.suptitle("").set_in_layout(False)
        for legend in part.legends:
            legend.set_title("")
    titles = [
        text
        for panel in fig.axes
        for text in panel.findobj(Text)
        if isinstance(text, Text) and text.get_text() and text.get_text() == panel.get_title(loc="left")
    ]
    last_lines = [title.get_text().rpartition("\n")[2] for title in titles]
    are_different = len(set(last_lines)) > 1
    for title, line in zip(titles, last_lines, strict=True):
        title.set_text(line if are_different else "")

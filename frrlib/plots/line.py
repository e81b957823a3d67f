"""Draws statistics over a varied field: a line with confidence intervals for each congestion control."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from frrlib.model.flow_words import control_name
from frrlib.plots.fields import axis_label, values_text
from frrlib.plots.line_points import Curve, Fields, LineOptions, is_number, line_curves
from frrlib.plots.line_statistics import STATISTICS, Controls
from frrlib.plots.page import WIDTHS_INCHES, Size, page, styled
from frrlib.results.layout import ResultsError
from frrlib.results.palette import LINES, DashPattern, curve_styles
from frrlib.results.records import Results
from frrlib.results.statistics.differences import Value, field_text, value_text
from frrlib.results.statistics.intervals import CONFIDENCE
from frrlib.results.statistics.statistics import run_name

_MARKERS = "osD^vP*X"
#: Line styles of values, more than those of congestion controls.
_LINES: tuple[DashPattern, ...] = (*LINES, (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)))
#: The color of a line for several congestion controls together, and of signs in the legend without a color.
_TOGETHER, _SIGN = "#555555", "#333333"
#: The minimum width in inches of a figure with panels and a legend side by side.
_WIDE_INCHES = 5.0
#: The maximum number of panels side by side in a wide figure and in a narrow one.
_MOST_BESIDE = {True: 4, False: 2}
#: The maximum number of values on a logarithmic axis that are all labeled.
_MOST_LABELS = 8
_LETTERS_PER_INCH = 17
#: The size of markers that differs from that of the other sizes of figures.
_MARKER_POINTS: Mapping[Size, float] = {"column": 3.0, "slide": 7.0}
_CONTROL = "congestion control"
#: The maximum number of congestion controls in one line of a legend.
_MOST_CONTROLS = 4
_Legend = list[tuple[str, list[tuple[Line2D, str]]]]


@dataclass(frozen=True)
class _Looks:
    """The colors of congestion controls; line styles and markers by congestion control or by the values of a field."""

    colors: Mapping[Controls, str]
    lines: Mapping[object, DashPattern]
    markers: Mapping[object, str]
    marker_points: float


@dataclass(frozen=True)
class _Content:
    fields: Fields
    curves: Sequence[Curve]
    values: Mapping[str, Sequence[Value]]
    options: LineOptions

    @property
    def has_words(self) -> bool:
        """Whether the x axis has words at equal distances instead of numbers."""
        return not all(map(is_number, self.values[self.fields.x]))

    def position(self, x: Value) -> float:
        """The position of a value on the x axis."""
        return float(self.values[self.fields.x].index(x)) if self.has_words else float(x)


def line(
    runs: Sequence[Results], statistic: str = "goodput_mbit", size: Size = "page", options: LineOptions | None = None
) -> Figure:
    """Statistics over a field that differs between the runs, with the confidence intervals of repetitions.

    Args:
        runs: the runs of a sweep.
        statistic: one of `line_statistics.STATISTICS`, if the options have none.
        options: the fields and statistics; None for the defaults.

    Raises:
        ResultsError: a field or a statistic is unknown, or a logarithmic axis cannot show a value.
    """
    options = options or LineOptions()
    options = options if options.y else replace(options, y=(statistic,))
    content = _Content(*line_curves(runs, options), options)
    _check(content, runs)
    looks = _looks(content, _MARKER_POINTS.get(size, 4.0))
    with styled():
        groups = _legend_groups(content, looks)
        fig = _panels(content, looks, size, _legend_lines(groups))
        names = {run_name(run) for run in runs}
        if len(names) == 1:
            first = fig.axes[0]
            first.set_title("\n".join(filter(None, (names.pop(), first.get_title(loc="left")))), loc="left")
        _legend(fig, groups, is_wide=WIDTHS_INCHES[size] >= _WIDE_INCHES)
        letters = int(_LETTERS_PER_INCH * WIDTHS_INCHES[size] / (1.6 if size == "slide" else 1))
        fig.supxlabel(textwrap.fill(_footer(content), letters), fontsize="small")
    return fig


def _check(content: _Content, runs: Sequence[Results]) -> None:
    fields, folder = content.fields, runs[0].folder.parent
    for field, most in ((fields.line_style, len(_LINES)), (fields.marker, len(_MARKERS))):
        if field and len(content.values[field]) > most:
            signs = "line styles" if field == fields.line_style else "markers"
            raise ResultsError(folder, f"{field} has {len(content.values[field])} values, but there are {most} {signs}",
                               "use it for --x or --facet")  # fmt: skip
    if content.options.log_x:
        for x in content.values[fields.x]:
            if not is_number(x) or float(x) <= 0:
                raise ResultsError(folder, f"a logarithmic axis cannot show the value {value_text(x)} of {fields.x}",
                                   "omit --log")  # fmt: skip
    for curve in content.curves if content.options.log_y else ():
        for _, value in curve.points:
            if value.mean <= 0:
                raise ResultsError(folder, f"a logarithmic axis cannot show the value {value.mean:g} of "
                                   f"{curve.statistic}", "use --log x")  # fmt: skip


# --- panels -----------------------------------------------------------------------------------------------------------


def _panels(content: _Content, looks: _Looks, size: Size, legend_lines: int) -> Figure:
    """The figure with its panels: facets in columns and rows, and below each other for each statistic."""
    width = WIDTHS_INCHES[size]
    cells = _cells(content, _MOST_BESIDE[width >= _WIDE_INCHES])
    rows, columns = (1 + max(cell[at] for cell in cells) for at in (0, 1))
    if width >= _WIDE_INCHES:
        height = rows * max(1.5, 0.66 * width / max(columns, 1.4)) + 0.3
    else:
        height = rows * max(1.1, 0.5 * width / columns) + 0.7 + 0.16 * legend_lines
    fig = page(size, height / width / (1.3 if size == "column" else 1))
    grid = fig.add_gridspec(rows, columns)
    for (row, column), (statistic, facets) in cells.items():
        panel = fig.add_subplot(grid[row, column])
        for curve in content.curves:
            if curve.statistic == statistic and curve.facets == facets:
                _draw(panel, content, curve, looks)
        _x_axis(panel, content, is_lowest=(row + 1, column) not in cells)
        _y_axis(panel, content, statistic, is_first=column == 0 or not content.fields.facets)
        panel.set_title(_facet_title(content.fields, facets), loc="left")
    return fig


def _cells(content: _Content, most: int) -> dict[tuple[int, int], tuple[str, tuple[Value, ...]]]:
    """The statistic and the facets of each panel by its row and column."""
    fields, statistics = content.fields, list(dict.fromkeys(curve.statistic for curve in content.curves))
    across: Sequence[Value] = content.values[fields.facets[0]] if fields.facets else ()
    up: Sequence[Value] = content.values[fields.facets[1]] if len(fields.facets) > 1 else ()
    if not across or (len(statistics) == 1 and not up):
        panels = [(statistic, facets) for statistic in statistics for facets in _singles(across)]
        columns = min(most if across else max(1, most - 1), len(panels))
        return {divmod(number, columns): panel for number, panel in enumerate(panels)}
    rows = [(statistic, second) for statistic in statistics for second in _singles(up)]
    return {
        (row, column): (statistic, (value, *second))
        for row, (statistic, second) in enumerate(rows)
        for column, value in enumerate(across)
    }


def _singles(values: Sequence[Value]) -> list[tuple[Value, ...]]:
    """Each value as a tuple; an empty tuple without values."""
    return [(value,) for value in values] or [()]


def _facet_title(fields: Fields, facets: Sequence[Value]) -> str:
    return ", ".join(field_text(fields.short[field], value) for field, value in zip(fields.facets, facets, strict=True))


def _draw(panel: Axes, content: _Content, curve: Curve, looks: _Looks) -> None:
    means = np.array([value.mean for _, value in curve.points])
    bounds = [(value.low, value.high) if value.half is not None else (np.nan, np.nan) for _, value in curve.points]
    low, high = np.array(bounds, dtype=np.float64).T
    line_style = looks.lines[_key(content.fields.line_style, curve.line_style, curve)]
    marker = looks.markers[_key(content.fields.marker, curve.marker, curve)]
    panel.errorbar(
        [content.position(x) for x, _ in curve.points], means, yerr=(means - low, high - means),
        color=looks.colors[curve.controls], linestyle=line_style, marker=marker, markersize=looks.marker_points,
        capsize=2.5, elinewidth=0.8, capthick=0.8, label=_control_label(curve.controls),
    )  # fmt: skip


def _x_axis(panel: Axes, content: _Content, *, is_lowest: bool) -> None:
    xs = content.values[content.fields.x]
    positions = [content.position(x) for x in xs]
    least, most = min(positions), max(positions)
    if content.options.log_x:
        panel.set_xscale("log")
        _label_powers(panel.xaxis, positions)
        margin = (most / least) ** 0.06 if most > least else 1.5
        panel.set_xlim(least / margin, most * margin)
    else:
        margin = 0.06 * (most - least) or 0.5
        panel.set_xlim(least - margin, most + margin)
    if content.has_words:
        panel.set_xticks(positions, [value_text(x) for x in xs])
        panel.set_xlim(least - 0.3, most + 0.3)
    if is_lowest:
        panel.set_xlabel(axis_label(content.fields.short[content.fields.x]))
    panel.tick_params(labelbottom=is_lowest)


def _y_axis(panel: Axes, content: _Content, statistic: str, *, is_first: bool) -> None:
    """The scale of a statistic is the same in all of its panels; a linear one begins at 0."""
    intervals = [value for curve in content.curves if curve.statistic == statistic for _, value in curve.points]
    highs = [value.mean if value.high is None else value.high for value in intervals]
    lows = [value.mean if value.low is None else value.low for value in intervals]
    if content.options.log_y:
        panel.set_yscale("log")
        _label_powers(panel.yaxis, [])
        positive = [low for low in (*lows, *(value.mean for value in intervals)) if low > 0]
        panel.set_ylim(min(positive) / 1.15, max(highs) * 1.15)
    else:
        bottom = min(0.0, *(value.mean for value in intervals))
        panel.set_ylim(bottom * 1.08, 1.08 * max(highs) or 1.0)
    if is_first:
        panel.set_ylabel(STATISTICS[statistic].label)
    panel.tick_params(labelleft=is_first)


def _label_powers(axis: Axis, positions: Sequence[float]) -> None:
    """Label a logarithmic axis with plain numbers: with these, or else with 1, 2 and 5 of each power of ten."""
    if 0 < len(positions) <= _MOST_LABELS:
        axis.set_ticks(list(positions))
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


# --- looks and legend -------------------------------------------------------------------------------------------------


def _looks(content: _Content, marker_points: float) -> _Looks:
    fields, values = content.fields, content.values
    controls = list(dict.fromkeys(curve.controls for curve in content.curves))
    styles = dict(zip(controls, curve_styles([_control_label(names, "+") for names in controls]), strict=True))
    single = [names for names in controls if len(names) < 2]
    colors = {names: style.colour for names, style in styles.items()}
    if len(controls) - len(single) == 1:
        colors[next(names for names in controls if len(names) > 1)] = _TOGETHER
    lines: dict[object, DashPattern] = {names: style.line_style for names, style in styles.items()}
    markers: dict[object, str] = {names: _MARKERS[at % len(_MARKERS)] for at, names in enumerate(controls)}
    if fields.line_style:
        lines = dict(zip(values[fields.line_style], _LINES, strict=False))
    if fields.marker:
        markers = dict(zip(values[fields.marker], _MARKERS, strict=False))
    return _Looks(colors, lines, markers, marker_points)


def _key(field: str, value: Value, curve: Curve) -> object:
    return value if field else curve.controls


def _control_label(controls: Controls, between: str = "") -> str:
    """The names of congestion controls for people, or those of the kernel with a sign between them."""
    if between:
        return between.join(controls)
    return ", ".join(control_name(control) or "others" for control in controls)


def _legend_groups(content: _Content, looks: _Looks) -> _Legend:
    """The signs of the legend with their words, without those that all lines have in common."""
    fields, groups = content.fields, []
    controls = sorted({curve.controls for curve in content.curves})
    if len(controls) > 1:
        signs = [
            (
                _sign(
                    looks.colors[names],
                    "-" if fields.line_style else looks.lines[names],
                    "" if fields.marker else looks.markers[names],
                    looks,
                ),
                _control_label(names),
            )
            for names in controls
        ]
        groups.append((_CONTROL, signs))
    if fields.line_style:
        lines = [(_sign(_SIGN, looks.lines[value], "", looks), value) for value in content.values[fields.line_style]]
        groups.append(
            (axis_label(fields.short[fields.line_style]), [(sign, value_text(value)) for sign, value in lines])
        )
    if fields.marker:
        marks = [(_sign(_SIGN, "none", looks.markers[value], looks), value) for value in content.values[fields.marker]]
        groups.append((axis_label(fields.short[fields.marker]), [(sign, value_text(value)) for sign, value in marks]))
    return groups


def _sign(color: str, line_style: Any, marker: str, looks: _Looks) -> Line2D:
    return Line2D([], [], color=color, linestyle=line_style, marker=marker, markersize=looks.marker_points)


def _legend(fig: Figure, groups: _Legend, *, is_wide: bool) -> None:
    """A legend at the right of a wide figure, or above a narrow one with a column for each group."""
    if not groups:
        return
    nothing = Line2D([], [], linestyle="none")
    if _is_plain(groups):
        signs = groups[0][1]
        columns = 1 if is_wide else min(_MOST_CONTROLS, len(signs))
    elif is_wide:
        signs, columns = [sign for header, parts in groups for sign in [(nothing, header), *parts]], 1
    else:
        most = max(len(parts) for _, parts in groups)
        signs = [sign for header, parts in groups
                 for sign in [(nothing, header), *parts, *[(nothing, "")] * (most - len(parts))]]  # fmt: skip
        columns = len(groups)
    legend = fig.legend(
        [handle for handle, _ in signs], [label for _, label in signs], ncols=columns,
        loc="outside right upper" if is_wide else "outside upper center", columnspacing=1.2,
        handlelength=2.4,
    )  # fmt: skip
    headers = {header for header, _ in groups}
    for text in legend.get_texts():
        if text.get_text() in headers and not _is_plain(groups):
            text.set_fontstyle("italic")


def _is_plain(groups: _Legend) -> bool:
    """Whether a legend has congestion controls only, and so needs no headers."""
    return len(groups) == 1 and groups[0][0] == _CONTROL


def _legend_lines(groups: _Legend) -> int:
    """The number of lines of a legend above a narrow figure."""
    if _is_plain(groups):
        return -(-len(groups[0][1]) // _MOST_CONTROLS)
    return max((1 + len(parts) for _, parts in groups), default=0)


def _footer(content: _Content) -> str:
    """The number of repetitions, the meaning of the bars, and everything that all lines have in common."""
    fields, counts = content.fields, {value.n for curve in content.curves for _, value in curve.points}
    controls = {curve.controls for curve in content.curves}
    parts = [_control_label(names) for names in controls if len(controls) == 1 and names != ("",)]
    least, most = min(counts), max(counts)
    if most > 1:
        many = f"n = {most}" if least == most else f"n = {least} to {most}"
        parts.append(f"{CONFIDENCE * 100:.0f} % confidence intervals, {many}")
    else:
        parts.append("one run for each point")
    if fields.averaged:
        others = "; ".join(values_text(fields.short[field], content.values[field]) for field in fields.averaged)
        parts.append(f"means and intervals are over {others}")
    return "; ".join(part for part in parts if part)

"""Colors of plots: those of the figures of runs, lighter on a dark background."""

from __future__ import annotations

from collections.abc import Mapping

from frrlib.picture.colors import curve
from frrlib.picture.theme import Theme
from frrlib.results.flow_names import named_flow
from frrlib.results.palette import BLACK, FAULT, ORANGE, PURPLE, QUEUE_COLORS, SKY, CurveStyle
from miniedit_frr.live.curves import Curve
from miniedit_frr.live.samples import LiveRun

#: BBR's phases, in the order of `phases.PHASES`.
_PHASES = (ORANGE, PURPLE, SKY, BLACK)
_CPU = {"machine": ORANGE, "lab kernel": SKY}
_TOTAL_GREY = {"light": "#8a949e", "dark": "#98a3ad"}


def phase_color(phase: int, theme: Theme) -> str:
    """The color of a phase of BBR, by its number."""
    return curve(_PHASES[phase], theme)


def mark_color(kind: str, theme: Theme) -> str:
    """The color of a mark on the time axis."""
    return {"fault": curve(FAULT, theme), "daemon": curve(FAULT, theme), "cleared": theme.up, "rate": theme.note}.get(
        kind, theme.link if kind == "flow" else theme.accent
    )


class PlotColors:
    """The looks of a run's curves in a theme."""

    def __init__(self, run: LiveRun, theme: Theme) -> None:
        self.theme = theme
        self._flows = run.looks()
        self._queues = queue_colors(run)

    def look(self, of: str, subject: str) -> CurveStyle:
        """The look of a flow, queue, processor or of the whole run."""
        if of == "flow" and subject in self._flows:
            look = self._flows[subject]
            return CurveStyle(curve(look.colour, self.theme), look.line_style, look.width + 0.2)
        if of == "queue":
            return CurveStyle(curve(self._queues.get(subject, BLACK), self.theme), "-", 1.1)
        if of == "cpu":
            return CurveStyle(curve(_CPU.get(subject, PURPLE), self.theme), "-", 1.2)
        return CurveStyle(_TOTAL_GREY[self.theme.name], "-", 1.0)

    def of_line(self, line: Curve) -> CurveStyle:
        """The look of a curve: accompanying curves are dotted, limits dashed, retransmissions red."""
        look = self.look(line.of, line.subject)
        if line.style == "aside":
            return CurveStyle(look.colour, (0, (1, 1.5)), 0.9)
        if line.style == "limit":
            return CurveStyle(look.colour, (0, (5, 3)), 0.8)
        if line.style == "resent":
            return CurveStyle(curve(FAULT, self.theme), "-", look.width)
        return look


def queue_colors(run: LiveRun) -> Mapping[str, str]:
    """The colors of the queues with a curve, as in the run's figure."""
    return dict(zip(run.busy_queues(), QUEUE_COLORS, strict=False))


def curve_name(line: Curve, run: LiveRun) -> str:
    """A curve's name for people."""
    if line.of == "flow" and line.subject in run.flows:
        return named_flow(line.subject, run.flows[line.subject].control)
    return line.subject

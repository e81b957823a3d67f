"""Comparisons: asks for the values of one field, runs the drawing with each of them, and shows one figure of all runs.

A comparison is a sweep over that field: of the queueing discipline of a link, or of the congestion control of flows.
"""

from __future__ import annotations

import subprocess
import tkinter as tk
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from frrlib.addressing.resolved import resolved
from frrlib.edits.changes import replace_link
from frrlib.model.links import Link
from frrlib.model.queues import DISCIPLINES
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from frrlib.prediction.flow_paths import PathFinder
from miniedit_frr.dialogs.dialog import FormDialog
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.quantities import RATE_MBIT, TIME_MS
from miniedit_frr.dialogs.forms.shared import control_names
from miniedit_frr.dialogs.parts import Tab
from miniedit_frr.editor.parts import Parts
from miniedit_frr.runs.collector import reason_of_failure
from miniedit_frr.runs.controller import RunController
from miniedit_frr.runs.figure_saver import FigureDrawing
from miniedit_frr.runs.figure_window import FigureWindow
from miniedit_frr.runs.list_panel import RunRow
from miniedit_frr.sweeps.controller import SweepController
from miniedit_frr.widgets.worker import Worker

#: The values that are ticked at first.
_QUEUES, _CONTROLS = ("pfifo", "codel", "fq_codel"), ("cubic", "bbr")
#: The proposed rate and one-way delay of a link without a rate.
_RATE_MBIT, _DELAY_MS = 10.0, 20.0
_TOO_FEW = "Choose at least two."
_FIGURE = "comparison.png"
_NO_FLOWS = "The drawing has no flows to compare. Draw a flow first."
_ABOUT_QUEUES = (
    "Runs the drawing once with each queueing discipline on this link, and draws goodput, RTT and queueing delay of "
    "all runs in one figure."
)
_ABOUT_CONTROLS = (
    "Runs the drawing once with each congestion control, and draws goodput, RTT and queueing delay of all runs in one "
    "figure."
)


@dataclass(frozen=True)
class QueueComparison:
    """The queueing disciplines to compare on a link, and the link's rate and one-way delay in both directions."""

    disciplines: tuple[str, ...]
    rate_mbit: float
    delay_ms: float


@dataclass(frozen=True)
class ControlComparison:
    """The congestion controls to compare."""

    controls: tuple[str, ...]


AnyComparison = QueueComparison | ControlComparison


class Comparisons:
    """Asks for the compared values, and starts the sweep.

    Attributes:
        dialog: the last dialog; None before the first.
        figure: the window with the last figure; None before the first.

    Args:
        parts: the parts of the window.
        title: returns the title of the topology, which names the folder of the results.
    """

    def __init__(self, parts: Parts, sweeps: SweepController, runs: RunController, title: Callable[[], str]) -> None:
        self._main, self._document, self._dialogs, self._view = parts.main, parts.document, parts.dialogs, parts.view
        self._sweeps, self._runs, self._title = sweeps, runs, title
        self._worker = Worker(parts.main.root)
        self.dialog: FormDialog | None = None
        self.figure: FigureWindow | None = None

    def fill_context_menu(self, menu: tk.Menu, key: Key | None) -> None:
        """Add the comparison to the context menu of a link or a flow."""
        if key is None or key.kind not in ("link", "flow") or not self._document.topology.flows:
            return
        menu.add_separator()
        if key.kind == "link":
            menu.add_command(label="Compare Queues…", command=partial(self.compare_queues, key.name))
        else:
            menu.add_command(label="Compare Congestion Controls…", command=partial(self.compare_controls, key.name))

    def compare_queues(self, link_id: str = "") -> None:
        """Compare queueing disciplines on a link: by default the selected one, else the slowest on a flow's path."""
        topology = self._document.topology
        link = topology.link(link_id or self._selected("link")) or bottleneck(topology)
        if not topology.flows or link is None:
            self._main.say("No flow crosses a link. Draw a flow between two linked nodes first." if topology.flows
                           else _NO_FLOWS)  # fmt: skip
            return
        title = f"Queues of the link {link.a.node} - {link.b.node}"
        initial = QueueComparison((), link.a_to_b.rate_mbit or _RATE_MBIT, _delay_ms(link))
        fields = [Field("disciplines", "Queues", kinds.checks(DISCIPLINES), "At least two queueing disciplines.")]
        if _is_even(link):
            fields += [
                Field("rate_mbit", "Rate", kinds.quantity(RATE_MBIT), "Rate of the link. Queues form at its ends only "
                      "if flows can exceed it."),
                Field("delay_ms", "Delay", kinds.quantity(TIME_MS), "One-way delay of the link."),
            ]  # fmt: skip

        def begin(comparison: QueueComparison) -> str:
            if _is_even(link):
                self._shape(link.id, comparison.rate_mbit, comparison.delay_ms)
            self._start(f"link:{link.id}.queue={','.join(comparison.disciplines)}", title)
            return ""

        self._ask(title, Tab(title, tuple(fields), about=_ABOUT_QUEUES), initial, {"disciplines": _QUEUES}, begin)

    def compare_controls(self, flow_id: str = "") -> None:
        """Compare congestion controls of a flow: by default of the selected one, else of all flows."""
        topology = self._document.topology
        if not topology.flows:
            self._main.say(_NO_FLOWS)
            return
        which = flow_id or self._selected("flow")
        title = f"Congestion controls of {which}" if which else "Congestion controls"
        names = control_names(topology, self._dialogs.added_controls())
        field = Field("controls", "Congestion controls", kinds.checks(names), "At least two congestion controls.")

        def begin(comparison: ControlComparison) -> str:
            self._start(f"flow:{which or '*'}.cc={','.join(comparison.controls)}", title)
            return ""

        tab = Tab(title, (field,), about=_ABOUT_CONTROLS)
        self._ask(title, tab, ControlComparison(()), {"controls": _CONTROLS}, begin)

    def _selected(self, kind: str) -> str:
        """The ID of the selected link or flow; empty unless exactly one is selected."""
        names = [key.name for key in self._view.selection if key.kind == kind]
        return names[0] if len(names) == 1 else ""

    def _ask(
        self,
        title: str,
        tab: Tab,
        initial: AnyComparison,
        ticked: dict[str, Sequence[str]],
        begin: Callable[..., str],
    ) -> None:
        if self._sweeps.is_going:
            self._main.say("A sweep is running. Compare when it has ended.")
            return
        if self.dialog is not None and self.dialog.is_open:
            self.dialog.close()

        def refuse(values: tuple[AnyComparison, ...]) -> tuple[str, str] | None:
            (field,) = ticked
            return None if len(getattr(values[0], field)) > 1 else (field, _TOO_FEW)

        def accept(values: tuple[AnyComparison, ...]) -> str:
            return _TOO_FEW if refuse(values) else begin(values[0])

        self.dialog = FormDialog(self._main.root, title, (tab,), (initial,), self._main.ui, accept, refuse=refuse)
        self.dialog.ok_button.configure(text="Compare")
        self.dialog.apply_button.pack_forget()
        # As edits, so that the button accepts them without further ones.
        self.dialog.draft.put_all({name: " ".join(names) for name, names in ticked.items()})

    def _shape(self, link_id: str, rate_mbit: float, delay_ms: float) -> None:
        """Give both directions of a link this rate and delay, as one edit, unless they have them."""
        topology = self._document.topology
        link = topology.link(link_id)
        if link is None:
            return
        update = {"rate_mbit": rate_mbit, "delay_ms": delay_ms}
        shaped = link.model_copy(
            update={name: getattr(link, name).model_copy(update=update) for name in ("a_to_b", "b_to_a")}
        )
        if shaped != link:
            self._document.apply("Shape Link", replace_link(topology, link_id, shaped))

    def _start(self, axis: str, title: str) -> None:
        self._sweeps.compare(self._title(), axis, partial(self._draw, title))

    def _draw(self, title: str, folder: Path, runs: Path) -> None:
        """Draw the runs below a folder into one figure, in a process of its own, and show it."""
        picture = folder / _FIGURE
        drawing = FigureDrawing((runs,), "overlay")
        command = drawing.command(picture)
        self._main.say("Drawing the comparison …")

        def draw() -> subprocess.CompletedProcess[str]:
            return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

        def show(drawn: subprocess.CompletedProcess[str]) -> None:
            if drawn.returncode:
                self._main.say(f"The comparison cannot be drawn: {reason_of_failure(drawn.stderr)}")
                return
            row = RunRow("", title, "", "", str(folder))
            self.figure = FigureWindow(
                self._main.root, title, picture, partial(self._runs.open_folder, row),
                partial(self._runs.figure_saver.save, drawing), self._main.ui,
            )  # fmt: skip
            self._main.say(f"The figure is {picture}.")

        self._worker.do("comparison", draw, show)


def bottleneck(topology: Topology) -> Link | None:
    """The slowest link on the path of the first flow; of links without a rate, the last one. None without a path."""
    flow, full = topology.flows[0] if topology.flows else None, resolved(topology)
    hops = PathFinder(full).path(flow.source, flow.destination) if flow is not None else None
    links = [link for hop in reversed(hops or ()) if (link := topology.link(hop[0].id)) is not None]
    return min(links, key=lambda link: link.a_to_b.rate_mbit or float("inf"), default=None)


def _is_even(link: Link) -> bool:
    """Whether both directions have the same rate and delay."""
    forward, reverse = link.a_to_b, link.b_to_a
    return (forward.rate_mbit, forward.delay_ms) == (reverse.rate_mbit, reverse.delay_ms)


def _delay_ms(link: Link) -> float:
    """The proposed delay: that of the link, unless it has neither rate nor delay."""
    shape = link.a_to_b
    return shape.delay_ms if shape.rate_mbit is not None or shape.delay_ms else _DELAY_MS

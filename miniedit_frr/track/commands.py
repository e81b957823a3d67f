"""Commands of keys and menus for the selected entries of a plan; every edit goes through the document's gate."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from frrlib.edits import schedule
from frrlib.edits.schedule import ScheduleEdit, ScheduleKey
from frrlib.errors import LabError, TopologyError
from frrlib.model.courses import read_trace
from frrlib.model.fault_words import parse, parse_planned
from frrlib.model.faults import Fault
from frrlib.model.flows import Flow
from frrlib.model.labels import with_remedy
from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from miniedit_frr.track import texts

#: A trace is a text of at most this many bytes: a larger file is of another kind.
_LARGEST_TRACE = 8_000_000


class PlanEdits:
    """Edits of the plan of a document.

    Attributes:
        selection: the entries that are selected.
        on_select: called after others were selected.
        refusal: says why the plan must not change now; empty where it may.
        say: tells people.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.selection: frozenset[ScheduleKey] = frozenset()
        self.on_select: list[Callable[[], None]] = []
        self.lock_reason: Callable[[], str] = lambda: ""
        self.say: Callable[[str], None] = lambda words: None
        self._copied: tuple[Flow | Fault, ...] = ()

    @property
    def topology(self) -> Topology:
        """The drawing."""
        return self.document.topology

    def select(self, chosen: Collection[ScheduleKey]) -> None:
        """Select these entries, as far as they are there."""
        before = self.selection
        self.selection = frozenset(chosen) & frozenset(schedule.entries(self.topology))
        if before != self.selection:
            for listener in self.on_select:
                listener()

    def follow(self, before: Topology, after: Topology) -> None:
        """The drawing has changed: entries that are still in the plan stay selected, wherever they are now."""
        kept = schedule.matching_keys(before, after, self.selection)
        self.selection = frozenset()
        self.select(kept)
        for listener in self.on_select:
            listener()

    def may_edit(self) -> bool:
        """Whether the plan may change now; if not, the user is told why."""
        why = self.lock_reason()
        if why:
            self.say(why)
        return not why

    def apply(self, label: str, change: ScheduleEdit) -> None:
        """Make an edit; the selection stays."""
        chosen = [change.now[key] for key in self.selection if key in change.now]
        if self.may_edit():
            self.document.apply(label, change.topology)
            self.select(chosen)

    # --- what is selected -------------------------------------------------------------------------------------------

    @property
    def _called(self) -> str:
        return texts.describe_entries(self.topology, self.selection)

    def delete(self, label: str = "Delete") -> None:
        """Remove the selection from the plan."""
        if self.selection:
            self.apply(f"{label} {self._called}", schedule.removed(self.topology, self.selection))

    def nudge(self, by_s: float) -> None:
        """Move the selection to an earlier or later time."""
        if self.selection:
            self.apply(f"Move {self._called}", schedule.shifted(self.topology, self.selection, by_s))

    def stretch(self, by_s: float) -> None:
        """Make the selection last longer or shorter."""
        if self.selection:
            self.apply(f"Length of {self._called}", schedule.prolonged(self.topology, self.selection, by_s))

    def set_duration(self, duration_s: float | None) -> None:
        """Have the selection mended after a time, or never."""
        self.apply(f"Length of {self._called}", schedule.with_duration(self.topology, self.selection, duration_s))

    def copy(self) -> None:
        """Copy the selection."""
        there = schedule.entries(self.topology)
        self._copied = tuple(there[key] for key in there if key in self.selection) or self._copied

    def cut(self) -> None:
        """Copy the selection, then remove it."""
        self.copy()
        self.delete("Cut")

    @property
    def can_paste(self) -> bool:
        """Whether anything was copied."""
        return bool(self._copied)

    def paste(self, time_s: float | None = None) -> None:
        """Plan the copied entries once more: the first one at a time, else where the copied ones are over."""
        self._add("Paste", self._copied, time_s)

    def duplicate(self) -> None:
        """Plan the selection once more, after its end."""
        there = schedule.entries(self.topology)
        self._add("Duplicate", [there[key] for key in there if key in self.selection], None)

    def _add(self, verb: str, values: Collection[Flow | Fault], time_s: float | None) -> None:
        if not values or not self.may_edit():
            return
        first_s = min(schedule.begins_s(each) for each in values)
        over_s = max(schedule.begins_s(each) + (schedule.lasts_s(each) or 1.0) for each in values)
        at_s = over_s if time_s is None else time_s
        topology, new = schedule.added(self.topology, values, at_s - first_s)
        self.document.apply(f"{verb} {texts.describe_entries(topology, new)}", topology)
        self.select(new)

    # --- what is new ------------------------------------------------------------------------------------------------

    def plan(self, words: str, time_s: float) -> str:
        """Plan the fault that some words describe; returns why they describe none, or nothing."""
        return self._plan(lambda: [parse(self.topology, words.split(), time_s)])

    def plan_words(self, text: str) -> str:
        """Plan the fault that a time and words describe; returns why they describe none, or nothing."""
        return self._plan(lambda: [parse_planned(self.topology, text)])

    def plan_trace(self, path: Path, link: str, time_s: float) -> str:
        """Have a link follow a trace in a file; returns why it cannot, or nothing."""

        def read() -> list[Fault]:
            try:
                with open(path, encoding="utf-8") as file:
                    text = file.read(_LARGEST_TRACE + 1)
            except (OSError, UnicodeDecodeError) as error:
                raise TopologyError(f"{path.name} cannot be read: {error}") from None
            if len(text) > _LARGEST_TRACE:
                raise TopologyError(f"{path.name} is too large for a trace", right="up to 8 MB")
            return list(schedule.trace_faults(read_trace(text), link, time_s))

        return self._plan(read)

    def change(self, key: ScheduleKey, text: str) -> str:
        """Replace a fault by the one that a time and words describe; returns why they describe none, or nothing."""
        refused = self.lock_reason()
        if refused:
            return refused
        try:
            fault = parse_planned(self.topology, text)
        except LabError as error:
            return _why(error)
        label = f"Change {texts.describe_entries(self.topology, [key])}"
        self.apply(label, schedule.replaced(self.topology, {key: fault}))
        return ""

    def _plan(self, read: Callable[[], Collection[Fault]]) -> str:
        refused = self.lock_reason()
        if refused:
            return refused
        try:
            topology, new = schedule.added(self.topology, read())
        except LabError as error:
            return _why(error)
        self.document.apply(f"Plan {texts.describe_entries(topology, new)}", topology)
        self.select(new)
        return ""


def _why(error: LabError) -> str:
    """The error and the remedy, without the field: there is none to be seen."""
    if not isinstance(error, TopologyError):
        return str(error)
    about = f"{error.node}: " if error.node and error.node not in error.why else ""
    return about + with_remedy(error.why, error.right)

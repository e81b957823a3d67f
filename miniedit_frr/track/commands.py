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

#: Maximum size of a trace, in bytes. A larger file is not a trace.
_MAX_TRACE_BYTES = 8_000_000


class PlanEdits:
    """Edits of the plan of a document.

    Attributes:
        selection: the selected entries.
        on_select: called after the selection has changed.
        lock_reason: returns the reason why the plan is locked; empty if it is not.
        say: shows a message to the user.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.selection: frozenset[ScheduleKey] = frozenset()
        self.on_select: list[Callable[[], None]] = []
        self.lock_reason: Callable[[], str] = lambda: ""
        self.say: Callable[[str], None] = lambda message: None
        self._copied: tuple[Flow | Fault, ...] = ()

    @property
    def topology(self) -> Topology:
        """The topology with the plan."""
        return self.document.topology

    def select(self, keys: Collection[ScheduleKey]) -> None:
        """Select these entries, if they exist."""
        previous = self.selection
        self.selection = frozenset(keys) & frozenset(schedule.entries(self.topology))
        if previous != self.selection:
            for listener in self.on_select:
                listener()

    def follow(self, previous: Topology, current: Topology) -> None:
        """Handle a change of the topology. Entries that are still in the plan stay selected."""
        remaining = schedule.matching_keys(previous, current, self.selection)
        self.selection = frozenset()
        self.select(remaining)
        for listener in self.on_select:
            listener()

    def may_edit(self) -> bool:
        """Whether the plan may change now. If not, the reason is shown."""
        reason = self.lock_reason()
        if reason:
            self.say(reason)
        return not reason

    def apply(self, label: str, change: ScheduleEdit) -> None:
        """Make an edit; the selection stays."""
        selected = [change.now[key] for key in self.selection if key in change.now]
        if self.may_edit():
            self.document.apply(label, change.topology)
            self.select(selected)

    # --- the selection ---------------------------------------------------------------------------------------------

    @property
    def _selection_name(self) -> str:
        return texts.describe_entries(self.topology, self.selection)

    def delete(self, label: str = "Delete") -> None:
        """Remove the selection from the plan."""
        if self.selection:
            self.apply(f"{label} {self._selection_name}", schedule.removed(self.topology, self.selection))

    def nudge(self, by_s: float) -> None:
        """Move the selection to an earlier or later time."""
        if self.selection:
            self.apply(f"Move {self._selection_name}", schedule.shifted(self.topology, self.selection, by_s))

    def stretch(self, by_s: float) -> None:
        """Make the selection last longer or shorter."""
        if self.selection:
            self.apply(f"Length of {self._selection_name}", schedule.prolonged(self.topology, self.selection, by_s))

    def set_duration(self, duration_s: float | None) -> None:
        """Let the selected faults end after a time, or never."""
        self.apply(
            f"Length of {self._selection_name}", schedule.with_duration(self.topology, self.selection, duration_s)
        )

    def copy(self) -> None:
        """Copy the selection."""
        entries = schedule.entries(self.topology)
        self._copied = tuple(entries[key] for key in entries if key in self.selection) or self._copied

    def cut(self) -> None:
        """Copy the selection, then remove it."""
        self.copy()
        self.delete("Cut")

    @property
    def can_paste(self) -> bool:
        """Whether anything was copied."""
        return bool(self._copied)

    def paste(self, time_s: float | None = None) -> None:
        """Plan the copied entries once more: the first one at a time, else after the end of the copied ones."""
        self._add("Paste", self._copied, time_s)

    def duplicate(self) -> None:
        """Plan the selection once more, after its end."""
        entries = schedule.entries(self.topology)
        self._add("Duplicate", [entries[key] for key in entries if key in self.selection], None)

    def _add(self, verb: str, entries: Collection[Flow | Fault], time_s: float | None) -> None:
        if not entries or not self.may_edit():
            return
        first_s = min(schedule.begins_s(entry) for entry in entries)
        end_s = max(schedule.begins_s(entry) + (schedule.lasts_s(entry) or 1.0) for entry in entries)
        at_s = end_s if time_s is None else time_s
        topology, new = schedule.added(self.topology, entries, at_s - first_s)
        self.document.apply(f"{verb} {texts.describe_entries(topology, new)}", topology)
        self.select(new)

    # --- new entries ------------------------------------------------------------------------------------------------

    def plan(self, command: str, time_s: float) -> str:
        """Plan the fault of a command. Returns the reason why it is invalid, or an empty text."""
        return self._plan(lambda: [parse(self.topology, command.split(), time_s)])

    def plan_words(self, text: str) -> str:
        """Plan the fault of a time and a command. Returns the reason why they are invalid, or an empty text."""
        return self._plan(lambda: [parse_planned(self.topology, text)])

    def plan_trace(self, path: Path, link: str, time_s: float) -> str:
        """Let a link follow a trace in a file. Returns the reason why it cannot, or an empty text."""

        def read() -> list[Fault]:
            try:
                with open(path, encoding="utf-8") as file:
                    text = file.read(_MAX_TRACE_BYTES + 1)
            except (OSError, UnicodeDecodeError) as error:
                raise TopologyError(f"{path.name} cannot be read: {error}") from None
            if len(text) > _MAX_TRACE_BYTES:
                raise TopologyError(f"{path.name} is too large for a trace", remedy="up to 8 MB")
            return list(schedule.trace_faults(read_trace(text), link, time_s))

        return self._plan(read)

    def change(self, key: ScheduleKey, text: str) -> str:
        """Replace a fault by a time and a command. Returns the reason why they are invalid, or an empty text."""
        reason = self.lock_reason()
        if reason:
            return reason
        try:
            fault = parse_planned(self.topology, text)
        except LabError as error:
            return _error_text(error)
        label = f"Change {texts.describe_entries(self.topology, [key])}"
        self.apply(label, schedule.replaced(self.topology, {key: fault}))
        return ""

    def _plan(self, read: Callable[[], Collection[Fault]]) -> str:
        reason = self.lock_reason()
        if reason:
            return reason
        try:
            topology, new = schedule.added(self.topology, read())
        except LabError as error:
            return _error_text(error)
        self.document.apply(f"Plan {texts.describe_entries(topology, new)}", topology)
        self.select(new)
        return ""


def _error_text(error: LabError) -> str:
    """The error and the remedy, without the field, since no form is open."""
    if not isinstance(error, TopologyError):
        return str(error)
    prefix = f"{error.node}: " if error.node and error.node not in error.message else ""
    return prefix + with_remedy(error.message, error.remedy)

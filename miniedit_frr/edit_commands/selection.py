"""The Edit and Arrange menus: commands for the selection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from frrlib.edits import arrange, clipboard
from frrlib.edits.annotations import replace_annotation, shift_annotations
from frrlib.edits.changes import add_flow, replace_link, set_flows
from frrlib.errors import LabError
from frrlib.model.annotations import Annotation
from frrlib.model.flows import Flow
from frrlib.model.links import Link
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from miniedit_frr.dialogs.sheets import write_sheet
from miniedit_frr.tools import chosen
from miniedit_frr.tools.base import ToolContext

#: Distance of a copy from its original in both directions, so that neither covers the other or its name.
_COPY_OFFSET = 60.0


class EditCommands:
    """Menu commands for the selection; every edit goes through the document's gate.

    Attributes:
        say: shows a message, and keeps it in the log.
    """

    def __init__(self, context: ToolContext, say: Callable[[str], None]) -> None:
        self._document, self._view, self.say = context.document, context.view, say
        self._clip: clipboard.Clip | None = None
        self._pastes = 0

    def apply(self, label: str, make: Callable[[], Topology]) -> bool:
        """Make an edit. If the model refuses it, the reason is shown. Returns whether it was made."""
        try:
            self._document.apply(label, make())
        except LabError as error:
            self.say(str(error))
            self._view.bell()
            return False
        return True

    @property
    def names(self) -> list[str]:
        """The names of the selected nodes."""
        return chosen.node_names(self._view.selection)

    @property
    def annotation_ids(self) -> list[str]:
        """The ids of the selected notes and shapes."""
        return chosen.annotation_ids(self._view.selection)

    @property
    def can_copy(self) -> bool:
        """Whether nodes, notes or shapes are selected."""
        return bool(self.names or self.annotation_ids)

    @property
    def can_duplicate(self) -> bool:
        """Whether nodes, notes, shapes or flows are selected."""
        return self.can_copy or bool(chosen.flow_ids(self._view.selection))

    @property
    def can_paste(self) -> bool:
        """Whether anything was copied."""
        return self._clip is not None

    def copy(self) -> None:
        """Copy the selected nodes with the links among them, and the selected notes and shapes."""
        self._clip = clipboard.copy(self._document.topology, self.names, self.annotation_ids)
        self._pastes = 0

    def cut(self) -> None:
        """Copy, then delete."""
        self.copy()
        self.delete("Cut")

    def paste(self) -> None:
        """Insert the copy beside the original, each time a bit farther, and select it."""
        part = self._clip
        if part is not None:
            self._pastes += 1
            self._insert_copy(
                "Paste",
                lambda topology, offset: clipboard.paste(topology, part, offset, offset),
                _COPY_OFFSET * self._pastes,
            )

    def duplicate(self) -> None:
        """Insert a copy of the selection beside it; the clipboard stays unchanged. A copied flow is between the same
        nodes, unless these are copied, too.
        """
        names, ids = self.names, self.annotation_ids
        if not self.can_copy:
            self._duplicate_flows()
            return
        self._insert_copy(
            "Duplicate",
            lambda topology, offset: clipboard.duplicate(topology, names, offset, offset, ids),
            _COPY_OFFSET,
        )

    def _duplicate_flows(self) -> None:
        topology, keys, new = self._document.topology, self._view.selection, []
        for flow in [flow for flow in topology.flows if Key("flow", flow.id) in keys]:
            topology, name = add_flow(topology, flow.source, flow.destination, flow)
            new.append(Key("flow", name))
        self._document.apply(f"Duplicate {chosen.selection_name(keys)}", topology)
        self._view.select(new)

    def _insert_copy(
        self, label: str, make: Callable[[Topology, float], tuple[Topology, dict[str, str]]], offset: float
    ) -> None:
        old_ids = {note.id for note in self._document.topology.annotations}
        topology, names = make(self._document.topology, offset)
        self._document.apply(label, topology)
        new = [note.id for note in topology.annotations if note.id not in old_ids]
        self._view.select([Key("node", name) for name in names.values()] + [Key("annotation", name) for name in new])

    def delete(self, label: str = "Delete") -> None:
        """Delete the selection, with the links of its nodes."""
        keys = self._view.selection
        self.apply(
            f"{label} {chosen.selection_name(keys)}", lambda: chosen.without_selection(self._document.topology, keys)
        )

    def nudge(self, dx: float, dy: float) -> None:
        """Move the selection by a distance in units."""
        names, ids = self.names, self.annotation_ids
        if names or ids:
            self.apply(
                "Move",
                lambda: shift_annotations(arrange.shift(self._document.topology, names, dx, dy), ids, dx, dy),
            )

    def arrange(self, label: str, function: Callable[..., Topology], argument: object) -> None:
        """Arrange the selected nodes with a function of `edits.arrange`."""
        names = self.names
        self.apply(label, lambda: function(self._document.topology, names, argument))

    def replace_value(self, old: Any, new: Any) -> None:
        """Replace a link, flow, note or shape, or a node's sheet, by a changed one."""
        topology = self._document.topology
        if isinstance(old, Link):
            self.apply(f"Change link {old.id}", lambda: replace_link(topology, old.id, new))
            return
        if isinstance(old, Annotation):
            self.apply(f"Change {old.kind} {old.id}", lambda: replace_annotation(topology, new))
            return
        if isinstance(old, Flow):
            flows = [new if flow.id == old.id else flow for flow in topology.flows]
            if self.apply(f"Change flow {old.id}", lambda: set_flows(topology, flows)):
                self._view.select({Key("flow", new.id)})
            return
        name = old.node.name
        is_selected = Key("node", name) in self._view.selection
        if self.apply(f"Change {name}", lambda: write_sheet(topology, name, old, new)) and is_selected:
            self._view.select({Key("node", new.node.name)})

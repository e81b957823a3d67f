"""The node tools: a click places a node; a drag from a node places a node that is linked to it."""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.edits.changes import add_node
from frrlib.picture.scene import Key
from miniedit_frr.tools.base import Gesture, Pointer, ToolContext
from miniedit_frr.tools.grow import GrowthGesture


@dataclass(frozen=True)
class PlaceTool:
    """Places nodes of one kind of `changes.TOOLS`."""

    icon: str
    title: str
    key: str
    cursor: str = "crosshair"

    @property
    def hint(self) -> str:
        """The usage hint."""
        return f"{self.title}: click where to place it, or drag from a node to place it with a link."

    def begin(self, context: ToolContext, pointer: Pointer) -> Gesture | None:
        """Begin a placement; the node is placed where the button is released, with a link if pressed on a node."""
        pressed, click = context.view.scene.node_at(pointer.at), PlacementGesture(context, self)
        return click if pressed is None else GrowthGesture(context, pressed, self.icon, click)


class PlacementGesture:
    """Places one node."""

    def __init__(self, context: ToolContext, tool: PlaceTool) -> None:
        self._context, self._tool = context, tool

    def move(self, pointer: Pointer) -> None:
        """Show nothing before the release."""

    def finish(self, pointer: Pointer) -> None:
        """Place the node, and select it. A click on a node selects that node, since a new one would cover it."""
        document = self._context.document
        occupant = self._context.occupant(pointer.at)
        if occupant is not None:
            self._context.view.select({occupant})
            self._context.tell(f"No {self._tool.title} is added: {occupant.name} is at this place. Click beside it.")
            return
        at, lab_timers = self._context.snapped(pointer.at), self._context.uses_lab_timers()
        topology, name = add_node(document.topology, self._tool.icon, *at, lab_timers=lab_timers)
        document.apply(f"Add {name}", topology)
        self._context.view.select({Key("node", name)})

    def cancel(self) -> None:
        """Place no node."""

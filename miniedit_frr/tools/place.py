"""The node tools: a click places a node."""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.edits.changes import add_node
from frrlib.picture.geometry import Point
from frrlib.picture.scene import Key
from miniedit_frr.tools.base import Gesture, Pointer, ToolContext


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
        return f"{self.title}: click where to place it. Then connect it with NetLink."

    def begin(self, context: ToolContext, pointer: Pointer) -> Gesture | None:
        """Begin a placement; the node is placed where the button is released."""
        return PlacementGesture(context, self)

    def occupant(self, context: ToolContext, at: Point) -> Key | None:
        """The node that a new node at a point would cover; None at an empty place."""
        scene = context.view.scene
        return scene.node_at(at) or scene.node_at(context.snapped(at))


class PlacementGesture:
    """Places one node."""

    def __init__(self, context: ToolContext, tool: PlaceTool) -> None:
        self._context, self._tool = context, tool

    def move(self, pointer: Pointer) -> None:
        """Show nothing before the release."""

    def finish(self, pointer: Pointer) -> None:
        """Place the node, and select it. A click on a node selects that node, since a new one would cover it."""
        document = self._context.document
        occupant = self._tool.occupant(self._context, pointer.at)
        if occupant is not None:
            self._context.view.select({occupant})
            self._context.tell(f"No {self._tool.title} is added: {occupant.name} is at this place. Click beside it.")
            return
        topology, name = add_node(document.topology, self._tool.icon, *self._context.snapped(pointer.at))
        document.apply(f"Add {name}", topology)
        self._context.view.select({Key("node", name)})

    def cancel(self) -> None:
        """Place no node."""

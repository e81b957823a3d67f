"""The two-node tool: two clicks, or a drag from node to node, show the path between them."""

from __future__ import annotations

from collections.abc import Callable

from frrlib.picture.scene import Key
from miniedit_frr.tools.base import Gesture, Pointer, ToolContext


class TwoNodesTool:
    """Picks two nodes. It makes no edit.

    Args:
        picked: called with the names of both nodes, in the order of picking, and the VRF of the first one.

    Attributes:
        first: the node that was picked first; empty without one.
        is_once: whether the tool is put away at the end of this gesture: both nodes are picked, or the first one was
            picked from a menu.
    """

    icon = "two-nodes"
    title = "Two nodes"
    hint = "Two nodes: click one, then another, to see the path from the first to the second."
    cursor = "target"
    key = "t"

    def __init__(self, picked: Callable[[str, str, str], None]) -> None:
        self._picked = picked
        self.first, self._vrf, self.is_once = "", "", False

    def start_from(self, context: ToolContext, name: str, vrf: str = "") -> None:
        """Set the first node. The next click picks the second one, and the tool is then put away."""
        self.pick(context, name)
        self._vrf, self.is_once = vrf, True

    def forget(self, context: ToolContext) -> None:
        """Forget the picked node, because the tool is put away."""
        if self.first:
            context.view.select(())
        self.first, self._vrf, self.is_once = "", "", False

    def begin(self, context: ToolContext, pointer: Pointer) -> Gesture | None:
        """Begin a pick; the node under the pointer is picked at the release."""
        return PickGesture(context, self, pointer)

    def pick(self, context: ToolContext, name: str) -> None:
        """Pick a node as the first or the second one."""
        if self.first and self.first != name:
            (source, vrf), self.first, self._vrf = (self.first, self._vrf), "", ""
            context.view.select(())
            self.is_once = True
            self._picked(source, name, vrf)
        else:
            self.first = name
            context.view.select({Key("node", name)})
            context.tell(f"Path from {name} to …? Click the other node. Escape cancels.")


class PickGesture:
    """Picks one node by a click, or two nodes by a drag."""

    def __init__(self, context: ToolContext, tool: TwoNodesTool, pointer: Pointer) -> None:
        self._context, self._tool = context, tool
        self._start = context.view.scene.node_at(pointer.at)

    def move(self, pointer: Pointer) -> None:
        """Preview a line from the first node."""
        if self._start is not None:
            self._context.view.preview_line(self._context.view.scene.nodes[self._start].at, pointer.at)

    def finish(self, pointer: Pointer) -> None:
        """Pick the node under the pointer. A click elsewhere forgets the first one."""
        self._context.view.preview_end()
        end = self._context.view.scene.node_at(pointer.at)
        if end is None or self._start is None:
            self._tool.first = ""
            self._context.view.select(())
            self._context.tell(self._tool.hint)
        elif end != self._start:
            self._tool.first = self._start.name
            self._tool.pick(self._context, end.name)
        else:
            self._tool.pick(self._context, end.name)

    def cancel(self) -> None:
        """Remove the preview, and forget the first node."""
        self._context.view.preview_end()
        self._tool.first = ""

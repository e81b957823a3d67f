"""The two-node tool: two clicks, or one drag from node to node, ask for the path between them."""

from __future__ import annotations

from collections.abc import Callable

from frrlib.picture.scene import Key
from miniedit_frr.tools.base import Gesture, Pointer, ToolContext


class TwoNodesTool:
    """Picks two nodes; it edits nothing.

    Args:
        picked: called with the names of both, in the order in which they were picked, and the VRF of the first one.

    Attributes:
        first: the node that was picked first; empty before.
        is_once: whether it is laid down after the next click, because somebody else has picked the first one.
    """

    icon = "two-nodes"
    title = "Two nodes"
    hint = "Two nodes: click one, then another, to see the path from the first to the second."
    cursor = "target"
    key = "t"

    def __init__(self, picked: Callable[[str, str, str], None]) -> None:
        self._picked = picked
        self.first, self._vrf, self.is_once = "", "", False

    def start_from(self, bench: ToolContext, name: str, vrf: str = "") -> None:
        """The first node is picked already; the next click picks the second one, and then the tool is laid down."""
        self.pick(bench, name)
        self._vrf, self.is_once = vrf, True

    def forget(self, bench: ToolContext) -> None:
        """The tool is put away: the picked node is forgotten."""
        if self.first:
            bench.view.select(())
        self.first, self._vrf, self.is_once = "", "", False

    def begin(self, bench: ToolContext, pointer: Pointer) -> Gesture | None:
        """A node is picked when the button is released on it."""
        return PickGesture(bench, self, pointer)

    def pick(self, bench: ToolContext, name: str) -> None:
        """Take a node as the first or the second one."""
        if self.first and self.first != name:
            (source, vrf), self.first, self._vrf = (self.first, self._vrf), "", ""
            bench.view.select(())
            self._picked(source, name, vrf)
        else:
            self.first = name
            bench.view.select({Key("node", name)})
            bench.tell(f"Path from {name} to …? Click the other node. Escape cancels.")


class PickGesture:
    """One click on a node, or a drag from one to another."""

    def __init__(self, bench: ToolContext, tool: TwoNodesTool, pointer: Pointer) -> None:
        self._bench, self._tool = bench, tool
        self._start = bench.view.scene.node_at(pointer.at)

    def move(self, pointer: Pointer) -> None:
        """Show a line from the first node."""
        if self._start is not None:
            self._bench.view.preview_line(self._bench.view.scene.nodes[self._start].at, pointer.at)

    def finish(self, pointer: Pointer) -> None:
        """Pick the node under the pointer; a click elsewhere gives up the first one."""
        self._bench.view.preview_end()
        end = self._bench.view.scene.node_at(pointer.at)
        if end is None or self._start is None:
            self._tool.first = ""
            self._bench.view.select(())
            self._bench.tell(self._tool.hint)
        elif end != self._start:
            self._tool.first = self._start.name
            self._tool.pick(self._bench, end.name)
        else:
            self._tool.pick(self._bench, end.name)

    def cancel(self) -> None:
        """Pick nothing."""
        self._bench.view.preview_end()
        self._tool.first = ""

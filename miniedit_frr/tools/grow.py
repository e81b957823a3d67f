"""The drag of a node tool from a node: to an empty place, where it places a linked node, or to another node."""

from __future__ import annotations

from frrlib.edits.changes import add_node
from frrlib.edits.links import link_refusal
from frrlib.edits.router_tools import connect
from frrlib.picture.scene import Key
from miniedit_frr.tools.base import Gesture, Pointer, ToolContext


class GrowthGesture:
    """Places one node and links it to the node where the drag began, as one edit.

    Args:
        start: the node under the pointer when the button was pressed.
        icon: the tool's name in `frrlib.edits.changes.TOOLS`.
        click: carries out a press and release on the same node.
    """

    def __init__(self, context: ToolContext, start: Key, icon: str, click: Gesture) -> None:
        self._context, self._start, self._icon, self._click = context, start, icon, click

    def move(self, pointer: Pointer) -> None:
        """Preview the link from its start to the pointer, or to the center of the node there."""
        scene, target = self._context.view.scene, self._context.occupant(pointer.at)
        end = scene.nodes[target].at if target else self._context.snapped(pointer.at)
        self._context.view.preview_line(scene.nodes[self._start].at, end)

    def finish(self, pointer: Pointer) -> None:
        """Place the node with its link; a node under the pointer is linked instead."""
        context, document = self._context, self._context.document
        context.view.preview_end()
        target = context.occupant(pointer.at)
        if target == self._start:
            self._click.finish(pointer)
            return
        topology, name = document.topology, target.name if target else ""
        if target is None:
            at = context.snapped(pointer.at)
            topology, name = add_node(topology, self._icon, *at, lab_timers=context.uses_lab_timers())
        fault = link_refusal(topology, self._start.name, name)
        if fault:
            context.tell(f"No link: {fault}.")
            return
        topology, _ = connect(topology, self._start.name, name)
        verb = "Link" if target else "Add and link"
        document.apply(f"{verb} {self._start.name} to {name}", topology)
        context.view.select({Key("node", name)})

    def cancel(self) -> None:
        """Remove the preview."""
        self._context.view.preview_end()

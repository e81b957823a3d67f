"""The link tool: drag from node to node."""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.edits.links import link_refusal
from frrlib.edits.router_tools import connect
from frrlib.picture.scene import Key
from miniedit_frr.tools.base import Gesture, Pointer, ToolContext


@dataclass(frozen=True)
class LinkTool:
    """Links two nodes."""

    icon: str = "link"
    title: str = "NetLink"
    hint: str = "NetLink: drag from one node to another. A second link between the same nodes is parallel to the first."
    cursor: str = "tcross"
    key: str = "l"

    def begin(self, context: ToolContext, pointer: Pointer) -> Gesture | None:
        """Begin a link at the node under the pointer; None without a node."""
        key = context.view.scene.node_at(pointer.at)
        if key is None:
            context.tell("A link starts at a node. Drag from one node to another.")
            return None
        return LinkGesture(context, key)


class LinkGesture:
    """Draws one link."""

    def __init__(self, context: ToolContext, start: Key) -> None:
        self._context, self._start = context, start

    def move(self, pointer: Pointer) -> None:
        """Preview the link from its start to the pointer, or to the center of the node there."""
        scene = self._context.view.scene
        target = scene.node_at(pointer.at)
        end = scene.nodes[target].at if target else pointer.at
        self._context.view.preview_line(scene.nodes[self._start].at, end)

    def finish(self, pointer: Pointer) -> None:
        """Link the two nodes, or show the reason why it is impossible."""
        view, document = self._context.view, self._context.document
        view.preview_end()
        target = view.scene.node_at(pointer.at)
        if target is None:
            self._context.tell("No link: a link must end on a node.")
            return
        old_keys, start = view.scene.keys(), self._start.name
        fault = link_refusal(document.topology, start, target.name)
        if fault:
            self._context.tell(f"No link: {fault}.")
            return
        topology, _ = connect(document.topology, start, target.name)
        document.apply(f"Link {start} to {target.name}", topology)
        view.select(view.scene.keys() - old_keys)

    def cancel(self) -> None:
        """Remove the preview."""
        self._context.view.preview_end()

"""The link tool: drag from node to node."""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.edits.links import add_link, link_refusal
from frrlib.picture.scene import Key
from miniedit_frr.tools.base import Bench, Gesture, Pointer


@dataclass(frozen=True)
class LinkTool:
    """Joins nodes."""

    icon: str = "link"
    title: str = "NetLink"
    hint: str = "NetLink: drag from one node to another. A second link between the same nodes is parallel to the first."
    cursor: str = "tcross"
    key: str = "l"

    def begin(self, bench: Bench, pointer: Pointer) -> Gesture | None:
        """Only on a node."""
        key = bench.view.scene.node_at(pointer.at)
        if key is None:
            bench.tell("A link starts at a node. Drag from one node to another.")
            return None
        return Linking(bench, key)


class Linking:
    """One link that is being drawn."""

    def __init__(self, bench: Bench, start: Key) -> None:
        self._bench, self._start = bench, start

    def move(self, pointer: Pointer) -> None:
        """Show it from its start to the pointer, or to the middle of the node under it."""
        scene = self._bench.view.scene
        target = scene.node_at(pointer.at)
        end = scene.nodes[target].at if target else pointer.at
        self._bench.view.preview_line(scene.nodes[self._start].at, end)

    def finish(self, pointer: Pointer) -> None:
        """Join the two nodes, or say why not."""
        view, document = self._bench.view, self._bench.document
        view.preview_end()
        target = view.scene.node_at(pointer.at)
        if target is None:
            self._bench.tell("No link: a link must end on a node.")
            return
        before, start = view.scene.keys(), self._start.name
        fault = link_refusal(document.topology, start, target.name)
        if fault:
            self._bench.tell(f"No link: {fault}.")
            return
        topology, _ = add_link(document.topology, start, target.name)
        document.apply(f"Link {start} to {target.name}", topology)
        view.select(view.scene.keys() - before)

    def cancel(self) -> None:
        """Draw no link."""
        self._bench.view.preview_end()

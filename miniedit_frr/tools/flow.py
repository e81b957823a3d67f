"""The flow tool: drag from the sending to the receiving host, or click one and then the other."""

from __future__ import annotations

from collections.abc import Callable

from frrlib.edits.changes import add_flow, flow_fault
from frrlib.model.flow_words import flow_summary
from frrlib.model.flows import Flow
from frrlib.picture.scene import Key
from miniedit_frr.tools.base import Gesture, Pointer, ToolContext


class FlowTool:
    """Draws flows. A new flow has the settings of the last one, except its ends.

    Attributes:
        first: the node that was picked as the source; empty without one.
        is_once: whether the tool is put away after the next flow, because the source was picked from a menu.
        congestion_control: returns the congestion control of the first flow of a topology.
        on_drawn: called with the ID of each new flow.
    """

    icon = "flow"
    title = "Flow"
    hint = "Flow: drag from the sending host to the receiving host, or click one and then the other."
    cursor = "tcross"
    key = "f"

    def __init__(self) -> None:
        self.first, self.is_once = "", False
        self.congestion_control: Callable[[], str] = lambda: "cubic"
        self.on_drawn: Callable[[str], object] = lambda flow_id: None

    def start_from(self, context: ToolContext, name: str) -> None:
        """Set the source. The next click picks the destination, and the tool is then put away."""
        self.pick(context, name)
        self.is_once = bool(self.first)

    def forget(self) -> None:
        """Forget the picked source, because the tool is put away."""
        self.first, self.is_once = "", False

    def begin(self, context: ToolContext, pointer: Pointer) -> Gesture | None:
        """Begin a flow at the node under the pointer; None without a node."""
        if self.first not in context.view.scene.places:
            self.first = ""  # the picked source was deleted or renamed since
        key = context.view.scene.node_at(pointer.at)
        if key is None:
            context.tell(self._question() if self.first else "A flow starts at a host or router. Press on one.")
            return None
        return FlowGesture(context, self, self.first or key.name, key)

    def pick(self, context: ToolContext, name: str) -> None:
        """Pick a node as the source, if it can send."""
        fault = flow_fault(context.document.topology, name)
        if fault:
            context.tell(f"No flow: {fault}.")
            return
        self.first = name
        context.view.select({Key("node", name)})
        context.tell(self._question())

    def _question(self) -> str:
        return f"Flow from {self.first} to …? Click the destination. Escape cancels."

    def draw(self, context: ToolContext, source: str, destination: str) -> None:
        """Add a flow, or show the reason why it is impossible."""
        topology = context.document.topology
        fault = flow_fault(topology, source, destination)
        if fault:
            context.tell(f"No flow: {fault}.")
            return
        usual = Flow(id="f", source=source, destination=destination, congestion_control=self.congestion_control())
        topology_with_flow, name = add_flow(
            topology, source, destination, topology.flows[-1] if topology.flows else usual
        )
        self.first = ""
        context.document.apply(f"Flow {source} to {destination}", topology_with_flow)
        context.view.select({Key("flow", name)})
        summary = flow_summary(topology_with_flow.flows[-1], topology_with_flow.flows[-1].congestion_control)
        context.tell(f"{name}: {summary}. Double-click it to change it. The button below Run sends it.")
        self.on_drawn(name)


class FlowGesture:
    """Draws one flow."""

    def __init__(self, context: ToolContext, tool: FlowTool, source: str, pressed: Key) -> None:
        self._context, self._tool, self._source, self._pressed = context, tool, source, pressed

    def move(self, pointer: Pointer) -> None:
        """Preview the flow from its source to the pointer, or to the center of the node there."""
        scene = self._context.view.scene
        target = scene.node_at(pointer.at)
        end = scene.nodes[target].at if target else pointer.at
        self._context.view.preview_line(scene.places[self._source], end)

    def finish(self, pointer: Pointer) -> None:
        """Draw the flow to the node under the pointer. The first click picks the source, the second the destination."""
        self._context.view.preview_end()
        target = self._context.view.scene.node_at(pointer.at)
        if target is None:
            self._context.tell("No flow: a flow must end on a host or router.")
        elif target == self._pressed and (not self._tool.first or target.name == self._tool.first):
            self._tool.pick(self._context, target.name)
        else:
            source = self._source if target == self._pressed else self._pressed.name
            self._tool.draw(self._context, source, target.name)

    def cancel(self) -> None:
        """Remove the preview, and forget the source."""
        self._context.view.preview_end()
        self._tool.first = ""

"""The tools for notes and shapes: drag a frame, or click for the default size."""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.edits.annotations import annotate
from frrlib.model.annotations import Kind
from frrlib.picture.geometry import Box
from frrlib.picture.scene import Key
from frrlib.picture.shapes import LEAST
from miniedit_frr.tools.base import Gesture, Pointer, ToolContext


@dataclass(frozen=True)
class AnnotateTool:
    """Draws notes or shapes of one kind; after one of them it is laid down."""

    icon: Kind
    title: str
    key: str
    cursor: str = "crosshair"
    is_once: bool = True

    @property
    def hint(self) -> str:
        """The hint for its use."""
        return f"{self.title}: drag a frame, or click where it starts. Double-click it to write text."

    def begin(self, bench: ToolContext, pointer: Pointer) -> Gesture | None:
        """Its frame begins where the button is pressed."""
        return AnnotationGesture(bench, self, pointer)


class AnnotationGesture:
    """One note or shape that is being drawn."""

    def __init__(self, bench: ToolContext, tool: AnnotateTool, pointer: Pointer) -> None:
        self._bench, self._tool, self._start = bench, tool, bench.snapped(pointer.at)

    def _box(self, pointer: Pointer) -> Box:
        return Box.between(self._start, self._bench.snapped(pointer.at))

    def move(self, pointer: Pointer) -> None:
        """Show its frame."""
        self._bench.view.preview_box(self._box(pointer))

    def finish(self, pointer: Pointer) -> None:
        """Draw it, and select it."""
        view, document, box = self._bench.view, self._bench.document, self._box(pointer)
        view.preview_end()
        width, height = box.right - box.left, box.bottom - box.top
        size = (width, height) if min(width, height) >= LEAST else (0.0, 0.0)
        topology, name = annotate(document.topology, self._tool.icon, box.left, box.top, *size)
        document.apply(f"Add {self._tool.title.lower()}", topology)
        view.select({Key("annotation", name)})

    def cancel(self) -> None:
        """Draw nothing."""
        self._bench.view.preview_end()

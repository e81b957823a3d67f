"""The tools for notes and shapes. A drag sets the frame; a click uses the default size."""

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
    """Draws a note or a shape of one kind. After each use, the Select tool is selected again."""

    icon: Kind
    title: str
    key: str
    cursor: str = "crosshair"
    is_once: bool = True

    @property
    def hint(self) -> str:
        """The usage hint."""
        return f"{self.title}: drag a frame, or click where it starts. Double-click it to write text."

    def begin(self, context: ToolContext, pointer: Pointer) -> Gesture | None:
        """Start a frame at the pointer."""
        return AnnotationGesture(context, self, pointer)


class AnnotationGesture:
    """Draws one note or shape."""

    def __init__(self, context: ToolContext, tool: AnnotateTool, pointer: Pointer) -> None:
        self._context, self._tool, self._start = context, tool, context.snapped(pointer.at)

    def _box(self, pointer: Pointer) -> Box:
        return Box.between(self._start, self._context.snapped(pointer.at))

    def move(self, pointer: Pointer) -> None:
        """Preview the frame."""
        self._context.view.preview_box(self._box(pointer))

    def finish(self, pointer: Pointer) -> None:
        """Add the note or shape, and select it."""
        view, document, box = self._context.view, self._context.document, self._box(pointer)
        view.preview_end()
        width, height = box.right - box.left, box.bottom - box.top
        size = (width, height) if min(width, height) >= LEAST else (0.0, 0.0)
        topology, name = annotate(document.topology, self._tool.icon, box.left, box.top, *size)
        document.apply(f"Add {self._tool.title.lower()}", topology)
        view.select({Key("annotation", name)})

    def cancel(self) -> None:
        """Remove the preview."""
        self._context.view.preview_end()

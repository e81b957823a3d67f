"""The Select tool: click, Shift-click, move, rubber band."""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.edits.annotations import change, shift_annotations
from frrlib.edits.arrange import shift
from frrlib.picture.geometry import Box, Point
from frrlib.picture.scene import Key
from frrlib.picture.shapes import resized
from miniedit_frr.canvas.grid import align_point
from miniedit_frr.tools.base import Gesture, Pointer, ToolContext
from miniedit_frr.tools.chosen import selection_name

#: A press with less movement than this, in pixels, is a click.
_STILL_PX = 3
#: Distance at which a dragged node snaps to the row or column of another node, in pixels.
_REACH_PX = 5


@dataclass(frozen=True)
class SelectTool:
    """Selects and moves things."""

    icon: str = "select"
    title: str = "Select"
    hint: str = "Click or drag a frame to select, drag to move; Shift adds to the selection. Alt turns off snapping."
    cursor: str = ""
    key: str = "v"

    def begin(self, context: ToolContext, pointer: Pointer) -> Gesture | None:
        """Begin a move on a node or a shape, or a rubber band on empty canvas. A click on a thing selects it."""
        view = context.view
        handle = view.handle_at(*view.to_widget(pointer.at))
        if handle is not None:
            return ResizeGesture(context, *handle)
        key = context.key_at(pointer.at)
        adds = pointer.shift or pointer.control
        if key is None or (adds and key.kind == "annotation"):
            return RubberBandGesture(context, pointer, key)
        if adds:
            view.select(view.selection ^ {key})
        elif key not in view.selection:
            view.select({key})
        return (
            MoveGesture(context, pointer, key) if key.kind in ("node", "annotation") and key in view.selection else None
        )


class MoveGesture:
    """Moves the selected nodes, notes and shapes."""

    def __init__(self, context: ToolContext, pointer: Pointer, pressed: Key) -> None:
        self._context, self._start, self._pressed = context, pointer.at, pressed
        selection, scene = context.view.selection, context.view.scene
        self._names = frozenset(key.name for key in selection if key.kind == "node")
        self._shapes = frozenset(key for key in selection if key.kind == "annotation")
        if pressed.kind == "node":
            self._from = scene.nodes[pressed].at
        else:
            self._from = (scene.shapes[pressed].box.left, scene.shapes[pressed].box.top)
        self._unmoved_places = [at for name, at in scene.places.items() if name not in self._names]
        self._still = True

    def _offset(self, pointer: Pointer) -> Point:
        view = self._context.view
        dx, dy = pointer.at[0] - self._start[0], pointer.at[1] - self._start[1]
        if max(abs(dx), abs(dy)) * view.factor > _STILL_PX * view.ui:
            self._still = False
        if self._still:
            return 0.0, 0.0
        at, shared = self._context.snapped((self._from[0] + dx, self._from[1] + dy)), (None, None)
        if view.snap_grid.guides and not view.snap_grid.snaps and not pointer.free and self._pressed.kind == "node":
            at, shared = align_point(at, self._unmoved_places, _REACH_PX * view.ui / view.factor)  # type: ignore[assignment]
        view.preview_guides(*shared)
        return at[0] - self._from[0], at[1] - self._from[1]

    def move(self, pointer: Pointer) -> None:
        """Preview the new positions."""
        offset = self._offset(pointer)
        if not self._still:
            self._context.view.preview_move(self._names, *offset, self._shapes)

    def finish(self, pointer: Pointer) -> None:
        """Move the selection. A click without movement selects only the clicked thing."""
        offset, view, document = self._offset(pointer), self._context.view, self._context.document
        view.preview_end()
        if not self._still:
            dx, dy = round(offset[0]), round(offset[1])
            moved = shift(document.topology, self._names, dx, dy)
            moved = shift_annotations(moved, {key.name for key in self._shapes}, dx, dy)
            keys = self._shapes | {Key("node", name) for name in self._names}
            document.apply(f"Move {selection_name(keys)}", moved)
        elif not (pointer.shift or pointer.control):
            view.select({self._pressed})

    def cancel(self) -> None:
        """Remove the preview."""
        self._context.view.preview_end()


class ResizeGesture:
    """Resizes a shape by one of its handles."""

    def __init__(self, context: ToolContext, key: Key, sides: str) -> None:
        self._context, self._key, self._sides = context, key, sides
        self._old_box = context.view.scene.shapes[key].box

    def _box(self, pointer: Pointer) -> Box:
        return resized(self._old_box, self._sides, self._context.snapped(pointer.at))

    def move(self, pointer: Pointer) -> None:
        """Preview the new size."""
        self._context.view.preview_shape(self._key, self._box(pointer))

    def finish(self, pointer: Pointer) -> None:
        """Set the new size."""
        box, document = self._box(pointer), self._context.document
        self._context.view.preview_end()
        x, y = round(box.left), round(box.top)
        size = {"width": round(box.right) - x, "height": round(box.bottom) - y}
        resized_topology = change(document.topology, [self._key.name], x=x, y=y, **size)
        document.apply(f"Resize {self._key.name}", resized_topology)

    def cancel(self) -> None:
        """Remove the preview."""
        self._context.view.preview_end()


class RubberBandGesture:
    """Selects the things within a frame."""

    def __init__(self, context: ToolContext, pointer: Pointer, pressed: Key | None = None) -> None:
        self._view, self._start, self._pressed = context.view, pointer.at, pressed
        self._old_selection = context.view.selection
        self._base_selection = self._old_selection if pointer.shift or pointer.control else frozenset()

    def _box(self, pointer: Pointer) -> Box:
        return Box.between(self._start, pointer.at)

    def move(self, pointer: Pointer) -> None:
        """Show the frame, and select the things within it."""
        box = self._box(pointer)
        self._view.preview_box(box)
        self._view.select(self._base_selection | self._view.scene.within(box))

    def finish(self, pointer: Pointer) -> None:
        """Select the things within the frame.

        A click on empty canvas clears the selection. A click with Shift or Control adds or removes the shape under it.
        """
        view, box = self._view, self._box(pointer)
        view.preview_end()
        if self._pressed is not None and max(box.right - box.left, box.bottom - box.top) * view.factor <= _STILL_PX:
            view.select(self._old_selection ^ {self._pressed})
        else:
            view.select(self._base_selection | view.scene.within(box))

    def cancel(self) -> None:
        """Restore the selection."""
        self._view.preview_end()
        self._view.select(self._old_selection)

"""The Select tool: click, Shift-click, move, rubber band."""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.model.edits.arrange import shift
from miniedit_frr.canvas.geometry import Box, Point
from miniedit_frr.canvas.scene import Key
from miniedit_frr.tools.base import Bench, Gesture, Pointer

#: A press that moves less than this many pixels is a click.
_STILL_PX = 3


@dataclass(frozen=True)
class SelectTool:
    """Selects and moves."""

    icon: str = "select"
    title: str = "Select"
    hint: str = "Click or drag a frame to select, drag to move; Shift adds."
    cursor: str = ""
    key: str = "v"

    def begin(self, bench: Bench, pointer: Pointer) -> Gesture | None:
        """On a node a move, on the ground a rubber band; a click on anything selects it."""
        view = bench.view
        key = view.scene.at(pointer.at, bench.tolerance)
        if key is None:
            return RubberBand(bench, pointer)
        if pointer.shift or pointer.control:
            view.select(view.selection ^ {key})
        elif key not in view.selection:
            view.select({key})
        return Move(bench, pointer, key) if key.kind == "node" and key in view.selection else None


class Move:
    """Moves the selected nodes."""

    def __init__(self, bench: Bench, pointer: Pointer, pressed: Key) -> None:
        self._bench, self._start, self._pressed = bench, pointer.at, pressed
        self._names = frozenset(key.name for key in bench.view.selection if key.kind == "node")
        self._still = True

    def _way(self, pointer: Pointer) -> Point:
        dx, dy = pointer.at[0] - self._start[0], pointer.at[1] - self._start[1]
        if max(abs(dx), abs(dy)) * self._bench.view.factor > _STILL_PX:
            self._still = False
        return (0.0, 0.0) if self._still else (dx, dy)

    def move(self, pointer: Pointer) -> None:
        """Show the nodes where they would be."""
        way = self._way(pointer)
        if not self._still:
            self._bench.view.preview_move(self._names, *way)

    def finish(self, pointer: Pointer) -> None:
        """Move them; a click without a way leaves only the clicked node selected."""
        way, view, document = self._way(pointer), self._bench.view, self._bench.document
        view.preview_end()
        if not self._still:
            label = f"Move {next(iter(self._names))}" if len(self._names) == 1 else f"Move {len(self._names)} nodes"
            document.apply(label, shift(document.topology, self._names, round(way[0]), round(way[1])))
        elif not (pointer.shift or pointer.control):
            view.select({self._pressed})

    def cancel(self) -> None:
        """Show them where they are."""
        self._bench.view.preview_end()


class RubberBand:
    """Selects what is in a frame."""

    def __init__(self, bench: Bench, pointer: Pointer) -> None:
        self._view, self._start = bench.view, pointer.at
        self._before = bench.view.selection
        self._kept = self._before if pointer.shift or pointer.control else frozenset()

    def _box(self, pointer: Pointer) -> Box:
        (x0, y0), (x1, y1) = self._start, pointer.at
        return Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))

    def move(self, pointer: Pointer) -> None:
        """Show the frame, and what it selects."""
        box = self._box(pointer)
        self._view.preview_box(box)
        self._view.select(self._kept | self._view.scene.within(box))

    def finish(self, pointer: Pointer) -> None:
        """Select it; a click on the ground selects nothing."""
        self._view.preview_end()
        self._view.select(self._kept | self._view.scene.within(self._box(pointer)))

    def cancel(self) -> None:
        """Select what was selected."""
        self._view.preview_end()
        self._view.select(self._before)

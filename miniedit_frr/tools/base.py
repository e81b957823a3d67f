"""Tools and gestures: a use of the pointer ends in one edit.

A tool is selected in the toolbox. When the button is pressed, the tool begins a gesture. The gesture ends when the
button is released, or when Escape is pressed. During the gesture only the canvas's preview changes. Its end is one edit
through the document's gate, or none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from frrlib.picture.geometry import Point
from frrlib.picture.scene import Key
from miniedit_frr.canvas.grid import nearest_crossing
from miniedit_frr.canvas.view import View
from miniedit_frr.document.document import Document


@dataclass(frozen=True)
class Pointer:
    """The pointer's position in world units, and the modifier keys; `free` (Alt) disables guides."""

    at: Point
    shift: bool = False
    control: bool = False
    free: bool = False


@dataclass(frozen=True)
class ToolContext:
    """The context of tools.

    Attributes:
        document: receives the edits.
        view: the canvas.
        tell: shows a short message.
        uses_lab_timers: returns whether the first router of a protocol gets lab timers, else FRR's default timers.
    """

    document: Document
    view: View
    tell: Callable[[str], None]
    uses_lab_timers: Callable[[], bool] = lambda: True

    @property
    def tolerance(self) -> float:
        """The maximum distance between a click and a line that it hits, in world units."""
        return 6 * self.view.ui / self.view.factor

    def key_at(self, at: Point) -> Key | None:
        """The key of the thing at a point: a node, its name, a line or a shape."""
        scene = self.view.scene
        return scene.node_at(at) or self.view.name_at(at) or scene.at(at, self.tolerance)

    def snapped(self, at: Point) -> Point:
        """The point that a position snaps to: a crossing of the grid, or the position itself."""
        return nearest_crossing(at, self.view.snap_grid.pitch) if self.view.snap_grid.snaps else at

    def occupant(self, at: Point) -> Key | None:
        """The node that a new node at a point would cover; None at an empty place."""
        return self.view.scene.node_at(at) or self.view.scene.node_at(self.snapped(at))


class Gesture(Protocol):
    """One use of a tool, from the press of the button to its release."""

    def move(self, pointer: Pointer) -> None:
        """Show a preview for the pointer's new position."""

    def finish(self, pointer: Pointer) -> None:
        """Make the edit, after the release of the button."""

    def cancel(self) -> None:
        """Remove the preview without an edit, after Escape."""


class Tool(Protocol):
    """A mode of the pointer.

    Attributes:
        icon: name of its icon, which also identifies the tool.
        title: name in the toolbox.
        hint: usage hint for the status bar.
        cursor: the pointer's shape on the canvas.
        key: the letter that selects it.
    """

    @property
    def icon(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def hint(self) -> str: ...
    @property
    def cursor(self) -> str: ...
    @property
    def key(self) -> str: ...

    def begin(self, context: ToolContext, pointer: Pointer) -> Gesture | None:
        """Begin a gesture at the pointer; None if the tool does nothing there."""

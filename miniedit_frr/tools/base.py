"""Tools and gestures: how the pointer becomes one edit.

A tool is chosen in the tool column. Pressing the button makes it begin a gesture, an object that lives until the button
is released or Escape is pressed. While it lives it changes nothing but the canvas's preview; its end is one edit
through the document's gate, or none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from frrlib.picture.geometry import Point
from frrlib.picture.scene import Key
from miniedit_frr.canvas.grid import on_grid
from miniedit_frr.canvas.view import View
from miniedit_frr.document.document import Document


@dataclass(frozen=True)
class Pointer:
    """Where the pointer is, in world units, and which keys are held; `free` (Alt) disables guides."""

    at: Point
    shift: bool = False
    control: bool = False
    free: bool = False


@dataclass(frozen=True)
class ToolContext:
    """The context of tools.

    Attributes:
        document: where edits go.
        view: what the user sees.
        tell: shows a short message.
    """

    document: Document
    view: View
    tell: Callable[[str], None]

    @property
    def tolerance(self) -> float:
        """How far from a line a click still hits it, in world units."""
        return 6 * self.view.ui / self.view.factor

    def key_at(self, at: Point) -> Key | None:
        """The thing under a point: a node, its name, a line, a shape."""
        scene = self.view.scene
        return scene.node_at(at) or self.view.name_at(at) or scene.at(at, self.tolerance)

    def snapped(self, at: Point) -> Point:
        """A point, or the crossing of the grid that it snaps to."""
        return on_grid(at, self.view.raster.pitch) if self.view.raster.snaps else at


class Gesture(Protocol):
    """One press of the button, up to its release."""

    def move(self, pointer: Pointer) -> None:
        """The pointer has moved."""

    def finish(self, pointer: Pointer) -> None:
        """The button has been released: make the edit."""

    def cancel(self) -> None:
        """Escape: leave everything as it was."""


class Tool(Protocol):
    """A mode of the pointer.

    Attributes:
        icon: name of its icon, and what it is known by.
        title: what it is called in the tool column.
        hint: what to do with it, shown in the status bar.
        cursor: the pointer's shape on the canvas.
        key: the letter that chooses it.
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

    def begin(self, bench: ToolContext, pointer: Pointer) -> Gesture | None:
        """The button has been pressed; None where that starts nothing."""

"""Connects pointer and keyboard with the selected tool, and pans and zooms the canvas."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable
from functools import partial
from typing import Any

from frrlib.picture.scene import Key
from miniedit_frr.tools.annotate import AnnotateTool
from miniedit_frr.tools.base import Gesture, Pointer, Tool, ToolContext
from miniedit_frr.tools.keyboard import DrawingKeys
from miniedit_frr.tools.link import LinkTool
from miniedit_frr.tools.place import PlaceTool
from miniedit_frr.tools.select import SelectTool

#: Routers that run a protocol at once, in a row of small fields below the FRR router.
ROUTING_TOOLS: tuple[Tool, ...] = (
    PlaceTool("ospf-router", "OSPF router", "o"),
    PlaceTool("bgp-router", "BGP router", "p"),
)
#: The tools for nodes and links, in the order of MiniEdit's toolbox. The FRR router follows the plain router.
TOOLS: tuple[Tool, ...] = (
    SelectTool(),
    PlaceTool("host", "Host", "h"),
    PlaceTool("switch", "Switch", "s"),
    PlaceTool("bridge", "LegacySwitch", "b"),
    PlaceTool("legacy-router", "LegacyRouter", "g"),
    PlaceTool("router", "FRR router", "r"),
    *ROUTING_TOOLS,
    LinkTool(),
    PlaceTool("controller", "Controller", "c"),
)
#: The tools for notes and shapes, which have no effect on a lab.
ANNOTATE_TOOLS: tuple[AnnotateTool, ...] = (
    AnnotateTool("note", "Note", "n"),
    AnnotateTool("rectangle", "Rectangle", "a"),
    AnnotateTool("ellipse", "Ellipse", "e"),
)
#: Every tool of the toolbox.
ALL_TOOLS: tuple[Tool, ...] = (*TOOLS, *ANNOTATE_TOOLS)

_SHIFT, _CONTROL, _ALT = 0x1, 0x4, 0x8
_WHEEL_PX, _WHEEL_ZOOM = 60, 1.15


class ToolController:
    """Passes events of the canvas to the selected tool, and selects tools.

    Attributes:
        tool: the selected tool.
        on_tool: called after another tool is selected.
        on_context: called in turn for a right click, with the key under the pointer and the position on the screen,
            until one returns True.
        on_open: called in turn for a double click on a key, until one returns True.
        on_press: called before anything else when a button is pressed.
        on_write: called before `on_open` for a double click on a node's name, a note or a shape; True if it handles it.
        on_nudge: called with a distance in world units when an arrow key moves the selection.
        on_return: called when Return is pressed on the canvas with a selection, unless it is a note or a shape.
        on_placed: called after each use of a tool that is put away after use.
        refuses: returns why a tool cannot be selected now, or an empty text.
    """

    def __init__(self, context: ToolContext) -> None:
        self._context, self.tool = context, TOOLS[0]
        self._gesture: Gesture | None = None
        self.on_tool: list[Callable[[], None]] = []
        self.on_context: list[Callable[[Key | None, int, int], bool]] = []
        self.on_open: list[Callable[[Key], bool]] = []
        self.on_press: Callable[[], None] = lambda: None
        self.on_write: Callable[[Key], bool] = lambda key: False
        self.on_placed: Callable[[Tool], None] = lambda tool: None
        self.on_nudge: Callable[[float, float], object] = lambda dx, dy: None
        self.on_return: Callable[[], object] = lambda: None
        self.refuses: Callable[[Tool], str] = lambda tool: ""
        self._pan: tuple[int, int] | None = None
        view = context.view
        bindings: dict[str, Callable[[Any], Any]] = {
            "<ButtonPress-1>": self._press,
            "<B1-Motion>": self._drag,
            "<ButtonRelease-1>": self._release,
            "<Double-Button-1>": self._double,
            "<ButtonPress-2>": self._pan_start,
            "<B2-Motion>": self._pan_on,
            "<ButtonPress-3>": self._open_menu,
            "<Escape>": lambda event: self.escape(),
            "<Button-4>": lambda event: self._wheel(event, 1),
            "<Button-5>": lambda event: self._wheel(event, -1),
            "<MouseWheel>": lambda event: self._wheel(event, 1 if event.delta > 0 else -1),
        }
        for sequence, handler in bindings.items():
            view.bind(sequence, handler)
        for key in ("Left", "Right", "Up", "Down"):
            view.bind(f"<Alt-{key}>", lambda event: None)  # the desktop's: it moves no node
        for tool in ALL_TOOLS:
            self.add(tool)
        DrawingKeys(context, self._handle_context, lambda dx, dy: self.on_nudge(dx, dy), self._return)

    def add(self, tool: Tool) -> None:
        """Let the letter of a tool select it."""
        self._context.view.bind(f"<Key-{tool.key}>", partial(self._key, tool))
        self._context.view.bind(f"<Alt-Key-{tool.key}>", lambda event: None)  # the menu's

    def choose(self, tool: Tool) -> None:
        """Select a tool. A gesture in progress ends without an edit."""
        refusal = self.refuses(tool)
        if refusal:
            self._context.tell(refusal)
            return
        self._stop()
        self.tool = tool
        self._context.view.configure(cursor=tool.cursor)
        self._context.tell(tool.hint)
        for listener in self.on_tool:
            listener()

    def put_away(self) -> None:
        """Select the Select tool, unless it is selected. A gesture in progress ends without an edit."""
        self._stop()
        if self.tool is not TOOLS[0]:
            self.choose(TOOLS[0])

    def escape(self) -> None:
        """End a gesture without an edit. Without one, select the Select tool; with that tool, clear the selection."""
        if self._gesture is not None:
            self._stop()
        elif self.tool is not TOOLS[0]:
            self.choose(TOOLS[0])
        else:
            self._context.view.select(())

    def _stop(self) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.cancel()

    def _pointer(self, event: tk.Event) -> Pointer:
        state = int(event.state)
        at = self._context.view.to_world(event.x, event.y)
        return Pointer(at, bool(state & _SHIFT), bool(state & _CONTROL), bool(state & _ALT))

    def _press(self, event: tk.Event) -> None:
        self.on_press()
        self._context.view.focus_set()
        self._stop()
        self._gesture = self.tool.begin(self._context, self._pointer(event))

    def _drag(self, event: tk.Event) -> None:
        if self._gesture is not None:
            self._gesture.move(self._pointer(event))

    def _release(self, event: tk.Event) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.finish(self._pointer(event))
            tool = self.tool
            if getattr(tool, "is_once", False):
                self.choose(TOOLS[0])
                self.on_placed(tool)

    def _double(self, event: tk.Event) -> None:
        self.on_press()
        pointer = self._pointer(event)
        context = self._context
        key = context.key_at(pointer.at)
        if key is not None and self.tool is TOOLS[0] and not (pointer.shift or pointer.control):
            self._stop()
            is_text = key.kind == "annotation" or key == context.view.name_at(pointer.at)
            if not (is_text and self.on_write(key)):
                any(handled(key) for handled in self.on_open)
        else:
            self._press(event)

    def _key(self, tool: Tool, event: tk.Event) -> None:
        if not int(event.state) & _CONTROL:
            self.choose(tool)

    def _open_menu(self, event: tk.Event) -> None:
        self.on_press()
        view = self._context.view
        view.focus_set()
        key = self._context.key_at(self._pointer(event).at)
        if key is not None and key not in view.selection:
            view.select({key})
        self._handle_context(key, event.x_root, event.y_root)

    def _return(self) -> None:
        """Open the properties of the selection, or the text of a note or a shape, which has none."""
        keys = self._context.view.selection
        if {key.kind for key in keys} == {"annotation"}:
            self.on_write(min(keys))
        else:
            self.on_return()

    def _handle_context(self, key: Key | None, x: int, y: int) -> None:
        any(handled(key, x, y) for handled in self.on_context)

    def _pan_start(self, event: tk.Event) -> None:
        self._pan = event.x, event.y

    def _pan_on(self, event: tk.Event) -> None:
        if self._pan is not None:
            self._context.view.pan(self._pan[0] - event.x, self._pan[1] - event.y)
            self._pan = event.x, event.y

    def _wheel(self, event: tk.Event, up: int) -> None:
        view, state = self._context.view, int(event.state)
        if state & _CONTROL:
            view.zoom_by(_WHEEL_ZOOM**up, event.x, event.y)
        elif state & _SHIFT:
            view.pan(-up * _WHEEL_PX * view.ui, 0)
        else:
            view.pan(0, -up * _WHEEL_PX * view.ui)

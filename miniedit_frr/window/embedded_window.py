"""A program that cares for a window of another program inside a frame of ours: its size, and the keyboard.

Tk does this only for programs that create their window inside its frame. xterm creates its window elsewhere and moves
it. This is a process of its own, because Xlib ends a process whose window has gone in the meantime.

`python embedded_window.py FRAME`, with the number of the frame's window. Lines on standard input are commands: `fit`
gives the inner window the frame's size, `focus` gives it the keyboard, as does a click on it, and `leave` withdraws a
`focus` that was not carried out yet. If the inner window takes another size, it gets that of the frame again. The
program ends with its standard input.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import sys

_BUTTON_PRESS, _BUTTON_PRESS_MASK, _REVERT_TO_PARENT = 4, 1 << 2, 2
_CONFIGURE_NOTIFY, _SUBSTRUCTURE_NOTIFY_MASK = 22, 1 << 19
#: How often an inner window that takes another size gets that of the frame again, until the next `fit`.
_MOST_FITS = 20
#: X refuses the keyboard to windows in any other state.
_IS_VIEWABLE = 2
_ANY, _SYNC, _ASYNC, _REPLAY_POINTER, _CURRENT_TIME = 0, 0, 1, 2, 0
_ERROR_HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class _Attributes(ctypes.Structure):
    """XWindowAttributes of Xlib."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("x", "y", "width", "height", "border_width", "depth")),
        ("visual", ctypes.c_void_p),
        ("root", ctypes.c_ulong),
        *((name, ctypes.c_int) for name in ("window_class", "bit_gravity", "win_gravity", "backing_store")),
        *((name, ctypes.c_ulong) for name in ("backing_planes", "backing_pixel")),
        ("save_under", ctypes.c_int),
        ("colormap", ctypes.c_ulong),
        *((name, ctypes.c_int) for name in ("map_installed", "map_state")),
        *((name, ctypes.c_long) for name in ("all_event_masks", "your_event_mask", "do_not_propagate_mask")),
        ("override_redirect", ctypes.c_int),
        ("screen", ctypes.c_void_p),
    )


class InnerWindow:
    """The window inside a frame.

    Args:
        frame: the number of the frame's window.

    Raises:
        OSError: there is no Xlib, or no display.
    """

    def __init__(self, frame: int) -> None:
        self._x = ctypes.CDLL("libX11.so.6")
        self._x.XOpenDisplay.restype = ctypes.c_void_p
        opened = self._x.XOpenDisplay(None)
        if not opened:
            raise OSError("the display cannot be opened")
        self._display, self._frame = ctypes.c_void_p(opened), ctypes.c_ulong(frame)
        # A window may go between two requests; the error is no reason to end.
        self._handler = _ERROR_HANDLER(lambda display, error: 0)
        self._x.XSetErrorHandler(self._handler)
        self._x.XGrabButton(
            self._display, _ANY, 1 << 15, self._frame, 1, _BUTTON_PRESS_MASK, _SYNC, _ASYNC, ctypes.c_ulong(0),
            ctypes.c_ulong(0),
        )  # fmt: skip
        self._x.XSelectInput(self._display, self._frame, ctypes.c_long(_SUBSTRUCTURE_NOTIFY_MASK))
        self._x.XFlush(self._display)
        self._fits = 0

    @property
    def file(self) -> int:
        """The file descriptor on which events arrive."""
        return int(self._x.XConnectionNumber(self._display))

    def _find(self) -> ctypes.c_ulong | None:
        """The inner window; None before its program has opened it."""
        root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
        children = ctypes.POINTER(ctypes.c_ulong)()
        self._x.XQueryTree(
            self._display, self._frame, ctypes.byref(root), ctypes.byref(parent), ctypes.byref(children),
            ctypes.byref(count),
        )  # fmt: skip
        return ctypes.c_ulong(children[count.value - 1]) if count.value else None

    def fit(self) -> bool:
        """Give the inner window the size of the frame; returns whether there is an inner window."""
        inner = self._find()
        if inner is None:
            return False
        self._fits = 0
        self._fit(inner)
        return True

    def _fit(self, inner: ctypes.c_ulong) -> None:
        self._x.XMoveResizeWindow(self._display, inner, 0, 0, *self._size(self._frame))
        self._x.XFlush(self._display)

    def _size(self, window: ctypes.c_ulong) -> tuple[ctypes.c_uint, ctypes.c_uint]:
        root, numbers = ctypes.c_ulong(), [ctypes.c_uint() for _ in range(6)]
        self._x.XGetGeometry(self._display, window, ctypes.byref(root), *map(ctypes.byref, numbers))
        return numbers[2], numbers[3]

    def _fit_again(self) -> None:
        """Correct a size that the inner window has chosen itself, such as xterm while it starts."""
        inner = self._find()
        if inner is None or self._fits >= _MOST_FITS:
            return
        width, height = self._size(self._frame)
        inner_width, inner_height = self._size(inner)
        if (width.value, height.value) != (inner_width.value, inner_height.value):
            self._fits += 1
            self._fit(inner)

    def _is_viewable(self, window: ctypes.c_ulong) -> bool:
        attributes = _Attributes()
        status = self._x.XGetWindowAttributes(self._display, window, ctypes.byref(attributes))
        return bool(status) and attributes.map_state == _IS_VIEWABLE

    def focus(self) -> bool:
        """Give the keyboard to the inner window.

        Returns whether this is done; false while the frame is visible and the window in it is not visible yet.
        """
        inner = self._find()
        if not self._is_viewable(self._frame):  # another tab is in front
            return True
        if inner is None or not self._is_viewable(inner):
            return False
        self._x.XSetInputFocus(self._display, inner, _REVERT_TO_PARENT, ctypes.c_ulong(_CURRENT_TIME))
        self._x.XFlush(self._display)
        return True

    def handle_events(self) -> None:
        """Handle clicks on the inner window, which then get to it, and its changes of size."""
        event = ctypes.create_string_buffer(192)
        while self._x.XPending(self._display):
            self._x.XNextEvent(self._display, event)
            kind = ctypes.cast(event, ctypes.POINTER(ctypes.c_int))[0]
            if kind == _BUTTON_PRESS:
                self.focus()
                self._x.XAllowEvents(self._display, _REPLAY_POINTER, ctypes.c_ulong(_CURRENT_TIME))
                self._x.XFlush(self._display)
            elif kind == _CONFIGURE_NOTIFY:
                self._fit_again()


def main(frame: int) -> None:
    """Carry out commands until standard input ends. Commands wait for the inner window."""
    inner, is_seen, poll = InnerWindow(frame), False, select.poll()
    must_fit, must_focus = True, False
    for file in (0, inner.file):
        poll.register(file, select.POLLIN)
    while True:
        if any(file == 0 for file, _ in poll.poll(None if is_seen and not (must_fit or must_focus) else 50)):
            text = os.read(0, 4096)
            if not text:
                return
            for command in text.split():
                must_fit = must_fit or command == b"fit"
                must_focus = command == b"focus" or (must_focus and command != b"leave")
        if must_fit and inner.fit():
            is_seen, must_fit = True, False
        if must_focus and inner.focus():
            must_focus = False
        inner.handle_events()  # also those that Xlib has read meanwhile


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(int(sys.argv[1]))

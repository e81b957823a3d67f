"""A program that cares for a window of another program inside a frame of ours: its size, and the keyboard.

Tk does this only for programs that create their window inside its frame. xterm creates its window elsewhere and moves
it. This is a process of its own, because Xlib ends a process whose window has gone in the meantime.

`python embedded_window.py FRAME`, with the number of the frame's window. Lines on standard input are commands: `fit`
gives the inner window the frame's size, and `focus` gives it the keyboard, as does a click on it. The program ends with
its standard input.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import sys

_BUTTON_PRESS, _BUTTON_PRESS_MASK, _REVERT_TO_PARENT = 4, 1 << 2, 2
_ANY, _SYNC, _ASYNC, _REPLAY_POINTER, _CURRENT_TIME = 0, 0, 1, 2, 0
_ERROR_HANDLER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


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
        self._x.XFlush(self._display)

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
        root, numbers = ctypes.c_ulong(), [ctypes.c_uint() for _ in range(6)]
        self._x.XGetGeometry(self._display, self._frame, ctypes.byref(root), *map(ctypes.byref, numbers))
        width, height = numbers[2], numbers[3]
        self._x.XMoveResizeWindow(self._display, inner, 0, 0, width, height)
        self._x.XFlush(self._display)
        return True

    def focus(self) -> None:
        """Give the keyboard to the inner window."""
        inner = self._find()
        if inner is not None:
            self._x.XSetInputFocus(self._display, inner, _REVERT_TO_PARENT, ctypes.c_ulong(_CURRENT_TIME))
            self._x.XFlush(self._display)

    def take_clicks(self) -> None:
        """Handle clicks on the inner window, which then get to it."""
        event = ctypes.create_string_buffer(192)
        while self._x.XPending(self._display):
            self._x.XNextEvent(self._display, event)
            if ctypes.cast(event, ctypes.POINTER(ctypes.c_int))[0] == _BUTTON_PRESS:
                self.focus()
                self._x.XAllowEvents(self._display, _REPLAY_POINTER, ctypes.c_ulong(_CURRENT_TIME))
                self._x.XFlush(self._display)


def main(frame: int) -> None:
    """Carry out commands until standard input ends. Commands wait for the inner window."""
    inner, commands, is_seen, poll = InnerWindow(frame), b"", False, select.poll()
    for file in (0, inner.file):
        poll.register(file, select.POLLIN)
    while True:
        if any(file == 0 for file, _ in poll.poll(None if is_seen and not commands else 50)):
            text = os.read(0, 4096)
            if not text:
                return
            commands += text
        inner.take_clicks()
        if commands and inner.fit():
            is_seen = True
            if b"focus" in commands:
                inner.focus()
            commands = b""


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(int(sys.argv[1]))

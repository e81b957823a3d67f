"""The Help menu, and what an empty properties panel says."""

from __future__ import annotations

import sys
import tkinter as tk

from ttkbootstrap.dialogs import Messagebox

from frrlib import __version__

HINT = (
    "Nothing is selected.\n\nClick a node or a link to see and change its properties. "
    "Drag a frame to select several, and Shift-click to add to them."
)
_KEYS = """Letters choose tools: V select, H host, S switch, B legacy switch, G legacy router, R FRR router, \
L link, C controller; N note, A rectangle, E ellipse; while a lab runs T for the way between two nodes.
Escape ends what is going on, then goes back to Select.

Wheel: scroll; with Shift sideways; with Ctrl zoom to the pointer.
Middle button: drag the drawing.
Double click: to the properties; while a lab runs to a terminal. Right click: what can be done.
A double click on a name, a note or a shape writes there, as F2 does. Return takes a name over, Ctrl-Return a note.
Arrow keys move what is selected; with Shift by one pixel. With Alt a drag holds on to nothing.

F5 runs the lab, Shift+F5 stops it, F6 pings between all hosts."""
_ABOUT = """MiniEdit-FRR {version}
Labs of hosts, switches and FRR routers: drawn, run without root, measured.

Free software under the GNU General Public License, version 2.
Python {python}, Tk {tk}"""


def show_keys(window: tk.Misc) -> None:
    """What keys and mouse do."""
    Messagebox.show_info(_KEYS, "Keys and mouse", parent=window)


def show_about(window: tk.Misc) -> None:
    """Which program this is."""
    python = ".".join(str(each) for each in sys.version_info[:3])
    text = _ABOUT.format(version=__version__, python=python, tk=tk.TkVersion)
    Messagebox.show_info(text, "About MiniEdit-FRR", parent=window)

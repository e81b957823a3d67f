"""The Help menu, and the text of an empty properties panel."""

from __future__ import annotations

import sys
import tkinter as tk
from functools import partial

import ttkbootstrap as ttk
from ttkbootstrap.dialogs import Messagebox

from frrlib import __version__
from miniedit_frr.dialogs.scroller import Scroller
from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.screen_scale import scale_of

HINT = (
    "Nothing is selected.\n\nClick a node, a link or a flow to view and change its properties. Drag a frame to select "
    "several; Shift-click adds to the selection."
)
#: The window of keys: headings, each with keys and their effects.
KEYS = {
    "Tools": (
        ("V", "Select"),
        ("H   S   B", "Host, switch, legacy switch"),
        ("R   G", "FRR router, legacy router"),
        ("O   P", "OSPF router, BGP router in an AS of its own"),
        ("C   L   F", "Controller, link, flow"),
        ("N   A   E", "Note, rectangle, ellipse"),
        ("T", "The path between two nodes, while a lab runs"),
        ("Escape", "Cancel the current action, then return to Select"),
    ),
    "Mouse": (
        ("Wheel", "Scroll; with Shift sideways, with Ctrl zoom"),
        ("Middle button", "Move the view"),
        ("Drag with a node's tool", "From a node: place another one with a link, or link it"),
        ("Drag on the canvas", "Select everything in the frame; with Shift add to the selection"),
        ("Alt + drag", "Move without snapping to the grid or to neighbors"),
        ("Double click", "Properties; a terminal while a lab runs"),
        ("Double click on a name", "Edit it in place; also notes and shapes"),
        ("Right click", "Menu of actions"),
    ),
    "Drawing": (
        ("Ctrl + Z", "Undo, outside of text fields"),
        ("Ctrl + Shift + Z   Ctrl + Y", "Redo"),
        ("F2", "Edit the name, note or text"),
        ("Return   Alt + Return", "Properties; Alt + Return also from elsewhere"),
        ("Arrow keys", "Move the selection; with Shift by one pixel; select if nothing is"),
        ("Ctrl + arrow key", "Select the nearest thing in that direction"),
        ("Shift + F10", "Menu of actions for the selection"),
        ("Return   Ctrl + Return", "Accept a name; accept a note"),
    ),
    "Scenario": (
        ("Drag   Drag an end", "Change its start; change its duration"),
        ("Drag a level", "Change the values between which it varies"),
        ("Arrow keys", "Start earlier or later; with Shift shorter or longer"),
        ("Return   Insert", "Change it; add a fault"),
        ("Shift + F8", "Show or hide it"),
    ),
    "Figures": (
        ("+   -   0   Wheel", "Larger; smaller; all of it; zoom at the pointer"),
        ("Arrow keys   Drag", "Scroll"),
    ),
    "Forms": (
        ("Return   Escape", "OK; Cancel"),
        ("Ctrl + Tab", "The next page"),
        ("Ctrl + Z", "Undo what was typed in the field"),
        ("Ctrl + Delete", "Remove the row of a table"),
    ),
    "Lab": (
        ("F5   Shift + F5", "Run, or apply changes to the running lab; stop"),
        ("Ctrl + F5", "Run with flows, with the last options"),
        ("Alt + F5", "Choose the options of a run: time, captures, folder"),
        ("F6", "Ping between all hosts"),
        ("F7   Shift + F7", "Routing tables; timeline"),
        ("Ctrl + Shift + R", "All runs"),
    ),
}
#: The keys that scroll the lines, and the wheel: 1 for up, several for a page.
_SCROLLING = {"<Up>": 1, "<Down>": -1, "<Prior>": 10, "<Next>": -10, "<Button-4>": 1, "<Button-5>": -1}
#: The height of the screen that the sheet leaves free.
_BESIDE_PX = 80
#: The groups in the left half and in the right half.
_HALVES = (("Tools", "Mouse", "Lab"), ("Drawing", "Forms", "Scenario", "Figures"))
_ABOUT = """MiniEdit-FRR {version}
Draw, run and measure labs of hosts, switches and FRR routers, without root.

Free software under the GNU General Public License, version 2.
Python {python}, Tk {tk}"""


def show_keys(window: tk.Misc) -> None:
    """Show the effects of keys and mouse in a window that can stay open beside the drawing."""
    ui = scale_of(window)
    sheet = ttk.Toplevel(master=window, title="Keys and Mouse")
    sheet.withdraw()
    gap = round(4 * ui)
    close = ttk.Button(sheet, text="Close", width=9, command=sheet.destroy, bootstyle="primary")
    close.pack(side="bottom", anchor="e", padx=5 * gap, pady=(3 * gap, 4 * gap))
    # On a small screen, or with large texts, the lines scroll.
    highest = sheet.winfo_screenheight() - close.winfo_reqheight() - 7 * gap - _BESIDE_PX
    page = Scroller(sheet, highest, (5 * gap, 2 * gap))
    page.pack(fill="both", expand=True)
    for half, groups in enumerate(_HALVES):
        _fill(ttk.Frame(page.inner), half, groups, ui)
    for sequence, step in _SCROLLING.items():
        sheet.bind(sequence, partial(_scroll, page, step))
    for key in ("<Escape>", "<Return>", "<KP_Enter>"):
        sheet.bind(key, lambda event: sheet.destroy())
    sheet.update_idletasks()
    page.fit()  # the lines of a hidden window have no size before
    put_aside(sheet, window)
    sheet.resizable(False, False)
    sheet.deiconify()
    close.focus_set()


def _scroll(page: Scroller, step: int, event: tk.Event) -> None:
    page.wheel(step)


def _fill(frame: ttk.Frame, half: int, groups: tuple[str, ...], ui: float) -> None:
    """Fill one half of the window: a heading for each group, and a line for each key."""
    frame.grid(row=0, column=half, sticky="n", padx=(0, 0) if half else (0, round(32 * ui)))
    row = 0
    for group in groups:
        heading = ttk.Label(frame, text=group, font="TkHeadingFont")
        heading.grid(row=row, column=0, columnspan=2, sticky="w", pady=(round(12 * ui), round(4 * ui)))
        for keys, effect in KEYS[group]:
            row += 1
            ttk.Label(frame, text=keys, bootstyle="secondary").grid(row=row, column=0, sticky="nw", pady=round(2 * ui))
            text = ttk.Label(frame, text=effect, wraplength=round(320 * ui), justify="left")
            text.grid(row=row, column=1, sticky="w", padx=(round(16 * ui), 0), pady=round(2 * ui))
        row += 1


def show_about(window: tk.Misc) -> None:
    """Show the program's name and version."""
    python = ".".join(str(number) for number in sys.version_info[:3])
    text = _ABOUT.format(version=__version__, python=python, tk=tk.TkVersion)
    Messagebox.show_info(text, "About MiniEdit-FRR", parent=window)

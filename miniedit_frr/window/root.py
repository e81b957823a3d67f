"""The editor's window before anything is in it."""

from __future__ import annotations

import ttkbootstrap as ttk
from ttkbootstrap.themes.builtin import CURATED_THEMES

from frrlib.picture.theme import THEMES
from miniedit_frr.widgets.focus import give_file_dialogs_focus
from miniedit_frr.widgets.focus_ring import FocusRing
from miniedit_frr.widgets.own_events import unbind_unused_events
from miniedit_frr.window import emblem

#: A letter in an open list goes to the next line that begins with it.
_JUMP = r"""
bind ComboboxListbox <KeyPress> {
    if {[string is graph -strict %A]} {
        set first [expr {[%W index active] + 1}]
        for {set step 0} {$step < [%W size]} {incr step} {
            set line [expr {($first + $step) %% [%W size]}]
            if {[string equal -nocase -length 1 %A [%W get $line]]} {
                %W selection clear 0 end
                %W selection set $line
                %W activate $line
                %W see $line
                break
            }
        }
    }
}
"""
#: A list without a current line, such as one that was just filled, goes to its first line by any arrow.
_FIRST_LINE = r"""
rename ttk::treeview::Keynav ttk::treeview::KeynavFromLine
proc ttk::treeview::Keynav {list direction} {
    set line [lindex [$list children {}] 0]
    if {[$list focus] eq "" && $line ne ""} {
        $list focus $line
        $list selection set [list $line]
        $list see $line
    } else {
        KeynavFromLine $list $direction
    }
}
"""


def _leave_out_other_themes() -> None:
    """Remove the themes that the editor never shows from ttkbootstrap's list.

    A new window computes all colors of every theme in it, whether the user can choose the theme or not.
    """
    bases = {theme.base.rpartition("-")[0] for theme in THEMES.values()}
    CURATED_THEMES[:] = [theme for theme in CURATED_THEMES if theme.name in bases]


def open_root(theme_name: str, scaling: float | None) -> ttk.Window:
    """A new window with the editor's title and icon.

    Args:
        theme_name: the name of ttkbootstrap's theme.
        scaling: pixels per point; None: Tk derives it from the screen.
    """
    _leave_out_other_themes()
    window = ttk.Window("MiniEdit-FRR", theme_name, scaling=scaling, iconphoto=None)
    unbind_unused_events(window)
    window.unbind_all("<Map>")  # ttkbootstrap's <<MapChild>>: an event for the parent of each widget that appears
    # Tk 8.6 binds buttons, boxes and menu buttons to this event, and gives it no key on X11.
    window.event_add("<<Invoke>>", "<Key-space>")
    window.tk.eval(_JUMP)
    window.tk.eval(_FIRST_LINE)
    FocusRing(window)
    give_file_dialogs_focus(window)
    emblem.set_icon(window)
    return window

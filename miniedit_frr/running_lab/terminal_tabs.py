"""Terminals as tabs below the drawing: an xterm embedded in a frame for each node."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tkinter as tk
from collections.abc import Callable, Sequence
from contextlib import suppress

import ttkbootstrap as ttk

from frrlib.picture.theme import Theme
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.widgets.focus import focused, last_focused, windows_of
from miniedit_frr.window import embedded_window
from miniedit_frr.window.terminal_colors import set_colors
from miniedit_frr.window.terminals import Terminals

_POLL_MS = 200
#: The time after which the program that cares for a window is killed.
_PATIENCE_S = 2.0


class TerminalTab(ttk.Frame):
    """A tab with a terminal, and two buttons beside it.

    Attributes:
        screen: the frame in which xterm runs.
        process: xterm.

    Args:
        open_window: closes this terminal and opens one in a window.
    """

    def __init__(self, notebook: ttk.Notebook, title: str, background: str, open_window: Callable[[], object]) -> None:
        super().__init__(notebook)
        self._care: subprocess.Popen[bytes] | None = None
        self.process: subprocess.Popen[bytes] | None = None
        buttons = ttk.Frame(self, padding=(6, 4))
        buttons.pack(side="right", fill="y")
        self.close_button = ttk.Button(buttons, text="Close", command=self.close, bootstyle="secondary-outline")
        self.close_button.pack(fill="x")
        self.window_button = ttk.Button(buttons, text="Window", command=open_window, bootstyle="secondary-outline")
        self.window_button.pack(fill="x", pady=(4, 0))
        self.screen = tk.Frame(self, takefocus=True, height=120, background=background)
        self.screen.pack(side="left", fill="both", expand=True)
        self.screen.bind("<Configure>", lambda event: self._order("fit"))
        self.screen.bind("<FocusIn>", lambda event: self._order("focus"))
        # A late program must not take the keyboard back after the user has clicked elsewhere.
        self.screen.bind("<FocusOut>", lambda event: self._order("leave"))
        notebook.add(self, text=title)

    def begin(self, process: subprocess.Popen[bytes]) -> None:
        """The terminal starts inside the screen: give it the screen's size and the keyboard as soon as it is there."""
        self.process = process
        argv = [sys.executable, "-I", "-S", embedded_window.__file__, str(self.screen.winfo_id())]
        null = subprocess.DEVNULL
        self._care = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=null, stderr=null, start_new_session=True)
        self.give_keyboard()

    def give_keyboard(self) -> None:
        """Give the keyboard to the terminal, wherever the pointer is."""
        self.screen.focus_force()
        self._order("focus")

    def _order(self, command: str) -> None:
        """Send a command to the program that cares for the terminal's window."""
        if self._care is not None and self._care.stdin is not None:
            with suppress(OSError):  # it has ended
                self._care.stdin.write(f"{command}\n".encode())
                self._care.stdin.flush()

    def destroy(self) -> None:
        """Close the tab."""
        if self._care is not None and self._care.stdin is not None:
            with suppress(OSError):
                self._care.stdin.close()
            try:
                self._care.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:  # it waits for the display
                self._care.kill()
                self._care.wait()
            self._care = None
        super().destroy()

    def set_theme(self, theme: Theme) -> None:
        """Show the terminal in a theme's colors. Text that a program has colored itself stays as it is."""
        self.screen.configure(background=theme.card)
        if self.process is not None:
            set_colors(self.process.pid, theme.card, theme.text)

    def close(self) -> None:
        """End the terminal. The tab closes with it."""
        if self.process is not None:
            self.process.terminate()

    @property
    def has_ended(self) -> bool:
        """Whether the terminal, or the program in it, has ended."""
        return self.process is not None and self.process.poll() is not None


class TerminalTabs:
    """The terminals in the notebook below the drawing.

    Attributes:
        tabs: the tab of each title.

    Args:
        terminals: stores the processes, and ends them with the lab.
    """

    def __init__(self, main: MainWindow, notebook: ttk.Notebook, terminals: Terminals) -> None:
        self._main, self._notebook, self._terminals = main, notebook, terminals
        self.tabs: dict[str, TerminalTab] = {}
        self._timer = ""
        #: The program's windows when the keyboard was taken back; None if it need not be taken once more.
        self._windows: set[str] | None = None
        # The tab that was in front before the first terminal.
        self._before = ""
        # A terminal keeps X's keyboard focus without Tk's knowledge, so a click elsewhere has to take it.
        main.root.bind("<ButtonPress>", self._take_keyboard, add="+")

    @property
    def is_available(self) -> bool:
        """Whether a terminal can be a tab: on X with xterm, if the lists below the drawing are shown."""
        on_x = self._main.root.tk.call("tk", "windowingsystem") == "x11"
        return on_x and shutil.which("xterm") is not None and bool(self._notebook.winfo_viewable())

    def show(self, title: str) -> bool:
        """Bring the tab with a title to the front; returns whether it exists."""
        self._remove_ended()
        tab = self.tabs.get(title)
        if tab is None:
            return False
        self._notebook.select(tab)
        tab.give_keyboard()
        return True

    def open(self, title: str, command: Sequence[str], open_window: Callable[[], object]) -> None:
        """Run a command in a terminal in a new tab, which closes with the command.

        Args:
            open_window: opens the same terminal in a window; called by a button.

        Raises:
            OSError: xterm does not start.
        """

        def move() -> None:
            tab.close()
            open_window()

        theme = self._main.theme
        if not self.tabs:
            self._before = str(self._notebook.select())
        tab = TerminalTab(self._notebook, title, theme.card, move)
        self._notebook.select(tab)
        self._main.root.update_idletasks()
        try:
            tab.begin(self._terminals.embed(command, tab.screen.winfo_id(), theme.card, theme.text))
        except OSError:
            tab.close()
            self._remove(tab)
            raise
        self.tabs[title] = tab
        self._watch()

    def _take_keyboard(self, event: tk.Event[tk.Misc]) -> None:
        """A press on another widget: take the keyboard back from the terminal that has it.

        Another program may be about to give the keyboard to the terminal, so it is taken once more a moment later.
        """
        if not self.tabs:
            return
        focus = last_focused(self._main.root)
        if self._is_screen(focus):
            self._main.root.focus_force()
        elif focus is not None:
            focus.focus_force()
        self._windows = windows_of(self._main.root)

    def _is_screen(self, widget: tk.Misc | None) -> bool:
        return any(widget is tab.screen for tab in self.tabs.values())

    def _watch(self) -> None:
        if not self._timer and self.tabs:
            self._timer = self._main.root.after(_POLL_MS, self._tick)

    def _tick(self) -> None:
        self._timer = ""
        self._remove_ended()
        root = self._main.root
        if self._windows == windows_of(root):  # a new window gets the keyboard
            focus = focused(root)
            if focus is not None and not self._is_screen(focus):
                focus.focus_force()
        self._windows = None
        self._watch()

    def _remove_ended(self) -> None:
        for title, tab in list(self.tabs.items()):
            if tab.has_ended:
                del self.tabs[title]
                self._remove(tab)

    def _remove(self, tab: TerminalTab) -> None:
        """Remove a tab. If it is in front, the terminal beside it comes to the front, or the tab from before them."""
        notebook = self._notebook
        if notebook.select() == str(tab):
            names, terminals = list(notebook.tabs()), set(map(str, self.tabs.values()))
            at = names.index(str(tab))
            beside = [name for name in names[at + 1 : at + 2] + names[max(at - 1, 0) : at] if name in terminals]
            following = next(iter(beside), self._before)
            if following in names and notebook.tab(following, "state") == "normal":
                notebook.select(following)
        tab.destroy()

    def set_theme(self, theme: Theme) -> None:
        """Show all terminals in a theme's colors."""
        for tab in self.tabs.values():
            tab.set_theme(theme)

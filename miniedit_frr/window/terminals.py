"""Terminal windows: the programs, and their arguments for title, size and command.

The process of every open terminal is stored, so that the terminal can be closed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from frrlib.errors import PlaceError
from frrlib.system import signals

#: MiniEdit's names of terminals, as in its files, and the names of the programs.
MINIEDIT_NAMES = {"xterm": "xterm", "gterm": "gnome-terminal"}


@dataclass(frozen=True)
class Terminal:
    """A terminal program.

    Attributes:
        program: its name in PATH.
        arguments: its arguments up to the command; `{title}`, `{columns}` and `{rows}` are placeholders.
    """

    program: str
    arguments: tuple[str, ...]

    def argv(self, command: Sequence[str], title: str, columns: int, rows: int) -> list[str]:
        """The command that opens a window of `columns` by `rows` characters in which `command` runs."""
        values = {"{title}": title, "{columns}": str(columns), "{rows}": str(rows)}
        return [self.program, *(_filled(argument, values) for argument in self.arguments), *command]


#: Wide enough for vtysh: the widest of its usual tables, BGP's summary, has 99 columns and a description, which is by
#: default the neighbor's version, such as "FRRouting/10.3.1".
_COLUMNS = 120
#: In the order of preference. Each runs in the foreground while its window is open, so that its end is detected.
TERMINALS = (
    Terminal("xterm", ("-T", "{title}", "-fa", "Monospace", "-fs", "10", "-geometry", "{columns}x{rows}", "-e")),
    Terminal("gnome-terminal", ("--wait", "--title={title}", "--geometry={columns}x{rows}", "--")),
    Terminal(
        "konsole",
        ("--separate", "-p", "tabtitle={title}", "-p", "TerminalColumns={columns}", "-p", "TerminalRows={rows}", "-e"),
    ),
    Terminal(
        "kitty",
        (
            "--title={title}", "-o", "remember_window_size=no",
            "-o", "initial_window_width={columns}c", "-o", "initial_window_height={rows}c", "--",
        ),
    ),
    Terminal("xfce4-terminal", ("--disable-server", "--title={title}", "--geometry={columns}x{rows}", "-x")),
    Terminal("mate-terminal", ("--disable-factory", "--title={title}", "--geometry={columns}x{rows}", "-x")),
    Terminal(
        "alacritty",
        (
            "--title", "{title}", "-o", "window.dimensions.columns={columns}", "-o", "window.dimensions.lines={rows}",
            "-e",
        ),
    ),
    Terminal("foot", ("--title={title}", "--window-size-chars={columns}x{rows}", "--")),
    Terminal(
        "wezterm",
        (
            "--config", "initial_cols={columns}", "--config", "initial_rows={rows}", "start", "--always-new-process",
            "--",
        ),
    ),
    Terminal("urxvt", ("-title", "{title}", "-geometry", "{columns}x{rows}", "-e")),
    # The arguments that every terminal of Debian accepts. They have no common option for the size.
    Terminal("x-terminal-emulator", ("-T", "{title}", "-e")),
)  # fmt: skip


def _filled(argument: str, values: dict[str, str]) -> str:
    """The argument with its placeholders replaced in one pass, so that a title may contain any text."""
    return re.sub(r"\{(?:title|columns|rows)\}", lambda match: values[match[0]], argument)


def available_terminals() -> list[str]:
    """The programs of `TERMINALS` that this machine has, in their order."""
    return [terminal.program for terminal in TERMINALS if shutil.which(terminal.program)]


def choose_terminal(choice: str = "") -> Terminal:
    """The terminal with this name, ours or MiniEdit's; the first available one if it is missing or no name is given.

    Raises:
        PlaceError: no terminal program is installed.
    """
    available = available_terminals()
    if not available:
        raise PlaceError("no terminal program was found", "sudo apt-get install xterm")
    name = MINIEDIT_NAMES.get(choice, choice)
    return next(terminal for terminal in TERMINALS if terminal.program == (name if name in available else available[0]))


def open_terminal(
    command: Sequence[str], title: str, columns: int = _COLUMNS, rows: int = 30, choice: str = ""
) -> subprocess.Popen[bytes]:
    """Open a window in which a command runs; it closes with the command.

    Args:
        command: such as a session's reply to `terminal`.
        columns, rows: size of the window in characters.
        choice: the program that the user prefers, empty for any.

    Raises:
        PlaceError: no terminal program is installed.
    """
    return _start(choose_terminal(choice).argv(command, title, columns, rows))


def _start(argv: Sequence[str]) -> subprocess.Popen[bytes]:
    null = subprocess.DEVNULL
    return subprocess.Popen(
        argv, stdin=null, stdout=null, stderr=null, start_new_session=True, preexec_fn=signals.reset
    )


class Terminals:
    """The open terminal windows of one lab."""

    def __init__(self) -> None:
        self._open: list[subprocess.Popen[bytes]] = []

    def open(
        self, command: Sequence[str], title: str, columns: int = _COLUMNS, rows: int = 30, choice: str = ""
    ) -> None:
        """As `open_terminal`; the terminal is stored until `end_all`."""
        self._open = [window for window in self._open if window.poll() is None]
        self._open.append(open_terminal(command, title, columns, rows, choice))

    def embed(
        self, command: Sequence[str], window_id: int, background: str, foreground: str
    ) -> subprocess.Popen[bytes]:
        """Run a command in an xterm inside another window of X. The process is stored until `end_all`.

        Args:
            window_id: the window's number.
            background, foreground: colors, as "#rrggbb".

        Raises:
            OSError: xterm does not start.
        """
        self._open = [window for window in self._open if window.poll() is None]
        look = ("-bg", background, "-fg", foreground, "-b", "4", "-bw", "0", "+sb", "-sl", "4000")
        argv = ["xterm", "-into", str(window_id), "-fa", "Monospace", "-fs", "10", *look, "-e", *command]
        self._open.append(_start(argv))
        return self._open[-1]

    def __len__(self) -> int:
        """The number of open terminals."""
        return sum(window.poll() is None for window in self._open)

    def end_all_soon(self, patience_s: float = 0.5) -> threading.Thread:
        """As `end_all`, in a thread: for windows that must not wait."""
        closing = Terminals()
        closing._open, self._open = self._open, []
        thread = threading.Thread(target=closing.end_all, args=(patience_s,), name="terminals")
        thread.start()
        return thread

    def end_all(self, patience_s: float = 0.5) -> None:
        """Close all windows: their processes are terminated, and killed after `patience_s` in total.

        A terminal that passes its windows to another process (gnome-terminal) closes them when the lab has ended.
        """
        windows, self._open = [window for window in self._open if window.poll() is None], []
        for window in windows:
            window.terminate()
        deadline_s = time.monotonic() + patience_s
        for window in windows:
            try:
                window.wait(max(0.0, deadline_s - time.monotonic()))
            except subprocess.TimeoutExpired:
                window.kill()
                window.wait()

"""The colors of an xterm that runs already, set by the control sequences that programs in it may use."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

#: xterm's sequences for the colors of its text, its background and its cursor.
_SEQUENCES = "\x1b]10;{text}\x07\x1b]11;{ground}\x07\x1b]12;{text}\x07"


def terminal_of(pid: int) -> Path | None:
    """The pseudo-terminal that a process has opened for programs in it; None if it has none."""
    with suppress(OSError):
        for opened in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):  # closed in the meantime
                if os.readlink(opened).endswith("/ptmx"):
                    facts = Path(f"/proc/{pid}/fdinfo/{opened.name}").read_text()
                    numbers = [line.split()[1] for line in facts.splitlines() if line.startswith("tty-index:")]
                    return Path(f"/dev/pts/{numbers[0]}") if numbers else None
    return None


def set_colors(pid: int, ground: str, text: str) -> None:
    """Give an xterm other colors, unless it has ended.

    Args:
        pid: the process of xterm.
        ground, text: colors of the background and of text, as "#rrggbb".
    """
    terminal = terminal_of(pid)
    if terminal is None:
        return
    with suppress(OSError):
        file = os.open(terminal, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            os.write(file, _SEQUENCES.format(text=text, ground=ground).encode())
        finally:
            os.close(file)

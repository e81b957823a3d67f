"""Saves figures as files. Each one is drawn again from the data of its runs, in the format of the file."""

from __future__ import annotations

import re
import subprocess
import tkinter as tk
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tkinter import filedialog

from PIL import Image
from ttkbootstrap.dialogs import Messagebox

from frrlib.picture.export import FORMATS
from frrlib.system.atomic_files import replaced
from miniedit_frr.runs.collector import plot_command, reason_of_failure
from miniedit_frr.widgets.worker import Worker

_TYPES = tuple((f"{name.upper()} picture", f"*.{name}") for name in FORMATS)
#: The maximum number of characters of a proposed name.
_MOST_LETTERS = 80


@dataclass(frozen=True)
class FigureDrawing:
    """A figure that `miniedit-frr plot` can draw again.

    Attributes:
        folders: of its runs.
        kind: its name on the command line.
        options: further options of that command.
    """

    folders: tuple[Path, ...]
    kind: str
    options: tuple[str, ...] = ()

    def command(self, to: Path) -> list[str]:
        """The command that draws the figure into a file."""
        return plot_command(self.folders, self.kind, to, *self.options)


class FigureSaver:
    """Saves figures in a thread. It goes on after the figure's window is closed.

    Args:
        root: the window whose thread reports the results.
        say: shows a message, and keeps it in the log.
    """

    def __init__(self, root: tk.Misc, say: Callable[[str], object]) -> None:
        self._worker, self._say = Worker(root), say

    def save(self, drawing: FigureDrawing, shown: Image.Image, to: Path, report: Callable[[str], object]) -> None:
        """Draw a figure into a file whose suffix is one of `FORMATS`.

        Args:
            shown: the picture in the window. It is saved as PNG if the figure cannot be drawn again.
            report: called with short messages on the progress.
        """

        def finish(messages: tuple[str, str]) -> None:
            self._say(messages[0])
            report(messages[1])

        report(f"Drawing {to.name} …")
        self._worker.do("figure", partial(save_figure, drawing, shown, to), finish)


def save_figure(drawing: FigureDrawing, shown: Image.Image, to: Path) -> tuple[str, str]:
    """Draw a figure into a file; see `FigureSaver.save`. Returns a message with all details, and a short one."""
    try:
        drawn = subprocess.run(
            drawing.command(to), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if drawn.returncode == 0:
            return f"The figure was saved to {to}.", f"Saved to {to.name}."
        reason = reason_of_failure(drawn.stderr)
        if to.suffix.lower() == ".png":
            with replaced(to) as beside:
                shown.save(beside, format="png")
            return f"The displayed picture was saved to {to}. It was not drawn again: {reason}", f"Saved to {to.name}."
    except OSError as error:
        reason = str(error)
    return f"The figure cannot be saved to {to}: {reason}", f"{to.name} cannot be saved: {reason}"


def ask_figure_file(window: tk.Toplevel, title: str) -> Path | None:
    """Ask for the file of a figure. Its suffix determines the format; without a known one, the selected type does.

    Args:
        title: of the figure, from which the proposed name is made.
    """
    selected_type = tk.StringVar(window)
    answer = filedialog.asksaveasfilename(
        parent=window, title="Save the figure", filetypes=_TYPES, typevariable=selected_type,
        initialfile=f"{proposed_name(title)}.{FORMATS[0]}", confirmoverwrite=False,
    )  # fmt: skip
    if not answer:
        return None
    formats = {name: suffix for suffix, (name, _) in zip(FORMATS, _TYPES, strict=True)}
    path = with_format(Path(answer), formats.get(selected_type.get(), FORMATS[0]))
    if not path.exists():
        return path
    question = f"{path.name} already exists in this folder. Replace it?"
    buttons = ["Cancel:secondary-outline", "Replace:danger"]
    is_replaced = Messagebox.show_question(question, "Replace a file", parent=window, buttons=buttons) == "Replace"
    return path if is_replaced else None


def proposed_name(title: str) -> str:
    """The proposed name of a figure's file, without a suffix."""
    return re.sub(r"[^\w.]+", "-", title).strip("-.")[:_MOST_LETTERS] or "figure"


def with_format(path: Path, name: str) -> Path:
    """The path, with the suffix of this format if it has the suffix of none."""
    is_known = path.suffix.lower().removeprefix(".") in FORMATS
    return path if is_known else path.with_name(f"{path.name}.{name}")

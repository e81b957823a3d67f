"""The window in which the source of one congestion control is edited."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence

import ttkbootstrap as ttk
from ttkbootstrap.dialogs import Messagebox

from frrlib.picture.theme import Theme
from frrlib.place.module_compiler.modules import CompileError
from miniedit_frr.modules_view.source_text import SourceText
from miniedit_frr.widgets.aside import put_aside
from miniedit_frr.widgets.data_table import Column, DataTable
from miniedit_frr.widgets.deferred import DeferredCall

_COLUMNS = (Column("Line", 60, is_number=True), Column("Error", 700))
CANCEL, DISCARD, SAVE = "Cancel", "Discard", "Save"


class ModuleWindow(ttk.Toplevel):
    """A text editor, a notice above it, and the compiler's errors below it.

    Args:
        file: the name of the file ("tcp_mine.c").
        text: the initial text.
        is_stored: whether a file holds this text.

    Attributes:
        file: the name of the file.
        stored: the text in the file; None if no file was written or read.
        source: the text field.
        errors: the table of errors.
        status: the variable with the result of the last action.
        notice: the variable with the text above the text field; empty for none.
        notice_button: the button of the notice.
        on_save: called when the user saves; returns whether the text was saved.
        on_notice: called when the button of the notice is pressed.
    """

    def __init__(self, parent: tk.Misc, ui: float, theme: Theme, file: str, text: str, is_stored: bool) -> None:
        super().__init__(title=file, master=parent)
        put_aside(self, parent)
        self.file, self.stored = file, text if is_stored else None
        self.on_save: Callable[[], bool] = lambda: False
        self.on_notice: Callable[[], object] = lambda: None
        self.status, self.notice = tk.StringVar(self), tk.StringVar(self)
        bar = ttk.Frame(self, padding=(10, 6))
        bar.pack(side="bottom", fill="x")
        self.save_button = ttk.Button(bar, text="Save and Compile", bootstyle="primary", command=self.save)
        self.save_button.pack(side="left")
        ttk.Button(bar, text="Close", bootstyle="secondary-outline", command=self.close).pack(side="right")
        self._progress = ttk.Progressbar(bar, mode="indeterminate", length=round(90 * ui))
        ttk.Label(bar, textvariable=self.status, padding=(10, 0)).pack(side="left", fill="x", expand=True)
        self._error_lines: tuple[int, ...] = ()
        self.errors = DataTable(self, _COLUMNS, ui, height=4)
        self.errors.tree.bind("<<TreeviewSelect>>", lambda event: self._go_to_error())
        self._notice_bar = ttk.Frame(self, padding=(10, 6))
        ttk.Label(self._notice_bar, textvariable=self.notice, wraplength=round(620 * ui), justify="left").pack(
            side="left", fill="x", expand=True
        )
        self.notice_button = ttk.Button(self._notice_bar, bootstyle="primary", command=lambda: self.on_notice())
        self.source = SourceText(self, theme)
        self.source.pack(fill="both", expand=True, padx=8, pady=(8, 0))
        self.source.fill(text)
        self.source.field.bind("<<Modified>>", lambda event: self._show_title(), add=True)
        for key in ("<Control-Key-s>", "<Control-Lock-Key-S>"):
            self.bind(key, lambda event: self.save())
        self.bind("<Escape>", lambda event: self.close())
        self.protocol("WM_DELETE_WINDOW", self.close)
        self._show_title()
        self.source.field.focus_set()

    @property
    def is_saved(self) -> bool:
        """Whether the file holds the text."""
        return self.source.content == self.stored

    def show_notice(self, text: str, button: str = "") -> None:
        """Show a notice above the text.

        Args:
            text: the notice; empty to hide it.
            button: the label of its button; empty for no button.
        """
        self.notice.set(text)
        self.notice_button.configure(text=button)
        if button:
            self.notice_button.pack(side="right", padx=(8, 0))
        else:
            self.notice_button.pack_forget()
        if text:
            self._notice_bar.pack(side="top", fill="x", before=self.source)
        else:
            self._notice_bar.pack_forget()

    def note_stored(self, text: str) -> None:
        """The file holds this text now."""
        self.stored = text
        self._show_title()

    def show_progress(self, is_compiling: bool) -> None:
        """Show whether the compiler runs."""
        if is_compiling:
            self._progress.pack(side="right", padx=10)
            self._progress.start(20)
        else:
            self._progress.stop()
            self._progress.pack_forget()

    def show_errors(self, errors: Sequence[CompileError]) -> None:
        """Show the compiler's errors: in the table, and as marked lines. The cursor goes to the first one."""
        self._error_lines = tuple(error.line for error in errors)
        self.errors.fill([(str(error.line or ""), error.text) for error in errors])
        self.source.mark_lines(filter(None, self._error_lines))
        if errors:
            self.errors.pack(side="bottom", fill="x", padx=8, pady=(6, 0), before=self.source)
            DeferredCall(self.source, self._go_to_first).soon()
        else:
            self.errors.pack_forget()

    def save(self) -> bool:
        """Save the text; returns whether this succeeded."""
        return self.on_save()

    def close(self) -> None:
        """Close the window, after a question if the text is not saved."""
        if self.may_close():
            self.destroy()

    def may_close(self) -> bool:
        """Whether the text is saved, or the user saves or discards it now."""
        if self.is_saved:
            return True
        buttons = [CANCEL, f"{DISCARD}:danger", f"{SAVE}:primary"]
        answer = Messagebox.show_question(
            f"{self.file} has unsaved changes.", "Unsaved changes", parent=self, buttons=buttons
        )
        return answer == DISCARD or (answer == SAVE and self.save())

    def _go_to_first(self) -> None:
        line = next(filter(None, self._error_lines), 0)
        if line:
            self.source.go_to(line)

    def _go_to_error(self) -> None:
        selection = self.errors.tree.selection()
        if selection and (line := self._error_lines[int(selection[0])]):
            self.source.go_to(line)

    def _show_title(self) -> None:
        # The flag is reset, so that the next change causes the event again.
        self.source.field.edit_modified(False)
        self.title(f"{'' if self.is_saved else '*'}{self.file} - congestion control")

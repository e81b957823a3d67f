"""Offers to recover or discard the unsaved work of editors that ended without saving it."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import ttkbootstrap as ttk
from PIL import ImageTk

from frrlib.errors import LabError
from frrlib.picture.theme import Theme
from frrlib.picture.thumbnail import picture
from miniedit_frr.files.autosave import Autosave
from miniedit_frr.files.drafts import Draft, Drafts
from miniedit_frr.files.file_menu import FileMenu
from miniedit_frr.user.paths import short_path
from miniedit_frr.user.preferences import PreferenceStore

_COLUMNS = {
    "drawing": ("Topology", 150),
    "folder": ("Folder", 190),
    "when": ("Last change", 150),
    "size": ("Size", 130),
}
#: Topologies with more nodes and links than this have no preview: reading one would block the window.
_MAX_PREVIEW = 3000


class DraftRecovery:
    """Keeps drafts of this window's topology, and recovers those of windows that have ended.

    Args:
        window: the editor's window.
        files: its File menu.
        folder: the folder of the drafts.
        say: shows a message.
        look: returns the present theme and scaling.

    Attributes:
        autosave: the writer of the drafts.
        dialog: the open dialog; None if it is closed.
    """

    def __init__(
        self,
        window: tk.Tk,
        files: FileMenu,
        folder: Path,
        say: Callable[[str], None],
        look: Callable[[], tuple[Theme, float]],
    ) -> None:
        self._window, self._files, self._say, self._look = window, files, say, look
        self._drafts = Drafts(folder)
        self.autosave = Autosave(window, files.document, self._drafts, say)
        self.dialog: RecoveryDialog | None = None
        #: Drafts that were recovered, but whose content is in no other file yet.
        self._recovered: list[Draft] = []
        files.on_saved.append(self.autosave.discard_draft)
        files.on_saved.append(self._discard_recovered)
        self._remove_listener: Callable[[], None] = files.document.listen(lambda old, new: self._discard_recovered())

    def follow_preferences(self, store: PreferenceStore) -> None:
        """Write drafts only while the preferences say so."""
        self.autosave.set_enabled(store.now.autosave)
        store.listen(lambda old, new: self.autosave.set_enabled(new.autosave))

    def offer(self, quiet: bool = False) -> None:
        """Offer the drafts of windows that have ended, if there are any.

        Args:
            quiet: whether no message is shown if there are none.
        """
        if self.dialog is not None:
            self.dialog.lift()
            return
        drafts = self._drafts.claim()
        if drafts:
            self.dialog = RecoveryDialog(
                self._window, drafts, self._recover, self._drafts.discard, self._later, *self._look()
            )
        else:
            self._drafts.release()
            if not quiet:
                self._say("There is no unsaved work to recover.")

    def abandon_changes(self) -> None:
        """Discard the unsaved changes, as the user has decided."""
        self.autosave.set_enabled(False)
        self._discard_recovered(is_unwanted=True)

    def close(self) -> None:
        """Write unsaved changes that were not abandoned, before the window closes."""
        if self.dialog is not None:
            self.dialog.close()
        self.autosave.flush()
        self._remove_listener()
        self._remove_listener = lambda: None
        self.autosave.close()

    def _later(self) -> None:
        self.dialog = None
        self._drafts.release()

    def _recover(self, draft: Draft) -> bool:
        """Recover a draft; returns whether it was recovered."""
        document = self._files.document
        try:
            topology = draft.read()
        except LabError as error:
            self._files.report_failure("The draft cannot be read", error)
            return False
        if not self._files.may_leave():
            return False
        document.recover(topology, draft.path, draft.digest)
        if self.autosave.flush():
            self._drafts.discard(draft)
        else:
            self._recovered.append(draft)
        self._files.on_open()
        self._say(f"Recovered {_file_name(draft)} of {_time_text(draft)}. It is not saved yet.")
        if document.has_changed_outside:
            self._say(
                f"Another program has changed {_file_name(draft)} in the meantime. You are asked before it is replaced."
            )
        return True

    def _discard_recovered(self, is_unwanted: bool = False) -> None:
        """Remove the drafts of recovered work if it is saved now, or if the user does not want it."""
        if is_unwanted or self._files.document.is_saved:
            while self._recovered:
                self._drafts.discard(self._recovered.pop())


class RecoveryDialog(tk.Toplevel):
    """The dialog with the claimed drafts and a preview of the selected one.

    Args:
        parent: the editor's window.
        drafts: the drafts, at least one.
        recover: recovers a draft; if it returns False, the dialog stays open.
        discard: removes a draft permanently.
        later: called when the dialog is closed.
        theme, ui: the theme, and the scaling.
    """

    def __init__(
        self,
        parent: tk.Tk,
        drafts: Sequence[Draft],
        recover: Callable[[Draft], bool],
        discard: Callable[[Draft], None],
        later: Callable[[], None],
        theme: Theme,
        ui: float,
    ) -> None:
        super().__init__(parent)
        self.withdraw()
        self._drafts = {str(draft.file): draft for draft in drafts}
        self._recover, self._discard, self._later = recover, discard, later
        self._theme, self._ui = theme, ui
        self._is_confirming = False
        self._image: ImageTk.PhotoImage | None = None
        self.title("Unsaved work")
        self.transient(parent)
        self.protocol("WM_DELETE_WINDOW", self.close)
        self._build()
        self._fill()
        self.bind("<Escape>", lambda event: self.close())
        self.bind("<Return>", lambda event: self.recover_button.invoke())
        self.update_idletasks()
        x = parent.winfo_rootx() + (parent.winfo_width() - self.winfo_reqwidth()) // 2
        y = parent.winfo_rooty() + (parent.winfo_height() - self.winfo_reqheight()) // 3
        self.geometry(f"+{max(0, x)}+{max(0, y)}")
        self.deiconify()
        self.lift()
        self.wait_visibility()
        self.grab_set()
        self.list.focus_set()

    def close(self) -> None:
        """Close the dialog and leave the drafts for later."""
        self.grab_release()
        self.destroy()
        self._later()

    def _build(self) -> None:
        ui = self._ui
        body = ttk.Frame(self, padding=round(14 * ui))
        body.pack(fill="both", expand=True)
        is_single = len(self._drafts) == 1
        text = (
            f"MiniEdit-FRR ended before {'this topology was' if is_single else 'these topologies were'} saved. "
            "Topologies that you do not recover now stay available under File > Recover Unsaved Work."
        )
        ttk.Label(body, text=text, wraplength=round(820 * ui), justify="left").pack(anchor="w")
        middle = ttk.Frame(body)
        middle.pack(fill="both", expand=True, pady=round(10 * ui))
        self.list = ttk.Treeview(middle, columns=tuple(_COLUMNS), show="headings", height=7, selectmode="extended")
        for name, (title, width) in _COLUMNS.items():
            self.list.heading(name, text=title, anchor="w")
            self.list.column(name, width=round(width * ui), anchor="w")
        self.list.pack(side="left", fill="both", expand=True)
        self.preview = ttk.Label(middle)
        self.preview.pack(side="left", padx=(round(12 * ui), 0))
        row = ttk.Frame(body)
        row.pack(fill="x")
        self.discard_button = ttk.Button(
            row, text="Discard", command=self._discard_selected, bootstyle="danger-outline"
        )
        self.discard_button.pack(side="left")
        self.confirmation = ttk.Label(row)
        self.confirmation.pack(side="left", padx=round(10 * ui))
        self.recover_button = ttk.Button(row, text="Recover", command=self._recover_selected, bootstyle="primary")
        self.recover_button.pack(side="right")
        self.later_button = ttk.Button(row, text="Decide Later", command=self.close, bootstyle="secondary-outline")
        self.later_button.pack(side="right", padx=round(8 * ui))
        self.list.bind("<<TreeviewSelect>>", lambda event: self._on_select())
        self.list.bind("<Double-1>", lambda event: self.recover_button.invoke())

    def _fill(self) -> None:
        self.list.delete(*self.list.get_children())
        for key, draft in self._drafts.items():
            folder = short_path(draft.path.parent) if draft.path else ""
            size = f"{_count(draft.nodes, 'node')}, {_count(draft.links, 'link')}"
            self.list.insert("", "end", iid=key, values=(_file_name(draft), folder, _time_text(draft), size))
        self.list.selection_set(next(iter(self._drafts)))
        self.list.focus(next(iter(self._drafts)))
        self._on_select()

    def _on_select(self) -> None:
        keys = self.list.selection()
        self._ask_confirmation(False)
        self.discard_button.configure(state="normal" if keys else "disabled")
        self.recover_button.configure(state="normal" if len(keys) == 1 else "disabled")
        size = round(240 * self._ui), round(170 * self._ui)
        draft = self._drafts[keys[0]] if len(keys) == 1 else None
        is_large = draft is not None and draft.nodes + draft.links > _MAX_PREVIEW
        try:
            topology = draft.read() if draft is not None and not is_large else None
        except LabError:
            topology = None
        if topology is None:
            self._image = None
            self.preview.configure(image="", text="Too large for a preview." if is_large else "")
        else:
            self._image = ImageTk.PhotoImage(picture(topology, *size, self._theme), master=self)
            self.preview.configure(image=self._image)

    def _recover_selected(self) -> None:
        draft = self._drafts[self.list.selection()[0]]
        self.grab_release()
        if self._recover(draft):
            self.close()
        else:
            self.grab_set()

    def _discard_selected(self) -> None:
        keys = self.list.selection()
        if not self._is_confirming:
            self._ask_confirmation(True)
            return
        for key in keys:
            self._discard(self._drafts.pop(key))
        if self._drafts:
            self._fill()
        else:
            self.close()

    def _ask_confirmation(self, is_asked: bool) -> None:
        """Ask for a second press of the button Discard, since a discarded draft cannot be restored."""
        self._is_confirming = is_asked
        count = len(self.list.selection())
        self.discard_button.configure(text="Discard Permanently" if is_asked else "Discard")
        topologies = "this topology" if count == 1 else f"these {count} topologies"
        self.confirmation.configure(text=f"Afterwards {topologies} cannot be restored." if is_asked else "")


def _file_name(draft: Draft) -> str:
    return draft.path.name if draft.path else "untitled"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _time_text(draft: Draft) -> str:
    try:
        then, today = datetime.fromtimestamp(draft.changed_at), datetime.now().date()
    except (ValueError, OverflowError, OSError):
        return "at an unknown time"
    days = {today: "today", today - timedelta(days=1): "yesterday"}
    return f"{days.get(then.date()) or then.strftime('%d %b %Y')} {then:%H:%M}"

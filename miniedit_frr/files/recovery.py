"""Offers the unsaved work of editors that ended without saving: recover it, look later, or discard it."""

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

_COLUMNS = {"drawing": ("Drawing", 150), "folder": ("Folder", 190), "when": ("Last change", 150), "size": ("Size", 130)}
#: Larger drawings, in nodes and links, have no picture in the offer: reading one would keep the window waiting.
_MOST_SHOWN = 3000


class DraftRecovery:
    """Keeps drafts of this window's drawing, and recovers those of windows that are gone.

    Args:
        window: the editor's.
        files: what opens and saves its drawing.
        folder: where drafts are.
        say: tells the user in passing.
        look: the theme and the scaling of the moment.

    Attributes:
        autosave: the writer of the drafts.
        dialog: the open offer; None where there is none.
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
        #: Drafts whose recovered content is in no other file yet.
        self._recovered: list[Draft] = []
        files.on_saved.append(self.autosave.discard_draft)
        files.on_saved.append(self._discard_recovered)
        self._forget: Callable[[], None] = files.document.listen(lambda before, after: self._discard_recovered())

    def follow_preferences(self, personal: PreferenceStore) -> None:
        """Keep drafts as long as the user wants them."""
        self.autosave.set_enabled(personal.now.autosave)
        personal.listen(lambda before, after: self.autosave.set_enabled(after.autosave))

    def offer(self, quiet: bool = False) -> None:
        """Offer drafts that were left behind, if there are any.

        Args:
            quiet: whether to say nothing where there is nothing.
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
        """The user does not want the unsaved changes."""
        self.autosave.set_enabled(False)
        self._discard_recovered(is_unwanted=True)

    def close(self) -> None:
        """The window is closing: write unsaved changes that were not given up."""
        if self.dialog is not None:
            self.dialog.close()
        self.autosave.flush()
        self._forget()
        self._forget = lambda: None
        self.autosave.close()

    def _later(self) -> None:
        self.dialog = None
        self._drafts.release()

    def _recover(self, draft: Draft) -> bool:
        """Bring a draft into the window; returns whether that was done."""
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
        self._say(f"Recovered {_called(draft)} of {_when(draft)}. It is not saved yet.")
        if document.has_changed_outside:
            self._say(
                f"Another program has changed {_called(draft)} in the meantime. You are asked before it is replaced."
            )
        return True

    def _discard_recovered(self, is_unwanted: bool = False) -> None:
        """Remove the drafts of recovered work once it is saved or the user does not want it."""
        if is_unwanted or self._files.document.is_saved:
            while self._recovered:
                self._drafts.discard(self._recovered.pop())


class RecoveryDialog(tk.Toplevel):
    """The drafts that were found, with a picture of the chosen one.

    Args:
        parent: the editor's window.
        drafts: what to offer, at least one.
        recover: brings a draft back; False leaves the offer open.
        discard: removes a draft for good.
        later: called when the offer is closed.
        theme, ui: how it looks.
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
        self._sure = False
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
        """Leave the drafts for later."""
        self.grab_release()
        self.destroy()
        self._later()

    def _build(self) -> None:
        ui = self._ui
        body = ttk.Frame(self, padding=round(14 * ui))
        body.pack(fill="both", expand=True)
        one = len(self._drafts) == 1
        text = (
            f"MiniEdit-FRR ended before {'this drawing was' if one else 'these drawings were'} saved. Drawings that "
            "you do not recover now stay available under File > Recover Unsaved Work."
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
        self.discard_button = ttk.Button(row, text="Discard", command=self._throw_away, bootstyle="danger-outline")
        self.discard_button.pack(side="left")
        self.sure = ttk.Label(row)
        self.sure.pack(side="left", padx=round(10 * ui))
        self.recover_button = ttk.Button(row, text="Recover", command=self._bring_back, bootstyle="primary")
        self.recover_button.pack(side="right")
        self.later_button = ttk.Button(row, text="Decide Later", command=self.close, bootstyle="secondary-outline")
        self.later_button.pack(side="right", padx=round(8 * ui))
        self.list.bind("<<TreeviewSelect>>", lambda event: self._chosen())
        self.list.bind("<Double-1>", lambda event: self.recover_button.invoke())

    def _fill(self) -> None:
        self.list.delete(*self.list.get_children())
        for key, draft in self._drafts.items():
            folder = short_path(draft.path.parent) if draft.path else ""
            size = f"{_count(draft.nodes, 'node')}, {_count(draft.links, 'link')}"
            self.list.insert("", "end", iid=key, values=(_called(draft), folder, _when(draft), size))
        self.list.selection_set(next(iter(self._drafts)))
        self.list.focus(next(iter(self._drafts)))
        self._chosen()

    def _chosen(self) -> None:
        keys = self.list.selection()
        self._ask(False)
        self.discard_button.configure(state="normal" if keys else "disabled")
        self.recover_button.configure(state="normal" if len(keys) == 1 else "disabled")
        size = round(240 * self._ui), round(170 * self._ui)
        only = self._drafts[keys[0]] if len(keys) == 1 else None
        is_large = only is not None and only.nodes + only.links > _MOST_SHOWN
        try:
            topology = only.read() if only is not None and not is_large else None
        except LabError:
            topology = None
        if topology is None:
            self._image = None
            self.preview.configure(image="", text="Too large for a preview." if is_large else "")
        else:
            self._image = ImageTk.PhotoImage(picture(topology, *size, self._theme), master=self)
            self.preview.configure(image=self._image)

    def _bring_back(self) -> None:
        draft = self._drafts[self.list.selection()[0]]
        self.grab_release()
        if self._recover(draft):
            self.close()
        else:
            self.grab_set()

    def _throw_away(self) -> None:
        keys = self.list.selection()
        if not self._sure:
            self._ask(True)
            return
        for key in keys:
            self._discard(self._drafts.pop(key))
        if self._drafts:
            self._fill()
        else:
            self.close()

    def _ask(self, sure: bool) -> None:
        """Discarding takes a second press of its button: nothing brings it back."""
        self._sure = sure
        count = len(self.list.selection())
        self.discard_button.configure(text="Discard Permanently" if sure else "Discard")
        which = "this drawing" if count == 1 else f"these {count} drawings"
        self.sure.configure(text=f"Afterwards {which} cannot be restored." if sure else "")


def _called(draft: Draft) -> str:
    return draft.path.name if draft.path else "untitled"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _when(draft: Draft) -> str:
    try:
        then, today = datetime.fromtimestamp(draft.changed_at), datetime.now().date()
    except (ValueError, OverflowError, OSError):
        return "at an unknown time"
    days = {today: "today", today - timedelta(days=1): "yesterday"}
    return f"{days.get(then.date()) or then.strftime('%d %b %Y')} {then:%H:%M}"

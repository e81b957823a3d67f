"""The window of a form, with pages and the buttons OK, Cancel and Apply."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import ttkbootstrap as ttk

from miniedit_frr.dialogs.draft import FormDraft
from miniedit_frr.dialogs.fields.fields import Context
from miniedit_frr.dialogs.fields.list_widgets import ListInput
from miniedit_frr.dialogs.fields.slots import SMALL_FONT, severity_color
from miniedit_frr.dialogs.form import AnyInput, Form, Remark
from miniedit_frr.dialogs.pagelist import PageList
from miniedit_frr.dialogs.parts import Tab, fields_of
from miniedit_frr.dialogs.scroller import Scroller
from miniedit_frr.widgets.focus import last_focused
from miniedit_frr.widgets.own_events import bind_own_event, unbind_unused_events

#: Keys that turn the pages, independent of the focus.
_PAGE_KEYS = {
    "<Control-Tab>": 1, "<Control-Shift-Tab>": -1, "<Control-ISO_Left_Tab>": -1, "<Control-Next>": 1,
    "<Control-Prior>": -1,
}  # fmt: skip
#: Width and height of a dialog with a list of pages, width of the text at the top of a page, and
#: of the text that says why fields are locked, at 100 %.
_LISTED, _ABOUT, _LOCK = (1040, 670), 720, 600
#: A higher page scrolls, on any screen. Otherwise one long page would leave the other pages mostly empty.
_HIGHEST = 740


class FormDialog:
    """A window with a form of one or more pages. It is independent of the meaning of its values.

    It does not block the other windows: the user may look at the canvas while typing an address.

    Args:
        parent: the window that it belongs to.
        title: its title.
        tabs: the pages.
        values: the values to edit, of one kind.
        ui: scaling of the screen.
        apply: applies the changed values; returns the reason of a refusal, or an empty text.
        context: the context of the fields.
        refuse: checks valid values against the topology; returns None, or a field's path (empty for no particular
            field) and the reason.

    Attributes:
        window: the Tk window.
        draft: the edits.
        on_close: called after the window is destroyed.
        lock_text: the text at the top that says why the subject is locked; empty if it is not.
    """

    def __init__(
        self,
        parent: tk.Misc,
        title: str,
        tabs: Sequence[Tab],
        values: Sequence[Any],
        ui: float,
        apply: Callable[[tuple[Any, ...]], str],
        context: Context = None,
        refuse: Callable[[tuple[Any, ...]], tuple[str, str] | None] = lambda values: None,
    ) -> None:
        self._ui, self._take, self._refuse = ui, apply, refuse
        self._several = len(values) > 1
        self.tabs = [tab for tab in tabs if not (tab.single and self._several)]
        self.draft = FormDraft(values, [field for tab in self.tabs for field in fields_of(tab.parts)], context)
        self.on_close: Callable[[], None] = lambda: None
        self._forms: dict[int, Form] = {}
        self._stale: set[int] = set()
        self._remarks: dict[str, Remark] = {}
        self._refused: tuple[str, str] | None = None
        self._fit_timer = ""
        self.is_open, self._is_gone = True, False
        self.notice, self.lock_text = "", ""
        self.window = ttk.Toplevel(master=parent, title=title)
        unbind_unused_events(self.window)
        self.window.withdraw()
        self._build()
        self.draft.listeners.append(self._on_change)
        self._on_change()
        self._place(parent)

    # --- the window ---

    def _build(self) -> None:
        window, gap = self.window, round(4 * self._ui)
        window.transient(window.master.winfo_toplevel())
        bar = ttk.Frame(window, padding=(4 * gap, 3 * gap))
        bar.pack(side="bottom", fill="x")
        self.cancel_button = ttk.Button(bar, text="Cancel", width=9, command=self.cancel, bootstyle="secondary-outline")
        self.apply_button = ttk.Button(bar, text="Apply", width=9, command=self.apply, bootstyle="secondary-outline")
        self.ok_button = ttk.Button(bar, text="OK", width=9, command=self.ok, bootstyle="primary", default="active")
        for button in (self.ok_button, self.cancel_button, self.apply_button):
            button.pack(side="right", padx=(2 * gap, 0))
        # Order from the left: Apply, Cancel, OK. The Tab key follows the same order.
        for button in (self.cancel_button, self.ok_button):
            button.lift()
        self.message = ttk.Label(bar, font=SMALL_FONT, justify="left", wraplength=round(430 * self._ui))
        self.message.pack(side="left", fill="x", expand=True)
        ttk.Separator(window).pack(side="bottom", fill="x")
        self._lock_label = ttk.Label(window, padding=(4 * gap, 3 * gap, 4 * gap, 0), justify="left",
                                     wraplength=round(_LOCK * self._ui), bootstyle="warning")  # fmt: skip
        self.book: ttk.Notebook | PageList | None = None
        if len(self.tabs) > 1:
            self.book = PageList(window, self._ui) if self._is_listed else ttk.Notebook(window)
            self._pages = [self._page(self.book) for _ in self.tabs]
            for page, tab in zip(self._pages, self.tabs, strict=True):
                if isinstance(self.book, PageList):
                    self.book.add(page, tab.title, tab.section)
                else:
                    self.book.add(page, text=tab.title)
            self.book.pack(fill="both", expand=True, padx=2 * gap, pady=(2 * gap, 2 * gap))
            self.book.bind("<<NotebookTabChanged>>", lambda event: self._on_page_turn())
        else:
            self._pages = [self._page(window)]
            self._pages[0].pack(fill="both", expand=True)
        window.protocol("WM_DELETE_WINDOW", self.cancel)
        bind_own_event(window, "<Destroy>", self._on_destroy)
        window.bind("<Escape>", lambda event: self.cancel())
        for key in ("<Control-Return>", "<Control-KP_Enter>"):
            # Tk buttons react to Return with any modifier. Control-Return must not press the focused button.
            window.tk.call("bind", "TButton", key, "#")
            window.bind(key, lambda event: self.ok())
        for key in ("<Return>", "<KP_Enter>"):
            window.bind(key, self._on_return)
        for key, step in _PAGE_KEYS.items():
            window.bind(key, partial(self._turn, step))
        window.bind("<<Grown>>", lambda event: self._fit_soon())
        window.bind("<FocusIn>", self._on_focus)
        for wheel in ("<Button-4>", "<Button-5>", "<MouseWheel>"):
            window.bind(wheel, self._wheel)

    @property
    def _is_listed(self) -> bool:
        """Whether the pages have a list instead of tabs. Such pages are created when they are first shown."""
        return any(tab.section for tab in self.tabs)

    def _page(self, parent: tk.Misc) -> Scroller:
        gap = round(4 * self._ui)
        above = 3 if len(self.tabs) > 1 else 5
        highest = min(round(self.window.winfo_screenheight() * 0.72), round(_HIGHEST * self._ui))
        return Scroller(parent, highest, (4 * gap, above * gap))

    def _room(self) -> tuple[int, int]:
        """Width and height of a window with a list of pages, limited by the screen."""
        wide, high = (round(size * self._ui) for size in _LISTED)
        window = self.window
        return min(wide, window.winfo_screenwidth()), min(high, round(window.winfo_screenheight() * 0.9))

    def _wheel(self, event: tk.Event) -> None:
        # An open list and a text scroll by themselves.
        if not isinstance(event.widget, tk.Text | str):
            self._pages[self.page_index].wheel(1 if event.num == 4 or event.delta > 0 else -1)

    def _on_focus(self, event: tk.Event) -> None:
        # The frame around a field also receives this event, and may be higher than the window.
        if isinstance(event.widget, tk.Widget) and event.widget is last_focused(self.window):
            self._pages[self.page_index].see(event.widget)

    def _place(self, parent: tk.Misc) -> None:
        """Place the window in the middle of its parent, as large as its largest page, within the screen."""
        for index in range(1 if self._is_listed else len(self.tabs)):
            self._show_page(index)
        window = self.window
        window.update_idletasks()
        for page in self._pages:
            page.fit()  # parts of a hidden window have no size yet
        window.update_idletasks()
        wide, high = self._room() if self._is_listed else (window.winfo_reqwidth(), window.winfo_reqheight())
        top = parent.winfo_toplevel()
        x = top.winfo_rootx() + (top.winfo_width() - wide) // 2
        y = top.winfo_rooty() + (top.winfo_height() - high) // 3
        x = max(0, min(x, window.winfo_screenwidth() - wide))
        y = max(0, min(y, window.winfo_screenheight() - high - round(40 * self._ui)))
        window.geometry(f"{wide}x{high}+{x}+{y}" if self._is_listed else f"+{x}+{y}")
        least = 0.6 if self._is_listed else 1
        wide, high = round(least * wide), round(least * high)
        window.minsize(min(wide, window.winfo_screenwidth()), min(high, window.winfo_screenheight()))
        window.deiconify()
        window.lift()
        self.focus_first()

    @property
    def page_index(self) -> int:
        """The number of the front page."""
        return self.book.index("current") if self.book is not None else 0

    @property
    def forms(self) -> list[Form]:
        """The forms of the pages that have been shown."""
        return list(self._forms.values())

    @property
    def inputs(self) -> dict[str, AnyInput]:
        """The widgets of all fields on the pages that have been shown, by path."""
        return {path: widget for form in self.forms for path, widget in form.inputs.items()}

    def note_of(self, path: str) -> str:
        """The help, the error or the remark that is shown beside a field."""
        return next((form.remark_on(path)[1] for form in self.forms if path in form.inputs), "")

    def _on_page_turn(self) -> None:
        """Show the page that came to the front."""
        self._show_page(self.page_index)
        self._fit_soon()
        if self.is_valid:
            self._show_other_page_error()

    def _show_page(self, index: int) -> Form:
        """The form of a page, created at its first use."""
        if index not in self._forms:
            about = self.tabs[index].about
            if about:
                words = ttk.Label(self._pages[index].inner, text=about, wraplength=round(_ABOUT * self._ui),
                                  justify="left", bootstyle="secondary")  # fmt: skip
                words.pack(anchor="w", pady=(0, round(8 * self._ui)))
            form = Form(self._pages[index].inner, self.tabs[index].parts, self.draft, self._ui)
            form.pack(fill="both", expand=True)
            self._forms[index] = form
            form.remark(self._all_remarks())
        elif index in self._stale:
            self._stale.discard(index)
            self._forms[index].refresh()
            self._forms[index].remark(self._all_remarks())
        return self._forms[index]

    # --- focus and keys ---

    def focus_first(self) -> None:
        """Move the focus to the first field of the front page."""
        form = self._show_page(self.page_index)
        path = next((path for path in form.inputs if not self.draft.is_locked(path)), None)
        if path is not None:
            form.focus_path(path)
        else:
            self.cancel_button.focus_set()

    def focus_path(self, path: str) -> bool:
        """Move the focus to a field on any page, and return whether the field exists."""
        for index, tab in enumerate(self.tabs):
            if path and any(field.path == path or path in field.covers for field in fields_of(tab.parts)):
                match = next(field for field in fields_of(tab.parts) if field.path == path or path in field.covers)
                if self.book is not None:
                    self.book.select(index)
                self.window.update_idletasks()
                return self._show_page(index).focus_path(match.path)
        return False

    def focus_row(self, path: str, column: str, words: str) -> None:
        """If a field is a table, move the focus to the row that some words name."""
        for form in self._forms.values():
            widget = form.inputs.get(path)
            if isinstance(widget, ListInput):
                widget.focus_row(column, words)

    def _turn(self, step: int, event: tk.Event) -> str:
        """Turn to the next or previous page, with the focus on its first field."""
        if self.book is not None:
            self.book.select((self.page_index + step) % len(self.tabs))
            self.focus_first()
        return "break"

    def _on_return(self, event: tk.Event) -> None:
        # Return presses a focused button, and starts a new line in a text.
        if not isinstance(event.widget, tk.Text | ttk.Button):
            self.ok()

    def refresh(self, notice: str = "", lock_text: str = "") -> None:
        """Lock or unlock the fields.

        Args:
            notice: the text at the bottom while there is no error or warning.
            lock_text: see the attribute. OK is disabled until a field that is not locked changes.
        """
        self.notice = notice
        if lock_text != self.lock_text:
            self.lock_text = lock_text
            self._lock_label.configure(text=lock_text)
            if lock_text:
                self._lock_label.pack(fill="x", before=self.book or self._pages[0])
            else:
                self._lock_label.pack_forget()
            self._show_buttons()
        for form in self._forms.values():
            form.refresh()
        if self.is_valid:
            self._show_other_page_error()

    # --- edits ---

    @property
    def is_valid(self) -> bool:
        """Whether the values can be applied."""
        return self.draft.is_valid and self._refused is None and not self._is_gone

    def _show_buttons(self) -> None:
        """Enable OK and Apply if they have an effect."""
        ok, is_dirty = self.is_valid, self.draft.is_dirty
        self.ok_button.state(["!disabled" if ok and (is_dirty or not self.lock_text) else "disabled"])
        self.apply_button.state(["!disabled" if ok and is_dirty else "disabled"])

    def _on_change(self) -> None:
        if self._is_gone:
            return
        self._refused = self._refuse(self.draft.values) if self.draft.is_valid and self.draft.is_dirty else None
        remarks = self._all_remarks()
        # The other pages are refreshed when they come to the front.
        front = self.page_index
        self._stale = {index for index in self._forms if index != front}
        if front in self._forms:
            self._forms[front].refresh()
            self._forms[front].remark(remarks)
        self._show_buttons()
        if self.is_valid:
            self._show_other_page_error()
        else:
            self.show_message("error", self._first_fault())
        self._mark_pages()
        self._fit_soon()

    def _fit_soon(self) -> None:
        if not self._fit_timer and self.is_open:
            self._fit_timer = self.window.after_idle(self._fit)

    def _mark_pages(self) -> None:
        """Mark the pages in use and the pages with an error in the list."""
        if isinstance(self.book, PageList):
            for index, tab in enumerate(self.tabs):
                is_wrong = any(self.draft.fault(field.path) for field in fields_of(tab.parts)) or self._page_error(tab)
                runs = any(tab.runs(value) for value in self.draft.values)
                self.book.mark(index, "wrong" if is_wrong else "on" if runs else "")

    def _fit(self) -> None:
        """Fit the window to its content, such as a table with a new row, and keep it on the screen."""
        self._fit_timer, window = "", self.window
        if not window.winfo_ismapped():
            return
        window.update_idletasks()
        self._pages[self.page_index].fit()
        focus = last_focused(window)
        if self._is_listed:
            if isinstance(focus, tk.Widget):
                self._pages[self.page_index].see(focus)
            return
        window.update_idletasks()
        room = window.winfo_screenheight() - window.winfo_reqheight() - round(40 * self._ui)
        if window.winfo_height() < window.winfo_reqheight() and window.winfo_rooty() > max(0, room):
            window.geometry(f"+{window.winfo_x()}+{max(0, room)}")

    def _first_fault(self) -> str:
        """The first error with its page and field, because its field may be on another page."""
        for tab in self.tabs:
            for field in fields_of(tab.parts):
                fault = self.draft.fault(field.path)
                if fault:
                    return f"{tab.title}: {field.label or tab.title}: {fault}"
        return self._refused[1] if self._refused else ""

    def _all_remarks(self) -> Mapping[str, Remark]:
        if self._refused is not None and self._refused[0]:
            return {**self._remarks, self._refused[0]: ("error", self._refused[1])}
        return self._remarks

    def remark(self, remarks: Mapping[str, Remark]) -> None:
        """Show remarks on some fields. They do not disable OK."""
        self._remarks = dict(remarks)
        self._stale = set(self._forms) - {self.page_index}
        self._show_page(self.page_index).remark(self._all_remarks())
        self._mark_pages()
        if self.is_valid:
            self._show_other_page_error()

    def _show_other_page_error(self) -> None:
        """Show an error of another page at the bottom, because its field is not visible."""
        elsewhere = (tab for index, tab in enumerate(self.tabs) if index != self.page_index)
        errors = ((tab, self._page_error(tab)) for tab in elsewhere)
        words = next((f"On page {tab.title}: {text}" for tab, text in errors if text), "")
        self.show_message("warning" if words else "note", words or self.notice)

    def _page_error(self, tab: Tab) -> str:
        """The first error remark on a field of a page, from the topology's check or from FRR; empty without one."""
        remarks = (self._all_remarks().get(field.path, ("", "")) for field in fields_of(tab.parts))
        return next((text for severity, text in remarks if severity == "error"), "")

    def show_message(self, severity: str, text: str) -> None:
        """Show a message at the bottom."""
        style = {"error": "danger", "warning": "warning"}.get(severity, "secondary")
        self.message.configure(text=text[:1].upper() + text[1:], bootstyle=style, foreground=severity_color(severity))

    def show_gone(self, text: str) -> None:
        """Show that the subject of the dialog was deleted, and disable OK and Apply."""
        self._is_gone = True
        self.ok_button.state(["disabled"])
        self.apply_button.state(["disabled"])
        self.show_message("warning", text)

    # --- OK, Apply and Cancel ---

    def apply(self) -> bool:
        """Apply the changed values, keep the dialog open, and return whether they were accepted."""
        if not self.is_valid:
            self.window.bell()
            return False
        if not self.draft.is_dirty:
            return True
        refused = self._take(self.draft.values)
        if refused:
            self.show_message("error", refused)
        return not refused

    def ok(self) -> None:
        """Apply the changed values and close the dialog."""
        if self.apply():
            self.close()

    def cancel(self) -> None:
        """Close the dialog without a change."""
        self.close()

    def close(self) -> None:
        """Close the dialog."""
        if self.is_open:
            self.window.destroy()

    def _on_destroy(self) -> None:
        """Clean up after the window was destroyed by its buttons, or together with its parent."""
        if self.is_open:
            self.is_open = False
            if self._fit_timer:
                self.window.after_cancel(self._fit_timer)
            self.on_close()

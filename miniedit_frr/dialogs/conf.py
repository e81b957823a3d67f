"""The page for frr.conf: lines of one's own, and what is written from all settings, as it changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import ttkbootstrap as ttk

from miniedit_frr.dialogs.inputs import SMALL_FONT, Slot
from miniedit_frr.dialogs.lines import LinesInput

if TYPE_CHECKING:
    from miniedit_frr.dialogs.form import Form

_PATH = "node.frr_conf"


class ConfPage(ttk.Frame):
    """Lines that are added, above; the whole configuration, below."""

    def __init__(self, parent: Any, form: Form, whole: Callable[..., tuple[str, str]]) -> None:
        super().__init__(parent)
        self._told: tuple[Any, Any, Any] = (None, None, None)
        self._form, self._whole, draft, gap = form, whole, form.draft, round(4 * form.ui)
        self.columnconfigure(0, weight=1)
        self.rowconfigure((1, 3), weight=1)
        head = ttk.Label(self, text="Lines of your own")
        head.grid(row=0, column=0, sticky="w", pady=(0, gap))
        kind = draft.kind(_PATH)

        def read() -> str | None:
            content = draft.content(_PATH)
            return content if isinstance(content, str) else None

        slot = Slot(kind, read, partial(draft.set, _PATH), fault=partial(draft.fault, _PATH))  # type: ignore[arg-type]
        self.own = LinesInput(self, slot, form.ui, height=8)
        self.own.widget.grid(row=1, column=0, sticky="nsew")
        self.inputs = {_PATH: self.own}
        self._running = ttk.Label(self, text="", font=SMALL_FONT, bootstyle="secondary")
        self._running.grid(row=2, column=0, sticky="w", pady=(3 * gap, gap))
        self.preview = LinesInput(self, None, form.ui, height=12, fixed=True)
        self.bind("<Map>", lambda event: self.refresh())
        if len(draft.values) == 1:
            self.preview.widget.grid(row=3, column=0, sticky="nsew")

    def refresh(self) -> None:
        """Show what the settings come to now."""
        draft = self._form.draft
        if len(draft.values) > 1:
            text = "(several values)" if draft.content(_PATH) is None else ""
            self._running.configure(text=f"{text} What is written here goes to all.".strip())
            return
        # Working it out takes a look at the whole drawing, so it is done where somebody sees it.
        told = (draft.context, draft.original, draft.values[0])
        if not self.winfo_ismapped() or all(one is other for one, other in zip(told, self._told, strict=True)):
            return
        self._told = told
        running, text = self._whole(*told)
        self._running.configure(
            text=f"The whole frr.conf as it will be written; daemons: {running}" if running else "The whole frr.conf"
        )
        self.preview.show(text)

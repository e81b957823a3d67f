"""A text about the values of a form, shown among its fields and updated with every edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import ttkbootstrap as ttk

from miniedit_frr.dialogs.fields.fields import Context
from miniedit_frr.dialogs.parts import CustomWidget

if TYPE_CHECKING:
    from miniedit_frr.dialogs.form import Form

_WIDE = 640


def text_part(words: Callable[[Context, Any], str]) -> CustomWidget:
    """A part of a form with a text, made from the form's context and its value.

    The text is empty for several values. It does not change while a field is invalid.
    """
    return CustomWidget("text_part", lambda parent, form: _TextPart(form, words))


class _TextPart(ttk.Label):
    def __init__(self, form: Form, words: Callable[[Context, Any], str]) -> None:
        gap = round(6 * form.ui)
        super().__init__(
            form, justify="left", wraplength=round(_WIDE * form.ui), bootstyle="secondary", padding=(0, gap)
        )
        self.inputs: dict[str, Any] = {}
        self._draft, self._words = form.draft, words
        self.refresh()

    def refresh(self) -> None:
        """Update the text for the current values."""
        if self._draft.is_valid and len(self._draft.values) == 1:
            self.configure(text=self._words(self._draft.context, self._draft.values[0]))

"""A menu of presets of common real-world links. A preset sets all values of both directions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import ttkbootstrap as ttk

from frrlib.edits.link_presets import LINK_PRESETS, LinkPreset, with_preset
from frrlib.model.links import Link
from miniedit_frr.dialogs.fields.slots import SMALL_FONT, Input

if TYPE_CHECKING:
    from miniedit_frr.dialogs.form import Form

_SIDES = "a_to_b", "b_to_a"
_HELP = "Sets both directions, on all pages, to the values of a common type of link."
_HELP_PX = 400


class PresetRow(ttk.Frame):
    """A menu of presets, a button that swaps the directions, and the source of the numbers.

    Attributes:
        button, menu: of the presets.
        swap: swaps both directions; only for a single link.
        words: the label with the source of the numbers.
    """

    def __init__(self, parent: Any, form: Form) -> None:
        super().__init__(parent)
        self.inputs: dict[str, Input] = {}
        self._draft = form.draft
        gap = round(4 * form.ui)
        self.button = ttk.Menubutton(self, text="Choose…", width=10, bootstyle="secondary-outline")
        self.menu = ttk.Menu(self.button, tearoff=False)
        for preset in LINK_PRESETS:
            self.menu.add_command(label=preset.name, command=partial(self.choose, preset))
        self.button.configure(menu=self.menu)
        self.button.grid(row=0, column=0, sticky="w")
        self.swap = ttk.Button(self, text="Swap", width=6, command=self._swap, bootstyle="secondary-outline")
        if len(self._draft.values) == 1:
            self.swap.grid(row=0, column=1, sticky="w", padx=(2 * gap, 0))
        self.words = ttk.Label(self, text=_HELP, font=SMALL_FONT, wraplength=round(_HELP_PX * form.ui), justify="left",
                               bootstyle="secondary")  # fmt: skip
        self.words.grid(row=0, column=2, sticky="w", padx=(3 * gap, 0))

    def choose(self, preset: LinkPreset) -> None:
        """Apply a preset as one change."""
        context, value = self._draft.context, self._draft.values[0]
        self._fill(with_preset(context.topology, value, preset))
        self.words.configure(text=f"{preset.name}: {preset.source}")

    def _swap(self) -> None:
        value = self._draft.values[0]
        self._fill(value.model_copy(update={"a_to_b": value.b_to_a, "b_to_a": value.a_to_b}))

    def _fill(self, link: Link) -> None:
        draft = self._draft
        contents = {}
        for path, field in draft.fields.items():
            if path.partition(".")[0] in _SIDES and field.is_in(link):
                contents[path] = draft.content_for(path, link)
        draft.kept_equal[_SIDES] = link.a_to_b == link.b_to_a
        draft.put_all(contents, _SIDES)

    def refresh(self) -> None:
        """Do nothing: the row does not depend on the values."""

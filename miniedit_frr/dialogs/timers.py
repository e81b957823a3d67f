"""Buttons above the timers of a protocol: one click sets all of them to lab timers, or to FRR's defaults."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import ttkbootstrap as ttk

from frrlib.edits import routing_presets
from frrlib.model.base import Value
from miniedit_frr.dialogs.fields.kinds import Content, TextKind
from miniedit_frr.dialogs.fields.slots import SMALL_FONT, Input
from miniedit_frr.dialogs.parts import CustomWidget

if TYPE_CHECKING:
    from miniedit_frr.dialogs.form import Form

_NAMES = {True: "Lab timers", False: "FRR defaults"}
_HELP_PX = 310
_ALL = "The Routing menu sets the timers of all routers."


class TimerButtons(ttk.Frame):
    """Two buttons. A button is pressed while the fields contain its timers.

    Attributes:
        buttons: the buttons; the key is whether they set lab timers.
    """

    def __init__(self, parent: Any, form: Form, path: str, protocol: type[Value], help: str) -> None:
        super().__init__(parent)
        self.inputs: dict[str, Input] = {}
        self._form, self._path, self._protocol = form, path, protocol
        self._pressed = ttk.StringVar(self)
        self.buttons = {
            is_lab: ttk.Radiobutton(self, text=name, value=name, variable=self._pressed, width=11,
                                    bootstyle="primary-outline-toolbutton", command=partial(self.choose, is_lab))
            for is_lab, name in _NAMES.items()
        }  # fmt: skip
        for column, button in enumerate(self.buttons.values()):
            button.grid(row=0, column=column, sticky="w")
        words = ttk.Label(self, text=f"{help} {_ALL}", font=SMALL_FONT, wraplength=round(_HELP_PX * form.ui),
                          justify="left", bootstyle="secondary")  # fmt: skip
        words.grid(row=0, column=2, sticky="w", padx=(round(12 * form.ui), 0))

    def _contents(self, is_lab: bool) -> dict[str, Content]:
        """The contents of the fields with these timers, by path."""
        contents: dict[str, Content] = {}
        for name, value in routing_presets.timers(self._protocol, is_lab).items():
            kind = self._form.draft.kind(f"{self._path}.{name}")
            assert isinstance(kind, TextKind)
            contents[f"{self._path}.{name}"] = kind.show(value)
        return contents

    def choose(self, is_lab: bool) -> None:
        """Set all timers."""
        self._form.draft.put_all(self._contents(is_lab))

    def refresh(self) -> None:
        """Press the button that matches the fields."""
        is_on = self._form.draft.content(self._path) == "1"
        shown_contents = {path: self._form.content_of(path) for path in self._contents(True)}
        matching = [name for is_lab, name in _NAMES.items() if self._contents(is_lab) == shown_contents]
        self._pressed.set(matching[0] if matching else "")
        for button in self.buttons.values():
            button.state(["!disabled" if is_on else "disabled"])


def timer_buttons(path: str, protocol: type[Value], help: str) -> CustomWidget:
    """The buttons as a part of a form.

    Args:
        path: path of the protocol's settings ("node.ospf").
        protocol: class of the settings.
        help: explanation of both sets of timers.
    """
    return CustomWidget(
        "timers", lambda parent, form: TimerButtons(parent, form, path, protocol, help), label="Set all to"
    )

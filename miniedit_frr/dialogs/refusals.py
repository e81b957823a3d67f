"""Lets FRR read the result of a router's dialog while it is filled in, to report refused lines before anything runs."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from miniedit_frr.dialogs.form import Remark
from miniedit_frr.dialogs.router_parts import router_configuration
from miniedit_frr.dialogs.sheets import FormContext, NodeSheet, Refusal
from miniedit_frr.widgets.background_query import BackgroundQuery

#: The field that shows a refused line at its place.
PATH = "node.frr_conf"
_Question = tuple[FormContext, NodeSheet, NodeSheet]


class Refusals:
    """The lines that FRR refuses of a router as it is being edited.

    Args:
        root: a widget, for its timer.
        told: called with remarks on fields, each time they may have changed.

    Attributes:
        remarks: the remarks of now.
    """

    def __init__(self, root: tk.Misc, told: Callable[[], None]) -> None:
        self._told = told
        self.remarks: Mapping[str, Remark] = {}
        self._asker = BackgroundQuery[_Question, Sequence[Refusal]](root, _refused, self._answered)

    def ask(self, around: Any, befores: Sequence[Any], afters: Sequence[Any]) -> None:
        """Check one router; for several, or for something else, nothing is asked.

        Args:
            around: the context of the drawing.
            befores, afters: the values of the dialog, as they were and as they are now.
        """
        first = afters[0]
        if (
            len(afters) == 1
            and isinstance(first, NodeSheet)
            and first.node.kind == "router"
            and around.ask_frr is not None
        ):
            self._asker.ask((around, befores[0], first))

    def close(self) -> None:
        """No more answers."""
        self._asker.close()

    def _answered(self, question: _Question, refusals: Sequence[Refusal]) -> None:
        self.remarks = {PATH: ("error", _words(refusals))} if refusals else {}
        self._told()


def _refused(question: _Question) -> Sequence[Refusal]:
    around = question[0]
    running, text, _ = router_configuration(*question)
    return around.ask_frr(text) if running and around.ask_frr is not None else ()


def _words(refusals: Sequence[Refusal]) -> str:
    first, more = refusals[0], len(refusals) - 1
    return f"FRR rejects {first.line.strip()!r}: {first.why}{f', and {more} more lines' if more else ''}"

"""Lets FRR check the configuration of a router while its dialog is open, to report refused lines before a lab runs."""

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
    """The lines that FRR refuses in the configuration of the edited router.

    Args:
        root: a widget, for its timer.
        on_change: called after the remarks may have changed.

    Attributes:
        remarks: the current remarks, by path.
    """

    def __init__(self, root: tk.Misc, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self.remarks: Mapping[str, Remark] = {}
        self._query = BackgroundQuery[_Question, Sequence[Refusal]](root, _refused_lines, self._store_refusals)

    def ask(self, context: Any, befores: Sequence[Any], afters: Sequence[Any]) -> None:
        """Check a single router. Several routers and other values are not checked.

        Args:
            context: the context of the form.
            befores, afters: the original and the edited values of the dialog.
        """
        first = afters[0]
        if (
            len(afters) == 1
            and isinstance(first, NodeSheet)
            and first.node.kind == "router"
            and context.check_frr is not None
        ):
            self._query.ask((context, befores[0], first))

    def close(self) -> None:
        """Cancel a pending check."""
        self._query.close()

    def _store_refusals(self, question: _Question, refusals: Sequence[Refusal]) -> None:
        self.remarks = {PATH: ("error", _words(refusals))} if refusals else {}
        self._on_change()


def _refused_lines(question: _Question) -> Sequence[Refusal]:
    context = question[0]
    running, text, _ = router_configuration(*question)
    return context.check_frr(text) if running and context.check_frr is not None else ()


def _words(refusals: Sequence[Refusal]) -> str:
    first, rest_count = refusals[0], len(refusals) - 1
    return f"FRR rejects {first.line.strip()!r}: {first.reason}{f', and {rest_count} more lines' if rest_count else ''}"

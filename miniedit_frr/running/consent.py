"""Asks whether a lab may reach controllers that run outside of it, before it starts.

A drawing that names one asks once: for this run, for good, or not at all while this window is open.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ttkbootstrap.dialogs import Messagebox

from frrlib.model import openflow
from frrlib.model.addressing import addressed
from frrlib.model.topology import Topology
from miniedit_frr import run_memory

if TYPE_CHECKING:
    from miniedit_frr.app import Editor

ONCE, ALWAYS, NO = "This Time", "Always for This File", "No"
_QUESTION = """The drawing names {kind} outside of its lab: {controllers}.

May the lab connect to {it}? Nothing else outside of it is in reach. Without, its switches find no controller."""


class Consent:
    """The question, and what was answered.

    Args:
        memory: the file in which what is allowed for good is remembered.
    """

    def __init__(self, editor: Editor, memory: Path) -> None:
        self._editor, self._memory = editor, memory
        self._refused: set[tuple[Path | None, str]] = set()

    def ask(self, topology: Topology, file: Path | None) -> tuple[str, ...] | None:
        """Where controllers are that a lab of this drawing may reach; None where the person cancels the run."""
        named = openflow.outside(addressed(topology))
        kept = run_memory.load_controllers(self._memory).get(str(file), ()) if file else ()
        open_ones = {where: names for where, names in named.items() if where not in kept}
        asked = {where: names for where, names in open_ones.items() if (file, where) not in self._refused}
        allowed = tuple(where for where in named if where in kept)
        if not asked:
            return allowed
        answer = self._answer(asked, file)
        if answer == ALWAYS and file:
            run_memory.save_controllers({str(file): (*allowed, *asked)}, self._memory)
        elif answer == NO:
            self._refused |= {(file, where) for where in asked}
        elif answer not in (ONCE, ALWAYS):
            return None
        return allowed if answer == NO else (*allowed, *asked)

    def _answer(self, asked: dict[str, tuple[str, ...]], file: Path | None) -> str | None:
        many = len(asked) > 1
        question = _QUESTION.format(
            kind="controllers" if many else "a controller",
            controllers=" and ".join(f"{', '.join(names)} at {where}" for where, names in asked.items()),
            it="them" if many else "it",
        )
        buttons = [f"{NO}:secondary-outline", *([f"{ALWAYS}:secondary"] if file else []), f"{ONCE}:primary"]
        answer: str | None = Messagebox.show_question(
            question, "Controllers outside of the lab", parent=self._editor.window, buttons=buttons
        )
        return answer

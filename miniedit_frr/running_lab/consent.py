"""Questions before a lab starts: whether it may run its own commands, and reach controllers outside the lab.

The commands of a topology from elsewhere are shown before its first run. A controller outside the lab is confirmed
once: for this run, for good, or refused while this window is open.
"""

from __future__ import annotations

import tkinter as tk
from pathlib import Path

from ttkbootstrap.dialogs import Messagebox

from frrlib.addressing.resolved import resolved
from frrlib.model import openflow
from frrlib.model.permissions import requested_permissions
from frrlib.model.topology import Topology
from frrlib.place.confinement.walls import missing
from frrlib.safe_text.plain import one_line
from miniedit_frr.document.document import Document
from miniedit_frr.running_lab.places import Places
from miniedit_frr.runs import history
from miniedit_frr.user import permissions

ONCE, ALWAYS, NO = "This Time", "Always for This File", "No"
RUN, DO_NOT = "Run Lab", "Do Not Run"
_WISHES = """{name} has not been run on this machine before. Its lab:

{wanted}
{open_walls}
Run it only if you trust the source of the drawing."""
#: Limits of the question: the number of permissions, and the length of each. The topology shows all of them.
_MOST_WISHES, _LONGEST_WISH, _LONGEST_NAME, _LONGEST_LIST = 12, 160, 80, 600
_QUESTION = """The drawing uses {kind} outside the lab: {controllers}.

May the lab connect to {it}? Nothing else outside the lab can be reached. Otherwise its switches have no controller."""


class Consent:
    """The questions and their answers.

    Args:
        memory: the file that stores the controllers that are always allowed.
        agreed: the file that stores the permissions that were granted (`user.permissions`).
    """

    def __init__(self, parent: tk.Misc, document: Document, places: Places, memory: Path, agreed: Path) -> None:
        self._parent, self._document, self._places = parent, document, places
        self._memory, self._agreed = memory, agreed
        self._refused: set[tuple[Path | None, str]] = set()
        self._accepted: set[str] = set()

    def may_run(self, topology: Topology, file: Path | None) -> bool:
        """Whether a lab of this topology may run: it was made here, or the user has agreed, earlier or now."""
        unknown = self._unknown(topology, file)
        if unknown and not self._confirm(unknown, file):
            return False
        self._accepted.update(unknown)
        permissions.grant(requested_permissions(topology), file, self._agreed)
        return True

    def saved(self) -> None:
        """The topology was saved by this user: commands that were made here need no question at the next run."""
        document = self._document
        unknown = self._unknown(document.topology, document.path)
        made_here = [wish for wish in requested_permissions(document.topology) if wish not in unknown]
        permissions.grant(made_here, document.path, self._agreed)

    def _unknown(self, topology: Topology, file: Path | None) -> list[str]:
        """The permissions that the topology needs, that came from elsewhere, and that were not granted yet."""
        came = set(requested_permissions(self._document.loaded)) - self._accepted
        return [wish for wish in permissions.missing_permissions(topology, file, self._agreed) if wish in came]

    def _confirm(self, unknown: list[str], file: Path | None) -> bool:
        lines = [one_line(wish, _LONGEST_WISH) for wish in unknown[:_MOST_WISHES]]
        if len(unknown) > len(lines):
            lines.append(f"and {len(unknown) - len(lines)} more; see the drawing")
        walls = missing(self._places.chosen)
        question = _WISHES.format(
            name=one_line(file.name, _LONGEST_NAME) if file else "This drawing",
            wanted="\n".join(f"• {line}" for line in lines),
            open_walls="".join(
                f"\nNot guaranteed on this machine: {wall.keeps} (needs {wall.needs}).\n" for wall in walls
            ),
        )
        buttons = [f"{RUN}:warning", f"{DO_NOT}:primary"]
        answer: str | None = Messagebox.show_question(
            question, "A drawing from elsewhere", parent=self._parent, buttons=buttons
        )
        return answer == RUN

    def ask(self, topology: Topology, file: Path | None) -> tuple[str, ...] | None:
        """The addresses of controllers that a lab of this topology may reach; None if the user cancels the run."""
        named = openflow.outside(resolved(topology))
        remembered = history.load_controllers(self._memory).get(str(file), ()) if file else ()
        open_ones = {address: names for address, names in named.items() if address not in remembered}
        unanswered = {address: names for address, names in open_ones.items() if (file, address) not in self._refused}
        allowed = tuple(address for address in named if address in remembered)
        if not unanswered:
            return allowed
        answer = self._ask_about(unanswered, file)
        if answer == ALWAYS and file:
            history.save_controllers({str(file): (*allowed, *unanswered)}, self._memory)
        elif answer == NO:
            self._refused |= {(file, address) for address in unanswered}
        elif answer not in (ONCE, ALWAYS):
            return None
        return allowed if answer == NO else (*allowed, *unanswered)

    def _ask_about(self, controllers: dict[str, tuple[str, ...]], file: Path | None) -> str | None:
        many = len(controllers) > 1
        question = _QUESTION.format(
            kind="controllers" if many else "a controller",
            controllers=one_line(
                " and ".join(f"{', '.join(names)} at {address}" for address, names in controllers.items()),
                _LONGEST_LIST,
            ),
            it="them" if many else "it",
        )
        buttons = [f"{NO}:secondary-outline", *([f"{ALWAYS}:secondary"] if file else []), f"{ONCE}:primary"]
        answer: str | None = Messagebox.show_question(
            question, "Controllers outside the lab", parent=self._parent, buttons=buttons
        )
        return answer

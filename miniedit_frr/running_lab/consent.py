"""Asks before a lab starts: whether it may run what its drawing wants, and reach controllers that run outside of it.

A drawing that came from elsewhere shows its own commands before its first run. One that names a controller outside asks
once: for this run, for good, or not at all while this window is open.
"""

from __future__ import annotations

from pathlib import Path

from ttkbootstrap.dialogs import Messagebox

from frrlib.addressing.resolved import resolved
from frrlib.model import openflow
from frrlib.model.permissions import requested_permissions
from frrlib.model.topology import Topology
from frrlib.place.confinement.walls import missing
from frrlib.safe_text.plain import one_line
from miniedit_frr.editor.parts import Parts
from miniedit_frr.running_lab.places import Places
from miniedit_frr.runs import history
from miniedit_frr.user import permissions

ONCE, ALWAYS, NO = "This Time", "Always for This File", "No"
RUN, DO_NOT = "Run Lab", "Do Not Run"
_WISHES = """{name} has not been run on this machine before. Its lab:

{wanted}
{open_walls}
Run it only if you trust the source of the drawing."""
#: So many wishes are shown, and so much of each; the drawing shows them all.
_MOST_WISHES, _LONGEST_WISH, _LONGEST_NAME, _LONGEST_LIST = 12, 160, 80, 600
_QUESTION = """The drawing uses {kind} outside the lab: {controllers}.

May the lab connect to {it}? Nothing else outside the lab can be reached. Otherwise its switches have no controller."""


class Consent:
    """The question, and what was answered.

    Args:
        memory: the file in which controllers that are allowed for good are remembered.
        agreed: the file in which it is remembered what drawings were let run (`trust`).
    """

    def __init__(self, parts: Parts, places: Places, memory: Path, agreed: Path) -> None:
        self._parts, self._places, self._memory, self._agreed = parts, places, memory, agreed
        self._refused: set[tuple[Path | None, str]] = set()
        self._accepted: set[str] = set()
        parts.files.on_safe.append(self.saved)

    def may_run(self, topology: Topology, file: Path | None) -> bool:
        """Whether a lab of this drawing may run: it was made here, or the person has agreed, before or now."""
        unknown = self._unknown(topology, file)
        if unknown and not self._agrees(unknown, file):
            return False
        self._accepted.update(unknown)
        permissions.agree(requested_permissions(topology), file, self._agreed)
        return True

    def saved(self) -> None:
        """The drawing is in a file of this user's: what was made here is not asked about when that is run."""
        document = self._parts.document
        unknown = self._unknown(document.topology, document.path)
        made_here = [wish for wish in requested_permissions(document.topology) if wish not in unknown]
        permissions.agree(made_here, document.path, self._agreed)

    def _unknown(self, topology: Topology, file: Path | None) -> list[str]:
        """What came with the drawing from elsewhere and nobody has agreed to."""
        came = set(requested_permissions(self._parts.document.came)) - self._accepted
        return [wish for wish in permissions.open_wishes(topology, file, self._agreed) if wish in came]

    def _agrees(self, unknown: list[str], file: Path | None) -> bool:
        lines = [one_line(wish, _LONGEST_WISH) for wish in unknown[:_MOST_WISHES]]
        if len(unknown) > len(lines):
            lines.append(f"and {len(unknown) - len(lines)} more; see the drawing")
        walls = missing(self._places.chosen)
        question = _WISHES.format(
            name=one_line(file.name, _LONGEST_NAME) if file else "This drawing",
            wanted="\n".join(f"• {each}" for each in lines),
            open_walls="".join(
                f"\nNot guaranteed on this machine: {wall.keeps} (needs {wall.needs}).\n" for wall in walls
            ),
        )
        buttons = [f"{RUN}:warning", f"{DO_NOT}:primary"]
        answer: str | None = Messagebox.show_question(
            question, "A drawing from elsewhere", parent=self._parts.window, buttons=buttons
        )
        return answer == RUN

    def ask(self, topology: Topology, file: Path | None) -> tuple[str, ...] | None:
        """Where controllers are that a lab of this drawing may reach; None where the person cancels the run."""
        named = openflow.outside(resolved(topology))
        kept = history.load_controllers(self._memory).get(str(file), ()) if file else ()
        open_ones = {where: names for where, names in named.items() if where not in kept}
        asked = {where: names for where, names in open_ones.items() if (file, where) not in self._refused}
        allowed = tuple(where for where in named if where in kept)
        if not asked:
            return allowed
        answer = self._answer(asked, file)
        if answer == ALWAYS and file:
            history.save_controllers({str(file): (*allowed, *asked)}, self._memory)
        elif answer == NO:
            self._refused |= {(file, where) for where in asked}
        elif answer not in (ONCE, ALWAYS):
            return None
        return allowed if answer == NO else (*allowed, *asked)

    def _answer(self, asked: dict[str, tuple[str, ...]], file: Path | None) -> str | None:
        many = len(asked) > 1
        question = _QUESTION.format(
            kind="controllers" if many else "a controller",
            controllers=one_line(
                " and ".join(f"{', '.join(names)} at {where}" for where, names in asked.items()), _LONGEST_LIST
            ),
            it="them" if many else "it",
        )
        buttons = [f"{NO}:secondary-outline", *([f"{ALWAYS}:secondary"] if file else []), f"{ONCE}:primary"]
        answer: str | None = Messagebox.show_question(
            question, "Controllers outside the lab", parent=self._parts.window, buttons=buttons
        )
        return answer

"""The Place menu: where labs run, and what each place can do on this machine, which is probed in a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from frrlib.errors import LabError
from frrlib.place.base import Abilities
from frrlib.place.choice import AUTO, all_places
from frrlib.places import PlaceName
from miniedit_frr.editor.parts import Parts
from miniedit_frr.widgets.data_table import Column
from miniedit_frr.widgets.table import TableWindow
from miniedit_frr.widgets.worker import Worker

#: What labs most often miss, in the menu's words.
_WANTED_QDISCS = {"netem": "delay and loss", "fq": "fq"}
_HINTS = {"netem": " (delay, loss)", "tbf": " (rate)"}
_REAL = tuple(name for name in PlaceName if name != AUTO)
_COLUMNS = (Column("Ability", 220), *(Column(name, 230) for name in _REAL))


class Places:
    """The chosen place, and what is known of each."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._chosen = ""
        self.known: dict[str, Abilities] = {}
        self._is_probing = False
        self._waiting: list[Callable[[], object]] = []

    @property
    def chosen(self) -> str:
        """The place that was chosen in the menu, else the preferred one."""
        return self._chosen or self._parts.preferring.personal.now.place

    def entries(self) -> list[tuple[str, Callable[[], object]]]:
        """The lines of the menu."""
        self.probe()
        lines: list[tuple[str, Callable[[], object]]] = [
            (f"{'●' if name == self.chosen else '○'}  {name}: {self.about(name)}", partial(self.choose, name))
            for name in PlaceName
        ]
        return [*lines, ("Abilities of Places…", self.show)]

    def about(self, name: str) -> str:
        """A place in a few words, with what it lacks as far as that is known."""
        known = self.known.get(name)
        if known is None:
            return PlaceName(name).about
        if not known.available:
            return f"not available: {known.why}"
        words = [text for queueing, text in _WANTED_QDISCS.items() if queueing not in known.qdiscs]
        words += ["bbr"] if "bbr" not in known.congestion_controls else []
        return f"{PlaceName(name).about}, Linux {known.kernel}" + (f", without {', '.join(words)}" if words else "")

    def lacking(self, kinds: frozenset[str]) -> str:
        """Which of some queueing disciplines the place of the next lab lacks; empty where nothing is known of it."""
        known = [each for each in self.known.values() if each.available and self.chosen in (AUTO, each.place)]
        missing = [(each, sorted(kinds - each.qdiscs)) for each in known]
        if not all(names for _, names in missing):
            return ""
        return "; ".join(f"{each.place} (Linux {each.kernel}) lacks {', '.join(names)}" for each, names in missing)

    def choose(self, name: str) -> None:
        """Have the next lab run there."""
        self._chosen = name
        self.tell()

    def tell(self) -> None:
        """Say in the status bar where the next lab runs."""
        self._parts.status.set("place", f"place: {'automatic' if self.chosen == AUTO else self.chosen}")

    def show(self) -> None:
        """A table of what each place can do."""
        TableWindow(self._parts.window, "Places on this machine", _COLUMNS, self._fill, self._parts.ui)

    def _fill(self, window: TableWindow) -> None:
        def fill() -> None:
            window.fill(ability_rows([self.known[name] for name in _REAL if name in self.known]))

        self._waiting.append(fill)
        self.probe(again=True)

    # --- probing ---

    def probe(self, *, again: bool = False) -> None:
        """Have the places probed; what was found before is kept on this machine, so that this is mostly quick."""
        if self._is_probing or (self.known and not again):
            return
        self._is_probing = True
        worker = Worker(self._parts.window)
        worker.do("places", partial(self._look, worker), self._probed)

    def _look(self, worker: Worker) -> None:
        """In the thread: each place is told when it is known."""
        for place in all_places():
            try:
                found = place.abilities()
            except (LabError, OSError) as error:
                found = Abilities(place.name, False, str(error))
            worker.call(partial(self.known.__setitem__, found.place, found))

    def _probed(self, nothing: None) -> None:
        self._is_probing = False
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            call()


def ability_rows(places: Sequence[Abilities]) -> list[tuple[str, ...]]:
    """The abilities of the places, an ability a row, a place a column."""
    rows: list[tuple[str, ...]] = [
        ("Kernel", *(each.kernel for each in places)),
        ("Available", *("yes" if each.available else f"no: {each.why}" for each in places)),
    ]
    if any(each.remedy for each in places):
        rows.append(("How to Enable", *(each.remedy for each in places)))
    rows.append(("Open vSwitch", *(_mark(each.open_vswitch) for each in places)))
    for title, kinds in (("queue", "qdiscs"), ("congestion control", "congestion_controls"), ("link", "device_types")):
        names = sorted({name for each in places for name in getattr(each, kinds)})
        rows += [
            (f"{title} {name}{_HINTS.get(name, '')}", *(_mark(name in getattr(each, kinds)) for each in places))
            for name in names
        ]
    return rows


def _mark(has: bool) -> str:
    return "✓" if has else "-"

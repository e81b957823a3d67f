"""The Place menu: the place of the next lab, and the abilities of all places, which a thread probes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from frrlib.errors import LabError
from frrlib.place.base import Abilities
from frrlib.place.choice import AUTO, all_places
from frrlib.places import PlaceName
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.panels.status import StatusBar
from miniedit_frr.user.preferences import PreferenceStore
from miniedit_frr.widgets.data_table import Column
from miniedit_frr.widgets.table import TableWindow
from miniedit_frr.widgets.worker import Worker

#: The queueing disciplines that are most often missing, and their names in the menu.
_WANTED_QDISCS = {"netem": "delay and loss", "fq": "fq"}
_HINTS = {"netem": " (delay, loss)", "tbf": " (rate)"}
_REAL = tuple(name for name in PlaceName if name != AUTO)
_COLUMNS = (Column("Ability", 220), *(Column(name, 230) for name in _REAL))


class Places:
    """The chosen place, and the abilities of all places."""

    def __init__(self, main: MainWindow, status: StatusBar, preferences: PreferenceStore) -> None:
        self._main, self._status, self._preferences = main, status, preferences
        self._chosen = ""
        self.known: dict[str, Abilities] = {}
        self._is_probing = False
        self._waiting: list[Callable[[], object]] = []

    @property
    def chosen(self) -> str:
        """The place chosen in the menu, else the preferred one."""
        return self._chosen or self._preferences.now.place

    def entries(self) -> list[tuple[str, Callable[[], object]]]:
        """The lines of the menu."""
        self.probe()
        lines: list[tuple[str, Callable[[], object]]] = [
            (f"{'●' if name == self.chosen else '○'}  {name}: {self.about(name)}", partial(self.choose, name))
            for name in PlaceName
        ]
        return [*lines, ("Abilities of Places…", self.show)]

    def about(self, name: str) -> str:
        """A short description of a place, with its missing abilities as far as they are known."""
        abilities = self.known.get(name)
        if abilities is None:
            return PlaceName(name).about
        if not abilities.available:
            return f"not available: {abilities.reason}"
        words = [text for queueing, text in _WANTED_QDISCS.items() if queueing not in abilities.qdiscs]
        words += ["bbr"] if "bbr" not in abilities.congestion_controls else []
        return f"{PlaceName(name).about}, Linux {abilities.kernel}" + (f", without {', '.join(words)}" if words else "")

    def lacking(self, kinds: frozenset[str]) -> str:
        """The queueing disciplines that the place of the next lab lacks; empty if its abilities are unknown."""
        candidates = [place for place in self.known.values() if place.available and self.chosen in (AUTO, place.place)]
        missing = [(place, sorted(kinds - place.qdiscs)) for place in candidates]
        if not all(names for _, names in missing):
            return ""
        return "; ".join(f"{place.place} (Linux {place.kernel}) lacks {', '.join(names)}" for place, names in missing)

    def choose(self, name: str) -> None:
        """Set the place of the next lab."""
        self._chosen = name
        self.tell()

    def tell(self) -> None:
        """Show the place of the next lab in the status bar."""
        self._status.set("place", f"place: {'automatic' if self.chosen == AUTO else self.chosen}")

    def show(self) -> None:
        """Show a table of the abilities of each place."""
        TableWindow(self._main.root, "Places on this machine", _COLUMNS, self._fill, self._main.ui)

    def _fill(self, window: TableWindow) -> None:
        def fill() -> None:
            window.fill(ability_rows([self.known[name] for name in _REAL if name in self.known]))

        self._waiting.append(fill)
        self.probe(again=True)

    # --- probing ---

    def probe(self, *, again: bool = False) -> None:
        """Start to probe the places. Earlier results are cached on this machine, so that this is usually quick."""
        if self._is_probing or (self.known and not again):
            return
        self._is_probing = True
        worker = Worker(self._main.root)
        worker.do("places", partial(self._probe_all, worker), self._finish_probe)

    def _probe_all(self, worker: Worker) -> None:
        """Probe the places in the thread, and pass each result to the window."""
        for place in all_places():
            try:
                abilities = place.abilities()
            except (LabError, OSError) as error:
                abilities = Abilities(place.name, False, str(error))
            worker.call(partial(self.known.__setitem__, abilities.place, abilities))

    def _finish_probe(self, nothing: None) -> None:
        self._is_probing = False
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            call()


def ability_rows(places: Sequence[Abilities]) -> list[tuple[str, ...]]:
    """The abilities of the places: one row per ability, one column per place."""
    rows: list[tuple[str, ...]] = [
        ("Kernel", *(place.kernel for place in places)),
        ("Available", *("yes" if place.available else f"no: {place.reason}" for place in places)),
    ]
    if any(place.remedy for place in places):
        rows.append(("How to Enable", *(place.remedy for place in places)))
    rows.append(("Open vSwitch", *(_mark(place.open_vswitch) for place in places)))
    for title, kinds in (("queue", "qdiscs"), ("congestion control", "congestion_controls"), ("link", "device_types")):
        names = sorted({name for place in places for name in getattr(place, kinds)})
        rows += [
            (f"{title} {name}{_HINTS.get(name, '')}", *(_mark(name in getattr(place, kinds)) for place in places))
            for name in names
        ]
    return rows


def _mark(has: bool) -> str:
    return "✓" if has else "-"

"""Faults of the running lab: the lines of the context menus, the active faults, and their signs on the canvas."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from ttkbootstrap.dialogs import Messagebox

from frrlib.errors import TopologyError
from frrlib.model.fault_words import VERBS, parse
from frrlib.model.faults import Fault
from frrlib.model.interface_names import with_names
from frrlib.model.labels import with_remedy
from frrlib.model.nodes import Controller, Router
from frrlib.picture.scene import Key
from frrlib.render.faults import fault_plan, shapes_of
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.faults_view.live_links import LiveLinks
from miniedit_frr.running_lab.display import LabDisplay
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.session.events import FaultReport
from miniedit_frr.session.pending import ignore
from miniedit_frr.widgets.popup import PopupLine
from miniedit_frr.widgets.words_dialog import WordsDialog

#: Number and period of flaps of an interface by a click, and time without power of a router.
_FLAPS, _OFF = "3 1s", "2s"


class FaultController:
    """The faults of the running lab.

    Attributes:
        dialog: the window for a typed fault, while one is open.
    """

    def __init__(
        self,
        main: MainWindow,
        read_selection: Callable[[], Collection[Key]],
        lab: LiveLab,
        display: LabDisplay,
        live_links: LiveLinks,
    ) -> None:
        self._main, self._read_selection, self._lab = main, read_selection, lab
        self._display, self._live_links = display, live_links
        self.dialog: WordsDialog | None = None
        self._frozen: dict[str, str] = {}
        self._stopped: dict[str, str] = {}
        self._dead: dict[str, str] = {}
        #: Texts about links that lose packets, and about links with changed values.
        self._lossy: dict[str, str] = {}
        self._values: dict[str, str] = {}
        #: Interfaces that were set down ("r1:r1-eth0"), and routers without power.
        self._put_down: set[str] = set()
        self._off: set[str] = set()

    def begin(self) -> None:
        """A lab begins without faults. Those of a joined lab are requested by `ask`."""
        for faults in (self._frozen, self._stopped, self._dead, self._lossy, self._values):
            faults.clear()
        self._put_down.clear()
        self._off.clear()

    def ask(self) -> None:
        """Request the active faults of a joined lab."""
        lab = self._lab
        lab.session.ask(lambda lab: lab.faults_now()).then(self._set_faults, ignore)

    def _set_faults(self, state: Mapping[str, Any]) -> None:
        self._frozen = dict.fromkeys(state["frozen"], "frozen")
        self._stopped = {target: f"{target.partition(':')[2]} is stopped" for target in state["stopped"]}
        self._dead = {target: f"{target.partition(':')[2]} is dead" for target in state["dead"]}
        self._lossy = dict.fromkeys(state["lossy"], "packets are lost")
        shapes = {link.id: (link.a_to_b, link.b_to_a) for link in self._lab.topology.links}
        changed = [link for link, text in state["values"].items() if shapes_of(text) != shapes.get(link)]
        self._values = dict.fromkeys(changed, "values changed")
        self._put_down = set(state["interfaces_down"])
        for name in {target.partition(":")[0] for target in (*self._frozen, *self._stopped, *self._dead)}:
            self._show(name)
        self._show_links()

    # --- events -----------------------------------------------------------------------------------------------------

    def show_fault(self, event: FaultReport) -> None:
        """Handle a fault that was started or cleared, here or elsewhere."""
        node = event.target.partition(":")[0]
        where = self._lab.link_title(event.target) if self._lab.topology.link(event.target) else node or "lab"
        text = f"{where}: {event.text}" if event.text else f"{where}: {event.fault}"
        self._main.say(f"{text}.")
        daemon = event.target.partition(":")[2]
        match event.fault:
            case "frozen":
                self._frozen[node] = event.text
            case "power-cycled":
                self._frozen[node] = event.text
                self._off.add(node)
                self._forget(node)
            case "thawed" | "power-on":
                self._frozen.pop(node, None)
                self._off.discard(node)
            case "interface-down":
                self._put_down.add(event.target)
            case "interface-up":
                self._put_down.discard(event.target)
            case "daemon-stopped":
                self._stopped[event.target] = f"{daemon} is stopped"
            case "daemon-killed":
                self._stopped.pop(event.target, None)
                self._dead[event.target] = f"{daemon} was killed"
            case "daemon-continued":
                self._stopped.pop(event.target, None)
            case "daemon-restarted":
                self._stopped.pop(event.target, None)
                self._dead.pop(event.target, None)
            case "loss":
                self._lossy[event.target] = event.text
            case "loss-over":
                self._lossy.pop(event.target, None)
            case "link-values":
                self._lossy.pop(event.target, None)
                if not self._live_links.confirm(event.target):
                    self._values[event.target] = f"changed: {event.text}"
        self._show_links()
        if self._lab.topology.link(event.target) is None:
            self._show(node)

    def _forget(self, node: str) -> None:
        for faults in (self._stopped, self._dead):
            for target in [target for target in faults if target.startswith(f"{node}:")]:
                del faults[target]

    def _show(self, node: str) -> None:
        """Show a node's faults on its icon."""
        if self._lab.topology.node(node) is None:
            return
        dead = [reason for target, reason in self._dead.items() if target.startswith(f"{node}:")]
        stopped = [reason for target, reason in self._stopped.items() if target.startswith(f"{node}:")]
        frozen = [self._frozen[node]] if node in self._frozen else []
        state = "failed" if dead else "frozen" if frozen or stopped else "up"
        self._display.show_fault(node, state, "; ".join((*frozen, *dead, *stopped)))

    def _show_links(self) -> None:
        """Show the faults of links on the canvas."""
        faults: dict[str, tuple[str, str]] = {}
        for link in with_names(self._lab.topology).links:
            down = [f"{end.interface} is down" for end in link.ends
                    if f"{end.node}:{end.interface}" in self._put_down]  # fmt: skip
            down += [f"{end.node} is powered off" for end in link.ends if end.node in self._off]
            values = [words[link.id] for words in (self._lossy, self._values) if link.id in words]
            if down or values:
                state = "down" if down else "lossy" if link.id in self._lossy else "up"
                faults[link.id] = state, "; ".join((*down, *values))
        self._display.show_link_faults(faults)

    # --- menus ------------------------------------------------------------------------------------------------------

    def lines(self, key: Key) -> list[PopupLine | None]:
        """The submenu for a node or a link; empty if it has no faults."""
        if key.kind == "link" and self._lab.topology.link(key.name) is not None:
            return self._link_lines(key.name)
        return self._node_lines(key.name) if key.kind == "node" else []

    def _link_lines(self, link: str) -> list[PopupLine | None]:
        lost = link in self._lossy
        match = with_names(self._lab.topology).link(link)
        assert match is not None
        ends = [f"{end.node}:{end.interface}" for end in match.ends]
        up = [self._line(f"Put {interface.partition(':')[2]} Up", f"interface-up {interface}") for interface in ends
              if interface in self._put_down]  # fmt: skip
        return [
            self._line("Down for 2 s", f"link-down {link} 2s"),
            None,
            self._line("Drop All Packets", f"loss {link} 100%"),
            ("Drop Packets…", partial(self.say, f"loss {link} 30% 2s"), True),
            self._line("Stop Dropping Packets", f"loss {link} 0%", lost),
            None,
            *up,
            ("Change Values…", partial(self.say, f"set {link} {self._drawn(link)}"), True),
            *self._last_lines(),
        ]

    def _drawn(self, link: str) -> str:
        """The values of a link in the topology, as the initial text."""
        match = self._lab.topology.link(link)
        assert match is not None
        shape = match.a_to_b
        rate = [f"rate={shape.rate_mbit:g}"] if shape.rate_mbit is not None else []
        return " ".join([*rate, f"delay={shape.delay_ms:g}ms"] if shape.needs_link_namespace or not rate else rate)

    def _node_lines(self, name: str) -> list[PopupLine | None]:
        node, lab = self._lab.topology.node(name), self._lab
        if node is None or isinstance(node, Controller):
            return []
        frozen = name in self._frozen
        lines: list[PopupLine | None] = [self._line("Freeze", f"freeze {name}", not frozen)]
        lines.append(self._line("Thaw", f"thaw {name}", frozen))
        if isinstance(node, Router):
            lines.append(("Power-Cycle…", partial(self._power_cycle, name), True))
        lines.append(None)
        ends = [end.interface for _, end in with_names(lab.topology).ends_at(name)]
        for interface in ends:
            at = f"{name}:{interface}"
            submenu: list[PopupLine | None] = [
                self._line("Down", f"interface-down {at}", at not in self._put_down),
                self._line("Up", f"interface-up {at}", at in self._put_down),
            ]
            submenu.append(self._line("Flap 3 Times", f"flap {at} {_FLAPS}"))
            lines.append((interface, submenu, True))
        if ends and lab.daemons(name):
            lines.append(None)
        for daemon in lab.daemons(name):
            target = f"{name}:{daemon}"
            dead, stopped = target in self._dead, target in self._stopped
            submenu = [
                self._line("Kill", f"kill {name} {daemon}", not dead),
                self._line("Stop", f"stop {name} {daemon}", not (dead or stopped)),
                self._line("Continue", f"cont {name} {daemon}", stopped),
                self._line("Restart", f"restart {name} {daemon}"),
            ]
            lines.append((daemon, submenu, not frozen))
        lines += [None, self._line(self._cut_off(name), f"partition {','.join(self._side(name))}")]
        return [*lines, self._line("Heal Partitions", "heal"), *self._last_lines()]

    def _last_lines(self) -> list[PopupLine | None]:
        return [None, ("Clear All Faults", self.clear_all, True), ("Other…", partial(self.say, ""), True)]

    def clear_all(self) -> None:
        """Clear all faults in the lab."""
        lab = self._lab
        lab.session.ask(lambda lab: lab.clear_faults()).then(self._cleared, self._report_refusal)

    def _cleared(self, done: tuple[Fault, ...]) -> None:
        if not done:
            self._main.say("No faults.")

    def _side(self, name: str) -> list[str]:
        """The nodes that are cut off together with a node: all selected nodes, if it is one of them."""
        selected = [key.name for key in self._read_selection() if key.kind == "node"]
        nodes = [node.name for node in self._lab.topology.nodes if not isinstance(node, Controller)]
        return [member for member in nodes if member in selected] if name in selected else [name]

    def _cut_off(self, name: str) -> str:
        count = len(self._side(name))
        return "Partition" if count == 1 else f"Partition {count} Nodes"

    def _line(self, label: str, words: str, is_enabled: bool = True) -> PopupLine:
        return label, partial(self.make, words), is_enabled

    def make(self, words: str) -> str:
        """Start a fault given as text. Returns an error, or an empty text."""
        lab = self._lab
        try:
            fault = parse(lab.topology, words.split())
            fault_plan(with_names(lab.topology), fault)  # its target exists, and supports the fault
        except TopologyError as error:
            about = f"{error.node}: " if error.node and error.node not in error.message else ""
            return about + with_remedy(error.message, error.remedy)
        lab.session.ask(lambda lab: lab.fault(fault)).then(ignore, self._report_refusal)
        return ""

    def _report_refusal(self, reason: str) -> None:
        self._main.say(f"The fault was not started: {reason}")

    def say(self, words: str) -> None:
        """Ask for a fault as text, with an initial text."""
        if self.dialog is not None and self.dialog.winfo_exists():
            self.dialog.destroy()
        usage = "\n".join(f"{verb} {arguments}".rstrip() for verb, (_, arguments) in VERBS.items())
        self.dialog = WordsDialog(self._main.root, "Fault", words, usage, self.make)

    def _power_cycle(self, name: str) -> None:
        question = (
            f"Power off {name} for {_OFF.removesuffix('s')} s?\n\nChanges that were not saved with write in vtysh are "
            "lost."
        )
        buttons = ["Cancel:secondary-outline", "Power-Cycle:danger"]
        answer = Messagebox.show_question(question, "Power-cycle a router", parent=self._main.root, buttons=buttons)
        if answer == "Power-Cycle":
            self.make(f"power-cycle {name} {_OFF}")

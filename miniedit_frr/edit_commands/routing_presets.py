"""The Routing menu: routing for all routers at once, or for the selected ones. Each command is one edit."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from frrlib.edits import routing_presets
from frrlib.edits.protocol_defaults import with_timers_of_new_protocols
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.dialog import FormDialog
from miniedit_frr.edit_commands.router_groups import ask_groups
from miniedit_frr.edit_commands.selection import EditCommands
from miniedit_frr.tools import chosen
from miniedit_frr.tools.base import ToolContext
from miniedit_frr.window.preferences import PreferencesController

Preset = Callable[[Topology], Topology]
_LAB = "use lab timers, which react at once; Routing > FRR Default Timers changes that"
_FRR = "use FRR's default timers; Routing > Lab Timers changes that"


class RoutingCommands:
    """The commands of the Routing menu.

    Args:
        context: the document and the canvas.
        edits: makes edits, and reports why one is refused.
        preferences: decide whether new routing gets lab timers.
        ui: scaling of the screen.

    Attributes:
        dialog: the last dialog for groups; None before the first.
    """

    def __init__(self, context: ToolContext, edits: EditCommands, preferring: PreferencesController, ui: float) -> None:
        self._document, self._view = context.document, context.view
        self._edits, self._preferring, self._ui = edits, preferring, ui
        self.dialog: FormDialog | None = None

    def commands(self) -> dict[str, Callable[[], object]]:
        """The commands of menus, by name."""
        timers = {"lab_timers": True, "frr_timers": False}
        return {
            "ospf_everywhere": partial(self.run_protocol, "OSPF", routing_presets.ospf_everywhere),
            "isis_everywhere": partial(self.run_protocol, "IS-IS", routing_presets.isis_everywhere),
            "rip_everywhere": partial(self.run_protocol, "RIP", routing_presets.rip_everywhere),
            "as_per_router": self.as_per_router,
            "groups_as_systems": self.ask_groups,
            **{name: partial(self.set_timers, is_lab) for name, is_lab in timers.items()},
            "clear_routing": self.clear,
        }

    def flags(self) -> dict[str, Callable[[], bool]]:
        """The states of the switches, by name."""
        return {
            "lab_timers": lambda: self._preferring.now.lab_timers,
            "frr_timers": lambda: not self._preferring.now.lab_timers,
        }

    @property
    def _routers(self) -> list[str]:
        """The selected routers; all of them if none is selected."""
        topology = self._document.topology
        routers = [router.name for router in topology.routers]
        selected = set(chosen.node_names(self._view.selection))
        return [name for name in routers if name in selected] or routers

    def _describe_routers(self) -> str:
        count, every = len(self._routers), len(self._document.topology.routers)
        return "all routers" if count == every else f"{count} selected router{'s' if count > 1 else ''}"

    def with_timers(self, old: Topology, new: Topology) -> Topology:
        """The topology in which new routing has the timers of the previous routing, else the preferred ones."""
        return with_timers_of_new_protocols(old, new, self._preferring.now.lab_timers)

    def with_timers_of_new(self, merged: Topology, names: Collection[str]) -> Topology:
        """The topology in which newly inserted routers have such timers.

        Args:
            merged: the topology with the new routers.
            names: the names of the new routers.
        """
        without_new = routing_presets.limited_to(merged, routing_presets.clear_routing(merged), list(names))
        return self.with_timers(without_new, merged)

    def run_protocol(self, protocol: str, preset: Preset) -> None:
        """Run a protocol on the selected routers."""
        names, routers = self._routers, self._describe_routers()

        def make() -> Topology:
            topology = self._document.topology
            return self.with_timers(topology, routing_presets.limited_to(topology, preset(topology), names))

        if self._edits.apply(f"{protocol} on {routers}", make):
            timers = _LAB if self._preferring.now.lab_timers else _FRR
            self._edits.say(f"{protocol} runs on {routers}. Routers that did not run it before {timers}.")

    def as_per_router(self) -> None:
        """Make each selected router an AS of its own."""
        names, routers = self._routers, self._describe_routers()

        def make() -> Topology:
            topology = self._document.topology
            if len(names) == len(topology.routers):
                return self.with_timers(topology, routing_presets.as_per_router(topology))
            return self.with_timers(topology, routing_presets.groups_as_systems(topology, [[name] for name in names]))

        if self._edits.apply(f"An AS per router, {routers}", make):
            self._edits.say(f"Each of {routers} is its own AS, with a session to each neighbor.")

    def ask_groups(self) -> None:
        """Ask which routers form an AS."""
        if self.dialog is not None and self.dialog.is_open:
            self.dialog.window.lift()
            return
        selected = set(chosen.node_names(self._view.selection))
        self.dialog = ask_groups(self._view, self._document, selected, self._ui, self.with_timers)

    def set_timers(self, is_lab: bool) -> None:
        """Give present and later routing lab timers or FRR's default timers."""
        names, routers = self._routers, self._describe_routers()
        preset = routing_presets.lab_timers_everywhere if is_lab else routing_presets.frr_timers_everywhere
        self._preferring.change(lab_timers=is_lab)
        title = "Lab timers" if is_lab else "FRR default timers"

        def make() -> Topology:
            return routing_presets.limited_to(self._document.topology, preset(self._document.topology), names)

        if self._edits.apply(f"{title} on {routers}", make):
            effect = (
                "a hello every second, a lost neighbor is detected after four, and routes are computed at once"
                if is_lab
                else "made for large networks; convergence takes up to a minute"
            )
            self._edits.say(f"{title} on {routers}, and for routing that is set up later: {effect}.")

    def clear(self) -> None:
        """Remove all routing from the selected routers."""
        names, routers = self._routers, self._describe_routers()

        def make() -> Topology:
            return routing_presets.limited_to(
                self._document.topology, routing_presets.clear_routing(self._document.topology), names
            )

        if self._edits.apply(f"Clear routing of {routers}", make):
            self._edits.say(f"Routing was removed from {routers}. Addresses are kept.")

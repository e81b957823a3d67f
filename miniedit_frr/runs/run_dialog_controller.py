"""Asks for the options of a run with flows, stores them for the next time, and starts the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from frrlib.addressing.resolved import resolved
from frrlib.errors import LabError
from frrlib.lab import program
from frrlib.lab.virtual_clock import refuse_virtual
from frrlib.model.topology import Topology
from frrlib.place.confinement import bounds
from frrlib.places import PlaceName
from frrlib.run.captures import interfaces
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.runs import history
from miniedit_frr.runs.capture_list import CaptureInterface
from miniedit_frr.runs.controller import RunController
from miniedit_frr.runs.options import RunChoice
from miniedit_frr.runs.run_dialog import RunDialog
from miniedit_frr.user.preferences import PreferenceStore
from miniedit_frr.widgets.worker import Worker

if TYPE_CHECKING:
    from pathlib import Path


_NO_FLOWS = "The topology has no flows. Draw one with the Flow tool (F)."
#: The place of labs in virtual time.
_PLACE = PlaceName.LABKERNEL


class RunStarter(Protocol):
    """Starts runs with chosen options."""

    def run_into(self, folder: Path, **settings: Any) -> None:
        """Run with flows; results go into a new or empty folder. The settings are further fields of `LabOrder`."""

    def send_into(self, folder: Path, sample_hz: float) -> None:
        """Send the flows in the running lab; results go into a new or empty folder."""


class VirtualTimeChoice(Protocol):
    """A dialog with a choice between real and virtual time."""

    def allow_virtual(self, obstacle: str | None) -> None:
        """See `RunDialog.allow_virtual`."""

    def winfo_exists(self) -> bool:
        """Whether it is open."""


def _bounds_of(topology: Topology) -> str:
    """The limits of a lab's resources, for people."""
    kernel_mib = program.memory_mib(topology)
    return (
        f"Limits: {program.processes(topology):,} processes, {bounds.FOLDER_MIB} MiB in each temporary folder, "
        f"{bounds.RESULTS_MIB // 1024} GiB of results, and {kernel_mib:,} MiB of memory in a lab kernel or "
        f"{bounds.in_namespace_mib(kernel_mib):,} MiB in a namespace while the machine is short of memory."
    )


class RunDialogController:
    """Asks for the options before a run.

    Attributes:
        dialog: the last dialog; None before the first.

    Args:
        memory: the file that stores the options.
    """

    def __init__(
        self,
        main: MainWindow,
        read_topology: Callable[[], Topology],
        preferences: PreferenceStore,
        runs: RunController,
        starter: RunStarter,
        memory: Path,
    ) -> None:
        self._main, self._read_topology, self._preferences = main, read_topology, preferences
        self._runs, self._starter, self._memory = runs, starter, memory
        self._captures: tuple[str, ...] = ()
        self._worker = Worker(main.root)
        self._is_looking = False
        #: The dialog that waits for the result.
        self._waiting_dialog: VirtualTimeChoice | None = None
        self.dialog: RunDialog | None = None

    def ask(self, name: str, *, in_lab: bool = False) -> None:
        """Ask for the options of a run, and start it. `name` is the title of the topology.

        Args:
            in_lab: whether only the flows are sent, in the running lab.
        """
        topology = self._read_topology()
        flows = len(topology.flows)
        if not flows:
            self._main.say(_NO_FLOWS)
            return
        first = self._last_choice(name)
        about = f"{name}: {flows} flows" if flows != 1 else f"{name}: 1 flow"
        if in_lab:
            about = f"{about}, in the running lab"
            self.dialog = RunDialog(self._main.root, first, about, (), self.send, self._main.ui, in_lab=True)
            return
        self.dialog = RunDialog(
            self._main.root, first, about, interfaces_of(topology), self.run, self._main.ui,
            limits=_bounds_of(topology),
        )  # fmt: skip
        if obstacle := virtual_time_obstacle(topology):
            self.dialog.allow_virtual(obstacle)
        else:
            self.dialog.allow_virtual(None)
            self.look_for_virtual(self.dialog)

    def run_again(self, name: str, *, in_lab: bool = False) -> None:
        """Start a run with the options of the last one, in a new folder. `name` is the title of the topology.

        Args:
            in_lab: whether only the flows are sent, in the running lab.
        """
        topology = self._read_topology()
        if not topology.flows:
            self._main.say(_NO_FLOWS)
            return
        choice = self._last_choice(name)
        if in_lab:
            self.send(choice)
            return
        names = {interface.full_name for interface in interfaces_of(topology)}
        captures = tuple(capture for capture in choice.captures if capture in names)
        is_virtual = choice.virtual_time and not virtual_time_obstacle(topology)
        self.run(replace(choice, captures=captures, virtual_time=is_virtual, stays=choice.stays and not is_virtual))

    def _last_choice(self, name: str) -> RunChoice:
        """The options of the last run, with a new folder."""
        last = history.load_last_run(self._memory)
        return RunChoice(
            self._runs.next_folder(name), last.stays, self._preferences.now.sample_hz, self._captures,
            last.is_virtual, last.seed,
        )  # fmt: skip

    def run(self, choice: RunChoice) -> None:
        """Start the run, and store its options."""
        personal = self._preferences
        personal.change(personal.now.model_copy(update={"sample_hz": choice.sample_hz}))
        self._captures = choice.captures
        last = history.load_last_run(self._memory)
        changed = {"seed": choice.seed} if choice.virtual_time else {"stays": choice.stays}
        history.save_last_run(replace(last, is_virtual=choice.virtual_time, **changed), self._memory)
        settings = {"place": _PLACE, "virtual_time": True, "seed": choice.seed} if choice.virtual_time else {}
        self._starter.run_into(
            choice.folder, keep_up=choice.stays, sample_hz=choice.sample_hz, captures=choice.captures, **settings
        )

    def send(self, choice: RunChoice) -> None:
        """Send the flows in the running lab, with these options."""
        personal = self._preferences
        personal.change(personal.now.model_copy(update={"sample_hz": choice.sample_hz}))
        self._starter.send_into(choice.folder, choice.sample_hz)

    # --- availability of virtual time ---

    def look_for_virtual(self, dialog: VirtualTimeChoice) -> None:
        """Search for a lab kernel with virtual time in a thread. Repeated each time, since one may have been built
        meanwhile."""
        self._waiting_dialog = dialog
        if not self._is_looking:
            self._is_looking = True
            self._worker.do("virtual-time", _virtual_time_error, self._show_availability)

    def _show_availability(self, obstacle: str) -> None:
        self._is_looking = False
        if self._waiting_dialog is not None and self._waiting_dialog.winfo_exists():
            self._waiting_dialog.allow_virtual(virtual_time_obstacle(self._read_topology()) or obstacle)


def _virtual_time_error() -> str:
    try:
        refuse_virtual()
    except (LabError, OSError) as error:
        return f"Virtual time is not available: {error}."
    return ""


def virtual_time_obstacle(topology: Topology) -> str:
    """Why this topology cannot run in virtual time; empty if it can."""
    external = [name for node in topology.nodes for name in getattr(node, "external_interfaces", ())]
    if not external:
        return ""
    return f"In virtual time the lab cannot use this machine's {', '.join(external)}, which runs in real time."


def interfaces_of(topology: Topology) -> list[CaptureInterface]:
    """All interfaces that can be captured, node by node, with the neighbor at the other end."""
    named = resolved(topology)
    neighbors = {
        (end.node, end.interface): " and ".join(other_end.node for other_end in link.ends if other_end is not end)
        for link in named.links
        for end in link.ends
    }
    return [
        CaptureInterface(node.name, name, neighbors.get((node.name, name), ""))
        for node in named.nodes
        for name in interfaces(named, node.name)
    ]

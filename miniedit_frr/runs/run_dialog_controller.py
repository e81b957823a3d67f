"""Asks how to run with flows, remembers the answer for the next time, and runs."""

from __future__ import annotations

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
from miniedit_frr.editor.parts import Parts
from miniedit_frr.runs import history
from miniedit_frr.runs.capture_list import CaptureInterface
from miniedit_frr.runs.controller import RunController
from miniedit_frr.runs.options import RunChoice
from miniedit_frr.runs.run_dialog import RunDialog
from miniedit_frr.widgets.worker import Worker

if TYPE_CHECKING:
    from pathlib import Path


#: The place of labs in virtual time.
_PLACE = PlaceName.LABKERNEL


class RunStarter(Protocol):
    """What carries out how somebody wants to run."""

    def run_into(self, folder: Path, **settings: Any) -> None:
        """Run with flows; results go into a folder that is new or empty. The settings are further fields of `Order`."""

    def send_into(self, folder: Path, sample_hz: float) -> None:
        """Send the flows in the lab that runs; results go into a folder that is new or empty."""


class VirtualTimeChoice(Protocol):
    """A dialog that asks whether a run shall be in virtual time."""

    def allow_virtual(self, why_not: str | None) -> None:
        """See `RunDialog.allow_virtual`."""

    def winfo_exists(self) -> bool:
        """Whether it is open."""


def _bounds_of(topology: Topology) -> str:
    """How much of the machine a lab may take, for people."""
    kernel_mib = program.memory_mib(topology)
    return (
        f"Limits: {program.processes(topology):,} processes, {bounds.FOLDER_MIB} MiB in each temporary folder, "
        f"{bounds.RESULTS_MIB // 1024} GiB of results, and {kernel_mib:,} MiB of memory in a lab kernel or "
        f"{bounds.in_namespace_mib(kernel_mib):,} MiB in a namespace while the machine is short of memory."
    )


class RunDialogController:
    """The question before a run.

    Attributes:
        dialog: it, as it was asked last; None before.

    Args:
        memory: the file in which the answer is remembered.
    """

    def __init__(self, parts: Parts, runs: RunController, starts: RunStarter, memory: Path) -> None:
        self._parts, self._runs, self._starts, self._memory = parts, runs, starts, memory
        self._captures: tuple[str, ...] = ()
        self._worker = Worker(parts.window)
        self._is_looking = False
        #: Who wants to know it.
        self._asking: VirtualTimeChoice | None = None
        self.dialog: RunDialog | None = None

    def ask(self, name: str, *, in_lab: bool = False) -> None:
        """Ask how to run the drawing, which is called `name`, and run it so.

        Args:
            in_lab: whether only its flows are sent, in the lab that runs.
        """
        parts, topology = self._parts, self._parts.document.topology
        flows = len(topology.flows)
        if not flows:
            parts.say("The drawing has no flows.")
            return
        time = history.load_time(self._memory)
        first = RunChoice(
            self._runs.next_folder(name), sample_hz=parts.preferring.personal.now.sample_hz,
            captures=self._captures, virtual_time=time.is_virtual, seed=time.seed,
        )  # fmt: skip
        about = f"{name}: {flows} flows" if flows != 1 else f"{name}: 1 flow"
        if in_lab:
            about = f"{about}, in the running lab"
            self.dialog = RunDialog(parts.window, first, about, (), self.send, parts.ui, in_lab=True)
            return
        about = f"{about}\n{_bounds_of(topology)}"
        self.dialog = RunDialog(parts.window, first, about, interfaces_of(topology), self.run, parts.ui)
        if why := virtual_time_obstacle(topology):
            self.dialog.allow_virtual(why)
        else:
            self.dialog.allow_virtual(None)
            self.look_for_virtual(self.dialog)

    def run(self, choice: RunChoice) -> None:
        """Run so, and remember it."""
        personal = self._parts.preferring.personal
        personal.change(personal.now.model_copy(update={"sample_hz": choice.sample_hz}))
        self._captures = choice.captures
        before = history.load_time(self._memory)
        seed = choice.seed if choice.virtual_time else before.seed
        history.save_time(replace(before, is_virtual=choice.virtual_time, seed=seed), self._memory)
        settings = {"place": _PLACE, "virtual_time": True, "seed": choice.seed} if choice.virtual_time else {}
        self._starts.run_into(
            choice.folder, keep_up=choice.stays, sample_hz=choice.sample_hz, captures=choice.captures, **settings
        )

    def send(self, choice: RunChoice) -> None:
        """Send the flows so in the lab that runs."""
        personal = self._parts.preferring.personal
        personal.change(personal.now.model_copy(update={"sample_hz": choice.sample_hz}))
        self._starts.send_into(choice.folder, choice.sample_hz)

    # --- whether there is virtual time ---

    def look_for_virtual(self, asks: VirtualTimeChoice) -> None:
        """Have a thread look for a lab kernel that has it, anew each time: it may have been built meanwhile."""
        self._asking = asks
        if not self._is_looking:
            self._is_looking = True
            self._worker.do("virtual-time", _why_not_virtual, self._looked)

    def _looked(self, why: str) -> None:
        self._is_looking = False
        if self._asking is not None and self._asking.winfo_exists():
            self._asking.allow_virtual(virtual_time_obstacle(self._parts.document.topology) or why)


def _why_not_virtual() -> str:
    try:
        refuse_virtual()
    except (LabError, OSError) as error:
        return f"Virtual time is not available: {error}."
    return ""


def virtual_time_obstacle(topology: Topology) -> str:
    """Why a drawing can run in real time only; empty where it is not the drawing's fault."""
    lent = [name for node in topology.nodes for name in getattr(node, "external_interfaces", ())]
    if not lent:
        return ""
    return f"In virtual time the lab cannot use this machine's {', '.join(lent)}, which runs in real time."


def interfaces_of(topology: Topology) -> list[CaptureInterface]:
    """All interfaces that can be captured, node by node, with the neighbour that each leads to."""
    named = resolved(topology)
    leads = {
        (end.node, end.interface): " and ".join(each.node for each in link.ends if each is not end)
        for link in named.links
        for end in link.ends
    }
    return [
        CaptureInterface(node.name, name, leads.get((node.name, name), ""))
        for node in named.nodes
        for name in interfaces(named, node.name)
    ]

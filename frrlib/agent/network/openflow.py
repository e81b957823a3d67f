"""The OpenFlow part of a lab: Open vSwitch with all switches, and their controllers."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from typing import Any

from frrlib.agent import processes
from frrlib.agent.network import controllers
from frrlib.agent.network.controllers import ControllerNode
from frrlib.agent.network.nodes import LabNode
from frrlib.agent.network.switches import FIRST_SHARED_INDEX, OpenVswitch, OvsSwitch
from frrlib.errors import LabFailed
from frrlib.wire.plan import NodePlan

#: How long a switch may take to find a controller that the lab runs.
CONNECT_TIMEOUT_S = 15.0
#: How long building waits for a controller that somebody else runs.
PATIENCE_S = 2.0


class OpenFlowFabric:
    """Switches and controllers.

    Args:
        plans: of all nodes that are part of it.
        died: called with node, program, exit status and the end of its log when a program ends unasked.
    """

    def __init__(self, plans: Sequence[NodePlan], died: processes.ReportExit) -> None:
        self._plans, self._died = plans, died
        self._numbers = itertools.count(FIRST_SHARED_INDEX)
        self.switches: list[OvsSwitch] = []
        self.controllers: list[ControllerNode] = []
        names = [plan.name for plan in plans if plan.switch is not None]
        self._vswitch = OpenVswitch(names[0], died) if names else None

    def node_class(self, plan: NodePlan) -> tuple[type[LabNode], dict[str, Any]]:
        """The class for a node of it, with what that wants beside plan and thread."""
        if plan.switch is None:
            return ControllerNode, {"died": self._died}
        return OvsSwitch, {"numbers": self._numbers}

    def begin(self) -> None:
        """Start what needs no interface. Raises LabError."""
        if self._secured():
            controllers.make_keys()
        if self._vswitch is not None:
            self._vswitch.begin()

    def start(self, nodes: Sequence[LabNode], logs: str) -> None:
        """Start the lab's own controllers, make the switches and wait until they have found each other.

        Args:
            nodes: those of it, prepared, their links being there.
            logs: folder for logs.

        Raises:
            LabError: a program ended, or a switch did not find a controller of the lab's own.
        """
        self.switches = [node for node in nodes if isinstance(node, OvsSwitch)]
        self.controllers = [node for node in nodes if isinstance(node, ControllerNode)]
        for controller in self.controllers:
            controller.begin(logs)
        for controller in self.controllers:
            controller.wait_listening()
        if self._vswitch is not None:
            self._vswitch.make(self.switches, secured=self._secured())
            self._await_own()

    def unconnected(self) -> list[str]:
        """Controllers that somebody else runs and that a switch still waits for, with why; waits a little for them.

        A lab goes on without them, as Mininet's do: a switch does what its fail mode says, and asks again.
        """
        wanted = self._targets(own=False)
        missing = self._await(wanted, PATIENCE_S) if wanted else []
        return [
            f"{name}: nobody answers at {target} in the lab's own network; its switches forward nothing by themselves"
            f" and ask again every second. Start it in a terminal of the lab or by the start command of {name};"
            f" or outside of the lab, which has to be allowed to reach it there (--allow-controller {_place(target)})"
            for target in missing
            for name in wanted[target]
        ]

    def expect_end(self) -> list[processes.Process]:
        """From now on programs may end without a report; gives them, to be ended."""
        ending = [process for controller in self.controllers for process in controller.expect_end()]
        return ending + (self._vswitch.expect_end() if self._vswitch is not None else [])

    def save_logs(self, folder: str) -> None:
        """Copy Open vSwitch's log to `folder`."""
        if self._vswitch is not None:
            self._vswitch.save_log(folder)

    def _secured(self) -> bool:
        return any(target.startswith("ssl:") for plan in self._plans for target in plan.targets)

    def _targets(self, own: bool) -> dict[str, list[str]]:
        """Targets of controllers that the lab runs or does not run, each with the names of the controllers."""
        found: dict[str, list[str]] = {}
        for controller in self.controllers:
            if (controller.plan.controller is not None) == own:
                for target in controller.plan.targets:
                    found.setdefault(target, []).append(controller.name)
        return found

    def _await_own(self) -> None:
        wanted = self._targets(own=True)
        missing = self._await(wanted, CONNECT_TIMEOUT_S) if wanted else []
        if missing:
            names = ", ".join(name for target in missing for name in wanted[target])
            raise LabFailed(f"{names}: a switch is not connected after {CONNECT_TIMEOUT_S:g} s")

    def _await(self, targets: dict[str, list[str]], limit_s: float) -> list[str]:
        """Wait until all switches are connected to all of the targets that they name; gives those that some miss."""
        switches = [node.plan.switch for node in self.switches if node.plan.switch is not None]
        wanted = {target: sum(target in switch.controllers for switch in switches) for target in targets}
        deadline_s = time.monotonic() + limit_s
        while missing := [target for target in targets if controllers.connections(target) < wanted[target]]:
            if time.monotonic() > deadline_s:
                break
            time.sleep(0.05)
        return missing


def _place(target: str) -> str:
    """The address and port of a target ("tcp:127.0.0.1:6633")."""
    return target.partition(":")[2]

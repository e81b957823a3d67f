"""The OpenFlow part of a lab: Open vSwitch with all switches, and the controllers."""

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

#: The longest time for a switch to connect to a controller of the lab.
CONNECT_TIMEOUT_S = 15.0
#: Building waits this long for a controller that runs outside of the lab.
PATIENCE_S = 2.0


class OpenFlowFabric:
    """Switches and controllers.

    Args:
        plans: of all its nodes.
        report_exit: called with node, program, exit status and the end of its log when a program ends unexpectedly.
    """

    def __init__(self, plans: Sequence[NodePlan], report_exit: processes.ReportExit) -> None:
        self._plans, self._report_exit = plans, report_exit
        self._numbers = itertools.count(FIRST_SHARED_INDEX)
        self.switches: list[OvsSwitch] = []
        self.controllers: list[ControllerNode] = []
        names = [plan.name for plan in plans if plan.switch is not None]
        self._vswitch = OpenVswitch(names[0], report_exit) if names else None

    def node_class(self, plan: NodePlan) -> tuple[type[LabNode], dict[str, Any]]:
        """The class for a node, with its arguments besides plan and thread."""
        if plan.switch is None:
            return ControllerNode, {"report_exit": self._report_exit}
        return OvsSwitch, {"numbers": self._numbers}

    def begin(self) -> None:
        """Start the parts that need no interface. Raises LabError."""
        if self._uses_ssl():
            controllers.make_keys()
        if self._vswitch is not None:
            self._vswitch.begin()

    def start(self, nodes: Sequence[LabNode], logs: str) -> None:
        """Start the lab's own controllers, make the switches and wait until they are connected.

        Args:
            nodes: the prepared nodes, with their links.
            logs: folder for logs.

        Raises:
            LabError: a program ended, or a switch did not connect to a controller of the lab.
        """
        self.switches = [node for node in nodes if isinstance(node, OvsSwitch)]
        self.controllers = [node for node in nodes if isinstance(node, ControllerNode)]
        for controller in self.controllers:
            controller.begin(logs)
        for controller in self.controllers:
            controller.wait_listening()
        if self._vswitch is not None:
            self._vswitch.make(self.switches, secured=self._uses_ssl())
            self._wait_own_connected()

    def unconnected(self) -> list[str]:
        """Warnings about external controllers without a connection from some switch. Waits a short time for them.

        A lab continues without them, as in Mininet: a switch follows its fail mode, and connects again later.
        """
        targets = self._targets(is_own=False)
        missing = self._wait_connected(targets, PATIENCE_S) if targets else []
        return [
            f"{name}: no controller answers at {target} in the lab's network. Without it, the switches forward nothing;"
            f" they try to connect every second. Start the controller in a terminal of the lab or by the start command"
            f" of {name}. If it runs outside of the lab, allow the connection (--allow-controller {_address(target)})"
            for target in missing
            for name in targets[target]
        ]

    def expect_end(self) -> list[processes.Process]:
        """Expect the end of all programs, without reports of it, and return them, to be ended."""
        ending = [process for controller in self.controllers for process in controller.expect_end()]
        return ending + (self._vswitch.expect_end() if self._vswitch is not None else [])

    def save_logs(self, folder: str) -> None:
        """Copy Open vSwitch's log to `folder`."""
        if self._vswitch is not None:
            self._vswitch.save_log(folder)

    def _uses_ssl(self) -> bool:
        return any(target.startswith("ssl:") for plan in self._plans for target in plan.targets)

    def _targets(self, is_own: bool) -> dict[str, list[str]]:
        """Targets of controllers that the lab runs, or does not run, each with the names of the controllers."""
        names: dict[str, list[str]] = {}
        for controller in self.controllers:
            if (controller.plan.controller is not None) == is_own:
                for target in controller.plan.targets:
                    names.setdefault(target, []).append(controller.name)
        return names

    def _wait_own_connected(self) -> None:
        targets = self._targets(is_own=True)
        missing = self._wait_connected(targets, CONNECT_TIMEOUT_S) if targets else []
        if missing:
            names = ", ".join(name for target in missing for name in targets[target])
            raise LabFailed(f"{names}: a switch is not connected after {CONNECT_TIMEOUT_S:g} s")

    def _wait_connected(self, targets: dict[str, list[str]], limit_s: float) -> list[str]:
        """Wait until all switches are connected to all of their targets. Returns the targets without a connection."""
        switches = [node.plan.switch for node in self.switches if node.plan.switch is not None]
        expected = {target: sum(target in switch.controllers for switch in switches) for target in targets}
        deadline_s = time.monotonic() + limit_s
        while missing := [target for target in targets if controllers.connections(target) < expected[target]]:
            if time.monotonic() > deadline_s:
                break
            time.sleep(0.05)
        return missing


def _address(target: str) -> str:
    """The address and port of a target ("tcp:127.0.0.1:6633")."""
    return target.partition(":")[2]

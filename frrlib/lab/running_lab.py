"""The part of a running lab that its requests, faults and leftovers rely on."""

from __future__ import annotations

from typing import Protocol

from frrlib import wire
from frrlib.lab.steps import StepTimer
from frrlib.model.topology import Topology


class RunningLab(Protocol):
    """A running lab: it carries out commands.

    Attributes:
        topology: the topology that was built.
    """

    topology: Topology

    def ask(self, command: wire.TypedCommand[wire.Reply], timeout_s: float = ...) -> wire.Reply:
        """The reply to a command, as the command's docstring describes it."""

    def step(self, name: str) -> StepTimer:
        """A `with` block that is measured and reported."""

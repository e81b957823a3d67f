"""The interface of a test's network for its gears and nodes; `gears.Topogen` implements it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Protocol

from frrlib.topotest.bare_lab import BareLab


class TestNetwork(Protocol):
    """A network and what runs on it.

    Attributes:
        folder: for its logs; `logdir` is the same as a text.
        test_folder: where its test's own files are.
        started: processes that were started in it and may still run.
        net: its nodes, by name.
    """

    folder: Path
    logdir: str
    test_folder: Path
    started: list[subprocess.Popen[Any]]
    net: Any

    @property
    def lab(self) -> BareLab:
        """The running lab. Raises RuntimeError if none is running."""

    @property
    def hasmpls(self) -> bool:
        """Whether its kernel supports MPLS."""

    @property
    def version(self) -> str:
        """FRR's version."""

    def add_link(self, node1: Any, node2: Any, ifname1: str | None = None, ifname2: str | None = None) -> None:
        """Join two gears."""

    def set_error(self, message: str, code: Any = None) -> None:
        """Record an error."""

    def end(self) -> None:
        """End the network."""

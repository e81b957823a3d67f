"""A running lab seen from outside: the common part of the labs of all places."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path

from frrlib.errors import PlaceError
from frrlib.place.base import SandboxFacts, Wire
from frrlib.place.launch import LabLaunch
from frrlib.place.operations import SandboxOperations
from frrlib.place.port_forwarding import Endpoint, PortForwarder


def code_folder() -> Path:
    """The folder that contains this package, which a lab needs too."""
    return Path(__file__).resolve().parents[2]


class SupervisedSandbox(SandboxOperations):
    """A lab that a supervisor owns. `stop` it, or use it as a context manager.

    Args:
        launch: the started lab.
    """

    def __init__(self, launch: LabLaunch) -> None:
        self._launch = launch
        self._ended = threading.Event()
        # If the supervisor is killed, the lab dies with it, and this process tidies up.
        threading.Thread(target=self._tidy, name="lab-supervisor", daemon=True).start()
        servers = [Endpoint.parse(text) for text in launch.servers]
        self._forwarded = [PortForwarder(server, self.pipe_argv) for server in servers]

    def __enter__(self) -> SupervisedSandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def wire(self) -> Wire:
        """Streams to the lab's first program."""
        return self._launch.wire

    @property
    def facts(self) -> SandboxFacts:
        """Kernel and times of the start."""
        return self._launch.facts

    @property
    def pid(self) -> int:
        """The lab's process 1, or its kernel, as seen from outside."""
        return self._launch.pid

    @property
    def supervisor_pid(self) -> int:
        """The pid of the supervisor, which ends the lab when this process ends."""
        return self._launch.supervisor.pid

    @property
    def scratch(self) -> Path:
        """Temporary folder of this lab, removed at its end."""
        return self._launch.scratch.path

    @property
    def console(self) -> Path:
        """The output of the lab's first program and kernel."""
        return self._launch.console

    def last_words(self) -> str:
        """The end of the lab's output; also after the lab has ended, when `console` is gone."""
        return self._launch.last_words()

    def alive(self) -> bool:
        """Whether the lab still runs."""
        return not self._ended.is_set() and self._launch.runs()

    def cut(self) -> None:
        """Have the lab end at once, without waiting for it."""
        self._launch.cut()

    def stop(self, timeout_s: float = 5.0) -> None:
        """End the lab at once and wait until nothing of it is left.

        Raises:
            PlaceError: the supervisor did not end within `timeout_s`, or it could not take back files from the lab.
        """
        self._launch.cut()
        for forwarding in self._forwarded:
            forwarding.close()
        if not self._ended.wait(timeout_s):
            raise PlaceError(
                f"the supervisor of a lab, process {self.supervisor_pid}, did not exit within {timeout_s:g} s"
            )
        self._launch.close()
        if leftovers := self._launch.leftovers:
            summary = "; ".join(leftovers[:3]) + (f"; and {len(leftovers) - 3} more" if len(leftovers) > 3 else "")
            raise PlaceError(f"files of the lab could not be recovered or removed: {summary}", "remove them manually")

    def _tidy(self) -> None:
        self._launch.read_last_words()
        self._launch.supervisor.wait()
        self._launch.remove_leftovers()
        self._ended.set()

    @abstractmethod
    def pipe_argv(self, argv: Sequence[str], node: str = "") -> list[str]:
        """The command of this machine that runs `argv` in the lab, or in a node of it, with its standard streams."""

    @abstractmethod
    def terminal_argv(self, argv: Sequence[str] = (), node: str = "") -> list[str]:
        """The command of this machine that opens an interactive terminal on `argv` (a shell) in the lab."""

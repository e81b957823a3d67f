"""OpenFlow controllers in the lab's own network namespace, next to the switches."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, NamedTuple

from frrlib.agent import processes
from frrlib.agent.network.namespaces import NodeThread
from frrlib.agent.network.netlink import Message
from frrlib.agent.network.nodes import LabNode
from frrlib.errors import CommandFailed, LabFailed, PlaceError
from frrlib.wire.plan import ControllerPlan, NodePlan

INSTALL = "sudo apt-get install openvswitch-testcontroller"
START_TIMEOUT_S = 15.0
#: The key and the certificate of controllers and switches for OpenFlow over SSL.
KEY, CERTIFICATE = "/run/openvswitch/lab-key.pem", "/run/openvswitch/lab-cert.pem"
_ESTABLISHED, _LISTEN = 0x01, 0x0A
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class ControllerNode(LabNode):
    """A controller: a node without links. One that runs outside of the lab is only a place for terminals.

    Args:
        report_exit: called with name, program, exit status and the end of its log when its program ends unexpectedly.
    """

    def __init__(
        self, name: str, plan: NodePlan, thread: NodeThread, report_exit: processes.ReportExit, **params: Any
    ) -> None:
        self._report_exit = report_exit
        self._processes: list[processes.Process] = []
        self._stopping = False
        self._program = self._log = ""
        super().__init__(name, plan, thread, **params)

    def requests(self) -> list[Message]:
        """None: it has no interface of its own."""
        return []

    def begin(self, logs: str) -> None:
        """Start the program, if the lab runs it. Raises PlaceError if it is not installed."""
        if self.plan.controller is None:
            return
        path = _find(self.name, self.plan.controller)
        self._program, self._log = os.path.basename(path), f"{logs}/{self.name}-controller.log"
        # Open vSwitch's controller has a socket there, even if no switch has made the folder.
        os.makedirs(os.path.dirname(KEY), exist_ok=True)
        with open(self._log, "wb") as log:
            for arguments in self.plan.controller.arguments:
                self._processes.append(self.spawn([path, *arguments], self._ended, stdout=log, stderr=log))

    def wait_listening(self) -> None:
        """Wait until the program listens. Raises LabFailed if it ends or does not listen in time."""
        if self.plan.controller is None:
            return
        deadline_s = time.monotonic() + START_TIMEOUT_S
        while not all(listens(target) for target in self.plan.targets):
            status = next((process.poll() for process in self._processes if process.poll() is not None), None)
            if status is not None:
                raise LabFailed(f"{self.name}: {self._program} ended with status {status}: {self._output()}")
            if time.monotonic() > deadline_s:
                raise LabFailed(f"{self.name}: {self._program} does not listen on {', '.join(self.plan.targets)}")
            time.sleep(0.01)

    def expect_end(self) -> list[processes.Process]:
        """Expect the end of the program, without a report of it, and return its processes, to be ended."""
        self._stopping = True
        return self._processes

    def _ended(self, process: processes.Process) -> None:
        if not self._stopping:
            self._report_exit(self.name, self._program, process.returncode, self._output())

    def _output(self) -> str:
        with open(self._log, encoding="utf-8", errors="replace") as log:
            return log.read()[-2000:].strip() or "it printed nothing"


def _find(name: str, plan: ControllerPlan) -> str:
    for program in plan.programs:
        if path := shutil.which(program, path=_PATH):
            return path
    raise PlaceError(f"{name}: none of the controllers {', '.join(plan.programs)} is installed", INSTALL)


def listens(target: str) -> bool:
    """Whether a program in the lab's own network namespace listens at a target ("tcp:127.0.0.1:6633").

    The check opens no connection to it.
    """
    address, port = _parse_target(target)
    return any(
        (row.local_port, row.state) == (port, _LISTEN) and (row.local == address or row.local.is_unspecified)
        for row in _sockets()
    )


def connections(target: str) -> int:
    """The number of open connections from the lab's own network namespace to a target."""
    address, port = _parse_target(target)
    return sum((row.remote, row.remote_port, row.state) == (address, port, _ESTABLISHED) for row in _sockets())


def _parse_target(target: str) -> tuple[IPv4Address | IPv6Address, int]:
    _, _, location = target.partition(":")
    host, _, port = location.rpartition(":")
    return ip_address(host.strip("[]")), int(port)


class _Socket(NamedTuple):
    """A row of /proc/net/tcp."""

    local: IPv4Address | IPv6Address
    local_port: int
    remote: IPv4Address | IPv6Address
    remote_port: int
    state: int


def _sockets() -> Iterator[_Socket]:
    """The TCP sockets of the lab's own network namespace."""
    for table in ("tcp", "tcp6"):
        try:
            with open(f"/proc/self/net/{table}", encoding="ascii") as file:
                rows = [line.split() for line in file][1:]
        except OSError:
            continue  # a kernel without IPv6
        for row in rows:
            yield _Socket(*_parse_address(row[1]), *_parse_address(row[2]), int(row[3], 16))


def _parse_address(text: str) -> tuple[IPv4Address | IPv6Address, int]:
    """An address and a port as in /proc: words of 32 bits, each in the machine's own byte order."""
    digits, _, port = text.partition(":")
    raw = bytes.fromhex(digits)
    words = struct.unpack(f"={len(raw) // 4}I", raw)
    return ip_address(struct.pack(f">{len(words)}I", *words)), int(port, 16)


def make_keys() -> None:
    """Make a key and a certificate for this lab's switches and controllers. Raises PlaceError, CommandFailed."""
    program = shutil.which("openssl", path=_PATH)
    if program is None:
        raise PlaceError("OpenFlow over SSL needs openssl, which is not installed", "sudo apt-get install openssl")
    argv = [program, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650", "-subj", "/CN=lab"]
    argv += ["-keyout", KEY, "-out", CERTIFICATE]
    os.makedirs(os.path.dirname(KEY), exist_ok=True)
    pipe = subprocess.PIPE
    process = processes.spawn(argv, stdout=subprocess.DEVNULL, stderr=pipe)
    _, err = process.communicate(timeout=60)
    if process.returncode:
        raise CommandFailed(argv, process.returncode, err.decode(errors="replace"))

"""Open vSwitch in a lab, with a database and a daemon of its own for all of its switches.

They run in the lab's own network namespace, with the switches' ports, and in the lab's private folders. So the
machine's own Open vSwitch is not touched, `ovs-vsctl` and `ovs-ofctl` work in every terminal of the lab without
options, and everything ends with the lab.

The datapath is Open vSwitch's own in user space, so that the kernel needs no module. If /dev/net/tun cannot be opened,
the switches have no local port; everything else works.
"""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import time
from collections.abc import Sequence
from typing import Any

from frrlib.agent import processes
from frrlib.agent.network import rtnetlink
from frrlib.agent.network.controllers import CERTIFICATE, KEY
from frrlib.agent.network.namespaces import NodeThread
from frrlib.agent.network.netlink import Message
from frrlib.agent.network.nodes import LabNode
from frrlib.errors import CommandFailed, LabFailed, PlaceError
from frrlib.wire.plan import NodePlan

RUN = "/run/openvswitch"
DATABASE, SOCKET = f"{RUN}/conf.db", f"{RUN}/db.sock"
SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
LOG = f"{RUN}/ovs-vswitchd.log"
INSTALL = "sudo apt-get install openvswitch-switch"
START_TIMEOUT_S = 30.0
#: Far from the indexes of the machine's own interfaces in the lab.
FIRST_SHARED_INDEX = 100_000
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


class OvsSwitch(LabNode):
    """A switch. Its ports are in the lab's own network namespace.

    Args:
        numbers: indexes for the ports of all switches of the lab.
    """

    def __init__(
        self, name: str, plan: NodePlan, thread: NodeThread, numbers: itertools.count[int], **params: Any
    ) -> None:
        self._numbers = numbers
        super().__init__(name, plan, thread, **params)

    def new_index(self, other_end: int = 0) -> int:
        """An index that differs from those of all other ports of the lab and of all nodes."""
        return next(self._numbers)

    def requests(self) -> list[Message]:
        """The requests that set the ports up. Addresses come later, on the local port."""
        requests = [rtnetlink.set_up(port.index, port.name, True) for port in self.intfList() if port.up]
        return requests + self.external_requests()

    def start(self, _controllers: Any) -> None:
        """Nothing to do: all switches are made at once."""

    def set_up_local_port(self) -> None:
        """Set the switch's own addresses, on the port with its name. Call it when Open vSwitch has made the port."""
        assert self.plan.switch is not None and self.netlink is not None
        if not self.plan.switch.addresses:
            return
        for key in ("disable_ipv6", "accept_dad"):
            self._sysctl(f"net/ipv6/conf/{self.name}/{key}", "0")
        index = socket.if_nametoindex(self.name)  # the agent is in the namespace of the switches
        requests = [rtnetlink.add_address(index, self.name, address) for address in self.plan.switch.addresses]
        self.netlink.apply([*requests, rtnetlink.set_up(index, self.name, True)])


class OpenVswitch:
    """The database and the daemon.

    Args:
        switch: name of one of the switches.
        report_exit: called with that name, the program, exit status and the end of the log when it ends unexpectedly.
    """

    def __init__(self, switch: str, report_exit: processes.ReportExit) -> None:
        self._switch, self._report_exit = switch, report_exit
        self._processes: list[processes.Process] = []
        self._stopping = False
        self.datapath = "netdev" if _can_open("/dev/net/tun") else "dummy"

    def begin(self) -> None:
        """Start the database; it becomes ready while the lab is built. Raises PlaceError if Open vSwitch is not
        installed."""
        os.makedirs(RUN, exist_ok=True)
        self._run(["ovsdb-tool", "create", DATABASE, SCHEMA])
        self._start("ovsdb-server", [DATABASE, f"--remote=punix:{SOCKET}"])
        # Its interfaces are in the lab's namespace, so interfaces of no switch must not come up with an address by
        # themselves.
        _write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1")

    def make(self, switches: Sequence[OvsSwitch], *, secured: bool = False) -> None:
        """Start the daemon, make all switches in one transaction when their ports exist, and wait for the result.

        Args:
            switches: all of them.
            secured: whether switches connect to controllers over SSL, with the lab's own key and certificate.

        Raises:
            LabFailed: Open vSwitch refused it. The message has the end of its log.
        """
        self._await_database()
        dummy = ["--enable-dummy"] if self.datapath == "dummy" else []
        self._start("ovs-vswitchd", [f"unix:{SOCKET}", *dummy, f"--log-file={LOG}"])
        argv = ["ovs-vsctl", f"--timeout={START_TIMEOUT_S:.0f}", "--id=@keep", "create", "qos", "type=linux-noop"]
        argv += ["--", "set-ssl", KEY, CERTIFICATE, CERTIFICATE] if secured else []
        for switch in switches:
            assert switch.plan.switch is not None
            for command in switch.plan.switch.ovs:
                argv += ["--", *(word.replace("{datapath}", self.datapath) for word in command)]
        complaints = self._run(argv)
        if "rror" in complaints:
            raise LabFailed(f"Open vSwitch: {' '.join(complaints.split())}; its log: {self._complaints()}")
        for switch in switches:
            switch.set_up_local_port()

    def expect_end(self) -> list[processes.Process]:
        """Expect the end of the daemons, without reports of it, and return them, to be ended."""
        self._stopping = True
        return self._processes

    def save_log(self, folder: str) -> None:
        """Copy the log to `folder`."""
        if os.path.exists(LOG):
            with open(LOG, "rb") as source, open(f"{folder}/ovs-vswitchd.log", "wb") as copy:
                copy.write(source.read())

    def _start(self, program: str, arguments: Sequence[str]) -> None:
        path = find(program)
        if path is None:
            raise PlaceError(f"Open vSwitch's {program} is not installed", INSTALL)

        def ended(process: processes.Process) -> None:
            if not self._stopping:
                self._report_exit(self._switch, program, process.returncode, self._complaints())

        # `ovs-appctl` finds it by the file with its process id.
        words = [path, *arguments, "--no-chdir", f"--pidfile={RUN}/{program}.pid"]
        null = subprocess.DEVNULL
        self._processes.append(processes.spawn(words, ended, stdout=null, stderr=null))

    def _run(self, argv: Sequence[str]) -> str:
        """Run a command to its end and return its error output."""
        path = find(argv[0])
        if path is None:
            raise PlaceError(f"Open vSwitch's {argv[0]} is not installed", INSTALL)
        pipe = subprocess.PIPE
        process = processes.spawn([path, *argv[1:]], stdout=pipe, stderr=pipe)
        _, err = process.communicate(timeout=2 * START_TIMEOUT_S)
        text = err.decode(errors="replace")
        if process.returncode:
            raise CommandFailed(argv, process.returncode, f"{text} {self._complaints()}".strip())
        return text

    def _await_database(self) -> None:
        deadline_s = time.monotonic() + START_TIMEOUT_S
        while not os.path.exists(SOCKET):
            if self._processes[0].poll() is not None:
                raise LabFailed(f"Open vSwitch's database ended with status {self._processes[0].returncode}")
            if time.monotonic() > deadline_s:
                raise LabFailed(f"Open vSwitch's database is not ready after {START_TIMEOUT_S:g} s")
            time.sleep(0.005)

    def _complaints(self) -> str:
        try:
            with open(LOG, encoding="utf-8", errors="replace") as file:
                lines = [line.strip() for line in file if "|ERR|" in line or "|WARN|" in line or "|EMER|" in line]
        except OSError:
            return ""
        return "; ".join(line.split("|", 4)[-1] for line in lines[-3:]) or "nothing"


def find(program: str) -> str | None:
    """The path of a program of Open vSwitch; None if it is not installed."""
    for folder in _PATH.split(":"):
        if os.access(f"{folder}/{program}", os.X_OK):
            return f"{folder}/{program}"
    return None


def _can_open(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    except OSError:
        return  # a kernel without IPv6

"""Mininet's nodes without a process for each: hosts, bridges and FRR routers with a thread of their own.

Mininet's methods for nodes work as in Mininet's scripts: a shell starts when `cmd` first needs one.
"""

from __future__ import annotations

import errno
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mininet.node import Node

from frrlib.agent import processes
from frrlib.agent.frr import vtysh
from frrlib.agent.frr.daemons import Frr
from frrlib.agent.network import folders, namespaces, offloads, readback, rtnetlink
from frrlib.agent.network.interface_settings import neighbor_requests, route_request
from frrlib.agent.network.namespaces import NodeThread
from frrlib.agent.network.netlink import Message, Netlink, NetlinkError
from frrlib.errors import LabFailed
from frrlib.vtysh.session import VtyshSession
from frrlib.wire.plan import NodePlan

#: Index of a node's first interface to a link. Lower ones belong to the loopback and to interfaces that the kernel
#: adds.
FIRST_INDEX = 100
BRIDGE_INDEX = 99
#: The kernel's number of requests for a neighbor's hardware address.
KERNEL_PROBES = 3
#: The kernel's errors for a route whose next hop is on an interface that is down.
_UNREACHABLE = frozenset((errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EINVAL))
#: Set in every node before its interfaces appear, unless its plan has other values. Without duplicate address detection
#: an IPv6 address is usable at once. Static addresses stay when their interface goes down.
DEFAULT_SYSCTLS = {
    "net.ipv6.conf.all.accept_dad": "0",
    "net.ipv6.conf.default.accept_dad": "0",
    "net.ipv6.conf.all.keep_addr_on_down": "1",
    "net.ipv6.conf.default.keep_addr_on_down": "1",
}


class LabNode(Node):
    """A node of a lab.

    Args:
        name: its name.
        plan: its plan.
        thread: the thread with its namespaces.

    Attributes:
        pid: the thread's id, used as the process id that Mininet's tools expect.
    """

    isSetup = True  # noqa: N815  # Mininet would look for `ifconfig` and `mnexec` by starting processes

    def __init__(self, name: str, plan: NodePlan, thread: NodeThread, **params: Any) -> None:
        self.plan, self.thread = plan, thread
        self.netlink: Netlink | None = None
        self._next_index = FIRST_INDEX
        self._indexes: dict[str, int] = {}
        self._late_sysctls: dict[str, str] = {}
        super().__init__(name, **{**params, "inNamespace": True})

    # --- building -----------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Prepare the node before its interfaces: kernel settings, private folders. Call it in the thread."""
        self.netlink = Netlink(self.name)
        for key, value in {**DEFAULT_SYSCTLS, **self.plan.sysctls}.items():
            if not self._sysctl(key, value) and key in self.plan.sysctls:
                self._late_sysctls[key] = value
        folders.mount_private(self.name, self.plan.private_dirs)

    def configure(self) -> None:
        """Bring up the interfaces with all their settings. Call it in the thread when all links exist."""
        assert self.netlink is not None
        self.netlink.apply(self.requests())
        for key, value in self._late_sysctls.items():
            if not self._sysctl(key, value):
                raise LabFailed(f"{self.name}: the kernel has no setting {key}")
        self._set_offloads(self.intfList())

    def _set_offloads(self, interfaces: Sequence[Any]) -> None:
        offloads.switch_off(self.name, [interface.name for interface in interfaces if not interface.offloads])
        offloads.compute_checksums(self.name, [end.name for end in interfaces if not end.checksums])

    def requests(self) -> list[Message]:
        """The requests that configure the node's interfaces as planned, in order."""
        requests = [rtnetlink.set_up(1, "lo", True)]
        requests += [rtnetlink.add_address(1, "lo", address) for address in self.plan.loopbacks]
        requests += self._vrf_requests()
        indexes = {"lo": 1, **{interface.name: interface.index for interface in self.intfList()}}
        requests += self.interface_requests(self.intfList())
        requests += self.external_requests()
        for vlan in self.plan.vlans:
            if vlan.interface not in indexes:
                raise LabFailed(f"{self.name}: VLAN {vlan.vlan_id} is on {vlan.interface}, which does not exist")
            index, name = self.new_index(), f"{vlan.interface}.{vlan.vlan_id}"
            self._indexes[name] = index
            requests.append(rtnetlink.vlan(name, index, indexes[vlan.interface], vlan.vlan_id))
            lower = next(port for port in self.intfList() if port.name == vlan.interface)
            requests += neighbor_requests(index, name, lower.plan)
            requests += self._address_requests(index, name, vlan.addresses)
            if lower.up:  # otherwise the kernel rejects it, and brings the VLAN up with the interface later
                requests.append(rtnetlink.set_up(index, name, True))
                requests += self._network_requests(index, name)
        self._indexes |= indexes
        return requests

    def interface_requests(self, interfaces: Sequence[Any]) -> list[Message]:
        """The requests that configure interfaces to links, in order."""
        requests: list[Message] = []
        for interface in interfaces:
            index = interface.index
            requests += neighbor_requests(index, interface.name, interface.plan)
            requests += self._address_requests(index, interface.name, interface.addresses)
            requests += [rtnetlink.set_up(index, interface.name, True)] if interface.up else []
            requests += self._network_requests(index, interface.name) if interface.up else []
        return requests

    def _address_requests(
        self, index: int, name: str, addresses: Sequence[str], *, again: bool = False
    ) -> list[Message]:
        """Requests for addresses, without the kernel's routes to their networks if the plan has such routes."""
        with_route = all(route.interface != name for route in self.plan.routes)
        return [rtnetlink.add_address(index, name, address, with_route, again=again) for address in addresses]

    def _network_requests(self, index: int, name: str) -> list[Message]:
        """The plan's routes to networks at an interface, for the moment when the kernel would make its own."""
        return [route_request(route, index) for route in self.plan.routes if route.interface == name]

    def _vrf_requests(self) -> list[Message]:
        """VRF devices and their interfaces. Requested before addresses, which an interface would lose with the move."""
        requests: list[Message] = []
        indexes = {interface.name: interface.index for interface in self.intfList()}
        for vrf in self.plan.vrfs:
            index = self.new_index()
            requests += [rtnetlink.vrf(vrf.name, index, vrf.table), rtnetlink.set_up(index, vrf.name, True)]
            requests += [rtnetlink.unreachable_default(family, vrf.table) for family in rtnetlink.FAMILIES]
            for name in vrf.interfaces:
                if name not in indexes:
                    raise LabFailed(f"{self.name}: {name}, which is to be in VRF {vrf.name}, does not exist")
                requests.append(rtnetlink.set_master(indexes[name], name, index))
        return requests

    # --- changes of a running lab -------------------------------------------------------------------------------------

    def configure_interfaces(self, interfaces: Sequence[Any]) -> None:
        """Bring up further interfaces with all their settings. Call it in the thread when their links exist."""
        assert self.netlink is not None
        self.netlink.apply(self.interface_requests(interfaces))
        self._indexes |= {interface.name: interface.index for interface in interfaces}
        self._set_offloads(interfaces)

    def remove_interface(self, interface: Any) -> None:
        """Remove an interface to a link; a missing one is no error. Raises NetlinkError."""
        assert self.netlink is not None
        try:
            self.netlink.apply([rtnetlink.delete_link(interface.index, interface.name)])
        except NetlinkError as error:
            if error.code != errno.ENODEV:
                raise
        self._indexes.pop(interface.name, None)
        self.delIntf(interface)

    def readdress(self, index: int, name: str, before: Sequence[str], after: Sequence[str]) -> None:
        """Replace the addresses of an interface. The kernel removes others with the first of a network, so all of them
        are set again. Raises NetlinkError."""
        assert self.netlink is not None
        for address in before:
            if address not in after:
                self.netlink.apply([rtnetlink.delete_address(index, name, address)])
        for request in self._address_requests(index, name, after):
            try:
                self.netlink.apply([request])
            except NetlinkError as error:
                if error.code != errno.EEXIST:
                    raise

    def announce_addresses(self, index: int, name: str, addresses: Sequence[str]) -> None:
        """Have the kernel announce addresses that an interface has already to all programs that listen for changes.
        Raises NetlinkError."""
        assert self.netlink is not None
        self.netlink.apply(self._address_requests(index, name, addresses, again=True))

    def change_plan(self, plan: NodePlan) -> None:
        """Use another plan: replace loopbacks, and remove routes that it lacks. `set_routes` sets the others. Raises
        NetlinkError."""
        assert self.netlink is not None
        before, self.plan = self.plan, plan
        self.readdress(1, "lo", before.loopbacks, plan.loopbacks)
        for route in before.routes:
            if route.via and route.prefix not in [planned.prefix for planned in plan.routes]:
                try:
                    self.netlink.apply([rtnetlink.delete_route(route.prefix, route.via)])
                except NetlinkError as error:
                    if error.code not in _UNREACHABLE | {errno.ESRCH}:
                        raise

    def set_sysctls(self, settings: Mapping[str, str]) -> None:
        """Change settings of the kernel. Call it in the thread. Raises LabFailed if the kernel has no such setting."""
        for key, value in settings.items():
            if not self._sysctl(key, value):
                raise LabFailed(f"{self.name}: the kernel has no setting {key}")

    def read_sysctls(self, keys: Iterable[str]) -> dict[str, str]:
        """The present values of existing settings. Call it in the thread."""
        return readback.settings({key: self._sysctl_path(key) for key in keys})

    def set_neighbor_probes(self, interface: Any) -> None:
        """Put the number of neighbor probes of an interface's plan into force. Raises NetlinkError."""
        assert self.netlink is not None
        probes = interface.plan.neighbor_probes or KERNEL_PROBES
        self.netlink.apply(neighbor_requests(interface.index, interface.name, interface.plan, probes))

    def read_interfaces(self) -> list[dict[str, Any]]:
        """Name, addresses and MTU of each interface; see `wire.ChangeLab`. Raises NetlinkError."""
        return readback.interfaces(self.netlink) if self.netlink is not None else []

    def end_processes(self, patience_s: float) -> None:
        """End all processes in the node's network namespace."""
        pids = namespaces.processes_in(self.thread)
        for number in (signal.SIGCONT, signal.SIGTERM):
            namespaces.signal_all(pids, number)
        deadline_s = time.monotonic() + patience_s
        while pids and time.monotonic() < deadline_s:
            time.sleep(0.01)
            pids = namespaces.processes_in(self.thread)
        namespaces.signal_all(pids, signal.SIGKILL)

    def external_requests(self) -> list[Message]:
        """The requests that bring up the node's external interfaces. Call it in the thread."""
        names = self.plan.external_interfaces
        return [rtnetlink.set_up(socket.if_nametoindex(name), name, True) for name in names]

    def set_routes(self) -> None:
        """Set the plan's kernel routes. Called again when an interface comes back, since the kernel removes them with
        it.

        Raises:
            NetlinkError: the kernel refuses one, although all interfaces are up; while one is down its routes are left
                out.
        """
        assert self.netlink is not None
        for route in self.plan.routes:
            try:
                self.netlink.apply([route_request(route, self._indexes.get(route.interface, 0))])
            except NetlinkError as error:
                if route.interface and error.code == errno.EEXIST:
                    continue
                if error.code not in _UNREACHABLE or all(interface.up for interface in self.intfList()):
                    raise

    def new_index(self, other_end: int = 0) -> int:
        """An index for the next interface of this node, other than that of its link's other end.

        The kernel reports a carrier change of a virtual interface at once if its index differs from that of the
        interface below; otherwise once per second.
        """
        self._next_index += 1 + (self._next_index == other_end)
        return self._next_index - 1

    def _sysctl(self, key: str, value: str) -> bool:
        """Set a value, and return whether the kernel has such a setting. Names of interfaces may contain dots."""
        try:
            with open(self._sysctl_path(key), "w", encoding="ascii") as file:
                file.write(value)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise LabFailed(f"{self.name}: {key} = {value}: {error.strerror}") from error
        return True

    def _sysctl_path(self, key: str) -> str:
        path = readback.path_of(key)
        for interface in self.intfNames():
            path = path.replace(f"/{interface.replace('.', '/')}/", f"/{interface}/")
        return path

    def read_back(self) -> dict[str, Any]:
        """The kernel's values of planned settings, and its routes with their TCP settings.

        Call it in the thread. Settings that the kernel does not have are left out.
        """
        assert self.netlink is not None
        names = {index: name for name, index in self._indexes.items()}
        return {
            "sysctls": self.read_sysctls(self.plan.sysctls),
            "routes": list(readback.routes(self.netlink, names)),
        }

    # --- processes ----------------------------------------------------------------------------------------------------

    def spawn(
        self, argv: Sequence[str], ended: Callable[[processes.Process], None] | None = None, **options: Any
    ) -> processes.Process:
        """Start a process in the node. Raises OSError if the program cannot be started."""
        return self.thread.call(processes.spawn, argv, ended, **options)

    def run(self, argv: Sequence[str], timeout_s: float = 30.0, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command in the node to its end.

        Raises:
            OSError: the program cannot be started.
            LabFailed: it ran longer than `timeout_s`, and was killed.
        """
        pipe = subprocess.PIPE
        process = self.spawn(argv, stdin=pipe, stdout=pipe, stderr=pipe)
        return finish(self.name, argv, process, timeout_s, stdin)

    # --- methods of Mininet -------------------------------------------------------------------------------------------

    def startShell(self, mnopts: str | None = None) -> None:
        """Start nothing yet: the shell starts with the first command."""
        self.pid = self.thread.tid

    def mountPrivateDirs(self) -> None:
        """Nothing to do: `prepare` mounts the plan's folders."""

    def unmountPrivateDirs(self) -> None:
        """Nothing to do: mounts end with the namespace."""

    def sendCmd(self, *args: Any, **kwargs: Any) -> None:
        """Mininet's method, with a shell that starts for the first command."""
        self._need_shell()
        super().sendCmd(*args, **kwargs)

    def cmd(self, *args: Any, **kwargs: Any) -> Any:
        """Mininet's method, with a shell that starts for the first command."""
        self._need_shell()
        return super().cmd(*args, **kwargs)

    def popen(self, *args: Any, **kwargs: Any) -> Any:
        """Mininet's method; the process starts in the node without a helper."""
        kwargs.setdefault("mncmd", [])
        return super().popen(*args, **kwargs)

    def addIntf(self, intf: Any, port: int | None = None, moveIntfFn: Any = None) -> None:
        """Enter an interface that is already in the node's namespace."""
        super().addIntf(intf, port=port, moveIntfFn=lambda *_: None)

    def configDefault(self, **moreParams: Any) -> None:
        """Nothing to do: the plan has all settings."""

    def terminate(self) -> None:
        """End the shell, if there is one, and the node's thread."""
        super().terminate()
        if self.netlink is not None:
            self.netlink.close()
            self.netlink = None
        self.thread.close()

    def _popen(self, cmd: Sequence[str], **params: Any) -> processes.Process:
        return self.spawn(cmd, **params)

    def _need_shell(self) -> None:
        if self.shell is None:
            # The thread is in the node's namespaces, so the shell needs none of its own.
            self.inNamespace = False
            try:
                super().startShell()
            finally:
                self.inNamespace = True
                self.pid = self.thread.tid


class HostNode(LabNode):
    """An end system."""


class BridgeNode(LabNode):
    """A plain Linux bridge in a namespace of its own, without addresses."""

    def prepare(self) -> None:
        """As for every node, and without IPv6, which would only add noise to the links."""
        super().prepare()
        for scope in ("all", "default"):
            self._sysctl(f"net.ipv6.conf.{scope}.disable_ipv6", "1")

    def requests(self) -> list[Message]:
        """The requests that make the bridge with all interfaces as ports."""
        name = self.name if len(self.name) <= 15 else "br0"
        bridge = rtnetlink.bridge(name, BRIDGE_INDEX, self.plan.stp)
        return [bridge, *super().requests(), rtnetlink.set_up(BRIDGE_INDEX, name, True)]

    def interface_requests(self, interfaces: Sequence[Any]) -> list[Message]:
        """The requests that make interfaces ports of the bridge and configure them."""
        masters = [rtnetlink.set_master(port.index, port.name, BRIDGE_INDEX) for port in interfaces]
        return [*masters, *super().interface_requests(interfaces)]

    def start(self, _controllers: Any) -> None:
        """Nothing to do: a bridge forwards as soon as it is up."""


class FrrRouter(LabNode):
    """A router that runs FRR.

    Args:
        report_exit: called with router, daemon, exit status and the end of the log when a daemon ends unexpectedly.
    """

    def __init__(self, name: str, plan: NodePlan, thread: NodeThread, report_exit: Any = None, **params: Any) -> None:
        assert plan.frr is not None
        self.frr = Frr(thread, plan.frr, report_exit or (lambda *_: None))
        super().__init__(name, plan, thread, **params)

    def prepare(self) -> None:
        """As for every node, and FRR's folders and files."""
        super().prepare()
        self.frr.prepare()

    def vtysh(self, *commands: str) -> str:
        """The output of vtysh for the commands. Raises CommandFailed if FRR refuses one."""
        return vtysh.run(commands, self.run)

    def vtysh_json(self, command: str) -> Any:
        """The reply to a "... json" command as Python values. Raises CommandFailed."""
        return vtysh.run_json(command, self.run)

    def vtysh_session(self) -> VtyshSession:
        """An interactive vtysh on this router. Raises LabFailed if it does not start."""
        import pexpect

        def spawn(*args: Any, **options: Any) -> Any:
            return self.thread.call(pexpect.spawn, *args, **options)

        return VtyshSession(spawn=spawn)


def finish(
    node: str, argv: Sequence[str], process: processes.Process, timeout_s: float, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Write to a process and wait for its end. Raises LabFailed if it runs longer than `timeout_s`, after killing
    it."""
    try:
        out, err = process.communicate(stdin.encode(), timeout=timeout_s)
    except subprocess.TimeoutExpired as error:
        process.kill()
        process.communicate()
        raise LabFailed(f"{node or 'lab'}: `{' '.join(argv)}` did not end within {timeout_s:g} s") from error
    return subprocess.CompletedProcess(
        list(argv), process.returncode, out.decode(errors="replace"), err.decode(errors="replace")
    )

"""The network of a test, `Topogen`, which is built by the test and runs as a lab."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Mapping
from configparser import ConfigParser
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from frrlib.errors import LabError, PlaceError
from frrlib.place.choice import Needs, choose
from frrlib.topotest import kernel_features
from frrlib.topotest.bare_lab import SYSCTLS, BareLab, LabParts, PartsLink
from frrlib.topotest.frr import RouterNode
from frrlib.topotest.json_network import build_topo_from_json
from frrlib.topotest.kinds import TopoExaBGP, TopoGear, TopoHost, TopoRouter, TopoSwitch
from frrlib.topotest.log import logger
from frrlib.topotest.node import Node
from frrlib.topotest.parallel import run_in_parallel
from frrlib.topotest.state import STATE

#: Prefix length of hosts' addresses that are given without one.
LENGTH = 8
HostT = TypeVar("HostT", bound=TopoHost)


def get_topogen(topo: Any = None) -> Topogen | None:
    """The latest network."""
    assert STATE.current is None or isinstance(STATE.current, Topogen)
    return STATE.current


def set_topogen(tgen: Topogen | None) -> None:
    """Set the current network; an earlier one that still runs is ended."""
    if STATE.current is not None and STATE.current is not tgen:
        STATE.current.end()
    STATE.current = tgen


class Net(Mapping[str, Node]):
    """The nodes of the gears, by name."""

    def __init__(self, tgen: Topogen) -> None:
        self._tgen = tgen
        self._nodes: dict[str, Node] = {}

    def __getitem__(self, name: str) -> Node:
        return self._nodes[name]

    def __iter__(self) -> Any:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def enter(self, name: str, kind: type[Node]) -> None:
        """Add a node of that name."""
        self._nodes[name] = kind(self._tgen, name)

    @property
    def hosts(self) -> dict[str, Node]:
        """All nodes except switches."""
        return {name: node for name, node in self._nodes.items() if not isinstance(self._tgen.gears[name], TopoSwitch)}

    @property
    def macs(self) -> dict[tuple[str, str], str]:
        """Hardware address of every node's interfaces."""
        addresses = {}
        for name, node in self.hosts.items():
            for link in json.loads(node.cmd_raises("ip -j link")):
                addresses[name, link["ifname"]] = link.get("address", "")
        return addresses

    def get_exec_path(self, binary: Any) -> str | None:
        """The path of the first of some programs that is installed."""
        return next(iter(self._nodes.values())).get_exec_path(binary)


class Topogen:
    """A network and what runs on it.

    Args:
        topodef: a function that is called with this object and adds gears; or switches, by name, with the routers at
            each ("r1", or "r1:interface" with a name for the router's interface); or the name of a file of JSON.
        modname: name of the test's module, for its folder of logs.
    """

    CONFIG_SECTION = "topogen"

    def __init__(self, topodef: Any, modname: str = "unnamed") -> None:
        self.modname = modname
        self.test_folder = STATE.test_folder
        self.folder = STATE.run_folder / modname.rpartition(".")[2]
        self.folder.mkdir(parents=True, exist_ok=True)
        self.logdir = str(self.folder)
        self.gears: dict[str, TopoGear] = {}
        self.errorsd: dict[Any, str] = {}
        self.errors = ""
        self.json_topo: dict[str, Any] = {}
        self.cfg_gen = 0
        self.started: list[subprocess.Popen[Any]] = []
        self.config = ConfigParser()
        self.config[self.CONFIG_SECTION] = {"frrdir": "/usr/lib/frr", "routertype": "frr", "memleak_path": ""}
        self._parts = LabParts()
        self._lab: BareLab | None = None
        self._version = ""
        self.net = Net(self)
        set_topogen(self)
        self._read(topodef)

    def __str__(self) -> str:
        return f"Topogen({self.modname})"

    # --- building ---------------------------------------------------------------------------------------------------

    def _read(self, topodef: Any) -> None:
        if callable(topodef):
            topodef(self)
        elif isinstance(topodef, str):
            self.json_topo = json.loads(Path(topodef).read_text(encoding="utf-8"))
            build_topo_from_json(self, self.json_topo)
        elif topodef:
            self._read_switches(topodef)

    def _read_switches(self, topodef: Mapping[str | None, str | Iterable[str]]) -> None:
        """Routers first, in the order of the switches' names, then switches, then links."""
        names = list(topodef) if type(topodef) is not dict else sorted(topodef, key=str)
        at: dict[str | None, list[str]] = {
            switch: [routers] if isinstance(routers, str) else list(routers) for switch, routers in topodef.items()
        }
        ends = [(switch, end.split(":")) for switch in names for end in at[switch]]
        for _, (router, *_) in ends:
            if router not in self.gears:
                self.add_router(router)
        for switch in names:
            if switch is not None and switch not in self.gears:
                self.add_switch(switch)
        for switch, (router, *interfaces) in ends:
            if switch is not None:
                router_interface, switch_interface = [*interfaces, None, None][:2]
                self.add_link(self.gears[switch], self.gears[router], switch_interface, router_interface)

    def add_router(self, name: str | None = None, cls: Any = None, **params: Any) -> TopoRouter:
        """Add a router; without a name the next of r1, r2, ..."""
        name = name or f"r{len(self.routers()) + 1}"
        self._enter(TopoRouter(self, name, **params), RouterNode)
        self._parts.routers.append(name)
        return self.gears[name]  # type: ignore[return-value]

    def add_switch(self, name: str | None = None) -> TopoSwitch:
        """Add a switch; without a name the next of s1, s2, ..."""
        name = name or f"s{len(self.get_gears(TopoSwitch)) + 1}"
        self._enter(TopoSwitch(self, name), Node)
        self._parts.switches.append(name)
        return self.gears[name]  # type: ignore[return-value]

    def add_host(self, name: str | None, ip: str, defaultRoute: str = "") -> TopoHost:  # noqa: N803
        """Add an end system with its address and its default route ("via 10.0.0.1")."""
        name = name or f"host{len(self.get_gears(TopoHost)) + 1}"
        return self._add_host(TopoHost(self, name, ip=ip, defaultRoute=defaultRoute))

    def add_exabgp_peer(self, name: str | None, ip: str, defaultRoute: str = "") -> TopoExaBGP:  # noqa: N803
        """The same for a host that can run ExaBGP."""
        name = name or f"peer{len(self.exabgp_peers()) + 1}"
        return self._add_host(TopoExaBGP(self, name, ip=ip, defaultRoute=defaultRoute))

    def _add_host(self, gear: HostT) -> HostT:
        ip, route = gear.params["ip"], gear.params["defaultRoute"]
        self._enter(gear, Node)
        self._parts.hosts[gear.name] = (ip if "/" in ip else f"{ip}/{LENGTH}", route.split()[-1] if route else "")
        return gear

    def _enter(self, gear: TopoGear, kind: type[Node]) -> None:
        if gear.name in self.gears:
            raise KeyError(f"there are two gears {gear.name}")
        self.gears[gear.name] = gear
        self.net.enter(gear.name, kind)

    def add_link(
        self, node1: TopoGear, node2: TopoGear, ifname1: str | None = None, ifname2: str | None = None
    ) -> None:
        """Join two gears; interfaces without a name get the next of the gear's ("r1-eth0")."""
        first, second = ifname1 or node1.new_link(), ifname2 or node2.new_link()
        node1.register_link(first, node2, second)
        node2.register_link(second, node1, first)
        self._parts.cables.append(PartsLink(node1.name, first, node2.name, second))

    def get_gears(self, geartype: type[TopoGear]) -> dict[str, Any]:
        """All gears of a kind, by name."""
        return {name: gear for name, gear in self.gears.items() if isinstance(gear, geartype)}

    def routers(self) -> dict[str, TopoRouter]:
        """All routers, by name."""
        return self.get_gears(TopoRouter)

    def exabgp_peers(self) -> dict[str, TopoExaBGP]:
        """All hosts that can run ExaBGP, by name."""
        return self.get_gears(TopoExaBGP)

    # --- running ----------------------------------------------------------------------------------------------------

    @property
    def lab(self) -> BareLab:
        """The lab; it is started if it was not started before. Raises LabFailed after its end."""
        if self._lab is None:
            self._start()
        assert self._lab is not None
        return self._lab

    @property
    def hasmpls(self) -> bool:
        """Whether the kernel of the lab, or of the lab's future place, supports MPLS."""
        if self._lab is not None:
            return "mpls" in self._lab.place.abilities().device_types
        try:
            place, _ = choose(STATE.place, Needs(device_types=kernel_features.devices(self.test_folder)))
        except PlaceError:
            return False
        return "mpls" in place.abilities().device_types

    @property
    def version(self) -> str:
        """FRR's version in the lab ("8.4.4")."""
        if not self._version:
            output = self.lab.run("", ["/usr/lib/frr/zebra", "-v"])[1]
            match = re.search(r"version (\S+)", output)
            self._version = match[1] if match else "0"
        return self._version

    def start_topology(self) -> None:
        """Start the lab: nodes and links, no daemon."""
        logger.info("starting %s", self.modname)
        if self._lab is None:
            self._start()

    def _start(self) -> None:
        self._parts.devices = kernel_features.devices(self.test_folder)
        lab = BareLab(self._parts, place=STATE.place, writable=self.folder)
        lab.start()
        self._lab = lab
        logger.info("place: %s", lab.place_reason)
        if lab.place.name not in STATE.places:
            STATE.places.append(lab.place.name)
        try:
            lab.show(self.test_folder)
            run_in_parallel([partial(router.net.begin, SYSCTLS) for router in self.routers().values()])
        except BaseException:
            lab.stop()
            raise

    def start_router(self, router: str | TopoRouter | None = None) -> None:
        """Start the daemons of one router, or of all."""
        if router is None:
            run_in_parallel([gear.start for gear in self.routers().values()])
            if "vxlan" in self._parts.devices:  # bridges learn the addresses of senders
                run_in_parallel([gear.net.speak for gear in self.routers().values()])
        else:
            (self.gears[router] if isinstance(router, str) else router).start()

    def stop_topology(self) -> None:
        """End daemons and lab, and log crashes."""
        logger.info("stopping %s", self.modname)
        if self._lab is not None:
            with suppress(LabError):
                for router in self.routers().values():
                    if crashes := router.net.checkRouterCores():
                        logger.error("%s: crashed: %s", router.name, crashes)
        self.end()

    def end(self) -> None:
        """End the lab and all that was started in it. May be called more than once."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
        self.started.clear()
        lab, self._lab = self._lab, None
        if lab is not None:
            lab.stop()

    def cli(self) -> None:
        """Do nothing: the tests run without a user."""

    mininet_cli = cli

    # --- errors -----------------------------------------------------------------------------------------------------

    def is_memleak_enabled(self) -> bool:
        """Always false: memory leaks are not checked."""
        return False

    def report_memory_leaks(self, testname: str | None = None) -> None:
        """Do nothing: memory leaks are not checked."""

    def set_error(self, message: str, code: Any = None) -> None:
        """Record an error; later tests skip because of it."""
        logger.info(message)
        code = len(self.errorsd) if code is None else code
        self.errorsd[code] = message
        self.errors += f"\n{code}: {message}"

    def has_errors(self) -> bool:
        """Whether an error was recorded."""
        return bool(self.errorsd)

    def routers_have_failure(self) -> bool:
        """Whether an error was recorded before. Raises AssertionError if daemons have died since."""
        if self.has_errors():
            return True
        errors = "".join(router.check_router_running() for router in self.routers().values())
        if errors:
            self.set_error(errors, "router_error")
            raise AssertionError(errors)
        return False

"""The parts of a test's network: routers, switches and hosts, and the methods that a test calls on each."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NoReturn

from frrlib.topotest.exabgp import NoSpeaker, prepare_command
from frrlib.topotest.frr import UNIFIED
from frrlib.topotest.log import logger
from frrlib.topotest.network import TestNetwork


class TopoGear:
    """A node of a test's network, which links connect.

    Attributes:
        links: interface to (gear, interface) at the other end.
    """

    def __init__(self, tgen: TestNetwork, name: str, **params: Any) -> None:
        self.tgen, self.name, self.params = tgen, name, params
        self.links: dict[str, tuple[TopoGear, str]] = {}
        self.linkn = 0
        self.logdir = tgen.logdir
        self.gearlogdir = f"{tgen.logdir}/{name}"

    def __str__(self) -> str:
        links = ", ".join(
            f"{interface}-{gear.name}:{peer_interface}" for interface, (gear, peer_interface) in self.links.items()
        )
        return f"{type(self).__name__}({self.name}: {links})"

    @property
    def net(self) -> Any:
        """The node of the lab."""
        return self.tgen.net[self.name]

    def start(self) -> Any:
        """Do nothing; some kinds of gears start programs."""
        return ""

    def stop(self, wait: bool = True, assertOnError: bool = True) -> str:  # noqa: N803
        """Do nothing; some kinds of gears stop programs."""
        return ""

    def run(self, command: Any, **options: Any) -> str:
        """The output of a command in this node, of both streams."""
        return str(self.net.cmd(command, **options))

    cmd = run

    def cmd_raises(self, command: Any, **options: Any) -> str:
        """The same. Raises CalledProcessError for a status other than 0."""
        return str(self.net.cmd_raises(command, **options))

    def cmd_status(self, command: Any, **options: Any) -> tuple[int, str, str]:
        """Exit status and both streams of a command."""
        status: tuple[int, str, str] = self.net.cmd_status(command, **options)
        return status

    def popen(self, *params: Any, **options: Any) -> subprocess.Popen[Any]:
        """Start a command in this node."""
        process: subprocess.Popen[Any] = self.net.popen(*params, **options)
        return process

    def add_link(self, node: TopoGear, myif: str | None = None, nodeif: str | None = None) -> None:
        """Join this gear with another."""
        self.tgen.add_link(self, node, myif, nodeif)

    def link_enable(self, myif: str, enabled: bool = True, netns: str | None = None) -> str:
        """Set one of this gear's interfaces up or down. Raises KeyError if there is no such interface."""
        if myif not in self.links:
            raise KeyError(f"{self.name} has no interface {myif}")
        within = f"ip netns exec {netns} " if netns else ""
        return self.run(f"{within}ip link set dev {myif} {'up' if enabled else 'down'}")

    def peer_link_enable(self, myif: str, enabled: bool = True, netns: str | None = None) -> None:
        """Set the interface at the other end up or down, so that this one gains or loses carrier."""
        if myif not in self.links:
            raise KeyError(f"{self.name} has no interface {myif}")
        gear, interface = self.links[myif]
        gear.link_enable(interface, enabled, netns)

    def new_link(self) -> str:
        """The next name of an interface."""
        self.linkn += 1
        return f"{self.name}-eth{self.linkn - 1}"

    def register_link(self, myif: str, node: TopoGear, nodeif: str) -> None:
        """Record the peer of one of this gear's interfaces. Raises KeyError if the interface has a peer already."""
        if myif in self.links:
            raise KeyError(f"{self.name} has an interface {myif} already")
        self.links[myif] = (node, nodeif)


class TopoSwitch(TopoGear):
    """A switch: a bridge in a separate namespace."""


class TopoHost(TopoGear):
    """An end system."""


class TopoExaBGP(TopoHost):
    """An end system that speaks BGP with ExaBGP."""

    def start(self, peer_dir: str = "", env_file: str | None = None) -> str:
        """Start ExaBGP with the files of a folder; without ExaBGP the tests of the module are skipped."""
        try:
            command = prepare_command(self.net.folder, Path(peer_dir), Path(env_file) if env_file else None)
        except NoSpeaker as error:
            skip(str(error))
        output = self.run(command)
        logger.info("%s: %s\n%s", self.name, command, output)
        return output

    def stop(self, wait: bool = True, assertOnError: bool = True) -> str:  # noqa: N803
        """End ExaBGP."""
        self.run('kill "$(cat exabgp/exabgp.pid)"')
        return ""


class TopoRouter(TopoGear):
    """A router with FRR."""

    RD_FRR = 0
    RD_ZEBRA, RD_RIP, RD_RIPNG, RD_OSPF, RD_OSPF6, RD_ISIS, RD_BGP, RD_LDP, RD_PIM, RD_EIGRP = range(1, 11)
    RD_NHRP, RD_STATIC, RD_BFD, RD_SHARP, RD_BABEL, RD_PBRD, RD_PATH, RD_SNMP, RD_PIM6 = range(11, 20)
    RD: ClassVar[dict[int, str]] = {
        RD_FRR: UNIFIED,
        RD_ZEBRA: "zebra",
        RD_RIP: "ripd",
        RD_RIPNG: "ripngd",
        RD_OSPF: "ospfd",
        RD_OSPF6: "ospf6d",
        RD_ISIS: "isisd",
        RD_BGP: "bgpd",
        RD_LDP: "ldpd",
        RD_PIM: "pimd",
        RD_EIGRP: "eigrpd",
        RD_NHRP: "nhrpd",
        RD_STATIC: "staticd",
        RD_BFD: "bfdd",
        RD_SHARP: "sharpd",
        RD_BABEL: "babeld",
        RD_PBRD: "pbrd",
        RD_PATH: "pathd",
        RD_SNMP: "snmpd",
        RD_PIM6: "pim6d",
    }

    def __init__(self, tgen: TestNetwork, name: str, **params: Any) -> None:
        super().__init__(tgen, name, **params)
        self.logger = logger
        self.routertype = "frr"

    # --- files and daemons ------------------------------------------------------------------------------------------

    def load_config(self, daemon: int, source: str | None = None, param: str | None = None) -> None:
        """Select a daemon to start, with a file and further options; see `RouterNode.loadConf`."""
        self.net.loadConf(self.RD[daemon], source, param)

    def load_frr_config(self, source: str, daemons: Iterable[int] | None = None) -> None:
        """Use one file for all daemons. If no daemons are named, the file's sections select them."""
        self.load_config(self.RD_FRR, source)
        numbers = list(daemons or ())
        if not numbers:
            path = Path(source) if Path(source).parent != Path() else self.tgen.test_folder / self.name / source
            numbers = [self.RD_ZEBRA, *_daemons_in(path.read_text(encoding="utf-8"), self.RD)]
        for daemon in numbers:
            self.load_config(daemon)

    def start(self) -> str:
        """Start all loaded daemons. Returns errors, and records them."""
        errors: str = self.net.startRouter(self.tgen)
        if "missing: " in errors:
            skip(f"FRR is installed without what the test needs: {errors}")
        if errors:
            self.tgen.set_error(errors)
        elif self.net.daemons["ldpd"] or self.net.daemons["pathd"]:
            inputs = " ".join(f"/proc/sys/net/mpls/conf/{name}/input" for name in self.links)
            self.run(f"for f in {inputs}; do [ ! -e $f ] || echo 1 > $f; done")
        return errors

    def stop(self, wait: bool = True, assertOnError: bool = True) -> str:  # noqa: N803
        """End all daemons."""
        errors: str = self.net.stopRouter(False)
        return errors

    def startDaemons(self, daemons: Iterable[str]) -> str:  # noqa: N802
        """Start some daemons. Returns errors, and records them."""
        errors: str = self.net.startRouterDaemons(daemons)
        if errors:
            self.tgen.set_error(errors)
        return errors

    def killDaemons(self, daemons: Iterable[str], wait: bool = True, assertOnError: bool = True) -> str:  # noqa: N802, N803
        """Kill some daemons."""
        errors: str = self.net.killRouterDaemons(daemons, wait, assertOnError)
        return errors

    def check_router_running(self) -> str:
        """The loaded daemons that do not run; empty if all do."""
        errors: str = self.net.checkRouterRunning()
        return errors

    def check_capability(self, daemon: int, param: str | None) -> bool:
        """Whether a daemon has an option."""
        supported: bool = self.net.checkCapability(self.RD[daemon], param)
        return supported

    # --- vtysh ------------------------------------------------------------------------------------------------------

    def vtysh_cmd(self, command: str, isjson: bool = False, daemon: str | None = None) -> Any:
        """The output of vtysh for a command; a text of several lines is entered line by line.

        Args:
            command: the command.
            isjson: whether to return the output as a value; an empty dictionary if it is not JSON.
            daemon: sends the command to this daemon only.
        """
        if "\n" in command:
            return self.vtysh_multicmd(command, daemon=daemon)
        only = ["-d", daemon] if daemon else []
        output = self.tgen.lab.run(self.name, ["vtysh", *only, "-c", command])[1]
        logger.info("%s: vtysh: %s\n%s", self.name, command, output.strip())
        if not isjson:
            return output
        try:
            return json.loads(output)
        except ValueError:
            return {}

    def vtysh_multicmd(
        self, commands: str | Iterable[str], pretty_output: bool = True, daemon: str | None = None
    ) -> str:
        """The output of vtysh for lines of input; without `pretty_output` only its error messages."""
        text = commands if isinstance(commands, str) else "\n".join(commands)
        path = self.tgen.folder / ".etc" / f"{self.name}.vtysh"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
        only = f"-d {daemon} " if daemon else ""
        output = self.run(f"vtysh {only}{'<' if pretty_output else '-f'} {path}")
        logger.info("%s: vtysh, lines:\n%s\n%s", self.name, text, output.strip())
        return output

    # --- properties -------------------------------------------------------------------------------------------------

    def has_version(self, cmpop: str, version: str) -> bool:
        """Whether a comparison of FRR's version with another holds: "<", "<=", "=", ">=", ">"."""
        result: bool = self.net.checkRouterVersion(cmpop, version)
        return result

    def report_memory_leaks(self, testname: str) -> None:
        """Do nothing: memory leaks are not checked."""


def skip(reason: str) -> NoReturn:
    """Skip the tests of the module."""
    import pytest

    pytest.skip(reason, allow_module_level=True)


def _daemons_in(text: str, names: Mapping[int, str]) -> list[int]:
    """The daemons whose sections are in a unified configuration."""
    protocols = {match[1] for match in re.finditer(r"^router (\S+)", text, re.MULTILINE)}
    if re.search(r"^\s*ip pim\b", text, re.MULTILINE):
        protocols.add("pim")
    return [number for number, name in names.items() if name.removesuffix("d") in protocols]

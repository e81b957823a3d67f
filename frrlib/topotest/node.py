"""A node as topotests speak to it below the level of gears: `tgen.net["r1"]`."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Sequence
from typing import Any

from frrlib.topotest.log import logger
from frrlib.topotest.network import TestNetwork

Command = str | Sequence[str]


class Node:
    """A node of the running lab; before the lab starts it has its name and folder only.

    Args:
        tgen: the network that it belongs to.
        name: its name.
    """

    def __init__(self, tgen: TestNetwork, name: str) -> None:
        self.tgen, self.name = tgen, name
        self.logdir = str(tgen.folder)
        self.folder = tgen.folder / name
        self.folder.mkdir(mode=0o777, parents=True, exist_ok=True)

    # --- commands ---------------------------------------------------------------------------------------------------

    def cmd_status(
        self, cmd: Command, raises: bool = False, warn: bool = True, stdin: str | None = None, **options: Any
    ) -> tuple[int, str, str]:
        """Run a command in the node's folder of logs: its exit status and both streams.

        Args:
            cmd: a line for bash, or words.
            raises: whether a status other than 0 is an error.
            warn: kept for the callers; nothing is told either way.
            stdin: what the command reads.
            options: `stderr=subprocess.STDOUT` joins the streams; others are of no meaning here.

        Raises:
            CalledProcessError: see `raises`.
        """
        line = cmd if isinstance(cmd, str) else shlex.join(cmd)
        before = f"cd {shlex.quote(str(self.folder))} 2>/dev/null\n"
        if options.get("stderr") == subprocess.STDOUT:
            before = "exec 2>&1\n" + before
        if stdin is not None:
            path = self.folder / ".stdin"
            path.write_text(stdin, encoding="utf-8")
            before += f"exec < {shlex.quote(str(path))}\n"
        status, out, err = self.tgen.lab.run(self.name, ["bash", "-c", before + line])
        logger.debug("%s: %s\nstatus %d\n%s%s", self.name, line, status, out, err)
        if raises and status:
            raise subprocess.CalledProcessError(status, line, out, err)
        return status, out, err

    def cmd(self, cmd: Command, **options: Any) -> str:
        """The output of a command on both streams, whatever its status."""
        options.setdefault("stderr", subprocess.STDOUT)
        return self.cmd_status(cmd, **options)[1]

    cmd_legacy = cmd

    def cmd_raises(self, cmd: Command, **options: Any) -> str:
        """The output of a command. Raises CalledProcessError for a status other than 0."""
        return self.cmd_status(cmd, raises=True, **options)[1]

    def popen(self, cmd: Command, **options: Any) -> subprocess.Popen[Any]:
        """Start a command in the node; options as those of `subprocess.Popen`, streams are pipes of text."""
        for stream in ("stdin", "stdout", "stderr"):
            options.setdefault(stream, subprocess.PIPE)
        if not {"encoding", "text", "universal_newlines"} & options.keys():
            options["encoding"] = "utf-8"
        options.pop("shell", None)
        line = cmd if isinstance(cmd, str) else shlex.join(cmd)
        where = shlex.quote(str(self.folder))
        argv = self.tgen.lab.pipe_argv(["bash", "-c", f"cd {where} 2>/dev/null\n{line}"], self.name)
        process: subprocess.Popen[Any] = subprocess.Popen(argv, **options)
        self.tgen.started.append(process)
        return process

    def path_exists(self, path: str) -> bool:
        """Whether the node sees such a file."""
        return self.cmd_status(["test", "-e", path])[0] == 0

    def get_exec_path(self, binary: Command) -> str | None:
        """The path of the first of some programs that is there; None for none."""
        names = [binary] if isinstance(binary, str) else list(binary)
        found = self.cmd_status("command -v " + " ".join(map(shlex.quote, names)))[1].split()
        return found[0] if found else None

    # --- interfaces -------------------------------------------------------------------------------------------------

    def add_vlan(self, vlanname: str, linkiface: str, vlanid: int) -> None:
        """Make a VLAN interface on another."""
        self.cmd_raises(f"ip link add link {linkiface} name {vlanname} type vlan id {vlanid}")
        self.cmd_raises(f"ip link set dev {vlanname} up")

    def add_loop(self, loopname: str) -> None:
        """Make an interface that leads nowhere."""
        self.cmd_raises(f"ip link add {loopname} type dummy")
        self.cmd_raises(f"ip link set dev {loopname} up")

    def add_l3vrf(self, vrfname: str, tableid: int) -> None:
        """Make a VRF with its table."""
        self.cmd_raises(f"ip link add {vrfname} type vrf table {tableid}")
        self.cmd_raises(f"ip link set dev {vrfname} up")

    def del_iface(self, iface: str) -> None:
        """Take an interface away."""
        self.cmd_raises(f"ip link del {iface}")

    def attach_iface_to_l3vrf(self, ifacename: str, vrfname: str) -> None:
        """Put an interface into a VRF; with no name take it out."""
        master = f"master {vrfname}" if vrfname else "nomaster"
        self.cmd_raises(f"ip link set dev {ifacename} {master}")

    def add_netns(self, ns: str) -> None:
        """Make a network namespace in the node."""
        self.cmd_raises(f"ip netns add {ns}; ip -n {ns} link set dev lo up")

    def delete_netns(self, ns: str) -> None:
        """Take a namespace of the node away."""
        self.cmd_raises(f"ip netns delete {ns}")

    def set_intf_netns(self, intf: str, ns: str, up: bool = False) -> None:
        """Move an interface into a namespace of the node."""
        self.cmd_raises(f"ip link set {intf} netns {ns}")
        if up:
            self.cmd_raises(f"ip -n {ns} link set {intf} up")

    def reset_intf_netns(self, intf: str) -> None:
        """Bring an interface back from whichever of the node's namespaces has it."""
        names = [line.split()[0] for line in self.cmd("ip netns list").splitlines() if line.strip()]
        for name in names:
            if self.cmd_status(f"ip netns exec {name} ip link set {intf} netns $$")[0] == 0:
                self.cmd(f"ip link set {intf} up")

    def intfNames(self) -> list[str]:  # noqa: N802  (the tests' name)
        """Names of all interfaces but the loopback."""
        return [name for name in self.cmd("ls /sys/class/net").split() if name != "lo"]

    def get_ipv6_linklocal(self) -> list[list[str]]:
        """Interface and link-local address of each; a second one of an interface is told as "NAME-2"."""
        found: list[list[str]] = []
        count: dict[str, int] = {}
        for line in self.cmd("ip -o -6 address show scope link").splitlines():
            match = re.match(r"\d+: (\S+)\s+inet6 (\S+)/", line)
            if match:
                name, address = match.groups()
                count[name] = count.get(name, 0) + 1
                found.append([name if count[name] == 1 else f"{name}-{count[name]}", address])
        return found

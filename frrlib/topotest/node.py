"""A node below the level of gears, in the form that topotests use: `tgen.net["r1"]`."""

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
    """A node of the running lab. Before the lab's start it has only a name and a folder.

    Args:
        tgen: its network.
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
        """Run a command in the node's folder of logs. Returns its exit status and both streams.

        Args:
            cmd: a line for bash, or words.
            raises: whether a status other than 0 is an error.
            warn: ignored; it exists for callers.
            stdin: input of the command.
            options: `stderr=subprocess.STDOUT` joins the streams; others are ignored.

        Raises:
            CalledProcessError: see `raises`.
        """
        line = cmd if isinstance(cmd, str) else shlex.join(cmd)
        preamble = f"cd {shlex.quote(str(self.folder))} 2>/dev/null\n"
        if options.get("stderr") == subprocess.STDOUT:
            preamble = "exec 2>&1\n" + preamble
        if stdin is not None:
            path = self.folder / ".stdin"
            path.write_text(stdin, encoding="utf-8")
            preamble += f"exec < {shlex.quote(str(path))}\n"
        status, out, err = self.tgen.lab.run(self.name, ["bash", "-c", preamble + line])
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
        folder = shlex.quote(str(self.folder))
        argv = self.tgen.lab.pipe_argv(["bash", "-c", f"cd {folder} 2>/dev/null\n{line}"], self.name)
        process: subprocess.Popen[Any] = subprocess.Popen(argv, **options)
        self.tgen.started.append(process)
        return process

    def path_exists(self, path: str) -> bool:
        """Whether the path exists in the node."""
        return self.cmd_status(["test", "-e", path])[0] == 0

    def get_exec_path(self, binary: Command) -> str | None:
        """The path of the first of some programs that is installed; None for none."""
        names = [binary] if isinstance(binary, str) else list(binary)
        paths = self.cmd_status("command -v " + " ".join(map(shlex.quote, names)))[1].split()
        return paths[0] if paths else None

    # --- interfaces -------------------------------------------------------------------------------------------------

    def add_vlan(self, vlanname: str, linkiface: str, vlanid: int) -> None:
        """Make a VLAN interface on another."""
        self.cmd_raises(f"ip link add link {linkiface} name {vlanname} type vlan id {vlanid}")
        self.cmd_raises(f"ip link set dev {vlanname} up")

    def add_loop(self, loopname: str) -> None:
        """Make a dummy interface."""
        self.cmd_raises(f"ip link add {loopname} type dummy")
        self.cmd_raises(f"ip link set dev {loopname} up")

    def add_l3vrf(self, vrfname: str, tableid: int) -> None:
        """Make a VRF with its table."""
        self.cmd_raises(f"ip link add {vrfname} type vrf table {tableid}")
        self.cmd_raises(f"ip link set dev {vrfname} up")

    def del_iface(self, iface: str) -> None:
        """Remove an interface."""
        self.cmd_raises(f"ip link del {iface}")

    def attach_iface_to_l3vrf(self, ifacename: str, vrfname: str) -> None:
        """Put an interface into a VRF; without a name remove it from its VRF."""
        master = f"master {vrfname}" if vrfname else "nomaster"
        self.cmd_raises(f"ip link set dev {ifacename} {master}")

    def add_netns(self, ns: str) -> None:
        """Make a network namespace in the node."""
        self.cmd_raises(f"ip netns add {ns}; ip -n {ns} link set dev lo up")

    def delete_netns(self, ns: str) -> None:
        """Remove a namespace of the node."""
        self.cmd_raises(f"ip netns delete {ns}")

    def set_intf_netns(self, intf: str, ns: str, up: bool = False) -> None:
        """Move an interface into a namespace of the node."""
        self.cmd_raises(f"ip link set {intf} netns {ns}")
        if up:
            self.cmd_raises(f"ip -n {ns} link set {intf} up")

    def reset_intf_netns(self, intf: str) -> None:
        """Move an interface back from the node's namespace that has it."""
        names = [line.split()[0] for line in self.cmd("ip netns list").splitlines() if line.strip()]
        for name in names:
            if self.cmd_status(f"ip netns exec {name} ip link set {intf} netns $$")[0] == 0:
                self.cmd(f"ip link set {intf} up")

    def intfNames(self) -> list[str]:  # noqa: N802  (the tests' name)
        """Names of all interfaces but the loopback."""
        return [name for name in self.cmd("ls /sys/class/net").split() if name != "lo"]

    def get_ipv6_linklocal(self) -> list[list[str]]:
        """Interface and link-local address, for each address; a second one of an interface is named "NAME-2"."""
        addresses: list[list[str]] = []
        count: dict[str, int] = {}
        for line in self.cmd("ip -o -6 address show scope link").splitlines():
            match = re.match(r"\d+: (\S+)\s+inet6 (\S+)/", line)
            if match:
                name, address = match.groups()
                count[name] = count.get(name, 0) + 1
                addresses.append([name if count[name] == 1 else f"{name}-{count[name]}", address])
        return addresses

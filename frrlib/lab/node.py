"""One node of a running lab, for scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, overload

from frrlib import wire
from frrlib.conf.running import RunningConfig, running_configs
from frrlib.errors import CommandFailed, LabFailed
from frrlib.vtysh.session import VtyshSession, configure_argv, rejection

#: Added to a command's time limit for its reply, on a busy machine.
ANSWER_MARGIN_S = 60.0
_STATIC_ROUTE = re.compile(r"\s*(ip|ipv6) route\b")


class CommandExecutor(Protocol):
    """The executor of commands: a running lab."""

    def ask(self, command: wire.TypedCommand[wire.Reply], timeout_s: float = ...) -> wire.Reply:
        """The reply to a command, as the command's docstring describes it."""

    def terminal_argv(self, argv: Sequence[str], node: str = "") -> list[str]:
        """The command that opens an interactive session outside: `argv` in a node."""


class NodeHandle:
    """One node of a running lab: `lab["r1"]`."""

    def __init__(self, lab: CommandExecutor, name: str) -> None:
        self._lab, self.name = lab, name

    def run(self, *argv: str, timeout_s: float = 30.0) -> str:
        """Run a command in the node and return its output.

        Raises:
            CommandFailed: its exit status was not 0.
        """
        result = self._lab.ask(wire.Execute(self.name, argv, timeout_s), timeout_s + ANSWER_MARGIN_S)
        if result["status"]:
            raise CommandFailed(argv, result["status"], result["stderr"] or result["stdout"])
        return str(result["stdout"])

    # --- routers ----------------------------------------------------------------------------------------------------

    @overload
    def vtysh(self, *commands: str, json: Literal[False] = False) -> str: ...

    @overload
    def vtysh(self, *commands: str, json: Literal[True]) -> Any: ...

    def vtysh(self, *commands: str, json: bool = False) -> Any:
        """Run commands in the router's vtysh, one after the other, and return its output.

        Args:
            commands: for instance "show ip route".
            json: whether "json" is appended to the last command, and its output is returned as a value.

        Raises:
            CommandFailed: FRR refused a command, a daemon that it needs does not run, or the output is not JSON though
                `json` was set.
        """
        if json:
            return self.vtysh_json(*commands)
        return str(self._lab.ask(wire.Vtysh(self.name, commands))["text"])

    def vtysh_json(self, *commands: str) -> Any:
        """Run `show` commands with `json` appended to the last and return its value. Raises CommandFailed."""
        *earlier, last = commands
        last = last if last.split()[-1] == "json" else f"{last} json"
        output = self.vtysh(*earlier, last)
        try:
            return json.loads(output)
        except ValueError as error:
            raise CommandFailed(("vtysh", "-c", last), 0, f"not JSON: {output[:200]}") from error

    def vtysh_session(self, timeout_s: float = 10.0) -> VtyshSession:
        """An interactive vtysh that stays open for many commands and modes; use it in a `with` block.

        Args:
            timeout_s: how long each command may take.

        Raises:
            LabFailed: vtysh does not show its prompt.
        """
        return VtyshSession(self._lab.terminal_argv(["vtysh"], self.name), timeout_s)

    def configure(self, lines: str | Iterable[str]) -> None:
        """Enter lines of configuration, one after the other, in FRR's configuration mode.

        Args:
            lines: one text, or single lines, in the format of frr.conf.

        Raises:
            CommandFailed: FRR refused a line, the last word of the error's command. The lines before it are in force.
        """
        argv = tuple(configure_argv(lines))
        if any(_STATIC_ROUTE.match(word) for word in argv):
            self.take_static_routes()
        result = self._lab.ask(wire.Execute(self.name, argv))
        if rejected := rejection(result["stdout"], result["status"]):
            message = rejected.message or result["stderr"]
            raise CommandFailed(("vtysh", "-c", rejected.line), result["status"] or 1, message)

    def take_static_routes(self) -> None:
        """Start staticd if necessary, so that FRR accepts static routes. Raises LabFailed."""
        self._lab.ask(wire.AddDaemon(self.name, "staticd"))

    def running_config(self, timeout_s: float = 3.0) -> RunningConfig:
        """The router's configuration when the lab was up, and now; `.now` is the output of `show running-config`.

        Raises:
            LabFailed: no FRR runs on the node.
        """
        request = wire.ReadConfigurations((self.name,), timeout_s)
        configurations = running_configs(self._lab.ask(request, timeout_s + ANSWER_MARGIN_S)["routers"])
        if self.name not in configurations:
            raise LabFailed(f"the lab has no configuration of {self.name}")
        return configurations[self.name]

    def kill(self, daemon: str, signal: int = 9) -> None:
        """Send a signal to a daemon ("bgpd"): 9 kills it, 19 stops it, 18 continues it. Raises LabFailed."""
        self._lab.ask(wire.KillDaemon(self.name, daemon, signal))

    def restart(self, daemon: str) -> None:
        """Start a daemon, ending it first if it runs, and wait until it answers.

        It starts with its configuration file: changes made in vtysh are lost, unless they were saved ("write memory").
        The other daemons reconnect to a restarted zebra only after 10 s, and bgpd does not send it its routes again; so
        restart them, too, as FRR's watchfrr does.

        Raises:
            LabFailed: there is no such daemon, or it did not start.
        """
        self._lab.ask(wire.RestartDaemon(self.name, daemon))

    def log(self, daemon: str) -> str:
        """The log of a daemon up to now. Raises CommandFailed if there is no such log."""
        return self.run("cat", f"/var/log/frr/{daemon}.log")

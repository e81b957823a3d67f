"""The requests that the menus send to a running lab: each function sends one and returns plain values.

They block until the lab has replied, so a session calls them in threads of their own (`Session.ask`).
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from frrlib import wire
from frrlib.errors import CommandFailed, LabFailed, SealedNode, TopologyError
from frrlib.lab.lab import Lab
from frrlib.lab.path import Family, LabPath, TracerouteHop
from frrlib.model.links import End
from frrlib.model.sealed import is_sealed
from frrlib.run.run import RunOutcome, RunSettings, send
from miniedit_frr.live.counters import COMMAND, InterfaceCounters, parse_counters
from miniedit_frr.session.events import LabOrder

#: Number of concurrent pings of a matrix: enough that a few without a reply delay no other.
MATRIX_WIDTH = 8


@dataclass(frozen=True)
class NodeCommandOutput:
    """The result of a command in a node: its exit status, and the text of both its streams."""

    status: int
    stdout: str
    stderr: str


def execute(lab: Lab, node: str, argv: Sequence[str], timeout_s: float = 30.0) -> NodeCommandOutput:
    """Run a command in a node. A failing command is a valid result, too."""
    result = lab.ask(wire.Execute(node, tuple(argv), timeout_s), timeout_s + 30.0)
    return NodeCommandOutput(int(result["status"]), str(result["stdout"]), str(result["stderr"]))


def run_typed(lab: Lab, node: str, argv: Sequence[str]) -> NodeCommandOutput:
    """Run a command that the user has typed in a node.

    Raises:
        SealedNode: the node is a sealed router.
    """
    if is_sealed(lab.topology, node):
        raise SealedNode(node)
    return execute(lab, node, argv)


#: Printed by a `tc` that does not support a queueing discipline, amid its JSON.
_UNKNOWN = re.compile(r"\[Unknown qdisc, optlen=\d+\] ?")


def read_json(lab: Lab, node: str, *argv: str) -> Any:
    """The parsed output of a command with JSON output. Raises CommandFailed if it fails."""
    output = execute(lab, node, argv)
    if output.status:
        raise CommandFailed(argv, output.status, output.stderr or output.stdout)
    return json.loads(_UNKNOWN.sub("", output.stdout) or "[]")


def routes(lab: Lab, node: str) -> list[dict[str, Any]]:
    """The node's routing table, IPv4 before IPv6, one route per item as printed by `ip -json`."""
    return [*read_json(lab, node, "ip", "-j", "route"), *read_json(lab, node, "ip", "-j", "-6", "route")]


def frr_routes(lab: Lab, router: str) -> dict[str, list[dict[str, Any]]]:
    """FRR's routing table of a router, by prefix, IPv4 before IPv6: each route as in zebra's JSON, including routes
    that are not selected.

    Raises:
        CommandFailed: zebra does not reply.
    """
    tables = (lab.ask(wire.Vtysh(router, (f"show {family} route json",)))["text"] for family in ("ip", "ipv6"))
    return {prefix: routes for text in tables for prefix, routes in json.loads(text or "{}").items()}


def interfaces(lab: Lab, node: str) -> list[dict[str, Any]]:
    """The node's interfaces with addresses and state, as printed by `ip -json address`."""
    ports: list[dict[str, Any]] = read_json(lab, node, "ip", "-j", "address")
    return ports


def queues(lab: Lab, link: str) -> dict[str, list[dict[str, Any]]]:
    """The queueing disciplines of both ends with counters, as printed by `tc -json`, by interface ("r1-eth0")."""
    return {
        end.interface: read_json(lab, end.node, "tc", "-j", "-s", "qdisc", "show", "dev", end.interface)
        for end in ends_of(lab, link)
    }


def counters(lab: Lab, node: str) -> dict[str, InterfaceCounters]:
    """The counters of a node's interfaces, by name. Raises CommandFailed if they cannot be read."""
    output = execute(lab, node, COMMAND)
    try:
        return parse_counters(output.stdout)
    except (ValueError, KeyError, TypeError):
        raise CommandFailed(COMMAND, output.status, output.stderr or output.stdout) from None


def send_flows(lab: Lab, order: LabOrder) -> RunOutcome:
    """Send the flows of an order in the running lab, as `frrlib.run.send` does. Raises LabFailed without a folder."""
    if order.out is None:
        raise LabFailed("a run with flows needs a folder for its results")
    return send(lab, order.topology, order.text, order.out, RunSettings(sample_hz=order.sample_hz))


def ends_of(lab: Lab, link: str) -> tuple[End, End]:
    """Both ends of a link, with the names of their interfaces. Raises LabFailed if the link does not exist."""
    match = lab.topology.link(link)
    if match is None:
        raise LabFailed(f"there is no link {link}")
    return match.ends


def node_command(lab: Lab, node: str, which: str) -> NodeCommandOutput:
    """Run a node's "start" or "stop" command again. Raises LabFailed if the node has none."""
    match = lab.topology.node(node)
    line = getattr(match, f"{which}_command", "")
    if not line:
        raise LabFailed(f"{node} has no {which} command")
    return execute(lab, node, ("sh", "-c", line))


def paths(lab: Lab, source: str, destination: str, family: Family = 0, vrf: str = "") -> tuple[LabPath, LabPath | None]:
    """The forward path and the return path, from the kernels' tables. The return path is None if no node replies."""
    forward = lab.path(source, destination, family=family, vrf=vrf, trace=False)
    try:
        return forward, lab.path_back(forward, trace=False)
    except TopologyError:
        return forward, None


def trace(lab: Lab, path: LabPath) -> tuple[TracerouteHop, ...]:
    """The hops of a traceroute along a path."""
    return lab.trace(path)


def ping_matrix(
    lab: Lab, names: Sequence[str], report: Callable[[str, str, float | None], None]
) -> dict[tuple[str, str], float | None]:
    """Ping between every two nodes in both directions, several at once.

    Args:
        names: the nodes.
        report: called with source, destination and result of each ping, from threads of this function. An exception
            that it raises ends the pinging.

    Returns:
        (source, destination) to the round trip in ms, None without a reply or without an address of either node.
    """
    rtts_ms: dict[tuple[str, str], float | None] = {}
    pairs = iter([(source, destination) for source in names for destination in names if source != destination])
    lock = threading.Lock()
    failures: list[BaseException] = []

    def work() -> None:
        while True:
            with lock:
                pair = next(pairs, None)
            if pair is None or failures:
                return
            try:
                try:
                    rtts = lab.ping(*pair, count=1)["rtt_ms"]
                except TopologyError:  # the node has no address, as one without a link
                    rtts = []
                rtts_ms[pair] = rtts[0] if rtts else None
                report(*pair, rtts_ms[pair])
            except BaseException as error:
                failures.append(error)
                return

    threads = [threading.Thread(target=work, name="ping-matrix", daemon=True) for _ in range(MATRIX_WIDTH)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return rtts_ms


def terminal_command(lab: Lab, node: str, argv: Sequence[str]) -> list[str]:
    """The command that runs an interactive `argv`, such as a shell, in a node. A terminal window runs it.

    Raises:
        SealedNode: the node is a sealed router.
    """
    if is_sealed(lab.topology, node):
        raise SealedNode(node)
    return lab.terminal_argv(argv, node)


def capture_command(lab: Lab, link: str, node: str) -> list[str]:
    """The command that prints the packets at the end of a link at `node` as text. A terminal window runs it.

    Raises:
        LabFailed: the link does not end at the node.
    """
    return lab.terminal_argv(["tcpdump", "-n", "-l", "-i", _interface(lab, link, node)], node)


def raw_capture_command(lab: Lab, link: str, node: str) -> list[str]:
    """As `capture_command`, for the packets themselves in pcap's format, to a pipe or a file.

    The lab's side is a terminal, which is set to pass every byte unchanged.
    """
    script = 'stty raw -echo; exec tcpdump -n -U -Z root -w - -i "$0" 2>/dev/null'
    return lab.terminal_argv(["sh", "-c", script, _interface(lab, link, node)], node)


def _interface(lab: Lab, link: str, node: str) -> str:
    """The interface of a link at a node."""
    for end in ends_of(lab, link):
        if end.node == node:
            return end.interface
    raise LabFailed(f"the link {link} does not end at {node}")

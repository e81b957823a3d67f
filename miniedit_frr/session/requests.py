"""The requests that the menus send to a running lab: each function sends one and returns plain values.

They block until the lab has replied, so a session calls them in threads of their own (`Session.ask`).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from frrlib.errors import CommandFailed, LabFailed, TopologyError
from frrlib.lab.lab import Lab
from frrlib.lab.path import Family, Hop, LabPath
from frrlib.model.links import End
from frrlib.run.run import Outcome, Settings, send
from frrlib.wire import messages as wire
from miniedit_frr.live.counters import COMMAND, InterfaceCounters, parse_counters
from miniedit_frr.session.events import LabOrder

#: How many pings of a matrix run at once: enough that a few without an answer delay none.
MATRIX_WIDTH = 8


@dataclass(frozen=True)
class NodeCommandOutput:
    """The result of a command in a node: its exit status, and the text of both its streams."""

    status: int
    stdout: str
    stderr: str


def execute(lab: Lab, node: str, argv: Sequence[str], timeout_s: float = 30.0) -> NodeCommandOutput:
    """Run a command in a node; its failure is an answer, too."""
    result = lab.ask(wire.Execute(node, tuple(argv), timeout_s), timeout_s + 30.0)
    return NodeCommandOutput(int(result["status"]), str(result["stdout"]), str(result["stderr"]))


def read_json(lab: Lab, node: str, *argv: str) -> Any:
    """The parsed output of a command with JSON output. Raises CommandFailed where it fails."""
    said = execute(lab, node, argv)
    if said.status:
        raise CommandFailed(argv, said.status, said.stderr or said.stdout)
    return json.loads(said.stdout or "[]")


def routes(lab: Lab, node: str) -> list[dict[str, Any]]:
    """The node's routing table, IPv4 before IPv6, one route an item as `ip -json` tells it."""
    return [*read_json(lab, node, "ip", "-j", "route"), *read_json(lab, node, "ip", "-j", "-6", "route")]


def frr_routes(lab: Lab, router: str) -> dict[str, list[dict[str, Any]]]:
    """A router's routing table as FRR has it, by prefix, IPv4 before IPv6: each route in the words of zebra's JSON,
    including those that lost to another one.

    Raises:
        CommandFailed: zebra does not answer.
    """
    said = (lab.ask(wire.Vtysh(router, (f"show {family} route json",)))["text"] for family in ("ip", "ipv6"))
    return {prefix: found for text in said for prefix, found in json.loads(text or "{}").items()}


def interfaces(lab: Lab, node: str) -> list[dict[str, Any]]:
    """The node's interfaces with addresses and state, as `ip -json address` tells them."""
    found: list[dict[str, Any]] = read_json(lab, node, "ip", "-j", "address")
    return found


def queues(lab: Lab, link: str) -> dict[str, list[dict[str, Any]]]:
    """Both ends' queueing disciplines with counters, as `tc -json` tells them, by interface ("r1-eth0")."""
    return {
        end.interface: read_json(lab, end.node, "tc", "-j", "-s", "qdisc", "show", "dev", end.interface)
        for end in ends_of(lab, link)
    }


def counters(lab: Lab, node: str) -> dict[str, InterfaceCounters]:
    """The counters of a node's interfaces, by name. Raises CommandFailed where it does not tell."""
    said = execute(lab, node, COMMAND)
    try:
        return parse_counters(said.stdout)
    except (ValueError, KeyError, TypeError):
        raise CommandFailed(COMMAND, said.status, said.stderr or said.stdout) from None


def send_flows(lab: Lab, order: LabOrder) -> Outcome:
    """Send the flows of an order in the running lab; as `frrlib.run.send`. Raises LabFailed where it has no folder."""
    if order.out is None:
        raise LabFailed("a run with flows needs a folder for its results")
    return send(lab, order.topology, order.text, order.out, Settings(sample_hz=order.sample_hz))


def ends_of(lab: Lab, link: str) -> tuple[End, End]:
    """Both ends of a link, with the names of their interfaces. Raises LabFailed where there is no such link."""
    found = lab.topology.link(link)
    if found is None:
        raise LabFailed(f"there is no link {link}")
    return found.ends


def node_command(lab: Lab, node: str, which: str) -> NodeCommandOutput:
    """Run a node's "start" or "stop" command again. Raises LabFailed where it has none."""
    found = lab.topology.node(node)
    line = getattr(found, f"{which}_command", "")
    if not line:
        raise LabFailed(f"{node} has no {which} command")
    return execute(lab, node, ("sh", "-c", line))


def paths(lab: Lab, source: str, destination: str, family: Family = 0, vrf: str = "") -> tuple[LabPath, LabPath | None]:
    """The paths there and back from the kernels' tables; None for the path back where it is not known who answers."""
    there = lab.path(source, destination, family=family, vrf=vrf, trace=False)
    try:
        return there, lab.path_back(there, trace=False)
    except TopologyError:
        return there, None


def trace(lab: Lab, path: LabPath) -> tuple[Hop, ...]:
    """The hops of a traceroute along a path."""
    return lab.trace(path)


def ping_matrix(
    lab: Lab, names: Sequence[str], tell: Callable[[str, str, float | None], None]
) -> dict[tuple[str, str], float | None]:
    """Ping between every two nodes, each way, several at once.

    Args:
        names: the nodes.
        tell: called with source, destination and result as each is known, from threads of this function's own. What
            it raises ends the pinging.

    Returns:
        (source, destination) to the round trip in ms, None where nothing came back.
    """
    found: dict[tuple[str, str], float | None] = {}
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
                rtts = lab.ping(*pair, count=1)["rtt_ms"]
                found[pair] = rtts[0] if rtts else None
                tell(*pair, found[pair])
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
    return found


def terminal_command(lab: Lab, node: str, argv: Sequence[str]) -> list[str]:
    """The command that runs an interactive `argv`, such as a shell, in a node. A terminal window runs it."""
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

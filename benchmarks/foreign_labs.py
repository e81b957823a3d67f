"""Opens and runs labs in the files of other programs, and prints the results.

    python benchmarks/foreign_labs.py FILE [FILE ...] [--markdown] [--root FOLDER] [--place auto] [--limit-s 90]
                                      [--pairs 60]

A FILE is one that the window opens: `.clab.yml`, the folder of a lab of Kathara, CORE's `.xml`, `.gns3`, `.graphml`.
Each lab is started with the commands of its file, so take files that you trust.

A pair is a node and an address of another node: of a link, or of a router's loopback. Only addresses of the file count,
not those that a lab adds. A pair is expected to reply if the links, bridges and routers connect both nodes. A host
without a gateway, and a router without protocols and routes, are expected to reach their own networks only. Each lab
has the limit to converge. A router whose ping has no reply sends another one from its loopback, since BGP often
announces no links. The pairs without a reply are then pinged again until all reply or their number stops shrinking,
again up to the limit. Reasons for missing replies are read from the kernels' routing tables.

`--markdown` prints one table. Its names are relative to the root, in which a folder `OWNER+NAME` is a repository.
Each file also has a paragraph with all values that have no equivalent and all pairs without a reply; with `--markdown`
it goes to standard error.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv6Interface, ip_address
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from frrlib import wire  # noqa: E402
from frrlib.errors import CommandFailed, LabError, LabFailed  # noqa: E402
from frrlib.exchange import opening  # noqa: E402
from frrlib.lab.lab import Lab  # noqa: E402
from frrlib.model.nodes import Host, Router  # noqa: E402
from frrlib.model.problem import Problem  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402

_HEADING = (
    "| tool | repository: file | nodes / links | opened | started | pings that reply | no gateway or address "
    "| left out when opened, and reasons for missing replies |"
)
#: Kinds of unread values that a row names.
_MOST_KINDS = 3
#: Nodes that a reason names.
_MOST_NODES = 4
#: Characters of a reason.
_SHOWN = 110
#: Seconds between two rounds of pings, and rounds without a further reply that end them.
_PAUSE_S, _IDLE_ROUNDS = 10.0, 4
#: Seconds to wait for a reply.
_REPLY_S = 1.0
#: The reason if both directions have routes.
_ROUTED = "both directions have routes"

#: An address or a network in a reason.
_ADDRESS = re.compile(r" (?:to )?[0-9a-f]*[.:][0-9a-f.:]*(?:/\d+)?(?= |$)")
#: Characters with a meaning in a table of Markdown.
_PLAIN = str.maketrans("|", "/", "`")

_Interface = IPv4Interface | IPv6Interface


@dataclass(frozen=True)
class Pair:
    """A ping: the node that sends it, and the address."""

    source: str
    destination: str
    address: str


@dataclass
class Row:
    """The result for a file, in words; a dash for a step that was not reached."""

    tool: str
    name: str
    size: str = "-"
    opened: str = "-"
    started: str = "-"
    pings: str = "-"
    without: str = "-"
    unread: list[Problem] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    silent: dict[Pair, str] = field(default_factory=dict)
    seconds: float = 0.0

    def markdown(self) -> str:
        """The row of the table."""
        notes = "; ".join([*_kinds(self.unread), *self.remarks, *_reasons(self.silent)]) or "nothing"
        cells = (self.tool, self.name, self.size, self.opened, self.started, self.pings, self.without, notes)
        return f"| {' | '.join(cell.translate(_PLAIN) for cell in cells)} |"

    def paragraph(self) -> str:
        """The result with all details."""
        lines = [f"{self.name} ({self.tool}): {self.size}, opened: {self.opened}, started: {self.started}"]
        lines += [f"  pings: {self.pings}, {self.seconds:.0f} s, no gateway or address: {self.without}"]
        lines += [f"  left out: {problem.node}: {problem.message}" for problem in self.unread]
        lines += [f"  {remark}" for remark in self.remarks]
        for pair, reason in self.silent.items():
            lines.append(f"  no reply: {pair.source} to {pair.destination} at {pair.address}: {reason}")
        return "\n".join(lines)


def try_file(path: Path, options: argparse.Namespace) -> Row:
    """Open and run one file."""
    row, begin_s = Row(_tool(path), _name(path, options.root)), time.monotonic()
    try:
        loaded = opening.load(path)
    except LabError as error:
        row.opened = f"no: {_short(error)}"
        return row
    row.opened, row.unread = "yes", list(loaded.warnings)
    row.size = f"{len(loaded.topology.nodes)} / {len(loaded.topology.links)}"
    row.without = ", ".join(_without(loaded.topology)) or "-"
    try:
        folder = opening.file_of(path).resolve().parent
        with Lab(loaded.topology, place=options.place, folder=folder) as lab:
            row.started = f"yes, {lab.place.name}"
            row.remarks += [f"starts with a warning: {_short(text)}" for text in lab.warnings]
            row.remarks += [f"a start command fails: {_short(text)}" for text in lab.failed_commands.values()]
            _converge(lab, options.limit_s, row)
            _ping_all(lab, loaded.topology, options, row)
    except LabError as error:
        if row.started == "-":
            row.started = f"no: {_short(error)}"
        else:
            row.remarks.append(_short(error))
    row.seconds = time.monotonic() - begin_s
    return row


# --- expected pairs ---------------------------------------------------------------------------------------------------


def expected_pairs(topology: Topology) -> list[Pair]:
    """The pairs that are expected to reply, in the order of the nodes."""
    addresses = {node.name: list(_addresses(topology, node.name)) for node in topology.nodes}
    return [
        Pair(source, destination, str(target.ip))
        for source in addresses
        for destination in _connected(topology, source)
        for target in addresses[destination]
        if any(
            sender.version == target.version
            and (sender.network == target.network or not _lacks_gateway(topology, source, destination))
            for sender in addresses[source]
        )
    ]


def _addresses(topology: Topology, name: str) -> Iterator[_Interface]:
    """The addresses of a host or a router in its default routing table that the file contains."""
    node = topology.node(name)
    if not isinstance(node, Host | Router):
        return
    loopbacks, vrf_interfaces = (), set[str]()
    if isinstance(node, Router):
        loopbacks = node.loopbacks
        vrf_interfaces = {interface for vrf in node.vrfs for interface in vrf.interfaces}
    for address in loopbacks:
        if not address.ip.is_loopback:
            yield address
    for _, end in topology.ends_at(name):
        for address in end.addresses:
            if end.interface not in vrf_interfaces and not address.ip.is_link_local:
                yield address


def _connected(topology: Topology, source: str) -> list[str]:
    """The nodes that packets of a node can reach: hosts do not forward them."""
    neighbors = defaultdict(list)
    for link in topology.links:
        one, other = (end.node for end in link.ends)
        neighbors[one].append(other)
        neighbors[other].append(one)
    seen, waiting = {source}, [source]
    while waiting:
        name = waiting.pop()
        if name == source or not isinstance(topology.node(name), Host):
            fresh = [neighbor for neighbor in dict.fromkeys(neighbors[name]) if neighbor not in seen]
            seen.update(fresh)
            waiting += fresh
    return [node.name for node in topology.nodes if node.name in seen and node.name != source]


def _lacks_gateway(topology: Topology, *names: str) -> bool:
    """Whether one of the nodes is a host without a gateway, or a router without protocols and routes."""
    for node in map(topology.node, names):
        routed_by_command = node is not None and "route" in node.start_command
        if isinstance(node, Host) and node.default_route is None and not routed_by_command:
            return True
        if isinstance(node, Router) and not (_routes(node) or routed_by_command):
            return True
    return False


def _routes(router: Router) -> bool:
    """Whether a router has a protocol that exchanges unicast routes, or static routes."""
    settings = (router.ospf, router.ospf6, router.isis, router.rip, router.ripng, router.bgp, *router.static_routes)
    return any(settings) or re.search(r"^(router|ip route|ipv6 route) ", router.frr_conf, re.MULTILINE) is not None


def _without(topology: Topology) -> Iterator[str]:
    """The numbers of nodes without a gateway, protocols and routes, and of nodes without an address, in words."""
    names = [node.name for node in topology.nodes if isinstance(node, Host | Router)]
    bare = [name for name in names if not any(_addresses(topology, name))]
    lost = [name for name in names if name not in bare and _lacks_gateway(topology, name)]
    if lost:
        yield f"{len(lost)} without gateway"
    if bare:
        yield f"{len(bare)} without address"


# --- in the lab -------------------------------------------------------------------------------------------------------


def _converge(lab: Lab, limit_s: float, row: Row) -> None:
    try:
        lab.wait_converged(timeout_s=limit_s)
    except LabFailed as error:
        row.remarks.append(_short(error))


def _ping_all(lab: Lab, topology: Topology, options: argparse.Namespace, row: Row) -> None:
    """Ping the expected pairs, or a sample of them, until all reply or no further one does."""
    pairs = expected_pairs(topology)
    chosen = random.Random(1).sample(pairs, min(options.pairs, len(pairs)))
    silent, idle = [pair for pair in chosen if not _replies(lab, topology, pair)], 0
    begin_s = time.monotonic()
    while silent and idle < _IDLE_ROUNDS and time.monotonic() - begin_s < options.limit_s:
        time.sleep(_PAUSE_S)
        still = [pair for pair in silent if not _replies(lab, topology, pair)]
        idle = 0 if len(still) < len(silent) else idle + 1
        silent = still
    row.pings = f"{len(chosen) - len(silent)} of {len(chosen)}" if chosen else "none expected"
    if len(chosen) < len(pairs):
        row.pings += f" (of {len(pairs)} pairs)"
    row.silent = {pair: _reason(lab, pair) for pair in silent}


def _replies(lab: Lab, topology: Topology, pair: Pair) -> bool:
    """Whether the address replies to the node, or else to its first loopback address."""
    with suppress(LabFailed):  # such as a node without a route
        if lab.ask(wire.Ping(pair.source, pair.address, count=1, timeout_s=_REPLY_S))["received"]:
            return True
    node, version = topology.node(pair.source), ip_address(pair.address).version
    loopbacks = node.loopbacks if isinstance(node, Router) else ()
    sender = next((str(address.ip) for address in loopbacks if address.version == version), "")
    if not sender:
        return False
    with suppress(CommandFailed, LabFailed):  # ping without a reply has status 1
        lab[pair.source].run("ping", "-c1", f"-W{_REPLY_S:.0f}", "-I", sender, pair.address)
        return True
    return False


def _reason(lab: Lab, pair: Pair) -> str:
    """The first decision of a kernel that ends the packets of a ping, or those of the reply."""
    try:
        forward = lab.path(pair.source, pair.address, trace=False)
        ends = [_end_of(forward.stops)]
        if not ends[0] and not any(stop.is_end for stop in forward.stops):
            ends = [f"{forward.nodes[-1]} is the last node that the packets reach"]
        elif not ends[0]:
            ends.append(_end_of(lab.path_back(forward, trace=False).stops))
    except LabError as error:
        return str(error)
    return next((end for end in ends if end), _ROUTED)


def _end_of(stops: Iterable[wire.PathStop]) -> str:
    for stop in stops:
        for reason in (stop.reason, *(hop.reason for hop in stop.hops)):
            if reason:
                return f"{stop.node} {reason}"
    return ""


# --- words ------------------------------------------------------------------------------------------------------------


def _kinds(problems: Sequence[Problem]) -> list[str]:
    """The most frequent sentences about values without an equivalent, without lines and addresses."""
    texts = (re.sub(r"^(\S+ )?line \d+(, \d+)*: ", "", problem.message) for problem in problems)
    kinds = Counter(re.sub(r"\d+\.\d+\.\d+\.\d+(/\d+)?", "an address", text) for text in texts)
    named = [f"{_short(kind)} ({count})" for kind, count in kinds.most_common(_MOST_KINDS)]
    others = len(kinds) - len(named)
    return [*named, f"{others} more"] if others else named


def _reasons(silent: dict[Pair, str]) -> list[str]:
    """The reasons for missing replies: each with its number of pairs and the first nodes whose kernels decided so."""
    groups: dict[str, list[str]] = defaultdict(list)
    for reason in silent.values():
        node, _, end = reason.partition(" ")
        if reason == _ROUTED:
            groups[_ROUTED].append("")
        else:
            groups[_ADDRESS.sub("", end)].append(node)
    texts = []
    for end, nodes in groups.items():
        names = list(dict.fromkeys(filter(None, nodes)))
        listed = ", ".join(names[:_MOST_NODES]) + (", …" if len(names) > _MOST_NODES else "")
        place = f" at {listed}" if listed else ""
        texts.append(f'{len(nodes)} without reply: "{_short(end)}"{place}')
    return texts


def _tool(path: Path) -> str:
    names = {".yml": "containerlab", ".yaml": "containerlab", ".xml": "CORE", ".conf": "Kathara"}
    suffix = opening.file_of(path).suffix
    return names.get(suffix, suffix.removeprefix("."))


def _name(path: Path, root: Path | None) -> str:
    """The repository and the path in it, or the path if there is no root."""
    file = opening.file_of(path)
    if root is None:
        return str(file)
    repository, *parts = file.resolve().relative_to(root.resolve()).parts
    inside = "/".join(parts).removesuffix("/lab.conf")
    return f"{repository.replace('+', '/')}: {inside}"


def _short(text: object) -> str:
    """A text on one line, cut after a word."""
    line = " ".join(str(text).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN].rsplit(' ', 1)[0]} …"


def main() -> None:
    """Run all files, and print each result as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--markdown", action="store_true", help="print a table in Markdown")
    parser.add_argument("--root", type=Path, help="folder of the repositories, for the names in the table")
    parser.add_argument("--place", default="auto")
    parser.add_argument("--limit-s", type=float, default=90.0)
    parser.add_argument("--pairs", type=int, default=60, help="maximum number of pairs")
    options = parser.parse_args()
    if options.markdown:
        print(f"{_HEADING}\n{'| --- ' * (_HEADING.count(' | ') + 1)}|", flush=True)
    for path in options.files:
        row = try_file(path, options)
        print(row.paragraph(), file=sys.stderr if options.markdown else sys.stdout, flush=True)
        if options.markdown:
            print(row.markdown(), flush=True)


if __name__ == "__main__":
    main()

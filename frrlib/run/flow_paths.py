"""The path of each flow, from the kernels' tables of a running lab, for the results of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from frrlib.addressing.domains import Domain, broadcast_domains
from frrlib.errors import LabError
from frrlib.lab.lab import Lab
from frrlib.lab.path import LabPath
from frrlib.model.delays import TABLE_REACH
from frrlib.model.frames import tcp_headers_bytes
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Switch
from frrlib.model.topology import Topology
from frrlib.render.plan import direction_name, flow_plans
from frrlib.render.tc import delay_table
from frrlib.results.layout import FlowPath

#: Paths of flows between more pairs of nodes are not recorded: a lab kernel takes about 40 ms to follow each both ways.
MOST_PAIRS = 64
#: The id of each flow to its path, None where that is not certain.
Paths = Mapping[str, FlowPath | None]


class PathLink(NamedTuple):
    """A link of a path: the end from which packets leave, and the shape of that direction."""

    link: Link
    sender: End
    shape: Shape

    @property
    def direction(self) -> str:
        """The name of the direction in the results ("l1:h1-r1")."""
        return direction_name(self.link, self.sender)


class BothPaths(NamedTuple):
    """The path between two nodes and the path back, as the kernels' tables have them."""

    forward: LabPath
    reverse: LabPath


def both_paths(lab: Lab, source: str, destination: str) -> BothPaths | None:
    """Read the paths between two nodes from a running lab; None where the lab has none."""
    try:
        forward = lab.path(source, destination, trace=False)
        return BothPaths(forward, lab.path_back(forward, trace=False))
    except LabError:  # an unknown path is not compared with anything
        return None


def path_links(topology: Topology, path: LabPath) -> list[list[PathLink]]:
    """The links of each branch of a path; empty if a branch does not arrive or is not known link by link."""
    if not path.arrives:
        return []
    hops = {(stop.node, hop.node): hop for stop in path.stops for hop in stop.hops if hop.node}
    branches = []
    for branch in path.branches():
        links: list[PathLink] = []
        for pair in pairwise(branch):
            hop = hops.get(pair)
            if hop is None or not hop.links:
                return []
            links += _steps(topology, (pair[0], *hop.switches), hop.links)
        branches.append(links)
    return branches


def flow_path(topology: Topology, paths: BothPaths | None) -> FlowPath | None:
    """The record of a path for the results; None unless there is one path in each direction."""
    if paths is None or not all(path.branch_count == 1 and _is_single(path) for path in paths):
        return None
    branches = [path_links(topology, path) for path in paths]
    if not all(len(path) == 1 and path[0] for path in branches):
        return None
    forward, reverse = (path[0] for path in branches)
    passed = {link.id for link, _, _ in (*forward, *reverse)}
    if not all(_is_tree(domain) for domain in broadcast_domains(topology) if passed & {e.id for e in domain.links}):
        return None
    return FlowPath(
        forward=tuple(step.direction for step in forward),
        reverse=tuple(step.direction for step in reverse),
        base_rtt_ms=_base_rtt_ms(forward, reverse)
        if _has_known_delays(topology, paths, (*forward, *reverse))
        else None,
        jitter_ms=sum(_most_jitter_ms(step.shape) for step in (*forward, *reverse)),
    )


def changed_paths(lab: Lab, earlier: Paths) -> dict[str, dict[str, None]]:
    """Values for `Writer.add_to_flows` that remove the paths which have changed.

    Args:
        earlier: the path of each flow before the flows, as `by_flow` returns it.
    """
    now: dict[tuple[str, str], FlowPath | None] = {}
    changed: dict[str, dict[str, None]] = {}
    for plan in flow_plans(lab.topology):
        path, ends = earlier.get(plan.id), (plan.source, plan.destination)
        if path is None:
            continue
        if ends not in now:
            now[ends] = flow_path(lab.topology, both_paths(lab, *ends))
        later = now[ends]
        if later is None or (later.forward, later.reverse) != (path.forward, path.reverse):
            changed[plan.id] = {"path": None}
    return changed


def by_flow(topology: Topology, paths: Mapping[tuple[str, str], BothPaths | None]) -> Paths:
    """The path of each flow.

    Args:
        paths: the paths between the ends of flows, by the names of source and destination.
    """
    flow_paths = {ends: flow_path(topology, both) for ends, both in paths.items()}
    path_of: dict[str, FlowPath | None] = {}
    for plan in flow_plans(topology):
        both = paths.get((plan.source, plan.destination))
        is_same = both is not None and both.forward.address == plan.address
        path_of[plan.id] = flow_paths[plan.source, plan.destination] if is_same else None
    return path_of


def _steps(topology: Topology, nodes: tuple[str, ...], links: tuple[str, ...]) -> Iterator[PathLink]:
    """The links between two neighbors, in the direction from the first one to the second."""
    for node, name in zip(nodes, links, strict=False):
        link = topology.link(name)
        if link is not None:
            senders = ((sender, shape) for sender, _, shape in link.directions if sender.node == node)
            yield PathLink(link, *next(senders, (link.a, link.a_to_b)))


def _is_single(path: LabPath) -> bool:
    """Whether every node on a path has one next hop: two links to the same node count as two."""
    return all(len(stop.hops) <= 1 for stop in path.stops)


def _is_tree(domain: Domain) -> bool:
    """Whether frames have one path through a broadcast domain. In a ring of switches a protocol chooses the path."""
    return len(domain.links) == len(domain.switches) + len(domain.ends) - 1


def _has_known_delays(topology: Topology, paths: BothPaths, passed: Sequence[PathLink]) -> bool:
    """Whether only the configured values delay packets: there are no custom tc commands, no labels, which make frames
    longer, and no switches that wait for a controller."""
    hops = [hop for path in paths for stop in path.stops for hop in stop.hops]
    switches = [topology.node(name) for hop in hops for name in hop.switches]
    waits = any(isinstance(node, Switch) and node.controllers for node in switches)
    return not waits and not any(hop.labels for hop in hops) and not any(step.shape.qdiscs for step in passed)


def _base_rtt_ms(forward: Sequence[PathLink], reverse: Sequence[PathLink]) -> float:
    sent = [(step, step.sender.frame_bytes) for step in forward] + [(step, tcp_headers_bytes(6)) for step in reverse]
    return sum(
        step.shape.delay_ms
        + (step.shape.accounting.charged_bytes(size) * 8e-3 / step.shape.rate_mbit if step.shape.rate_mbit else 0.0)
        for step, size in sent
    )


def _most_jitter_ms(shape: Shape) -> float:
    """The maximum addition of jitter to the delay of a direction, the end of netem's table."""
    measured = delay_table(shape)
    if measured is None and shape.impairments.jitter_distribution == "uniform":
        return shape.jitter_ms
    return shape.jitter_ms * TABLE_REACH * (measured.stretch if measured else 1.0)

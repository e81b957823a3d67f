"""The recorded path of a flow: only where packets have one path, with a base RTT computed by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.lab.path import LabPath
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape
from frrlib.results.layout import FlowPath
from frrlib.run import flow_paths, requested_values
from frrlib.wire.replies import PathHop, PathStop

Branch = tuple[str, ...]
SLOW = Shape(rate_mbit=1, delay_ms=7)
THERE, BACK = ("h1", "l1", "r1", "l2 s1 l3", "h2"), ("h2", "l3 s1 l2", "r1", "l1", "h1")


@dataclass
class _Lab:
    """A lab with two hosts, from which only the paths between them are read.

    Attributes:
        paths: the branches of the path from each host.
    """

    topology: Topology
    paths: dict[str, tuple[Branch, ...]]
    labels: str = ""

    def path(self, source: str, destination: str, **_: Any) -> LabPath:
        hops: dict[str, list[PathHop]] = {}
        for branch in self.paths[source]:
            for node, passed, next_node in zip(branch[::2], branch[1::2], branch[2::2], strict=False):
                words = passed.split()
                links, switches = tuple(words[::2]), tuple(words[1::2])
                hop = PathHop(f"{node}-eth0", node=next_node, links=links, switches=switches, labels=self.labels)
                if hop not in hops.setdefault(node, []):
                    hops[node].append(hop)
        address = flow_paths.flow_plans(self.topology)[0].address
        stops = [PathStop(node, hops=tuple(node_hops)) for node, node_hops in hops.items()]
        return LabPath(source, destination, address, stops=(*stops, PathStop(destination, is_end=True)))

    def path_back(self, path: LabPath, **_: Any) -> LabPath:
        return self.path(path.destination, path.source)


def _network(slow: Shape = SLOW) -> Network:
    net = Network("Paths")
    net.host("h1")
    net.router("r1")
    net.switch("s1")
    net.host("h2")
    net.link("h1", "r1", a_to_b=Shape(delay_ms=10), b_to_a=Shape(delay_ms=3, jitter_ms=2))
    net.link("r1", "s1", a_to_b=slow, b_to_a=Shape(rate_mbit=2))
    net.link("s1", "h2")
    net.flow("f", "h1", "h2")
    return net


def _path(net: Network, forward: tuple[Branch, ...] = (THERE,), labels: str = "") -> FlowPath | None:
    lab = _Lab(addressed(net.topology), {"h1": forward, "h2": (BACK,)}, labels)
    path = requested_values.flows(lab)["f"]["path"]  # type: ignore[arg-type]
    assert path is None or isinstance(path, FlowPath)
    return path


def test_a_single_path_is_recorded_with_its_base_rtt() -> None:
    path = _path(_network())
    assert path is not None
    assert path.forward == ("l1:h1-r1", "l2:r1-s1", "l3:s1-h2")
    assert path.reverse == ("l3:h2-s1", "l2:s1-r1", "l1:r1-h1")
    # The delays, 1514 bytes at 1 Mbit/s, and an acknowledgment of 14 + 40 + 20 + 12 bytes at 2 Mbit/s.
    assert path.base_rtt_ms == pytest.approx(10 + 7 + 3 + 1514 * 8 / 1000 + 86 * 8 / 2000)
    assert path.jitter_ms == 2


def test_equal_paths_and_rings_of_switches_are_not_certain() -> None:
    net = _network()
    net.link("h1", "r1")
    assert _path(net) is not None
    parallel = (THERE, ("h1", "l4", *THERE[2:]))
    assert _path(net, parallel) is None
    ring = _network()
    ring.switch("s2")
    for ends in (("s1", "s2"), ("s2", "h2")):
        ring.link(*ends)
    assert _path(ring) is not None  # two interfaces of h2, and a tree of links
    ring.link("s2", "s1")
    assert _path(ring) is None


def test_unknown_delays_leave_the_base_rtt_open() -> None:
    custom = _path(_network(Shape(qdiscs=("root tbf rate 1mbit burst 5kb limit 50kb",))))
    labeled = _path(_network(), labels="16")
    for path in (custom, labeled):
        assert path is not None and path.base_rtt_ms is None


def test_paths_between_many_pairs_are_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    net = _network()
    net.flow("back", "h2", "h1")
    assert _path(net) is not None
    monkeypatch.setattr(requested_values, "MOST_PAIRS", 1)
    assert _path(net) is None


def test_a_path_that_has_changed_is_removed() -> None:
    net = _network()
    net.link("h1", "r1")
    lab = _Lab(addressed(net.topology), {"h1": (THERE,), "h2": (BACK,)})
    paths = {flow: facts["path"] for flow, facts in requested_values.flows(lab).items()}  # type: ignore[arg-type]
    assert flow_paths.changed_paths(lab, paths) == {}  # type: ignore[arg-type]
    lab.paths["h1"] = (("h1", "l4", *THERE[2:]),)
    assert flow_paths.changed_paths(lab, paths) == {"f": {"path": None}}  # type: ignore[arg-type]

"""The values of a topology by which results are judged, compared with sums by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.errors import LabFailed
from frrlib.lab.path import LabPath
from frrlib.model.frames import FULL_FRAME_BYTES
from frrlib.model.impairments import GilbertElliott, Impairments
from frrlib.model.queues import Cake, Fq, FqCodel
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, TcpTuning, end
from frrlib.run import requested_values
from frrlib.wire.replies import PathHop, PathStop


@dataclass
class _Lab:
    """A lab from which only paths are read, by their first node."""

    topology: Topology
    stops: dict[str, tuple[PathStop, ...]] = field(default_factory=dict)

    def path(self, source: str, destination: str, **_: Any) -> LabPath:
        if source not in self.stops:
            raise LabFailed("nobody answers")
        return LabPath(source, destination, "10.0.0.1", stops=self.stops[source])

    def path_back(self, path: LabPath, **_: Any) -> LabPath:
        return self.path(path.destination, path.source)


def _stops(*paths: tuple[str, ...]) -> tuple[PathStop, ...]:
    """The stops of paths such as "h1", "l1", "r1", "l2 s1 l3", "h2", with the links and switches between nodes."""
    hops: dict[str, dict[str, PathHop]] = {}
    for path in paths:
        for node, passed, next_node in zip(path[::2], path[1::2], path[2::2], strict=False):
            words = passed.split()
            hop = PathHop(f"{node}-eth0", node=next_node, links=tuple(words[::2]), switches=tuple(words[1::2]))
            hops.setdefault(node, {})[next_node] = hop
    last = paths[0][-1]
    return (
        *(PathStop(node, hops=tuple(node_hops.values())) for node, node_hops in hops.items()),
        PathStop(last, is_end=True),
    )


def _values(lab: _Lab) -> dict[str, Any]:
    return requested_values.flows(lab)["f"]  # type: ignore[arg-type]


def test_the_round_trip_adds_the_paths_of_both_directions() -> None:
    net = Network("Ways")
    for name in ("h1", "h2"):
        net.host(name)
    for name in ("r1", "r2", "r3"):
        net.router(name)
    net.switch("s1")
    net.link("h1", "r1")
    net.link("r1", "r2", a_to_b=Shape(delay_ms=10), b_to_a=Shape(delay_ms=1))
    net.link("r1", "r3", a_to_b=Shape(delay_ms=4), b_to_a=Shape(delay_ms=2))
    net.link("r2", "s1", a_to_b=Shape(delay_ms=100, jitter_ms=3), b_to_a=Shape(delay_ms=200))
    net.link("s1", "h2", a_to_b=Shape(rate_mbit=1), b_to_a=Shape())
    net.link("r3", "s1")
    net.flow("f", "h1", "h2")
    topology = addressed(net.topology)
    both = (("h1", "l1", "r1", "l2", "r2", "l4 s1 l5", "h2"), ("h1", "l1", "r1", "l3", "r3", "l6 s1 l5", "h2"))
    return_path = ("h2", "l5 s1 l6", "r3", "l3", "r1", "l1", "h1")
    values = _values(_Lab(topology, {"h1": _stops(*both), "h2": _stops(return_path)}))
    # Forward 10 + 100 or 4, back 2. The jitter may take 3 from the longer path, which remains the longer one.
    assert values["drawn_rtt_ms"] == pytest.approx(4 + 2)
    assert values["rtt_low_ms"] == pytest.approx(4 + 2, abs=0.02)
    sending_ms = 98 * 8 / 1e6 * 1e3
    assert values["rtt_high_ms"] == pytest.approx(110 + 3 + 2 + sending_ms + 0.5 + 0.1 * 8)
    single_path = _values(_Lab(topology, {"h1": _stops(both[0]), "h2": _stops(return_path)}))
    assert (single_path["drawn_rtt_ms"], single_path["rtt_low_ms"]) == (
        pytest.approx(112),
        pytest.approx(109, abs=0.02),
    )


def test_an_unknown_path_is_no_failure_of_a_run() -> None:
    net = Network("No way")
    net.host("h1", tcp=TcpTuning(pacing=True))
    net.host("h2")
    net.link(end("h1", "10.0.0.2/24"), end("h2", "10.0.0.1/24"), a_to_b=Shape(delay_ms=5))
    net.flow("f", "h1", "h2")
    topology = addressed(net.topology)
    assert _values(_Lab(topology)) == {"paced_by": "fq", "path": None}
    lost = (PathStop("h1", reason="has no route"),)
    assert _values(_Lab(topology, {"h1": lost, "h2": lost})) == {"paced_by": "fq", "path": None}


def test_values_of_a_queue_that_can_be_judged() -> None:
    net = Network("Queues")
    net.router("r1")
    shapes = (
        Shape(rate_mbit=10, queue_packets=33),
        Shape(rate_mbit=10, queue_ms=40),
        Shape(rate_mbit=10, queue=FqCodel()),
        Shape(rate_mbit=10, queue=Fq()),
        Shape(rate_mbit=10, queue=Cake(overhead_bytes=38)),
        Shape(),
    )
    for number, shape in enumerate(shapes, 1):
        net.host(f"h{number}")
        net.link("r1", f"h{number}", a_to_b=shape, b_to_a=Shape())
    queues = requested_values.queues(addressed(net.topology))
    assert list(queues) == [f"l{n}:r1-h{n}" for n in range(1, 6)]
    counted = [(queue.counts, queue.limit_packets, queue.limit_bytes, queue.is_exact) for queue in queues.values()]
    assert counted == [
        ("packets", 33, 33 * FULL_FRAME_BYTES, True),
        ("bytes", None, 50_000, True),  # 10 Mbit/s for 40 ms
        ("", None, None, True),
        ("", None, None, False),
        ("", None, None, True),
    ]
    assert {queue.frame_bytes for queue in queues.values()} == {FULL_FRAME_BYTES}
    charged = [queue.accounting.charged_bytes(FULL_FRAME_BYTES) for queue in queues.values()]
    assert charged == [1514, 1514, 1514, 1514, 1538]  # cake's overhead takes the place of the Ethernet header


def test_limits_are_those_of_the_mtu() -> None:
    net = Network("Large frames")
    net.host("h1")
    net.host("h2")
    ends = [end(name, mtu_bytes=9000) for name in ("h1", "h2")]
    net.link(*ends, a_to_b=Shape(rate_mbit=10, queue_packets=33), b_to_a=Shape(rate_mbit=1))
    forward, reverse = requested_values.queues(addressed(net.topology)).values()
    assert (forward.frame_bytes, forward.limit_packets, forward.limit_bytes) == (9014, 33, 33 * 9014)
    assert reverse.limit_bytes == 10 * 9014  # 100 ms of 1 Mbit/s are little more than one frame


def test_a_size_table_in_custom_commands_is_used_in_figures() -> None:
    net = Network("ATM")
    net.host("h1")
    net.host("h2")
    commands = ("root handle 1: stab linklayer atm overhead -4 tbf rate 840kbit burst 1696 limit 400000",)
    net.link("h1", "h2", a_to_b=Shape(qdiscs=commands))
    (info,) = requested_values.queues(addressed(net.topology)).values()
    assert (info.rate_mbit, info.discipline, info.accounting.charged_bytes(1514)) == (0.84, "tbf", 32 * 53)


def test_requested_losses_of_links() -> None:
    bursts = Impairments(gilbert_elliott=GilbertElliott(to_bad_percent=1, to_good_percent=24))
    net = Network("Cables")
    for name in ("h1", "h2", "h3", "h4"):
        net.host(name)
    net.link("h1", "h2", a_to_b=Shape(loss_percent=2), b_to_a=Shape(impairments=bursts))
    net.link("h2", "h3")
    net.link("h3", "h4", both=Shape(loss_percent=1, impairments=Impairments(loss_correlation_percent=20)))
    links = requested_values.cables(addressed(net.topology))
    losses = {name: (link.loss_percent, link.likeness) for name, link in links.items()}
    assert losses == {"l1:h1-h2": (2, 0), "l1:h2-h1": (pytest.approx(4), pytest.approx(0.75))}

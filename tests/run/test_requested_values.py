"""The parts of a drawing that results are judged by, against sums done by hand."""

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
    """A lab of which only paths are asked: what its kernels' tables have, by who begins."""

    topology: Topology
    stops: dict[str, tuple[PathStop, ...]] = field(default_factory=dict)

    def path(self, source: str, destination: str, **_: Any) -> LabPath:
        if source not in self.stops:
            raise LabFailed("nobody answers")
        return LabPath(source, destination, "10.0.0.1", stops=self.stops[source])

    def path_back(self, path: LabPath, **_: Any) -> LabPath:
        return self.path(path.destination, path.source)


def _stops(*ways: tuple[str, ...]) -> tuple[PathStop, ...]:
    """Stops of ways that are written "h1", "l1", "r1", "l2 s1 l3", "h2": between nodes what is passed."""
    hops: dict[str, dict[str, PathHop]] = {}
    for way in ways:
        for node, passed, beyond in zip(way[::2], way[1::2], way[2::2], strict=False):
            words = passed.split()
            hop = PathHop(f"{node}-eth0", node=beyond, links=tuple(words[::2]), switches=tuple(words[1::2]))
            hops.setdefault(node, {})[beyond] = hop
    last = ways[0][-1]
    return (*(PathStop(node, hops=tuple(each.values())) for node, each in hops.items()), PathStop(last, is_end=True))


def _said(lab: _Lab) -> dict[str, Any]:
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
    back = ("h2", "l5 s1 l6", "r3", "l3", "r1", "l1", "h1")
    said = _said(_Lab(topology, {"h1": _stops(*both), "h2": _stops(back)}))
    # There 10 + 100 or 4, back 2; the jitter may take 3 from the longer, and never makes it the shorter.
    assert said["drawn_rtt_ms"] == pytest.approx(4 + 2)
    assert said["rtt_low_ms"] == pytest.approx(4 + 2, abs=0.02)
    sending_ms = 98 * 8 / 1e6 * 1e3
    assert said["rtt_high_ms"] == pytest.approx(110 + 3 + 2 + sending_ms + 0.5 + 0.1 * 8)
    one = _said(_Lab(topology, {"h1": _stops(both[0]), "h2": _stops(back)}))
    assert (one["drawn_rtt_ms"], one["rtt_low_ms"]) == (pytest.approx(112), pytest.approx(109, abs=0.02))


def test_an_unknown_path_is_no_failure_of_a_run() -> None:
    net = Network("No way")
    net.host("h1", tcp=TcpTuning(pacing=True))
    net.host("h2")
    net.link(end("h1", "10.0.0.2/24"), end("h2", "10.0.0.1/24"), a_to_b=Shape(delay_ms=5))
    net.flow("f", "h1", "h2")
    topology = addressed(net.topology)
    assert _said(_Lab(topology)) == {"paced_by": "fq", "path": None}
    lost = (PathStop("h1", why="has no route"),)
    assert _said(_Lab(topology, {"h1": lost, "h2": lost})) == {"paced_by": "fq", "path": None}


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
    found = requested_values.queues(addressed(net.topology))
    assert list(found) == [f"l{n}:r1-h{n}" for n in range(1, 6)]
    counted = [(each.counts, each.limit_packets, each.limit_bytes, each.is_exact) for each in found.values()]
    assert counted == [
        ("packets", 33, 33 * FULL_FRAME_BYTES, True),
        ("bytes", None, 50_000, True),  # 10 Mbit/s for 40 ms
        ("", None, None, True),
        ("", None, None, False),
        ("", None, None, True),
    ]
    assert {each.frame_bytes for each in found.values()} == {FULL_FRAME_BYTES}
    charged = [each.accounting.charged_bytes(FULL_FRAME_BYTES) for each in found.values()]
    assert charged == [1514, 1514, 1514, 1514, 1538]  # cake's overhead takes the place of the Ethernet header


def test_limits_are_those_of_the_mtu() -> None:
    net = Network("Large frames")
    net.host("h1")
    net.host("h2")
    ends = [end(name, mtu_bytes=9000) for name in ("h1", "h2")]
    net.link(*ends, a_to_b=Shape(rate_mbit=10, queue_packets=33), b_to_a=Shape(rate_mbit=1))
    there, back = requested_values.queues(addressed(net.topology)).values()
    assert (there.frame_bytes, there.limit_packets, there.limit_bytes) == (9014, 33, 33 * 9014)
    assert back.limit_bytes == 10 * 9014  # 100 ms of 1 Mbit/s are little more than one frame


def test_a_size_table_in_own_commands_is_known_to_figures() -> None:
    net = Network("ATM")
    net.host("h1")
    net.host("h2")
    own = ("root handle 1: stab linklayer atm overhead -4 tbf rate 840kbit burst 1696 limit 400000",)
    net.link("h1", "h2", a_to_b=Shape(qdiscs=own))
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
    found = requested_values.cables(addressed(net.topology))
    said = {name: (each.loss_percent, each.likeness) for name, each in found.items()}
    assert said == {"l1:h1-h2": (2, 0), "l1:h2-h1": (pytest.approx(4), pytest.approx(0.75))}

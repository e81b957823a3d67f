"""The examples of links, as values: queue disciplines under the same load, and a rate that swings."""

from __future__ import annotations

from typing import Any

from frrlib.edits.routing_presets import ospf_everywhere
from frrlib.model.queues import AnyDiscipline
from frrlib.model.topology import Topology
from frrlib.network.network import Cake, ConstantRate, Course, FqCodel, Network, Pfifo, Pie, Shape, end

_QUEUES: tuple[tuple[str, AnyDiscipline, float | None], ...] = (
    ("pfifo", Pfifo(), 10.0),
    ("fq_codel", FqCodel(), None),
    ("cake", Cake(), None),
    ("pie", Pie(), None),
)


def queues() -> Topology:
    """Four bottlenecks that differ only in the discipline and limit of their queue."""
    net = Network("Four queue disciplines under the same load")
    net.router("r1", at=(420, 260))
    back = Shape(delay_ms=60)
    for number, (kind, discipline, limit) in enumerate(_QUEUES, start=1):
        y = 80 + 120 * (number - 1)
        net.host(f"s{number}", at=(120, y))
        net.host(f"d{number}", at=(720, y), label=kind)
        net.link(end(f"s{number}"), end("r1"))
        shape = Shape(rate_mbit=10, delay_ms=60, queue=discipline, queue_bdp=limit)
        net.link(end("r1"), end(f"d{number}"), a_to_b=shape, b_to_a=back)
    for number, (kind, _, _) in enumerate(_QUEUES, start=1):
        net.flow(kind, f"s{number}", f"d{number}", congestion_control="cubic", duration_s=20, count=4)
    net.note("n1", x=150, y=500, width=560, height=66, text=(
        "The same load on four links of 10 Mbit/s and a base RTT of 120 ms. The queue\n"
        "of pfifo takes 10 bandwidth-delay products, and four flows fill it;\n"
        "the others keep the delay near their targets."))  # fmt: skip
    return net.topology


def square_wave() -> Topology:
    """A flow over a link whose rate goes up and down while it runs."""
    net = Network("A rate that swings between 5 and 20 Mbit/s")
    net.host("h1", at=(100, 200))
    net.router("r1", at=(380, 200))
    net.host("h2", at=(680, 200))
    net.link(end("h1"), end("r1"))
    net.link(
        end("r1"), end("h2"), a_to_b=Shape(rate_mbit=20, delay_ms=20, queue_bytes=250_000), b_to_a=Shape(delay_ms=20)
    )
    net.flow("cubic", "h1", "h2", congestion_control="cubic", duration_s=24)
    course = Course(pattern="square", low=5, high=20, period_s=8)
    net.fault(4, "varied", "l2", duration_s=20, towards="h2", course=course)
    net.note("n1", x=180, y=290, width=420, height=50, text=(
        "From second 4 on the link's rate is 5 Mbit/s for 4 s, then 20 for 4 s,\n"
        "and so on. It is changed in place, without loss of packets."))  # fmt: skip
    return net.topology


#: The six flows, in the order in which they start: congestion control, or a rate of datagrams in Mbit/s.
SIX: tuple[str | float, ...] = ("cubic", "bbr", "reno", 10.0, "cubic", "bbr")


def six_flows() -> Topology:
    """Three kinds of congestion control and datagrams over one bottleneck, one flow after the other."""
    net = Network("Six flows, one bottleneck of 100 Mbit/s")
    net.router("r1", at=(340, 300))
    net.router("r2", at=(620, 300))
    for number in range(1, len(SIX) + 1):
        y = 300 + 88 * (number - 3.5)
        net.host(f"s{number}", at=(110, y))
        net.host(f"d{number}", at=(850, y))
    shape = Shape(rate_mbit=100, delay_ms=10, queue_bdp=1.0)
    net.link(end("r1"), end("r2"), both=shape)
    for number in range(1, len(SIX) + 1):
        net.link(end(f"s{number}"), end("r1"))
        net.link(end("r2"), end(f"d{number}"))
    for number, kind in enumerate(SIX, start=1):
        name = f"{kind}-{SIX[:number].count(kind)}" if isinstance(kind, str) else "udp"
        how: dict[str, Any] = {"congestion_control": kind}
        if isinstance(kind, float):
            how = {"congestion_control": "", "traffic": ConstantRate(rate_mbit=kind)}
        start_s = 3.0 * (number - 1)
        net.flow(name, f"s{number}", f"d{number}", start_s=start_s, duration_s=30.0 - start_s, **how)
    return ospf_everywhere(net.topology)


def two_hosts() -> Topology:
    """The smallest network: two hosts at a plain switch. Its flows are left to the reader, as a first one to draw."""
    net = Network("Two hosts and a switch")
    net.host("h1", at=(140, 200))
    net.bridge("s1", at=(380, 200))
    net.host("h2", at=(620, 200))
    # A delay before the queue, so that a flow from h1 is not held back by its own kernel before the queue is full.
    # There and back 20 ms: 30 packets are nearly two bandwidth-delay products.
    net.link(end("h1"), end("s1"), both=Shape(delay_ms=5))
    net.link(end("s1"), end("h2"), both=Shape(rate_mbit=10, delay_ms=5, queue_packets=30))
    return net.topology


def bbr_against_cubic() -> Topology:
    """A BBR and a CUBIC flow that begin together and share one bottleneck."""
    net = Network("BBR against CUBIC")
    net.router("r1", at=(320, 200))
    net.router("r2", at=(560, 200))
    net.link(end("r1"), end("r2"), both=Shape(rate_mbit=10, delay_ms=20, queue_bdp=2))
    for number, (kind, y) in enumerate((("bbr", 120), ("cubic", 280)), start=1):
        net.host(f"s{number}", at=(120, y))
        net.host(f"d{number}", at=(760, y))
        net.link(end(f"s{number}"), end("r1"))
        net.link(end("r2"), end(f"d{number}"))
        net.flow(kind, f"s{number}", f"d{number}", congestion_control=kind, duration_s=20)
    return ospf_everywhere(net.topology)


ALL = {
    "two-hosts": two_hosts, "bbr-against-cubic": bbr_against_cubic, "queues": queues, "square-wave": square_wave,
    "six-flows": six_flows,
}  # fmt: skip

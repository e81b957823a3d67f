"""The drawings in examples/, as values: the required content of the files there.

python -m tests.examples.data        writes them again
"""

from __future__ import annotations

import math
from ipaddress import ip_address, ip_network
from pathlib import Path

from frrlib.errors import PlaceError
from frrlib.formats import mn
from frrlib.lab.lab import Lab
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Router
from frrlib.model.routing import Bgp, BgpNeighbor, Ospf
from frrlib.model.topology import Topology
from tests.examples import bgp as bgp_examples
from tests.examples import faults as faults_examples
from tests.examples import flows as flows_examples
from tests.examples import igp as igp_examples
from tests.examples import links as links_examples
from tests.examples import more as more_examples

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: Those whose faults `run/test_planned_faults.py` makes, in virtual time.
DEMONSTRATIONS = ("ospf-reroute", "ospf-reroute-bfd")


def short(name: str, duration_s: float = 1.0) -> Topology:
    """An example with short flows: together where the example has them together, else in turn, half a second apart."""
    topology = mn.load(EXAMPLES / f"{name}.mn").topology
    together = len({flow.start_s for flow in topology.flows}) == 1
    changes: list[dict[str, float]] = [
        {"duration_s": duration_s, "start_s": 0.0 if together else (duration_s + 0.5) * index}
        for index in range(len(topology.flows))
    ]
    flows = [flow.model_copy(update=change) for flow, change in zip(topology.flows, changes, strict=True)]
    return topology.model_copy(update={"flows": tuple(flows)})


def tried(topology: Topology, place: str) -> str:
    """The reason why a lab of a topology does not build, converge and answer a ping in a place; empty if it does."""
    try:
        with Lab(topology, place=place) as lab:
            lab.wait_converged()
            answer = lab.ping(topology.hosts[0].name, topology.hosts[-1].name, 1)
            return "" if answer["received"] else f"no ping came back from {answer['address']}"
    except PlaceError as error:
        return error.missing
    except Exception as error:  # the other examples are tried all the same
        return f"{type(error).__name__}: {error}"


def two_as_bgp() -> Topology:
    """Two autonomous systems of one router and one host each, joined by a slow link."""
    slow = Shape(rate_mbit=10, delay_ms=20, queue_bdp=1)
    return Topology(
        title="Two autonomous systems, joined by BGP",
        nodes=(
            Host(name="h1", number=1, x=100, y=200, default_route=ip_address("10.0.0.1")),
            Host(name="h2", number=2, x=640, y=200, default_route=ip_address("10.1.0.1")),
            Router(name="r1", number=1, x=280, y=200, bgp=_bgp(100, "10.0.0.0/16", "10.9.0.2", 200)),
            Router(name="r2", number=2, x=460, y=200, bgp=_bgp(200, "10.1.0.0/16", "10.9.0.1", 100)),
        ),
        links=(
            Link(id="l1", a=_end("h1", "eth0", "10.0.0.10/16"), b=_end("r1", "eth1", "10.0.0.1/16")),
            Link(
                id="l2",
                a=_end("r1", "eth0", "10.9.0.1/16"),
                b=_end("r2", "eth1", "10.9.0.2/16"),
                a_to_b=slow,
                b_to_a=slow,
            ),
            Link(id="l3", a=_end("r2", "eth0", "10.1.0.1/16"), b=_end("h2", "eth0", "10.1.0.10/16")),
        ),
        flows=(
            Flow(id="cubic", source="h1", destination="h2", congestion_control="cubic", start_s=0, duration_s=10),
            Flow(id="bbr", source="h1", destination="h2", congestion_control="bbr", start_s=11, duration_s=10),
        ),
    )


def two_as_no_delay() -> Topology:
    """The same without delay, so that a kernel without netem can carry it."""
    slow = Shape(rate_mbit=10, queue_bytes=50_000)
    drawing = two_as_bgp()
    links = tuple(
        link.model_copy(update={"a_to_b": slow, "b_to_a": slow}) if link.is_shaped else link for link in drawing.links
    )
    return drawing.model_copy(update={"title": "Two autonomous systems, no delay", "links": links})


def _end(node: str, interface: str, address: str) -> End:
    return End.model_validate({"node": node, "interface": f"{node}-{interface}", "addresses": [address]})


def _bgp(asn: int, network: str, neighbor: str, remote_as: int) -> Bgp:
    return Bgp(
        asn=asn,
        networks=(ip_network(network),),
        neighbors=(BgpNeighbor(address=ip_address(neighbor), remote_as=remote_as),),
    )


def ospf_multihop() -> Topology:
    """Five routers in a ring, a sixth behind the third, and two flows that share the link to it."""
    fast = Shape(rate_mbit=100, delay_ms=2)
    # There and back 18 ms: 30 packets are two bandwidth-delay products of the whole way.
    slow = Shape(rate_mbit=10, delay_ms=5, queue_packets=30)
    ospf = Ospf(hello_s=1, dead_s=4)
    ring = [
        Router(
            name=f"r{number}",
            number=number,
            x=round(400 - 170 * math.cos((number - 1) * math.tau / 5)),
            y=round(260 - 170 * math.sin((number - 1) * math.tau / 5)),
            ospf=ospf,
        )
        for number in range(1, 6)
    ]
    third = ring[2]
    tail = Router(name="r6", number=6, x=third.x + 150, y=third.y, ospf=ospf)
    hosts = (
        Host(name="h1", number=1, x=ring[0].x - 140, y=ring[0].y),
        Host(name="h2", number=2, x=tail.x + 150, y=tail.y),
    )
    pairs = [("r1", "r2"), ("r2", "r3"), ("r3", "r4"), ("r4", "r5"), ("r5", "r1"), ("r3", "r6")]
    pairs += [("h1", "r1"), ("r6", "h2")]
    shapes = [fast] * 5 + [slow, Shape(), Shape()]
    return Topology(
        title="Two flows over several hops of OSPF",
        nodes=(*hosts, *ring, tail),
        links=tuple(
            Link(id=f"l{number}", a=End(node=a), b=End(node=b), a_to_b=shape, b_to_a=shape)
            for number, ((a, b), shape) in enumerate(zip(pairs, shapes, strict=True), start=1)
        ),
        flows=(
            Flow(id="cubic", source="h1", destination="h2", congestion_control="cubic"),
            Flow(id="bbr", source="h1", destination="h2", congestion_control="bbr"),
        ),
    )


ALL = {
    "two-as-bgp": two_as_bgp,
    "two-as-no-delay": two_as_no_delay,
    "ospf-multihop": ospf_multihop,
    "ospf-reroute": lambda: faults_examples.reroute(ospf_multihop(), bfd=False),
    "reroute": lambda: faults_examples.fail_over(ospf_multihop()),
    "ospf-reroute-bfd": lambda: faults_examples.reroute(ospf_multihop(), bfd=True),
    **igp_examples.ALL,
    **more_examples.ALL,
    **bgp_examples.ALL,
    **links_examples.ALL,
    **flows_examples.ALL,
}


if __name__ == "__main__":
    for name, make in ALL.items():
        mn.save(make(), EXAMPLES / f"{name}.mn")

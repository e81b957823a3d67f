"""The drawings in examples/ that show the consequences of a fault, as values."""

from __future__ import annotations

from frrlib.model.faults import Fault
from frrlib.model.flows import Flow
from frrlib.model.nodes import Node, Router
from frrlib.model.routing import Bfd
from frrlib.model.topology import Topology


def reroute(ring: Topology, *, bfd: bool) -> Topology:
    """One flow around a ring of OSPF routers whose first link fails twice: unseen, all its packets are lost; then with
    its carrier. OSPF says hello every 2 s and waits for 8 s; with `bfd` the routers watch each other every 100 ms."""
    return ring.model_copy(
        update={
            "title": f"OSPF finds another path: {'with BFD' if bfd else 'by its dead timer'}",
            "nodes": tuple(_timed(node, bfd) for node in ring.nodes),
            "flows": (Flow(id="cubic", source="h1", destination="h2", duration_s=28),),
            "faults": (
                Fault(kind="loss", target="l1", time_s=4, duration_s=12),
                Fault(kind="link-down", target="l1", time_s=22),
            ),
        }
    )


def fail_over(ring: Topology) -> Topology:
    """BBR and CUBIC share the way round the ring when its first link fails twice, silently and then with its carrier:
    what the routers do, and what either makes of it. OSPF says hello every second and waits for four."""
    flows = (Flow(id=control, source="h1", destination="h2", congestion_control=control, duration_s=28)
             for control in ("bbr", "cubic"))  # fmt: skip
    return ring.model_copy(
        update={
            "title": "A link fails under BBR and CUBIC",
            "flows": tuple(flows),
            "faults": (
                Fault(kind="loss", target="l1", time_s=6, duration_s=8),
                Fault(kind="link-down", target="l1", time_s=22),
            ),
        }
    )


def _timed(node: Node, bfd: bool) -> Node:
    if not isinstance(node, Router) or node.ospf is None:
        return node
    ospf = node.ospf.model_copy(update={"hello_s": 2, "dead_s": 8, "bfd": bfd})
    return node.model_copy(update={"ospf": ospf, "bfd": Bfd(transmit_ms=100, receive_ms=100) if bfd else None})

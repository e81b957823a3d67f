"""A topology built in Python, piece by piece. Exported scripts use this module.

    net = Network("Two routers")
    net.router("r1", ospf=Ospf())
    net.router("r2", ospf=Ospf())
    net.link("r1", end("r2", "10.0.0.2/24"), both=Shape(rate_mbit=10, delay_ms=20))
    net.flow("f1", "r1", "r2", congestion_control="bbr")

Missing addresses and names of interfaces are filled in when the network runs. Addresses may be texts.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError

from frrlib.errors import TopologyError
from frrlib.model.annotations import Annotation
from frrlib.model.base import Value, first_fault
from frrlib.model.courses import Course
from frrlib.model.faults import Fault, LinkValues
from frrlib.model.flows import Flow, Wait
from frrlib.model.impairments import FourStates, GilbertElliott, Impairments
from frrlib.model.links import End, Link, Shape
from frrlib.model.names import numbered
from frrlib.model.nodes import Bridge, Controller, Host, Node, PrivateDirectory, Router, Switch, VlanInterface
from frrlib.model.queues import (
    Bfifo,
    Cake,
    Choke,
    Codel,
    DualPi2,
    Fq,
    FqCodel,
    FqPie,
    Pfifo,
    Pie,
    Red,
    Sfb,
    Sfq,
)
from frrlib.model.routing import (
    AsPathList,
    AsPathRule,
    Bfd,
    BfdPeer,
    Bgp,
    BgpAggregate,
    BgpNeighbor,
    BgpPeerGroup,
    BgpUnnumbered,
    CommunityList,
    CommunityRule,
    Isis,
    IsisInterface,
    Ldp,
    Ospf,
    Ospf6,
    OspfArea,
    OspfInterface,
    Pim,
    PimInterface,
    PimRp,
    PrefixList,
    PrefixRule,
    Redistribution,
    Rip,
    RipInterface,
    Ripng,
    RouteMap,
    RouteMapEntry,
    StaticRoute,
    Vrf,
)
from frrlib.model.tcp import TcpTuning
from frrlib.model.topology import Netflow, OpenFlowVersions, Preferences, Sflow, Topology
from frrlib.model.traffic.kinds import (
    Bulk,
    Command,
    ConstantRate,
    OneWayDelay,
    OnOff,
    Ping,
    RequestResponse,
    Video,
    Voip,
    WebPage,
)

__all__ = [
    "AsPathList",
    "AsPathRule",
    "Bfd",
    "BfdPeer",
    "Bfifo",
    "Bgp",
    "BgpAggregate",
    "BgpNeighbor",
    "BgpPeerGroup",
    "BgpUnnumbered",
    "Bulk",
    "Cake",
    "Choke",
    "Codel",
    "Command",
    "CommunityList",
    "CommunityRule",
    "ConstantRate",
    "Course",
    "DualPi2",
    "FourStates",
    "Fq",
    "FqCodel",
    "FqPie",
    "GilbertElliott",
    "Impairments",
    "Isis",
    "IsisInterface",
    "Ldp",
    "LinkValues",
    "Netflow",
    "Network",
    "OnOff",
    "OneWayDelay",
    "OpenFlowVersions",
    "Ospf",
    "Ospf6",
    "OspfArea",
    "OspfInterface",
    "Pfifo",
    "Pie",
    "Pim",
    "PimInterface",
    "PimRp",
    "Ping",
    "Preferences",
    "PrefixList",
    "PrefixRule",
    "PrivateDirectory",
    "Red",
    "Redistribution",
    "RequestResponse",
    "Rip",
    "RipInterface",
    "Ripng",
    "RouteMap",
    "RouteMapEntry",
    "Sfb",
    "Sflow",
    "Sfq",
    "Shape",
    "StaticRoute",
    "TcpTuning",
    "Video",
    "VlanInterface",
    "Voip",
    "Vrf",
    "Wait",
    "WebPage",
    "end",
]

_PLAIN = Shape()
_KINDS: dict[str, type[Node]] = {
    "host": Host,
    "router": Router,
    "switch": Switch,
    "bridge": Bridge,
    "controller": Controller,
}
V = TypeVar("V", bound=Value)


def end(node: str, *addresses: str, **fields: Any) -> End:
    """One end of a link at a node.

    Args:
        node: name of the node.
        addresses: addresses with prefix length ("10.0.0.1/16"); none for automatic ones.
        fields: the other fields of `End`: interface, mac, mtu_bytes, ospf_cost.

    Raises:
        TopologyError: a value is invalid.
    """
    return _build(End, str(node), {"node": node, "addresses": addresses, **fields})


class Network:
    """A topology that is built step by step.

    Args:
        title: a few words for people.
        fields: the other fields of `Topology` that are not lists: wait, preferences, foreign.

    All methods raise TopologyError for an invalid value. `check` reports values that do not fit together when the
    network runs.
    """

    def __init__(self, title: str = "", **fields: Any) -> None:
        self._topology = _build(Topology, "", {"title": title, **fields})

    @property
    def topology(self) -> Topology:
        """The topology built so far, as a value."""
        return self._topology

    def host(self, name: str, **fields: Any) -> None:
        """Add a host. Fields are those of `Host`, and `at`, its place on the canvas as (x, y)."""
        self._node("host", name, fields)

    def router(self, name: str, **fields: Any) -> None:
        """Add a router. Fields are those of `Router` (ospf, bgp, static_routes, frr_conf, ...), and `at`."""
        self._node("router", name, fields)

    def switch(self, name: str, **fields: Any) -> None:
        """Add an OpenFlow switch. Fields are those of `Switch`, and `at`."""
        self._node("switch", name, fields)

    def bridge(self, name: str, **fields: Any) -> None:
        """Add a plain bridge. Fields are those of `Bridge`, and `at`."""
        self._node("bridge", name, fields)

    def controller(self, name: str, **fields: Any) -> None:
        """Add an OpenFlow controller. Fields are those of `Controller`, and `at`."""
        self._node("controller", name, fields)

    def link(self, a: str | End, b: str | End, *, both: Shape = _PLAIN, **fields: Any) -> None:
        """Join two nodes.

        Args:
            a, b: names of nodes, or `end(...)` for more than a name.
            both: the shape of both directions.
            fields: the other fields of `Link`: a_to_b and b_to_a (shapes of one direction, instead of `both`), up, id
                (by default "l1", "l2", ... by position).
        """
        position = len(self._topology.links) + 1
        ends = {"a": a if isinstance(a, End) else end(a), "b": b if isinstance(b, End) else end(b)}
        both_ways = {"a_to_b": both, "b_to_a": both}
        link = _build(
            Link, str(fields.get("id", f"l{position}")), {"id": f"l{position}", **ends, **both_ways, **fields}
        )
        self._add("links", link)

    def flow(self, id: str, source: str, destination: str, **fields: Any) -> None:
        """Add a flow from one node to another: bulk data over TCP by default, else the kind in `traffic`.

        Fields are those of `Flow`; `size_bytes` may replace `duration_s`.
        """
        if "size_bytes" in fields:
            fields.setdefault("duration_s", None)
        flow = _build(Flow, str(id), {"id": id, "source": source, "destination": destination, **fields})
        self._add("flows", flow)

    def fault(self, time_s: float, kind: str, target: str = "", **fields: Any) -> None:
        """Plan a fault, `time_s` after the start of the flows. Fields are those of `Fault`: duration_s, loss_percent,
        towards, values (`LinkValues`), course (`Course`), times, period_s."""
        fault = _build(Fault, str(target), {"time_s": time_s, "kind": kind, "target": target, **fields})
        self._add("faults", fault)

    def note(self, id: str, **fields: Any) -> None:
        """Add a note on the canvas. Fields are those of `Annotation`: text, x, y, width, height, fill, line."""
        self._annotation("note", id, fields)

    def rectangle(self, id: str, **fields: Any) -> None:
        """Draw a rectangle behind the nodes. Fields are those of `Annotation`."""
        self._annotation("rectangle", id, fields)

    def ellipse(self, id: str, **fields: Any) -> None:
        """Draw an ellipse behind the nodes. Fields are those of `Annotation`."""
        self._annotation("ellipse", id, fields)

    def _annotation(self, kind: str, id: str, fields: dict[str, Any]) -> None:
        annotation = _build(Annotation, str(id), {"id": id, "kind": kind, **fields})
        self._add("annotations", annotation)

    def _node(self, kind: str, name: str, fields: dict[str, Any]) -> None:
        at = fields.pop("at", None)
        if at is not None:
            fields["x"], fields["y"] = at
        fields.setdefault("number", usual_number(str(name)))
        node = _build(_KINDS[kind], str(name), {"name": name, **fields})
        self._add("nodes", node)

    def _add(self, field: str, value: Value) -> None:
        """Append a value to a field of the topology."""
        self._topology = self._topology.model_copy(update={field: (*getattr(self._topology, field), value)})


def usual_number(name: str) -> int | None:
    """The default running number of a node: the number at the end of its name; None without one."""
    parts = numbered(name)
    return parts[1] if parts else None


def _build(kind: type[V], name: str, fields: dict[str, Any]) -> V:
    try:
        return kind(**fields)
    except ValidationError as problem:
        field, reason = first_fault(problem)
        raise TopologyError(reason, node=name, field=field) from None

"""Converts Mininet's topologies in Python, for users who have one as a class and run it in their own Python:

    from frrlib.formats import mininet_topo, mn
    mn.save(mininet_topo.topology_of(MyTopo()), "my.mn")

The object's methods describe it; Mininet is not imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_interface
from typing import Any, Protocol

from pydantic import ValidationError

from frrlib.edits.spring_layout import auto_layout
from frrlib.errors import TopologyError
from frrlib.formats.entry import Unreadable
from frrlib.formats.units import gateway, interface_address, milliseconds
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Switch
from frrlib.model.topology import Topology


class Topo(Protocol):
    """The required methods of an object of Mininet's class `Topo`."""

    def nodes(self, sort: bool = True) -> list[str]: ...
    def isSwitch(self, n: str) -> bool: ...  # noqa: N802
    def nodeInfo(self, name: str) -> Mapping[str, Any]: ...  # noqa: N802
    def links(self, sort: bool = False, withKeys: bool = False, withInfo: bool = False) -> Any: ...  # noqa: N803


def topology_of(topo: Topo) -> Topology:
    """Convert a Mininet topology with its names, addresses, ports and link options, and lay it out.

    Raises:
        TopologyError: a value has no equivalent; the error has the node or the link.
    """
    nodes = [_node(topo, name) for name in topo.nodes(sort=False)]
    hosts = {
        node.name: address
        for node in nodes
        if isinstance(node, Host) and (address := _address(topo.nodeInfo(node.name), node.name))
    }
    links = []
    for number, (a, b, info) in enumerate(topo.links(sort=False, withInfo=True), start=1):
        shape = link_shape(info, f"l{number}")
        ends = _end(a, info.get("port1"), hosts), _end(b, info.get("port2"), hosts)
        links.append(Link(id=f"l{number}", a=ends[0], b=ends[1], a_to_b=shape, b_to_a=shape))
    return auto_layout(Topology(nodes=tuple(nodes), links=tuple(links)))


def _node(topo: Topo, name: str) -> Host | Switch:
    info = topo.nodeInfo(name)
    try:
        if topo.isSwitch(name):
            return Switch(name=name, dpid=str(info.get("dpid") or ""))
        return Host(name=name, default_route=gateway(info.get("defaultRoute") or ""))
    except (ValidationError, Unreadable) as problem:
        raise TopologyError(_reason(problem), node=name) from None


def _address(info: Mapping[str, Any], name: str) -> Any:
    try:
        return interface_address(info.get("ip") or "")[0]
    except Unreadable as problem:
        raise TopologyError(_reason(problem), node=name, field="ip") from None


def _end(name: str, port: Any, hosts: dict[str, Any]) -> End:
    """A link's end; a host's address belongs to its first interface, as in Mininet."""
    address = hosts.pop(name, None)
    interface = f"{name}-eth{port}" if isinstance(port, int) else ""
    return End(node=name, interface=interface, addresses=(ip_interface(address),) if address else ())


#: Fields of a shape by the supported options of Mininet's class TCLink.
_NUMBERS = {"bw": "rate_mbit", "loss": "loss_percent", "max_queue_size": "queue_packets"}
_TIMES = {"delay": "delay_ms", "jitter": "jitter_ms"}
LINK_OPTIONS = (*_NUMBERS, *_TIMES)


def link_shape(options: Mapping[str, Any], name: str = "") -> Shape:
    """The effect of Mininet's options of a link on packets of one direction; options without effect are left out.

    Args:
        options: bw (Mbit/s), delay and jitter (times in `tc`'s syntax), loss (percent), max_queue_size (packets).
        name: name of the link, for messages.

    Raises:
        TopologyError: an option has an invalid value.
    """
    fields: dict[str, Any] = {field: options[key] for key, field in _NUMBERS.items() if options.get(key) is not None}
    if "rate_mbit" not in fields:
        fields.pop("queue_packets", None)
    try:
        fields |= {field: milliseconds(options[key])[0] for key, field in _TIMES.items() if options.get(key)}
        return Shape(**fields)
    except (ValidationError, Unreadable) as problem:
        raise TopologyError(_reason(problem), node=name) from None


def _reason(problem: Exception) -> str:
    if isinstance(problem, ValidationError):
        error = problem.errors()[0]
        return f"{'.'.join(str(step) for step in error['loc'])}: {error['msg']}"
    return str(problem)

"""The links of a file of containerlab, in both of their forms."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import ip_interface

from frrlib.exchange.containerlab.yaml_text import InvalidYaml, YamlValue
from frrlib.formats.entry import path_text
from frrlib.model.base import Address

#: Types of links with two interfaces of nodes.
_BETWEEN_NODES = ("veth", "veth-stitch")
#: Names in front of a colon that are no nodes.
_OUTSIDE = ("host", "mgmt-net", "macvlan", "vxlan", "vxlan-stitch", "dummy")
_MAC = re.compile(r"([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}")
_FORM = 'endpoints: ["r1:eth1", "r2:eth1"]'


@dataclass(frozen=True)
class LinkEnd:
    """An end of a link: the node's name in the file, the interface, and its settings; `mac` is empty for none."""

    node: str
    interface: str
    mac: str = ""
    addresses: tuple[Address, ...] = ()


@dataclass(frozen=True)
class LinkEntry:
    """A link.

    Attributes:
        place: its place in the file ("links[2]").
        line: its line.
        ends: its ends at nodes: two, or one for a link that leads out of the lab.
        outside: the other end of such a link ("host:br0"); empty for a link between nodes.
        mtu_bytes: its MTU; None for the default.
        unused: keys without a meaning here, with their lines.
    """

    place: str
    line: int
    ends: tuple[LinkEnd, ...]
    outside: str = ""
    mtu_bytes: int | None = None
    unused: tuple[tuple[str, int], ...] = ()


def link_entries(links: YamlValue | None, nodes: Collection[str]) -> list[LinkEntry]:
    """The links of a topology.

    Args:
        links: the value of `topology.links`.
        nodes: the names of all nodes.

    Raises:
        InvalidYaml: a link is not in one of the two forms, or refers to a missing node.
    """
    if links is None:
        return []
    return [_entry(link, nodes) for link in links.items(f"each link as in: - {_FORM}")]


def _entry(link: YamlValue, nodes: Collection[str]) -> LinkEntry:
    members = dict(link.members(f"as in: - {_FORM}"))
    kind = members.pop("type").text() if "type" in members else ""
    place = path_text(link.path[-2:])
    mtu_bytes = _mtu(members.pop("mtu", None))
    if kind and kind not in _BETWEEN_NODES:
        ends = [_end(members.pop("endpoint"))] if "endpoint" in members else []
        outside = kind
        members.clear()
    else:
        ends, outside = _two_ends(link, members, nodes)
    for end in ends:
        if end.node not in nodes:
            reason = f"refers to the node {end.node!r}"
            raise InvalidYaml(reason, link.path, link.line, "add this node under topology.nodes, or correct the name")
    unused = tuple((key, value.line) for key, value in members.items() if key not in ("labels",))
    return LinkEntry(place, link.line, tuple(ends), outside, mtu_bytes, unused)


def _two_ends(link: YamlValue, members: dict[str, YamlValue], nodes: Collection[str]) -> tuple[list[LinkEnd], str]:
    listed = members.pop("endpoints", None)
    if listed is None:
        raise InvalidYaml("has no endpoints", link.path, link.line, f"as in: - {_FORM}")
    items = listed.items(f"as in: {_FORM}")
    if len(items) != 2:
        raise InvalidYaml(f"has {len(items)} endpoints", listed.path, listed.line, f"two, as in: {_FORM}")
    ends = [_end(item) for item in items]
    for key in ("ipv4", "ipv6"):
        values = members.pop(key).items() if key in members else []
        for number, value in enumerate(values[:2]):
            ends[number] = _with_address(ends[number], value)
    outside = [end for end in ends if end.node in _OUTSIDE and end.node not in nodes]
    inside = [end for end in ends if end not in outside]
    return inside, ", ".join(f"{end.node}:{end.interface}" for end in outside)


def _end(value: YamlValue) -> LinkEnd:
    if isinstance(value.content, dict):
        members = value.members()
        node = members["node"].text() if "node" in members else ""
        interface = members["interface"].text() if "interface" in members else ""
        mac = members["mac"].text() if "mac" in members else ""
        if mac and not _MAC.fullmatch(mac):
            raise members["mac"].fault("a hardware address", "as in 02:00:00:00:00:01")
        end = LinkEnd(node, interface, mac.replace("-", ":"))
        for key in ("ipv4", "ipv6"):
            if key in members:
                end = _with_address(end, members[key])
    else:
        node, _, interface = value.text().partition(":")
        end = LinkEnd(node, interface)
    if not end.node or not end.interface:
        raise value.fault("a node and an interface", 'as in "r1:eth1"')
    return end


def _with_address(end: LinkEnd, value: YamlValue) -> LinkEnd:
    text = value.text()
    if not text:
        return end
    try:
        address = ip_interface(text)
    except ValueError:
        raise value.fault("an address", "as in 10.0.0.1/24") from None
    return LinkEnd(end.node, end.interface, end.mac, (*end.addresses, address))


def _mtu(value: YamlValue | None) -> int | None:
    if value is None:
        return None
    text = value.text()
    if not text.isdecimal() or not 576 <= int(text[:9]) <= 65_535:
        raise value.fault("an MTU", "a number of bytes from 576 to 65535")
    return int(text)

"""The read-back of a node's settings and routes from its kernel."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from frrlib.agent.network.netlink import Netlink
from frrlib.agent.network.rtnetlink import (
    FAMILIES,
    MAIN_TABLE,
    addresses_request,
    links_request,
    parse_address,
    parse_link,
    parse_mtu,
    parse_route,
    parse_tcp_metrics,
    routes_request,
)

#: Beginnings of addresses that the kernel makes by itself.
_AUTOMATIC = ("127.", "::1/", "fe80:")


def settings(paths: Mapping[str, str]) -> dict[str, str]:
    """The contents of files below /proc/sys, by key. Missing files are left out."""
    values = {}
    for key, path in paths.items():
        with contextlib.suppress(OSError), open(path, encoding="ascii") as file:
            values[key] = file.read().strip()
    return values


def path_of(key: str) -> str:
    """The file of a setting, "net.ipv4.ip_forward" or "net/mpls/conf/r1-eth0/input"."""
    return "/proc/sys/" + (key if "/" in key else key.replace(".", "/"))


def routes(netlink: Netlink, names: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    """Every route of the main table, a dictionary for each next hop, with the keys of `RoutePlan`.

    Args:
        netlink: a socket of the node.
        names: of interfaces, by index.
    """
    for family in FAMILIES:
        for reply in netlink.dump(routes_request(family)):
            route = parse_route(reply)
            if route is None or route.table != MAIN_TABLE:
                continue
            control, window, receive_window = parse_tcp_metrics(reply)
            for via, index in route.hops:
                yield {
                    "prefix": route.prefix,
                    "via": via,
                    "interface": names.get(index, ""),
                    "congestion_control": control,
                    "initial_window_packets": window,
                    "initial_receive_window_packets": receive_window,
                }


def interfaces(netlink: Netlink) -> list[dict[str, Any]]:
    """Every interface except the loopback's own addresses and link-local ones; see `wire.ChangeLab`."""
    rows: dict[int, dict[str, Any]] = {}
    for reply in netlink.dump(links_request()):
        index, name = parse_link(reply)
        rows[index] = {"name": name, "addresses": [], "mtu": parse_mtu(reply)}
    for reply in netlink.dump(addresses_request()):
        index, address = parse_address(reply)
        if index in rows and not address.startswith(_AUTOMATIC):
            rows[index]["addresses"].append(address)
    return list(rows.values())

"""`lib.bgp`: BGP of routers that are described in JSON."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from frrlib.topotest.checks import (
    modify_as_number,
    verify_as_numbers,
    verify_bgp_bestpath,
    verify_bgp_timers_and_functionality,
    verify_tcp_mss,
)
from frrlib.topotest.config.bgp import NeighborAddresses, peers
from frrlib.topotest.config.create import create_router_bgp
from frrlib.topotest.config.description import Json, listed, within, word_of
from frrlib.topotest.retry import retry
from frrlib.topotest.unsupported import absent
from frrlib.topotest.verify import expected_prefixes, verify_bgp_community, verify_bgp_rib

__all__ = [
    "create_router_bgp",
    "modify_as_number",
    "verify_as_numbers",
    "verify_bgp_bestpath",
    "verify_bgp_community",
    "verify_bgp_rib",
    "verify_bgp_timers_and_functionality",
    "verify_tcp_mss",
]

#: Every other name that tests import from here.
__getattr__ = absent("lib.bgp")
_UP = "Established"


def _instances(topo: Json, router: str) -> list[Json]:
    return listed(topo["routers"][router].get("bgp"))


def _states(tgen: Any, router: str) -> dict[tuple[str, str, str], str]:
    """State of every session: by VRF, address family and neighbor's address."""
    states = {}
    summary = tgen.routers()[router].vtysh_cmd("show bgp vrf all summary json", isjson=True)
    for vrf, families in summary.items():
        for family, family_summary in families.items():
            if isinstance(family_summary, dict):
                states.update(
                    {(vrf, family, peer): session["state"] for peer, session in family_summary.get("peers", {}).items()}
                )
    return states


@retry(retry_timeout=150)
def verify_bgp_convergence(tgen: Any, topo: Json | None = None, dut: str | None = None) -> Any:
    """Whether every session in a network's description is established; with `dut` only those of one router."""
    topo = topo or tgen.json_topo
    for router in tgen.routers():
        if not _instances(topo, router) or dut not in (None, router):
            continue
        states = _states(tgen, router)
        if not states:
            return f"{router}: BGP does not run"
        for vrf, family, address in _described_sessions(tgen, topo, router):
            state = states.get((vrf, family, address))
            if state != _UP:
                return f"{router}: the session with {address} ({family}, {vrf}) is {state or 'not there'}"
    return True


def _described_sessions(tgen: Any, topo: Json, router: str) -> Iterator[tuple[str, str, str]]:
    """The sessions in a description, in the form of `_states`."""
    session = NeighborAddresses(tgen, topo["routers"], router)
    for instance in _instances(topo, router):
        vrf = instance.get("vrf") or "default"
        for family, address_family in instance.get("address_family", {}).items():
            if family == "l2vpn":
                for name, links in (address_family.get("evpn", {}).get("neighbor") or {}).items():
                    for inner, link_names in links.items():
                        yield from ((vrf, "l2VpnEvpn", session.address(name, link, {}, inner)) for link in link_names)
            else:
                for name, link, peer in peers(address_family.get("unicast") or {}):
                    yield vrf, f"{family}Unicast", session.address(name, link, peer, family)


@retry(retry_timeout=150)
def verify_bgp_convergence_from_running_config(tgen: Any, dut: str | None = None) -> Any:
    """Whether every session that runs on a router, or on all, is established."""
    for router in tgen.routers():
        if dut in (None, router):
            states = _states(tgen, router)
            if not states:
                return f"{router}: BGP does not run"
            for (vrf, _, peer), state in states.items():
                if state != _UP:
                    return f"{router}: the session with {peer} ({vrf}) is {state}"
    return True


def clear_bgp(tgen: Any, addr_type: str, router: str, vrf: Any = None, neighbor: str | None = None) -> None:
    """Reset sessions of a router: all of a family, or one."""
    family = "ip" if addr_type == "ipv4" else "ipv6" if addr_type == "ipv6" else ""
    for vrf_name in listed(vrf) or [""]:
        words = [
            "clear",
            family if not vrf_name or family else "",
            "bgp",
            f"vrf {vrf_name}" if vrf_name else "",
            neighbor or "*",
        ]
        tgen.routers()[router].vtysh_cmd(" ".join(filter(None, words)))
    time.sleep(5)


def clear_bgp_and_verify(tgen: Any, topo: Json, router: str) -> Any:
    """Reset all sessions of a router, and wait until they are established again."""
    tgen.routers()[router].vtysh_cmd("clear bgp *")
    time.sleep(2)
    return verify_bgp_convergence(tgen, topo, router)


@retry(retry_timeout=8)
def verify_router_id(tgen: Any, topo: Json, input_dict: Json) -> Any:
    """Whether routers have the router IDs of a description."""
    for name, description in input_dict.items():
        summary = tgen.routers()[name].vtysh_cmd("show bgp summary json", isjson=True)
        ids = {
            family_summary.get("routerId") for family_summary in summary.values() if isinstance(family_summary, dict)
        }
        for instance in listed(description["bgp"]):
            expected = instance.get("router_id")
            if expected and not instance.get("del_router_id") and expected not in ids:
                return f"{name}: its router id is {', '.join(map(str, ids))}, not {expected}"
    return True


def get_dut_as_number(tgen: Any, dut: str) -> Any:
    """The AS number of a router."""
    return _instances(tgen.json_topo, dut)[0]["local_as"]


def _paths(tgen: Any, router: str, family: str, prefix: str) -> list[Json]:
    reply = tgen.routers()[router].vtysh_cmd(f"show bgp {family} {prefix} json", isjson=True)
    return list(reply.get("paths", []))


@retry(retry_timeout=16)
def verify_bgp_attributes(
    tgen: Any, addr_type: str, dut: str, static_routes: Any, rmap_name: Any = None, input_dict: Json | None = None,
    seq_id: Any = None, nexthop: Any = None,
) -> Any:  # fmt: skip
    """Whether prefixes on a router have the attributes that route maps of a description set."""
    for prefix in listed(static_routes):
        paths = _paths(tgen, dut, addr_type, prefix)
        if not paths:
            return f"{dut}: bgpd has no {prefix}"
        for description in (input_dict or {}).values():
            for name, entries in description.get("route_maps", {}).items():
                if name not in listed(rmap_name):
                    continue
                for entry in entries:
                    if seq_id is not None and entry.get("seq_id") not in listed(seq_id):
                        continue
                    for key, expected in entry.get("set", {}).items():
                        actual = [path.get(key) for path in paths]
                        if key in ("locPrf", "metric", "weight") and expected not in actual:
                            return f"{dut}: {prefix} has {key} {actual}, not {expected}"
    return True


_BEST = {"locPrf": max, "weight": max, "metric": min}
_ORIGINS = ("IGP", "EGP", "incomplete")


@retry(retry_timeout=8)
def verify_best_path_as_per_bgp_attribute(
    tgen: Any, addr_type: str, router: str, input_dict: Json, attribute: str
) -> Any:
    """Whether the best paths of a router are best in an attribute: locPrf, weight, metric, path, aspath or origin.

    Prefixes without a best path, such as those with unreachable next hops, are skipped: FRR's tests contain some.
    """
    for vrf, prefix, _ in expected_prefixes(input_dict, addr_type):
        table = tgen.routers()[router].vtysh_cmd(f"show bgp {within(vrf)}{addr_type} json", isjson=True)
        paths = table.get("routes", {}).get(prefix, [])
        best = next((path for path in paths if path.get("bestpath")), None)
        if best is None:
            continue
        values = [_value(path, attribute) for path in paths]
        expected = _BEST.get(attribute, min)(values)
        if _value(best, attribute) != expected:
            return f"{router}: the best path to {prefix} has {attribute} {_value(best, attribute)}, not {expected}"
    return True


def _value(path: Json, attribute: str) -> int:
    if attribute in ("path", "aspath"):
        return len(str(path.get("path", "")).split())
    if attribute == "origin":
        return _ORIGINS.index(path["origin"])
    return int(path.get(attribute, 0))


@retry(retry_timeout=10)
def verify_best_path_as_per_admin_distance(
    tgen: Any, addr_type: str, router: str, input_dict: Json, attribute: str, vrf: str | None = None
) -> Any:
    """Whether a router's routes, if present, use the next hop with the least distance at the announcing routers."""
    command = f"show {word_of(addr_type)} route {within(vrf)}json"
    table = tgen.routers()[router].vtysh_cmd(command, isjson=True)
    if not table:
        return f"{router}: has no route"
    for announcer, description in input_dict.items():
        routes = tgen.routers()[announcer].vtysh_cmd(command, isjson=True)
        for static_route in description["static_routes"]:
            distances = {
                hop.get("ip"): route["distance"]
                for route in routes[static_route["network"]]
                for hop in route["nexthops"]
            }
            least = min(distances, key=lambda hop: distances[hop])
            for route in table.get(static_route["network"], [])[:1]:
                if route["nexthops"][0].get("ip") != least:
                    return f"{router}: the route to {static_route['network']} does not go by {least}"
    return True

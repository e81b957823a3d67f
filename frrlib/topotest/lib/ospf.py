"""`lib.ospf`: OSPF of routers that are described in JSON."""

from __future__ import annotations

import time
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

from frrlib.topotest.config.create import config_ospf_interface, create_router_ospf
from frrlib.topotest.config.description import Json, addresses
from frrlib.topotest.config.ospf import WORDS
from frrlib.topotest.retry import retry
from frrlib.topotest.unsupported import absent
from frrlib.topotest.verify import missing_next_hops, value_difference

__all__ = ["config_ospf_interface", "create_router_ospf"]

#: Every other name that tests import from here.
__getattr__ = absent("lib.ospf")
config_ospf6_interface = config_ospf_interface


def clear_ospf(tgen: Any, router: str, ospf: str | None = None) -> None:
    """Restart the OSPF process of a router."""
    tgen.routers()[router].vtysh_cmd(f"clear {_words(ospf)} process")
    time.sleep(1)


def _words(ospf: str | None) -> str:
    """The word for OSPF in commands; version 2 by default."""
    return WORDS["ospf6" if ospf == "ospf6" else "ospf"]


def redistribute_ospf(tgen: Any, topo: Json, dut: str, route_type: str, **options: Any) -> None:
    """Let OSPF of a router redistribute other routes; with `delete=True` stop that."""
    entry: Json = {
        "redist_type": route_type,
        **{key: options[key] for key in ("route_map", "delete") if key in options},
    }
    result = create_router_ospf(tgen, topo, {dut: {"ospf": {"redistribute": [entry]}}})
    assert result is True, result


@retry(retry_timeout=80)
def verify_ospf_neighbor(
    tgen: Any, topo: Json | None = None, dut: str | None = None, input_dict: Json | None = None, lan: bool = False
) -> Any:
    """Whether routers have the neighbors of a description, in the described states and roles."""
    described = (topo or tgen.json_topo)["routers"]
    for name, router in tgen.routers().items():
        expected_ospf = (input_dict or described).get(name, {}).get("ospf")
        if expected_ospf is None or dut not in (None, name):
            continue
        reply = router.vtysh_cmd("show ip ospf neighbor all json", isjson=True)
        if not reply:
            return f"{name}: OSPF does not run, or has no neighbor"
        reply = reply.get("neighbors", reply)
        for peer, expected in expected_ospf.get("neighbors", {}).items():
            neighbors = reply.get(described[peer]["ospf"]["router_id"])
            if not neighbors:
                return f"{name}: {peer} is no neighbor"
            state, _, role = neighbors[0]["state"].partition("/")
            if state != (expected.get("state") or "Full"):
                return f"{name}: {peer} is {state}"
            if expected.get("role") and role != expected["role"]:
                return f"{name}: {peer} is {role}, not {expected['role']}"
    return True


@retry(retry_timeout=50)
def verify_ospf6_neighbor(
    tgen: Any, topo: Json | None = None, dut: str | None = None, input_dict: Json | None = None, lan: bool = False
) -> Any:
    """The same for OSPFv3."""
    described = (topo or tgen.json_topo)["routers"]
    for name, router in tgen.routers().items():
        expected_ospf = (input_dict or described).get(name, {}).get("ospf6")
        if expected_ospf is None or dut not in (None, name):
            continue
        neighbors = router.vtysh_cmd("show ipv6 ospf6 neighbor json", isjson=True).get("neighbors", [])
        by_id = {entry["neighborId"]: entry for entry in neighbors}
        for peer, expected in (expected_ospf.get("neighbors") or {}).items():
            neighbor = by_id.get(described[peer]["ospf6"]["router_id"])
            state = neighbor["state"] if neighbor else "not there"
            if state != ((expected or {}).get("state") or "Full"):
                return f"{name}: {peer} is {state}"
    return True


@retry(retry_timeout=40)
def verify_ospf_rib(
    tgen: Any, dut: str, input_dict: Json, next_hop: Any = None, tag: Any = None, metric: Any = None, fib: Any = None
) -> Any:
    """Whether ospfd of a router has the prefixes of a description."""
    table = tgen.routers()[dut].vtysh_cmd("show ip ospf route json", isjson=True)
    return _verify_routes(dut, table, input_dict, next_hop, tag, {"type2cost": metric})


@retry(retry_timeout=30)
def verify_ospf6_rib(
    tgen: Any, dut: str, input_dict: Json, next_hop: Any = None, tag: Any = None, metric: Any = None, fib: Any = None
) -> Any:
    """The same for OSPFv3."""
    table = tgen.routers()[dut].vtysh_cmd("show ipv6 ospf6 route detail json", isjson=True).get("routes", {})
    return _verify_routes(dut, table, input_dict, next_hop, tag, {"metricCostE2": metric})


def _verify_routes(dut: str, table: Json, input_dict: Json, next_hop: Any, tag: Any, expected: Json) -> Any:
    for description in input_dict.values():
        for entry in description.get("prefix") or description.get("static_routes") or []:
            for prefix in addresses(entry["network"], entry.get("no_of_ip")):
                routes = table.get(str(ip_network(prefix, strict=False)))
                route = routes[0] if isinstance(routes, list) else routes
                if not route:
                    return f"{dut}: OSPF has no route to {prefix}"
                hops = [
                    hop.get("ip") or hop.get("nextHop", "") for hop in route.get("nexthops", route.get("nextHops", []))
                ]
                if next_hop and (difference := missing_next_hops(next_hop, hops)):
                    return f"{dut}: the route to {prefix} {difference}"
                checks = {**expected, "tag": entry.get("tag") if tag else None, "routeType": entry.get("routeType")}
                if difference := value_difference(
                    route, {key: value for key, value in checks.items() if value is not None}
                ):
                    return f"{dut}: the route to {prefix} {difference}"
    return True


def _interfaces(
    tgen: Any, topo: Json | None, dut: str | None, input_dict: Json | None, command: str, key: str = ""
) -> Iterator[tuple[str, str, Json, Json]]:
    """Router, link, a command's output for its interface (below a key, if one is given), and its description."""
    described = (topo or tgen.json_topo)["routers"]
    for name, description in (input_dict or {}).items():
        if dut in (None, name):
            reply = tgen.routers()[name].vtysh_cmd(command, isjson=True)
            interfaces = reply.get(key, {}) if key else reply
            for link, expected in description.get("links", {}).items():
                yield name, link, interfaces.get(described[name]["links"][link]["interface"], {}), expected


@retry(retry_timeout=20)
def verify_ospf_interface(
    tgen: Any, topo: Json | None = None, dut: str | None = None, lan: bool = False, input_dict: Json | None = None
) -> Any:
    """Whether OSPF's interfaces of a router agree with a description, key by key of `show ip ospf interface`."""
    interfaces = _interfaces(tgen, topo, dut, input_dict, "show ip ospf interface json", "interfaces")
    for name, link, interface, expected in interfaces:
        if difference := value_difference(interface, expected["ospf"]):
            return f"{name}: {link} {difference}"
    return True


@retry(retry_timeout=6)
def verify_ospf6_interface(
    tgen: Any, topo: Json | None = None, dut: str | None = None, lan: bool = False, input_dict: Json | None = None
) -> Any:
    """The same for OSPFv3 and `show ipv6 ospf6 interface`."""
    for name, link, interface, expected in _interfaces(tgen, topo, dut, input_dict, "show ipv6 ospf6 interface json"):
        if not interface:
            return f"{name}: OSPF does not know the link {link}"
        if difference := value_difference(interface, expected["ospf6"]):
            return f"{name}: {link} {difference}"
    return True


@retry(retry_timeout=20)
def verify_ospf_summary(tgen: Any, topo: Json, dut: str, input_dict: Json, ospf: str | None = None) -> Any:
    """Whether a router has summaries of external routes: prefix to its expected values."""
    summaries = tgen.routers()[dut].vtysh_cmd(f"show {_words(ospf)} summary-address detail json", isjson=True)
    for prefix, expected in input_dict.items():
        if prefix not in summaries:
            return f"{dut}: there is no summary {prefix}"
        if difference := value_difference(summaries[prefix], expected):
            return f"{dut}: the summary {prefix} {difference}"
    return True

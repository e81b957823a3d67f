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
from frrlib.topotest.verify import lacking, unlike

__all__ = ["config_ospf_interface", "create_router_ospf"]

#: Every other name that tests import from here.
__getattr__ = absent("lib.ospf")
config_ospf6_interface = config_ospf_interface


def clear_ospf(tgen: Any, router: str, ospf: str | None = None) -> None:
    """Begin OSPF of a router anew."""
    tgen.routers()[router].vtysh_cmd(f"clear {_words(ospf)} process")
    time.sleep(1)


def _words(ospf: str | None) -> str:
    """How commands call OSPF; without a name its version 2."""
    return WORDS["ospf6" if ospf == "ospf6" else "ospf"]


def redistribute_ospf(tgen: Any, topo: Json, dut: str, route_type: str, **given: Any) -> None:
    """Have OSPF of a router announce other routes, or with `delete=True` no longer."""
    each: Json = {"redist_type": route_type, **{key: given[key] for key in ("route_map", "delete") if key in given}}
    said = create_router_ospf(tgen, topo, {dut: {"ospf": {"redistribute": [each]}}})
    assert said is True, said


@retry(retry_timeout=80)
def verify_ospf_neighbor(
    tgen: Any, topo: Json | None = None, dut: str | None = None, input_dict: Json | None = None, lan: bool = False
) -> Any:
    """Whether routers have the neighbours of a description, and those the states and roles that it tells."""
    described = (topo or tgen.json_topo)["routers"]
    for name, router in tgen.routers().items():
        given = (input_dict or described).get(name, {}).get("ospf")
        if given is None or dut not in (None, name):
            continue
        found = router.vtysh_cmd("show ip ospf neighbor all json", isjson=True)
        if not found:
            return f"{name}: OSPF does not run, or has no neighbour"
        found = found.get("neighbors", found)
        for other, wanted in given.get("neighbors", {}).items():
            neighbours = found.get(described[other]["ospf"]["router_id"])
            if not neighbours:
                return f"{name}: {other} is no neighbour"
            state, _, role = neighbours[0]["state"].partition("/")
            if state != (wanted.get("state") or "Full"):
                return f"{name}: {other} is {state}"
            if wanted.get("role") and role != wanted["role"]:
                return f"{name}: {other} is {role}, not {wanted['role']}"
    return True


@retry(retry_timeout=50)
def verify_ospf6_neighbor(
    tgen: Any, topo: Json | None = None, dut: str | None = None, input_dict: Json | None = None, lan: bool = False
) -> Any:
    """The same for OSPFv3."""
    described = (topo or tgen.json_topo)["routers"]
    for name, router in tgen.routers().items():
        given = (input_dict or described).get(name, {}).get("ospf6")
        if given is None or dut not in (None, name):
            continue
        found = router.vtysh_cmd("show ipv6 ospf6 neighbor json", isjson=True).get("neighbors", [])
        by_id = {each["neighborId"]: each for each in found}
        for other, wanted in (given.get("neighbors") or {}).items():
            neighbour = by_id.get(described[other]["ospf6"]["router_id"])
            state = neighbour["state"] if neighbour else "not there"
            if state != ((wanted or {}).get("state") or "Full"):
                return f"{name}: {other} is {state}"
    return True


@retry(retry_timeout=40)
def verify_ospf_rib(
    tgen: Any, dut: str, input_dict: Json, next_hop: Any = None, tag: Any = None, metric: Any = None, fib: Any = None
) -> Any:
    """Whether ospfd of a router has the prefixes of a description."""
    table = tgen.routers()[dut].vtysh_cmd("show ip ospf route json", isjson=True)
    return _verified(dut, table, input_dict, next_hop, tag, {"type2cost": metric})


@retry(retry_timeout=30)
def verify_ospf6_rib(
    tgen: Any, dut: str, input_dict: Json, next_hop: Any = None, tag: Any = None, metric: Any = None, fib: Any = None
) -> Any:
    """The same for OSPFv3."""
    table = tgen.routers()[dut].vtysh_cmd("show ipv6 ospf6 route detail json", isjson=True).get("routes", {})
    return _verified(dut, table, input_dict, next_hop, tag, {"metricCostE2": metric})


def _verified(dut: str, table: Json, input_dict: Json, next_hop: Any, tag: Any, wanted: Json) -> Any:
    for given in input_dict.values():
        for each in given.get("prefix") or given.get("static_routes") or []:
            for prefix in addresses(each["network"], each.get("no_of_ip")):
                found = table.get(str(ip_network(prefix, strict=False)))
                route = found[0] if isinstance(found, list) else found
                if not route:
                    return f"{dut}: OSPF has no route to {prefix}"
                hops = [
                    hop.get("ip") or hop.get("nextHop", "") for hop in route.get("nexthops", route.get("nextHops", []))
                ]
                if next_hop and (why := lacking(next_hop, hops)):
                    return f"{dut}: the route to {prefix} {why}"
                checks = {**wanted, "tag": each.get("tag") if tag else None, "routeType": each.get("routeType")}
                if why := unlike(route, {key: value for key, value in checks.items() if value is not None}):
                    return f"{dut}: the route to {prefix} {why}"
    return True


def _interfaces(
    tgen: Any, topo: Json | None, dut: str | None, input_dict: Json | None, command: str, key: str = ""
) -> Iterator[tuple[str, str, Json, Json]]:
    """Router and link, what a command tells of its interface (below a key, if one is given), and its description."""
    described = (topo or tgen.json_topo)["routers"]
    for name, given in (input_dict or {}).items():
        if dut in (None, name):
            said = tgen.routers()[name].vtysh_cmd(command, isjson=True)
            found = said.get(key, {}) if key else said
            for link, wanted in given.get("links", {}).items():
                yield name, link, found.get(described[name]["links"][link]["interface"], {}), wanted


@retry(retry_timeout=20)
def verify_ospf_interface(
    tgen: Any, topo: Json | None = None, dut: str | None = None, lan: bool = False, input_dict: Json | None = None
) -> Any:
    """Whether OSPF's interfaces of a router are as a description tells, key by key of `show ip ospf interface`."""
    shown = _interfaces(tgen, topo, dut, input_dict, "show ip ospf interface json", "interfaces")
    for name, link, interface, wanted in shown:
        if why := unlike(interface, wanted["ospf"]):
            return f"{name}: {link} {why}"
    return True


@retry(retry_timeout=6)
def verify_ospf6_interface(
    tgen: Any, topo: Json | None = None, dut: str | None = None, lan: bool = False, input_dict: Json | None = None
) -> Any:
    """The same for OSPFv3 and `show ipv6 ospf6 interface`."""
    for name, link, interface, wanted in _interfaces(tgen, topo, dut, input_dict, "show ipv6 ospf6 interface json"):
        if not interface:
            return f"{name}: OSPF does not know the link {link}"
        if why := unlike(interface, wanted["ospf6"]):
            return f"{name}: {link} {why}"
    return True


@retry(retry_timeout=20)
def verify_ospf_summary(tgen: Any, topo: Json, dut: str, input_dict: Json, ospf: str | None = None) -> Any:
    """Whether a router has summaries of external routes: prefix to what is to be told of it."""
    found = tgen.routers()[dut].vtysh_cmd(f"show {_words(ospf)} summary-address detail json", isjson=True)
    for prefix, wanted in input_dict.items():
        if prefix not in found:
            return f"{dut}: there is no summary {prefix}"
        if why := unlike(found[prefix], wanted):
            return f"{dut}: the summary {prefix} {why}"
    return True

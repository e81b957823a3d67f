"""The `verify_...` functions of tests: True where a router's tables have what a description says, else a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ipaddress import ip_network
from typing import Any

from frrlib.topotest.config.description import Json, addresses, family_of, listed, within, word_of
from frrlib.topotest.retry import retry

#: What a test wants of a router's table: VRF, prefix, and what else was said of it.
Wanted = tuple[str, str, Json]


def wanted_prefixes(input_dict: Json, family: str) -> Iterator[Wanted]:
    """The prefixes that a description announces: its static routes, else its instances' networks."""
    for given in input_dict.values():
        for each in given.get("static_routes", []):
            for prefix in addresses(each["network"], each.get("no_of_ip")):
                if family_of(prefix) == family:
                    yield each.get("vrf") or "", str(ip_network(prefix, strict=False)), each
        if "static_routes" in given:
            continue
        for instance in listed(given.get("bgp")):
            unicast = (instance.get("address_family", {}).get(family) or {}).get("unicast") or {}
            for each in unicast.get("advertise_networks", []):
                for prefix in addresses(each["network"], each.get("no_of_network")):
                    if family_of(prefix) == family:
                        yield instance.get("vrf") or "", str(ip_network(prefix, strict=False)), each


def described_vrfs(input_dict: Json) -> list[str]:
    """The VRFs that a description speaks of, whichever family its prefixes have."""
    found: dict[str, None] = {}
    for given in input_dict.values():
        each = given.get("static_routes")
        found |= {one.get("vrf") or "": None for one in (listed(given.get("bgp")) if each is None else each)}
    return list(found)


class _Empty(Exception):
    """A table that should have something has nothing."""


def _tables(tgen: Any, dut: str, input_dict: Json, words: Sequence[str]) -> dict[str, Json]:
    """Answers of a router, by VRF; `words` has "VRF" where that is said. Raises _Empty."""
    found = {}
    for vrf in described_vrfs(input_dict):
        command = " ".join(filter(None, (word if word != "VRF" else within(vrf).strip() for word in words)))
        found[vrf] = tgen.routers()[dut].vtysh_cmd(command, isjson=True)
        if not found[vrf]:
            raise _Empty(f"{dut}: `{command}` tells of no route")
    return found


def next_hops(routes: Iterable[Json]) -> list[str]:
    """The addresses of the next hops of some routes, or of BGP's paths."""
    return [hop["ip"] for route in routes for hop in route.get("nexthops", []) if "ip" in hop]


def unlike(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The first value that is not the wanted one, as a clause; empty if all are."""
    for key, value in wanted.items():
        if found.get(key) != value:
            return f"has {key} {found.get(key)}, not {value}"
    return ""


def lacking(next_hop: Any, found: Sequence[str]) -> str:
    """The next hops that are not among those found, as a clause; empty if all are."""
    missing = [hop for hop in map(str, listed(next_hop)) if hop.lower() not in {each.lower() for each in found}]
    return f"has no next hop {', '.join(missing)}, only {', '.join(found) or 'none'}" if missing else ""


# --- routes ---------------------------------------------------------------------------------------------------------


def _verified(
    tgen: Any, addr_type: str, dut: str, input_dict: Json, words: Sequence[str], who: str,
    objection: Callable[[list[Json], Json], str],
) -> Any:  # fmt: skip
    """Whether a router has a route to each prefix of a description, and nothing is wrong with it.

    Args:
        words: what the router is asked, as for `_tables`.
        who: of whom it is said that a route is missing; empty for the router.
        objection: says what is wrong, as a clause: of all routes to a prefix, and of what is said of that prefix.
    """
    try:
        tables = _tables(tgen, dut, input_dict, words)
    except _Empty as error:
        return str(error)
    for vrf, prefix, given in wanted_prefixes(input_dict, addr_type):
        routes = tables[vrf].get(prefix)
        if not routes:
            return f"{dut}: {who}has no route to {prefix}{f' in {vrf}' if vrf else ''}"
        if why := objection(routes, given):
            return f"{dut}: the route to {prefix} {why}"
    return True


@retry(retry_timeout=40)
def verify_rib(
    tgen: Any, addr_type: str, dut: str, input_dict: Json, next_hop: Any = None, protocol: str | None = None,
    tag: Any = None, metric: Any = None, fib: Any = None, count_only: bool = False, admin_distance: Any = None,
) -> Any:  # fmt: skip
    """Whether zebra of a router has the prefixes of a description.

    Args:
        tgen: the network.
        addr_type: "ipv4" or "ipv6".
        dut: the router.
        input_dict: who announces what.
        next_hop: what each route must go by.
        protocol: where it must come from.
        tag, metric, admin_distance: what it must have, if not None.
        fib: whether only the route in the kernel counts.
        count_only: whether only the number of next hops counts.
    """
    asked = {"metric": metric, "distance": admin_distance}
    values = {name: value for name, value in asked.items() if value is not None}

    def objection(routes: list[Json], given: Json) -> str:
        route = next((each for each in routes if each.get("selected")), routes[0]) if fib else routes[0]
        return _objection(route, given, next_hop, tag, fib, count_only) or unlike(route, values)

    words = ("show", word_of(addr_type), "route", "VRF", protocol or "", "json")
    return _verified(tgen, addr_type, dut, input_dict, words, "", objection)


def _objection(route: Json, given: Json, next_hop: Any, tag: Any, fib: Any, count_only: bool) -> str:
    if "queued" in route:
        return "is queued"
    if tag and (why := unlike(route, {"tag": given.get("tag")})):
        return why
    if not next_hop:
        return ""
    hops = [each["ip"] for each in route.get("nexthops", []) if "ip" in each and (not fib or each.get("fib"))]
    if count_only:
        return "" if len(hops) == len(listed(next_hop)) else f"has {len(hops)} next hops"
    return lacking(next_hop, hops)


@retry(retry_timeout=12)
def verify_fib_routes(
    tgen: Any, addr_type: str, dut: str, input_dict: Json, next_hop: Any = None, protocol: str | None = None
) -> Any:
    """Whether the kernel of a router has the prefixes of a description, by these next hops."""

    def objection(routes: list[Json], _: Json) -> str:
        return lacking(next_hop, next_hops(routes[:1])) if next_hop else ""

    words = ("show", word_of(addr_type), "fib", "VRF", "json")
    return _verified(tgen, addr_type, dut, input_dict, words, "the kernel ", objection)


@retry(retry_timeout=30)
def verify_bgp_rib(
    tgen: Any, addr_type: str, dut: str, input_dict: Json, next_hop: Any = None, aspath: str | None = None,
    multi_nh: Any = None,
) -> Any:  # fmt: skip
    """Whether bgpd of a router has the prefixes of a description, by these next hops and this path."""
    words: dict[str, tuple[str, ...]] = {"": ("show bgp", "VRF", addr_type, "json")}
    for given in (each for one in input_dict.values() for each in one.get("static_routes", [])):
        for key, word in (("community", "community"), ("largeCommunity", "large-community")):
            if given.get(key):
                words[f"{word} {given[key]}"] = ("show bgp", "VRF", addr_type, f"{word} {given[key]}", "json")
    try:
        found = {about: _tables(tgen, dut, input_dict, each) for about, each in words.items()}
    except _Empty as error:
        return str(error)
    for vrf, prefix, given in wanted_prefixes(input_dict, addr_type):
        about = f"community {given['community']}" if given.get("community") else ""
        about = f"large-community {given['largeCommunity']}" if given.get("largeCommunity") else about
        tables = found[about]
        paths = tables[vrf].get("routes", {}).get(prefix)
        if not paths:
            return f"{dut}: bgpd has no {prefix}{f' in {vrf}' if vrf else ''}"
        hops = next_hops(paths if multi_nh else paths[:1])
        # Of several next hops in a list the tests tell those of the route that is announced, not of BGP's own.
        if isinstance(next_hop, str) and (why := lacking(next_hop, hops)):
            return f"{dut}: {prefix} {why}"
        if aspath and paths[0].get("path") != aspath:
            return f"{dut}: {prefix} has the path {paths[0].get('path')}, not {aspath}"
    return True


#: Names of communities in what bgpd tells of a path.
_COMMUNITIES = ("community", "largeCommunity")


# --- policies -------------------------------------------------------------------------------------------------------


def verify_prefix_lists(tgen: Any, input_dict: Json) -> Any:
    """Whether routers no longer have the prefix lists that a description names."""
    for name, given in input_dict.items():
        for family, lists in given.get("prefix_lists", {}).items():
            said = tgen.routers()[name].vtysh_cmd(f"show {word_of(family)} prefix-list")
            for each in lists:
                if f" {each}:" in said:
                    return f"{name}: there is a prefix list {each}"
    return True


@retry(retry_timeout=12)
def verify_route_maps(tgen: Any, input_dict: Json) -> Any:
    """Whether routers no longer have the route maps that a description names."""
    for name, given in input_dict.items():
        said = tgen.routers()[name].vtysh_cmd("show route-map")
        for each in given["route_maps"]:
            if f"route-map {each} " in said or f"route-map: {each} " in said:
                return f"{name}: there is a route map {each}"
    return True


@retry(retry_timeout=16)
def verify_bgp_community(
    tgen: Any, addr_type: str, router: str, network: Any, input_dict: Json | None = None, vrf: str | None = None,
    bestpath: bool = False,
) -> Any:  # fmt: skip
    """Whether a router's paths to prefixes have communities, any or these, by name: {"community": "1:1"}."""
    for prefix in listed(network):
        found = tgen.routers()[router].vtysh_cmd(f"show bgp {within(vrf)}{addr_type} {prefix} json", isjson=True)
        if "paths" not in found:
            return f"{router}: bgpd has no {prefix}"
        if not any(name in path for name in _COMMUNITIES for path in found["paths"]):
            return f"{router}: {prefix} has no community"
        for name, wanted in (input_dict or {}).items():
            strings = [path.get(name, {}).get("string") for path in found["paths"] if name in path]
            if not strings:
                return f"{router}: {prefix} has no {name}"
            if wanted not in strings:
                return f"{router}: {prefix} has {name} {', '.join(map(str, strings))}, not {wanted}"
    return True

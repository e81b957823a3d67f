"""The `verify_...` functions of tests: True if a router's tables agree with a description, else a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ipaddress import ip_network
from typing import Any

from frrlib.topotest.config.description import Json, addresses, family_of, listed, within, word_of
from frrlib.topotest.retry import retry

#: An expected prefix of a router's table: VRF, prefix, and its description.
ExpectedPrefix = tuple[str, str, Json]


def expected_prefixes(input_dict: Json, family: str) -> Iterator[ExpectedPrefix]:
    """The prefixes that a description announces: its static routes, else its instances' networks."""
    for description in input_dict.values():
        for entry in description.get("static_routes", []):
            for prefix in addresses(entry["network"], entry.get("no_of_ip")):
                if family_of(prefix) == family:
                    yield entry.get("vrf") or "", str(ip_network(prefix, strict=False)), entry
        if "static_routes" in description:
            continue
        for instance in listed(description.get("bgp")):
            unicast = (instance.get("address_family", {}).get(family) or {}).get("unicast") or {}
            for entry in unicast.get("advertise_networks", []):
                for prefix in addresses(entry["network"], entry.get("no_of_network")):
                    if family_of(prefix) == family:
                        yield instance.get("vrf") or "", str(ip_network(prefix, strict=False)), entry


def described_vrfs(input_dict: Json) -> list[str]:
    """The VRFs in a description, for both address families."""
    vrfs: dict[str, None] = {}
    for description in input_dict.values():
        static_routes = description.get("static_routes")
        vrfs |= {
            entry.get("vrf") or "": None
            for entry in (listed(description.get("bgp")) if static_routes is None else static_routes)
        }
    return list(vrfs)


class _Empty(Exception):
    """A table is empty, but should have entries."""


def _tables(tgen: Any, dut: str, input_dict: Json, words: Sequence[str]) -> dict[str, Json]:
    """Replies of a router, by VRF; the word "VRF" in `words` is replaced by it. Raises _Empty."""
    tables = {}
    for vrf in described_vrfs(input_dict):
        command = " ".join(filter(None, (word if word != "VRF" else within(vrf).strip() for word in words)))
        tables[vrf] = tgen.routers()[dut].vtysh_cmd(command, isjson=True)
        if not tables[vrf]:
            raise _Empty(f"{dut}: `{command}` has no route")
    return tables


def next_hops(routes: Iterable[Json]) -> list[str]:
    """The addresses of the next hops of some routes, or of BGP's paths."""
    return [hop["ip"] for route in routes for hop in route.get("nexthops", []) if "ip" in hop]


def value_difference(actual: Mapping[str, Any], expected: Mapping[str, Any]) -> str:
    """The first value that differs from the expected one, as a clause; empty if none does."""
    for key, value in expected.items():
        if actual.get(key) != value:
            return f"has {key} {actual.get(key)}, not {value}"
    return ""


def missing_next_hops(next_hop: Any, hops: Sequence[str]) -> str:
    """The next hops that are not among those found, as a clause; empty if all are."""
    missing = [
        hop for hop in map(str, listed(next_hop)) if hop.lower() not in {found_hop.lower() for found_hop in hops}
    ]
    return f"has no next hop {', '.join(missing)}, only {', '.join(hops) or 'none'}" if missing else ""


# --- routes ---------------------------------------------------------------------------------------------------------


def _verify_routes(
    tgen: Any, addr_type: str, dut: str, input_dict: Json, words: Sequence[str], subject: str,
    objection: Callable[[list[Json], Json], str],
) -> Any:  # fmt: skip
    """Whether a router has a route to each prefix of a description, without problems.

    Args:
        words: of the router's command, as for `_tables`.
        subject: subject of the sentence about a missing route; empty for the router.
        objection: returns a problem as a clause, from all routes to a prefix and the prefix's description.
    """
    try:
        tables = _tables(tgen, dut, input_dict, words)
    except _Empty as error:
        return str(error)
    for vrf, prefix, entry in expected_prefixes(input_dict, addr_type):
        routes = tables[vrf].get(prefix)
        if not routes:
            return f"{dut}: {subject}has no route to {prefix}{f' in {vrf}' if vrf else ''}"
        if problem := objection(routes, entry):
            return f"{dut}: the route to {prefix} {problem}"
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
        input_dict: the announced prefixes of each router.
        next_hop: the expected next hop of each route.
        protocol: the expected source of the route.
        tag, metric, admin_distance: the expected values; None for any.
        fib: whether only the route in the kernel counts.
        count_only: whether only the number of next hops counts.
    """
    requested = {"metric": metric, "distance": admin_distance}
    values = {name: value for name, value in requested.items() if value is not None}

    def objection(routes: list[Json], entry: Json) -> str:
        route = next((candidate for candidate in routes if candidate.get("selected")), routes[0]) if fib else routes[0]
        return _objection(route, entry, next_hop, tag, fib, count_only) or value_difference(route, values)

    words = ("show", word_of(addr_type), "route", "VRF", protocol or "", "json")
    return _verify_routes(tgen, addr_type, dut, input_dict, words, "", objection)


def _objection(route: Json, entry: Json, next_hop: Any, tag: Any, fib: Any, count_only: bool) -> str:
    if "queued" in route:
        return "is queued"
    if tag and (difference := value_difference(route, {"tag": entry.get("tag")})):
        return difference
    if not next_hop:
        return ""
    hops = [hop["ip"] for hop in route.get("nexthops", []) if "ip" in hop and (not fib or hop.get("fib"))]
    if count_only:
        return "" if len(hops) == len(listed(next_hop)) else f"has {len(hops)} next hops"
    return missing_next_hops(next_hop, hops)


@retry(retry_timeout=12)
def verify_fib_routes(
    tgen: Any, addr_type: str, dut: str, input_dict: Json, next_hop: Any = None, protocol: str | None = None
) -> Any:
    """Whether the kernel of a router has the prefixes of a description, by these next hops."""

    def objection(routes: list[Json], _: Json) -> str:
        return missing_next_hops(next_hop, next_hops(routes[:1])) if next_hop else ""

    words = ("show", word_of(addr_type), "fib", "VRF", "json")
    return _verify_routes(tgen, addr_type, dut, input_dict, words, "the kernel ", objection)


@retry(retry_timeout=30)
def verify_bgp_rib(
    tgen: Any, addr_type: str, dut: str, input_dict: Json, next_hop: Any = None, aspath: str | None = None,
    multi_nh: Any = None,
) -> Any:  # fmt: skip
    """Whether bgpd of a router has the prefixes of a description, by these next hops and this path."""
    words: dict[str, tuple[str, ...]] = {"": ("show bgp", "VRF", addr_type, "json")}
    for entry in (item for description in input_dict.values() for item in description.get("static_routes", [])):
        for key, word in (("community", "community"), ("largeCommunity", "large-community")):
            if entry.get(key):
                words[f"{word} {entry[key]}"] = ("show bgp", "VRF", addr_type, f"{word} {entry[key]}", "json")
    try:
        tables_by_filter = {path_filter: _tables(tgen, dut, input_dict, item) for path_filter, item in words.items()}
    except _Empty as error:
        return str(error)
    for vrf, prefix, entry in expected_prefixes(input_dict, addr_type):
        path_filter = f"community {entry['community']}" if entry.get("community") else ""
        path_filter = f"large-community {entry['largeCommunity']}" if entry.get("largeCommunity") else path_filter
        tables = tables_by_filter[path_filter]
        paths = tables[vrf].get("routes", {}).get(prefix)
        if not paths:
            return f"{dut}: bgpd has no {prefix}{f' in {vrf}' if vrf else ''}"
        hops = next_hops(paths if multi_nh else paths[:1])
        # A list with several next hops describes the announced route, not the path in BGP's table.
        if isinstance(next_hop, str) and (difference := missing_next_hops(next_hop, hops)):
            return f"{dut}: {prefix} {difference}"
        if aspath and paths[0].get("path") != aspath:
            return f"{dut}: {prefix} has the path {paths[0].get('path')}, not {aspath}"
    return True


#: Names of communities in bgpd's JSON of a path.
_COMMUNITIES = ("community", "largeCommunity")


# --- policies -------------------------------------------------------------------------------------------------------


def verify_prefix_lists(tgen: Any, input_dict: Json) -> Any:
    """Whether routers no longer have the prefix lists that a description names."""
    for name, description in input_dict.items():
        for family, lists in description.get("prefix_lists", {}).items():
            output = tgen.routers()[name].vtysh_cmd(f"show {word_of(family)} prefix-list")
            for prefix_list in lists:
                if f" {prefix_list}:" in output:
                    return f"{name}: there is a prefix list {prefix_list}"
    return True


@retry(retry_timeout=12)
def verify_route_maps(tgen: Any, input_dict: Json) -> Any:
    """Whether routers no longer have the route maps that a description names."""
    for name, description in input_dict.items():
        output = tgen.routers()[name].vtysh_cmd("show route-map")
        for route_map in description["route_maps"]:
            if f"route-map {route_map} " in output or f"route-map: {route_map} " in output:
                return f"{name}: there is a route map {route_map}"
    return True


@retry(retry_timeout=16)
def verify_bgp_community(
    tgen: Any, addr_type: str, router: str, network: Any, input_dict: Json | None = None, vrf: str | None = None,
    bestpath: bool = False,
) -> Any:  # fmt: skip
    """Whether a router's paths to prefixes have communities, any or these, by name: {"community": "1:1"}."""
    for prefix in listed(network):
        reply = tgen.routers()[router].vtysh_cmd(f"show bgp {within(vrf)}{addr_type} {prefix} json", isjson=True)
        if "paths" not in reply:
            return f"{router}: bgpd has no {prefix}"
        if not any(name in path for name in _COMMUNITIES for path in reply["paths"]):
            return f"{router}: {prefix} has no community"
        for name, expected in (input_dict or {}).items():
            strings = [path.get(name, {}).get("string") for path in reply["paths"] if name in path]
            if not strings:
                return f"{router}: {prefix} has no {name}"
            if expected not in strings:
                return f"{router}: {prefix} has {name} {', '.join(map(str, strings))}, not {expected}"
    return True

"""Checks of single commands: next hops that zebra tracks, lists, commands that answer in JSON, BGP sessions.

Like all `verify_...` functions these return True, or a sentence about the first difference.
"""

from __future__ import annotations

import re
import time
from copy import deepcopy
from ipaddress import ip_network
from typing import Any

from frrlib.topotest.config.bgp import NeighborAddresses, peers
from frrlib.topotest.config.create import create_router_bgp
from frrlib.topotest.config.description import Json, addresses, family_of, listed, within, word_of
from frrlib.topotest.retry import retry
from frrlib.topotest.verify import missing_next_hops, next_hops, value_difference

#: Time limit for the end of a session after its hold time, in seconds.
LATE_S = 10.0


# --- zebra ----------------------------------------------------------------------------------------------------------


def verify_ip_nht(tgen: Any, input_dict: Json) -> Any:
    """Whether zebra of routers tracks next hops and resolves them: router to {address: {"resolvedVia": ...}}."""
    for name, expected in input_dict.items():
        for address, values in expected.items():
            output = tgen.routers()[name].vtysh_cmd(f"show {word_of(family_of(address))} nht")
            entry = re.search(rf"^{re.escape(address)}\b.*?(?=^\S|\Z)", output, re.MULTILINE | re.DOTALL)
            if entry is None:
                return f"{name}: zebra does not track {address}"
            if f"resolved via {values['resolvedVia']}" not in entry[0]:
                return f"{name}: {address} is not resolved via {values['resolvedVia']}: {entry[0].strip()}"
    return True


@retry(retry_timeout=8)
def verify_admin_distance_for_static_routes(tgen: Any, input_dict: Json) -> Any:
    """Whether static routes of routers have the next hops and distances of a description."""
    for name, description in input_dict.items():
        for route in description["static_routes"]:
            for prefix in addresses(route["network"], route.get("no_of_ip")):
                command = f"show {word_of(family_of(prefix))} route json"
                table = tgen.routers()[name].vtysh_cmd(command, isjson=True)
                entries = table.get(str(ip_network(prefix, strict=False)), [])
                matching = [entry for entry in entries if entry.get("distance") == route.get("admin_distance", 1)]
                if difference := missing_next_hops(route["next_hop"], next_hops(matching)):
                    return f"{name}: the route to {prefix} of distance {route.get('admin_distance', 1)} {difference}"
    return True


@retry(retry_timeout=12)
def verify_vrf_vni(tgen: Any, input_dict: Json) -> Any:
    """Whether `show vrf vni` of routers has the expected values: router to {"vrfs": [{name: values}]}."""
    for name, description in input_dict.items():
        vrfs = tgen.routers()[name].vtysh_cmd("show vrf vni json", isjson=True).get("vrfs", [])
        by_name = {actual["vrf"]: actual for actual in vrfs}
        for vrf, expected in (pair for entry in description["vrfs"] for pair in entry.items()):
            if difference := value_difference(
                by_name.get(vrf, {}), {key: value for key, value in expected.items() if value}
            ):
                return f"{name}: VRF {vrf} {difference}"
    return True


def verify_cli_json(tgen: Any, input_dict: Json) -> Any:
    """Whether commands support JSON: router to {"cli": [commands]}."""
    for name, description in input_dict.items():
        for command in description["cli"]:
            output = tgen.routers()[name].vtysh_cmd(f"{command} json")
            if "Unknown command" in output or not output.strip():
                return f"{name}: `{command}` does not answer in JSON"
    return True


# --- BGP ------------------------------------------------------------------------------------------------------------


def verify_create_community_list(tgen: Any, input_dict: Json) -> Any:
    """Whether routers have the community lists of a description."""
    for name, description in input_dict.items():
        for community_list in description["bgp_community_lists"]:
            kind = "large-community-list" if community_list.get("large") else "community-list"
            output = tgen.routers()[name].vtysh_cmd(f"show bgp {kind} {community_list['name']} detail")
            if community_list["name"] not in output or "Can't find" in output:
                return f"{name}: there is no {kind} {community_list['name']}"
    return True


@retry(retry_timeout=10)
def verify_bgp_bestpath(tgen: Any, addr_type: str, input_dict: Json) -> Any:
    """Whether prefixes have the expected best path and multipaths, by next hop: router to {family: [prefixes]}."""
    for name, description in input_dict.items():
        for expected in description.get(addr_type, []):
            for prefix in listed(expected["network"]):
                command = f"show bgp {within(expected.get('vrf'))}{addr_type} unicast {prefix} json"
                paths = tgen.routers()[name].vtysh_cmd(command, isjson=True).get("paths", [])
                best = next_hops(path for path in paths if path.get("bestpath", {}).get("overall"))
                multipath = next_hops(path for path in paths if path.get("bestpath") or path.get("multipath"))
                difference = missing_next_hops(expected.get("bestpath"), best) or missing_next_hops(
                    expected.get("multipath"), multipath
                )
                if difference:
                    return f"{name}: {prefix} {difference}"
    return True


def verify_tcp_mss(tgen: Any, dut: str, neighbour: str, configured_tcp_mss: Any, vrf: str | None = None) -> Any:
    """Whether a session has a configured maximum segment size, in bytes."""
    neighbors = tgen.routers()[dut].vtysh_cmd(f"show bgp {within(vrf)}neighbors {neighbour} json", isjson=True)
    configured = neighbors.get(neighbour, {}).get("bgpTcpMssConfigured")
    if configured == configured_tcp_mss:
        return True
    return f"{dut}: the segment size with {neighbour} is {configured}, not {configured_tcp_mss}"


def modify_as_number(tgen: Any, topo: Json, input_dict: Json) -> Any:
    """Change the AS numbers of routers: remove their BGP instances, and configure them again with the new numbers."""
    changed = deepcopy(topo["routers"])
    for name, description in input_dict.items():
        changed[name]["bgp"]["local_as"] = description["bgp"]["local_as"]
    removed = {
        name: {"bgp": {"local_as": topo["routers"][name]["bgp"]["local_as"], "delete": True}} for name in input_dict
    }
    for described in (
        removed,
        {name: {"bgp": router["bgp"]} for name, router in changed.items() if name in input_dict},
    ):
        result = create_router_bgp(tgen, {"routers": changed}, described)
        if result is not True:
            return result
    return True


@retry(retry_timeout=8)
def verify_as_numbers(tgen: Any, topo: Json, input_dict: Json) -> Any:
    """Whether routers have AS numbers, on both sides of their sessions with each other."""
    for name, description in input_dict.items():
        neighbors = tgen.routers()[name].vtysh_cmd("show bgp neighbors json", isjson=True)
        for address, peer_router, _ in _described_neighbors(tgen, topo, name, topo["routers"][name]):
            expected = {"localAs": description["bgp"]["local_as"]}
            if peer_router in input_dict:
                expected["remoteAs"] = input_dict[peer_router]["bgp"]["local_as"]
            for key, value in expected.items():
                if neighbors.get(address, {}).get(key) != value:
                    return f"{name}: {key} with {address} is {neighbors.get(address, {}).get(key)}, not {value}"
    return True


def verify_bgp_timers_and_functionality(tgen: Any, topo: Json, input_dict: Json) -> Any:
    """Whether sessions have the timers of a description, and end when the hold time of a neighbor expires."""
    for name, description in input_dict.items():
        for address, peer_router, peer in _described_neighbors(tgen, topo, name, description):
            neighbor = tgen.routers()[name].vtysh_cmd("show bgp neighbors json", isjson=True)[address]
            hold_s = int(peer["holddowntimer"])
            expected = {"bgpTimerHoldTimeMsecs": hold_s, "bgpTimerKeepAliveIntervalMsecs": int(peer["keepalivetimer"])}
            for key, value in expected.items():
                if neighbor.get(key) != value * 1000:
                    return f"{name}: {key} with {address} is {neighbor.get(key)}, not {value * 1000}"
            if problem := _check_hold_time(tgen, topo, name, address, peer_router, hold_s):
                return problem
    return True


def _check_hold_time(tgen: Any, topo: Json, name: str, address: str, peer_router: str, hold_s: int) -> str:
    """Set a neighbor's end of the link down. Returns a sentence if the session outlives its hold time, else ""."""
    interface = next(
        link["interface"] for key, link in topo["routers"][peer_router]["links"].items() if key.startswith(name)
    )
    tgen.net[peer_router].cmd_raises(f"ip link set {interface} down")
    try:
        deadline_s = time.monotonic() + hold_s + LATE_S
        while (
            tgen.routers()[name].vtysh_cmd("show bgp neighbors json", isjson=True)[address]["bgpState"] == "Established"
        ):
            if time.monotonic() > deadline_s:
                return f"{name}: the session with {address} outlives its hold time of {hold_s} s"
            time.sleep(0.5)
    finally:
        tgen.net[peer_router].cmd_raises(f"ip link set {interface} up")
    return ""


def _described_neighbors(tgen: Any, topo: Json, router: str, described: Json) -> list[tuple[str, str, Json]]:
    """Address, router and description of every neighbor in a router's description."""
    session = NeighborAddresses(tgen, topo["routers"], router)
    return [
        (session.address(name, link, peer, family), name, peer)
        for instance in listed(described.get("bgp"))
        for family, address_family in instance.get("address_family", {}).items()
        for name, link, peer in peers(address_family.get("unicast") or {})
    ]

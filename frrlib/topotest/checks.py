"""Single commands that tests check: next hops that zebra tracks, lists, commands that answer in JSON, BGP's sessions.

As all `verify_...` functions these give True, or a sentence that says what is not as wanted.
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
from frrlib.topotest.verify import lacking, next_hops, unlike

#: How long after a neighbour's hold time a session may take to be given up, in seconds.
LATE_S = 10.0


# --- zebra ----------------------------------------------------------------------------------------------------------


def verify_ip_nht(tgen: Any, input_dict: Json) -> Any:
    """Whether zebra of routers tracks next hops and resolves them: router to {address: {"resolvedVia": ...}}."""
    for name, wanted in input_dict.items():
        for address, given in wanted.items():
            said = tgen.routers()[name].vtysh_cmd(f"show {word_of(family_of(address))} nht")
            entry = re.search(rf"^{re.escape(address)}\b.*?(?=^\S|\Z)", said, re.MULTILINE | re.DOTALL)
            if entry is None:
                return f"{name}: zebra does not track {address}"
            if f"resolved via {given['resolvedVia']}" not in entry[0]:
                return f"{name}: {address} is not resolved via {given['resolvedVia']}: {entry[0].strip()}"
    return True


@retry(retry_timeout=8)
def verify_admin_distance_for_static_routes(tgen: Any, input_dict: Json) -> Any:
    """Whether static routes of routers have the next hops and distances of a description."""
    for name, given in input_dict.items():
        for route in given["static_routes"]:
            for prefix in addresses(route["network"], route.get("no_of_ip")):
                command = f"show {word_of(family_of(prefix))} route json"
                table = tgen.routers()[name].vtysh_cmd(command, isjson=True)
                found = table.get(str(ip_network(prefix, strict=False)), [])
                fitting = [each for each in found if each.get("distance") == route.get("admin_distance", 1)]
                if why := lacking(route["next_hop"], next_hops(fitting)):
                    return f"{name}: the route to {prefix} of distance {route.get('admin_distance', 1)} {why}"
    return True


@retry(retry_timeout=12)
def verify_vrf_vni(tgen: Any, input_dict: Json) -> Any:
    """Whether VRFs of routers have what `show vrf vni` is to tell: router to {"vrfs": [{name: values}]}."""
    for name, given in input_dict.items():
        found = tgen.routers()[name].vtysh_cmd("show vrf vni json", isjson=True).get("vrfs", [])
        by_name = {each["vrf"]: each for each in found}
        for vrf, wanted in (pair for one in given["vrfs"] for pair in one.items()):
            if why := unlike(by_name.get(vrf, {}), {key: value for key, value in wanted.items() if value}):
                return f"{name}: VRF {vrf} {why}"
    return True


def verify_cli_json(tgen: Any, input_dict: Json) -> Any:
    """Whether commands answer in JSON where that is asked for: router to {"cli": [commands]}."""
    for name, given in input_dict.items():
        for command in given["cli"]:
            said = tgen.routers()[name].vtysh_cmd(f"{command} json")
            if "Unknown command" in said or not said.strip():
                return f"{name}: `{command}` does not answer in JSON"
    return True


# --- BGP ------------------------------------------------------------------------------------------------------------


def verify_create_community_list(tgen: Any, input_dict: Json) -> Any:
    """Whether routers have the community lists of a description."""
    for name, given in input_dict.items():
        for each in given["bgp_community_lists"]:
            kind = "large-community-list" if each.get("large") else "community-list"
            said = tgen.routers()[name].vtysh_cmd(f"show bgp {kind} {each['name']} detail")
            if each["name"] not in said or "Can't find" in said:
                return f"{name}: there is no {kind} {each['name']}"
    return True


@retry(retry_timeout=10)
def verify_bgp_bestpath(tgen: Any, addr_type: str, input_dict: Json) -> Any:
    """Whether prefixes have their best path by a next hop, and others beside it: router to {family: [prefixes]}."""
    for name, given in input_dict.items():
        for each in given.get(addr_type, []):
            for prefix in listed(each["network"]):
                command = f"show bgp {within(each.get('vrf'))}{addr_type} unicast {prefix} json"
                paths = tgen.routers()[name].vtysh_cmd(command, isjson=True).get("paths", [])
                best = next_hops(path for path in paths if path.get("bestpath", {}).get("overall"))
                among = next_hops(path for path in paths if path.get("bestpath") or path.get("multipath"))
                why = lacking(each.get("bestpath"), best) or lacking(each.get("multipath"), among)
                if why:
                    return f"{name}: {prefix} {why}"
    return True


def verify_tcp_mss(tgen: Any, dut: str, neighbour: str, configured_tcp_mss: Any, vrf: str | None = None) -> Any:
    """Whether a session has a configured maximum segment size, in bytes."""
    said = tgen.routers()[dut].vtysh_cmd(f"show bgp {within(vrf)}neighbors {neighbour} json", isjson=True)
    found = said.get(neighbour, {}).get("bgpTcpMssConfigured")
    if found == configured_tcp_mss:
        return True
    return f"{dut}: the segment size with {neighbour} is {found}, not {configured_tcp_mss}"


def modify_as_number(tgen: Any, topo: Json, input_dict: Json) -> Any:
    """Give routers other AS numbers: what BGP was goes, and comes again with the new ones everywhere."""
    changed = deepcopy(topo["routers"])
    for name, given in input_dict.items():
        changed[name]["bgp"]["local_as"] = given["bgp"]["local_as"]
    gone = {
        name: {"bgp": {"local_as": topo["routers"][name]["bgp"]["local_as"], "delete": True}} for name in input_dict
    }
    for described in (gone, {name: {"bgp": each["bgp"]} for name, each in changed.items() if name in input_dict}):
        said = create_router_bgp(tgen, {"routers": changed}, described)
        if said is not True:
            return said
    return True


@retry(retry_timeout=8)
def verify_as_numbers(tgen: Any, topo: Json, input_dict: Json) -> Any:
    """Whether routers have AS numbers, on both sides of their sessions with each other."""
    for name, given in input_dict.items():
        found = tgen.routers()[name].vtysh_cmd("show bgp neighbors json", isjson=True)
        for address, other, _ in _neighbours(tgen, topo, name, topo["routers"][name]):
            wanted = {"localAs": given["bgp"]["local_as"]}
            if other in input_dict:
                wanted["remoteAs"] = input_dict[other]["bgp"]["local_as"]
            for key, value in wanted.items():
                if found.get(address, {}).get(key) != value:
                    return f"{name}: {key} with {address} is {found.get(address, {}).get(key)}, not {value}"
    return True


def verify_bgp_timers_and_functionality(tgen: Any, topo: Json, input_dict: Json) -> Any:
    """Whether sessions have the timers of a description, and end when the neighbour is silent for the hold time."""
    for name, given in input_dict.items():
        for address, other, peer in _neighbours(tgen, topo, name, given):
            shown = tgen.routers()[name].vtysh_cmd("show bgp neighbors json", isjson=True)[address]
            hold_s = int(peer["holddowntimer"])
            wanted = {"bgpTimerHoldTimeMsecs": hold_s, "bgpTimerKeepAliveIntervalMsecs": int(peer["keepalivetimer"])}
            for key, value in wanted.items():
                if shown.get(key) != value * 1000:
                    return f"{name}: {key} with {address} is {shown.get(key)}, not {value * 1000}"
            if why := _silent(tgen, topo, name, address, other, hold_s):
                return why
    return True


def _silent(tgen: Any, topo: Json, name: str, address: str, other: str, hold_s: int) -> str:
    """Take a neighbour's end of the link away: a sentence where the session outlives that, else nothing."""
    interface = next(each["interface"] for key, each in topo["routers"][other]["links"].items() if key.startswith(name))
    tgen.net[other].cmd_raises(f"ip link set {interface} down")
    try:
        deadline_s = time.monotonic() + hold_s + LATE_S
        while (
            tgen.routers()[name].vtysh_cmd("show bgp neighbors json", isjson=True)[address]["bgpState"] == "Established"
        ):
            if time.monotonic() > deadline_s:
                return f"{name}: the session with {address} outlives its hold time of {hold_s} s"
            time.sleep(0.5)
    finally:
        tgen.net[other].cmd_raises(f"ip link set {interface} up")
    return ""


def _neighbours(tgen: Any, topo: Json, router: str, described: Json) -> list[tuple[str, str, Json]]:
    """Address, router and description of every neighbour that a router's description tells."""
    session = NeighborAddresses(tgen, topo["routers"], router)
    return [
        (session.address(name, link, peer, family), name, peer)
        for instance in listed(described.get("bgp"))
        for family, each in instance.get("address_family", {}).items()
        for name, link, peer in peers(each.get("unicast") or {})
    ]

"""The sessions that changes are said to interrupt, compared with the sessions that FRR has lost."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, ip_address
from typing import Any

import pytest

from frrlib.lab.lab import Lab
from frrlib.model.routing import Isis, IsisInterface, Ospf, Ospf6, OspfInterface
from frrlib.model.topology import Topology
from frrlib.network.network import Bgp, BgpNeighbor, Network, end
from tests.waiting import pause, wait_for_lab

pytestmark = pytest.mark.lab

#: The age of all sessions before a change: FRR states some ages in whole seconds.
MARGIN_S = 3.0
#: Time after which OSPF has lost a neighbor with other settings.
DEAD_S = 5.0
_LOOPBACKS = {"r1": "10.255.0.1", "r2": "10.255.0.2", "r3": "10.255.0.3"}
_LINKS = {"a": ("r1", "r2"), "b": ("r2", "r3"), "c": ("r1", "r3")}
_AS = {"r1": 65001, "r2": 65001, "r3": 65003}


def triangle(links: Iterable[str] = _LINKS, **settings: Any) -> Topology:
    """Three routers with OSPF, OSPFv3 and IS-IS on all links, an iBGP session between loopbacks and two eBGP sessions.

    Args:
        links: the links that exist.
        settings: "r1_ospf" and so on: values that differ from the settings of all routers; "peer_r1_r2" and so on:
            values of the BGP session to r2 at r1.
    """
    net = Network("triangle")
    addresses = {"a": ("10.1.0.1/24", "10.1.0.2/24"), "b": ("10.2.0.2/24", "10.2.0.3/24"),
                 "c": ("10.3.0.1/24", "10.3.0.3/24")}  # fmt: skip
    for name in _LOOPBACKS:
        far = [other for other in _LOOPBACKS if other != name]
        neighbors = [_neighbor(name, peer, settings.get(f"peer_{name}_{peer}", {})) for peer in far]
        net.router(
            name,
            loopbacks=(f"{_LOOPBACKS[name]}/32",),
            ospf=Ospf(**{"hello_s": 1, "dead_s": 4, **settings.get(f"{name}_ospf", {})}),
            ospf6=Ospf6(**{"hello_s": 1, "dead_s": 4, **settings.get(f"{name}_ospf6", {})}),
            isis=Isis(**{"hello_s": 1, **settings.get(f"{name}_isis", {})}),
            bgp=Bgp(**{"asn": _AS[name], "neighbors": tuple(neighbors), **settings.get(f"{name}_bgp", {})}),
        )
    for number, name in enumerate(_LINKS, 1):
        if name in links:
            ends = [
                end(router, address, f"fd00:{number}::{router[1]}/64", interface=f"{router}-{name}")
                for router, address in zip(_LINKS[name], addresses[name], strict=True)
            ]  # fmt: skip
            net.link(*ends, id=name)
    return net.topology


def _neighbor(name: str, peer: str, values: Mapping[str, Any]) -> BgpNeighbor:
    if _AS[name] == _AS[peer]:
        values = {"update_source": "lo", **values}
        address = _LOOPBACKS[peer]
    else:
        address = {"r1r3": "10.3.0.3", "r3r1": "10.3.0.1", "r2r3": "10.2.0.3", "r3r2": "10.2.0.2"}[name + peer]
    return BgpNeighbor(address=ip_address(address), remote_as=_AS[peer], **values)


def at_a(kind: type, suffix: str, **values: Any) -> dict[str, Any]:
    """The same values of a protocol at both ends of link a."""
    return {f"{name}_{suffix}": {"interfaces": (kind(interface=f"{name}-a", **values),)} for name in ("r1", "r2")}


_OSPF = re.compile(r"via interface (\S+)\n.*is Full(?:.*\n)*?.*Progressive change (\S+) ago")
_OSPF6 = re.compile(r"Full/\S+ +(\S+) (\S+)\[")
_ISIS = re.compile(r"Interface: (\S+),.*State: Up.*\n.*Last: (\S+) ago")
_SHOW = {
    "OSPF": "ip ospf neighbor detail", "OSPFv3": "ipv6 ospf6 neighbor", "IS-IS": "isis neighbor detail",
    "BGP": "bgp neighbors json",
}  # fmt: skip
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}


def seconds(text: str) -> float:
    """A duration as FRR prints it: "3.2s", "00:00:03" or "1m05s"."""
    if ":" in text:
        hours, minutes, rest = map(int, text.split(":"))
        return 3600 * hours + 60 * minutes + rest
    return sum(float(number) * _UNITS[unit] for number, unit in re.findall(r"([\d.]+)(ms|s|m|h)", text))


def up_since(lab: Lab) -> dict[str, float]:
    """The times at which sessions came up, by their names in words: "BGP between r1 and r2"."""
    result: dict[str, float] = {}
    for name in _LOOPBACKS:
        node, now_s = lab[name], time.monotonic()
        texts = {protocol: node.vtysh(f"show {words}") for protocol, words in _SHOW.items()}
        ages = [("OSPF", interface, age) for interface, age in _OSPF.findall(texts["OSPF"])]
        ages += [("OSPFv3", interface, age) for age, interface in _OSPF6.findall(texts["OSPFv3"])]
        ages += [("IS-IS", interface, age) for interface, age in _ISIS.findall(texts["IS-IS"])]
        for protocol, interface, age in ages:
            result[f"{protocol} between {' and '.join(_LINKS[interface[-1]])}"] = now_s - seconds(age)
        for address, neighbor in json.loads(texts["BGP"]).items():
            if neighbor["bgpState"] == "Established":
                routers = sorted((name, f"r{address[-1]}"))
                result[f"BGP between {' and '.join(routers)}"] = now_s - neighbor["bgpTimerUpMsec"] / 1000
    return result


def lost_sessions(lab: Lab, topology: Topology) -> tuple[list[str], list[str]]:
    """Change the lab. Returns the sessions that the changes name, and those that FRR has lost."""
    wait_for_lab(lambda: max(up_since(lab).values()) < time.monotonic() - MARGIN_S, "sessions that are old enough")
    before, change_s = up_since(lab), time.monotonic()
    changes = lab.apply(topology)
    pause(DEAD_S)
    lab.wait_converged()
    after = up_since(lab)
    lost = [f"{session} ends" for session in before if session not in after]
    lost += [
        f"{session} is interrupted"
        for session in before
        if session in after and after[session] > change_s - MARGIN_S / 2
    ]
    return sorted(text for change in changes for text in change.interruptions), sorted(lost)


def test_changes_name_the_sessions_that_frr_loses() -> None:
    reflector = {"peer_r1_r2": {"route_reflector_client": True}, "peer_r1_r3": {"next_hop_self": True, "weight": 7}}
    several = triangle(
        **at_a(OspfInterface, "ospf", network_type="broadcast"),
        **at_a(IsisInterface, "isis", metric=7),
        **reflector,
        r3_ospf6={"router_id": IPv4Address("3.3.3.3")},
    )
    in_area = triangle(
        **at_a(OspfInterface, "ospf", area="1"),
        r1_bgp={"cluster_id": IPv4Address("1.1.1.1")},
        r3_isis={"area": "49.0007", "overload": True},
        peer_r2_r3={"passive": True},
    )
    with Lab(triangle(), place="namespace") as lab:
        lab.wait_converged()
        named, lost = lost_sessions(lab, several)
        assert named == lost == [
            "BGP between r1 and r2 is interrupted",
            "OSPF between r1 and r2 is interrupted",
            "OSPFv3 between r1 and r3 is interrupted",
            "OSPFv3 between r2 and r3 is interrupted",
        ]  # fmt: skip
        named, lost = lost_sessions(lab, in_area)
        assert named == lost
        assert {"OSPF between r1 and r2 is interrupted", "BGP between r2 and r3 is interrupted"} <= set(named)
        assert "via interface r2-a" in (text := lab["r2"].vtysh("show ip ospf neighbor detail"))
        assert "area 0.0.0.1 via interface r2-a" in text
        named, lost = lost_sessions(lab, triangle(["b", "c"]))
        assert named == lost
        assert {f"{protocol} between r1 and r2 ends" for protocol in ("OSPF", "OSPFv3", "IS-IS")} <= set(named)

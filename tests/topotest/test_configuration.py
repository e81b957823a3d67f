"""Routers that are described in JSON, as lines of frr.conf, and the lines that remove them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from frrlib.topotest import script_commands
from frrlib.topotest.config import create, ospf, routers
from frrlib.topotest.lib import topojson
from frrlib.topotest.verify import expected_prefixes, missing_next_hops


def topology_json() -> dict[str, Any]:
    """Two routers with two links, and BGP for both address families."""

    def router(number: int, peer_number: int) -> dict[str, Any]:
        peer = {"neighbor": {f"r{peer_number}": {"dest_link": {f"r{number}-b": {"next_hop_self": True}}}}}
        families = {"ipv4": {"unicast": peer}, "ipv6": {"unicast": peer}}
        link = {"ipv4": "auto", "ipv6": "auto"}
        links = {
            "lo": {"type": "loopback", "ipv4": "auto"},
            f"r{peer_number}": dict(link),
            f"r{peer_number}-b": dict(link),
        }
        return {"links": links, "bgp": {"local_as": 100 * number, "address_family": families}}

    return {
        "ipv4base": "10.0.0.0", "ipv6base": "fd00::",
        "link_ip_start": {"ipv4": "10.0.0.0", "v4mask": 30, "ipv6": "fd00::", "v6mask": 64},
        "lo_prefix": {"ipv4": "1.0.", "v4mask": 32},
        "routers": {"r1": router(1, 2), "r2": router(2, 1)},
    }  # fmt: skip


class NetworkRecorder:
    """Replaces a network: records added routers and links."""

    def __init__(self) -> None:
        self.added: list[str] = []
        self.gears: dict[str, NetworkRecorder] = {}

    def add_router(self, name: str) -> None:
        self.added.append(name)
        self.gears[name] = self

    def add_link(self, _peer: object, local_interface: str, remote_interface: str) -> None:
        self.added.append(f"{local_interface} {remote_interface}")


@pytest.fixture
def topo() -> dict[str, Any]:
    described_topology = topology_json()
    network = NetworkRecorder()
    topojson.build_topo_from_json(network, described_topology)
    assert network.added == ["r1", "r2", "r1-r2-eth0 r2-r1-eth0", "r1-r2-eth1 r2-r1-eth1"]
    return described_topology


def test_links_get_names_and_addresses(topo: dict[str, Any]) -> None:
    links = topo["routers"]["r1"]["links"]
    assert links["lo"]["ipv4"] == "1.0.1.17/32"
    assert (links["r2"]["ipv4"], links["r2"]["ipv6"]) == ("10.0.0.1/30", "fd00::1/64")
    assert (links["r2-b"]["ipv4"], links["r2-b"]["ipv6"]) == ("10.0.0.5/30", "fd00:0:0:1::1/64")
    assert topo["routers"]["r2"]["links"]["r1-b"]["peer-interface"] == "r1-r2-eth1"


def test_sessions_of_both_families(topo: dict[str, Any]) -> None:
    lines = routers.everything(None, topo["routers"])["r1"]
    at = lines.index("router bgp 100")
    assert lines[:3] == ["interface lo", "ip address 1.0.1.17/32", "interface r1-r2-eth0"]
    assert {"neighbor 10.0.0.6 remote-as 200", "neighbor fd00:0:0:1::2 remote-as 200"} <= set(lines[at:])
    four, six = (lines.index(f"address-family {family} unicast") for family in ("ipv4", "ipv6"))
    assert "no neighbor fd00:0:0:1::2 activate" in lines[four:six]
    assert lines[six + 1 : six + 3] == ["neighbor fd00:0:0:1::2 activate", "neighbor fd00:0:0:1::2 next-hop-self"]


def test_lines_after_an_activation_belong_to_its_family(topo: dict[str, Any]) -> None:
    router = topo["routers"]["r1"]
    peer = {"capability": "extended-nexthop", "activate": "ipv4", "next_hop_self": True, "route_maps": [{"name": "m"}]}
    router["bgp"]["address_family"] = {"ipv6": {"unicast": {"neighbor": {"r2": {"dest_link": {"r1-b": peer}}}}}}
    lines = routers.everything(None, topo["routers"])["r1"]
    four = [at for at, line in enumerate(lines) if line == "address-family ipv4 unicast"]
    about = "neighbor fd00:0:0:1::2"
    assert lines[four[0] + 1 : four[0] + 3] == [f"{about} activate", f"{about} next-hop-self"]
    assert lines[four[-1] + 1 : four[-1] + 3] == [f"{about} activate", f"{about} route-map m in"]
    assert lines[-2:] == ["address-family ipv6 unicast", "exit-address-family"]


def test_a_session_is_shut_down_outside_of_address_families(topo: dict[str, Any]) -> None:
    router = topo["routers"]["r1"]
    for family in ("ipv4", "ipv6"):
        router["bgp"]["address_family"][family]["unicast"]["neighbor"]["r2"]["dest_link"]["r1-b"]["shutdown"] = True
    lines = routers.everything(None, topo["routers"])["r1"]
    down = [at for at, line in enumerate(lines) if line.endswith(" shutdown")]
    assert [lines[at].split()[1] for at in down] == ["10.0.0.6", "fd00:0:0:1::2"]
    assert max(down) < min(at for at, line in enumerate(lines) if line.startswith("address-family"))


def test_routes_are_counted_and_removed() -> None:
    route = {"network": "10.1.0.254/31", "no_of_ip": 2, "next_hop": "10.0.0.1", "tag": 5, "admin_distance": 7}
    added_lines = list(routers.static_routes("r1", {"static_routes": [route]}))
    assert added_lines == [f"ip route {prefix} 10.0.0.1 tag 5 7" for prefix in ("10.1.0.254/31", "10.1.1.0/31")]
    removed_lines = list(routers.static_routes("r1", {"static_routes": [{**route, "delete": True}]}))
    assert removed_lines == [f"no {line}" for line in added_lines]
    assert [prefix for _, prefix, _ in expected_prefixes({"r1": {"static_routes": [route]}}, "ipv4")] == [
        "10.1.0.254/31",
        "10.1.1.0/31",
    ]
    assert not list(expected_prefixes({"r1": {"static_routes": [route]}}, "ipv6"))


def test_policies_are_numbered() -> None:
    rules = {"p": [{"action": "permit", "network": "any"}, {"action": "deny", "network": "10.0.0.0/8", "le": "32"}]}
    lines = list(routers.prefix_lists("one", {"prefix_lists": {"ipv4": rules}}))
    assert lines == ["ip prefix-list p seq 10 permit any", "ip prefix-list p seq 20 deny 10.0.0.0/8 le 32"]
    entry = {
        "action": "permit",
        "match": {"ipv4": {"prefix_lists": "p"}},
        "set": {"locPrf": 150, "path": {"as_num": 7, "as_action": "prepend"}, "community": {"num": "1:2"}},
    }
    assert list(routers.route_maps("one", {"route_maps": {"m": [entry]}})) == [
        "route-map m permit 10",
        "set local-preference 150",
        "set as-path prepend 7",
        "set community 1:2",
        "match ip address prefix-list p",
    ]


def test_ospf() -> None:
    ospf_config = {
        "router_id": "1.1.1.1",
        "redistribute": [{"redist_type": "static", "delete": True}],
        "del_max_path": True,
    }
    lines = ["router ospf", "ospf router-id 1.1.1.1", "no maximum-paths", "no redistribute static"]
    assert list(ospf.ospf({"ospf": ospf_config})) == lines


def test_interfaces_are_put_into_vrfs() -> None:
    class Node:
        def cmd_status(self, lines: str) -> None:
            commands.append(lines)

    commands: list[str] = []
    links = {"lo": {"type": "loopback", "vrf": "RED"}, "r2": {"interface": "r1-r2-eth0", "vrf": ["RED"]}, "r3": {}}
    create.make_vrfs(
        SimpleNamespace(net={"r1": Node()}), {"r1": {"vrfs": [{"name": "RED", "id": "1"}], "links": links}}
    )
    lines = commands[0].splitlines()
    assert "ip link add RED type vrf table 1" in lines[0]
    assert lines[1:] == [f"ip link set {name} master RED; ip link set {name} up" for name in ("lo", "r1-r2-eth0")]


def test_next_hops() -> None:
    assert missing_next_hops("10.0.0.1", ["10.0.0.1", "10.0.0.5"]) == ""
    assert missing_next_hops(["FD00::1"], ["fd00::1"]) == ""
    assert "10.0.0.9" in missing_next_hops(["10.0.0.1", "10.0.0.9"], ["10.0.0.1"])


def test_scripts_count_passes_and_failures() -> None:
    class Node:
        def cmd(self, command: str) -> str:
            return f"said\n{command}"

    script = script_commands.Script({"r1": Node()})
    assert script.ask("r1", "hello", "said hel+o", "pass", "greets") == "said hello"
    assert script.ask("r1", "hello", "bye", "fail", "does not leave") is True
    assert script.wait("r1", "hello", "bye", "leaves", 0, 0) is False
    assert (script.passed, script.failures) == (2, ["r1: leaves"])
    script.strict = False
    assert script.wait("r1", "hello", "bye", "leaves at last", 0, 0) is False
    assert script.failures == ["r1: leaves"]
    assert script.wait("r1", "hello", "bye", "leaves after all", 0, 0, strict=True) is False
    assert script.failures == ["r1: leaves", "r1: leaves after all"]

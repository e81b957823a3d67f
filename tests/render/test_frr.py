"""A router's settings as frr.conf, checked by FRR's own parser, and the lines of each daemon."""

from __future__ import annotations

import subprocess
from ipaddress import ip_address, ip_interface, ip_network
from pathlib import Path

import pytest

from frrlib.addressing import domains
from frrlib.addressing.addressing import addressed
from frrlib.edits.generators import grid
from frrlib.edits.routing_presets import ospf_everywhere
from frrlib.formats import mn
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Router
from frrlib.model.routing import Bgp, BgpNeighbor, Ospf, OspfInterface, StaticRoute
from frrlib.model.topology import Topology
from frrlib.render import frr
from frrlib.render.frr import frr_conf, frr_confs
from frrlib.render.routing import router_views
from tests.examples.data import EXAMPLES


def three_nodes(**settings: object) -> Topology:
    """r1 between h1 and r2."""
    r1 = Router(name="r1", loopbacks=(ip_interface("10.255.0.1/32"),), **settings)  # type: ignore[arg-type]
    return Topology(
        nodes=(Host(name="h1"), r1, Router(name="r2", ospf=Ospf())),
        links=(
            Link(
                id="l1",
                a=End(node="h1", interface="h1-eth0", addresses=(ip_interface("10.0.0.10/16"),)),
                b=End(node="r1", interface="r1-eth1", addresses=(ip_interface("10.0.0.1/16"),)),
            ),
            Link(
                id="l2",
                a=End(node="r1", interface="r1-eth0", addresses=(ip_interface("10.9.0.1/16"),), ospf_cost=7),
                b=End(node="r2", interface="r2-eth0", addresses=(ip_interface("10.9.0.2/16"),)),
            ),
        ),
    )


BGP = Bgp(
    asn=100,
    networks=(ip_network("10.0.0.0/16"), ip_network("2001:db8::/32")),
    neighbors=(
        BgpNeighbor(address=ip_address("10.9.0.2"), remote_as=200, description="the other AS"),
        BgpNeighbor(address=ip_address("2001:db8::2"), remote_as=4_200_000_000),
    ),
)
STATIC = (
    StaticRoute(prefix=ip_network("10.7.0.0/16"), via=ip_address("10.9.0.2")),
    StaticRoute(prefix=ip_network("2001:db8:7::/48"), via=ip_address("2001:db8::2")),
)
FREE = "router isis lab\n net 49.0001.0000.0000.0001.00\nexit\nip prefix-list p seq 5 permit 10.0.0.0/8"


def parsed(text: str, folder: Path) -> tuple[int, str]:
    """The exit status and messages of `vtysh -C` for a configuration."""
    file = folder / "frr.conf"
    file.write_text(text)
    done = subprocess.run(["vtysh", "-C", "-f", str(file)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "settings",
    [
        {"bgp": BGP},
        {
            "ospf": Ospf(
                hello_s=1,
                dead_s=4,
                interfaces=(
                    OspfInterface(interface="r1-eth0", area="0.0.0.3"),
                    OspfInterface(interface="r1-eth1", passive=True),
                ),
            )
        },
        {"static_routes": STATIC},
        {"bgp": BGP, "ospf": Ospf(), "static_routes": STATIC, "frr_conf": FREE},
    ],
)
def test_frr_accepts_every_line(settings: dict[str, object], tmp_path: Path) -> None:
    topology = three_nodes(**settings)
    text = frr.frr_conf(topology, topology.routers[0])
    assert parsed(text, tmp_path)[0] == 0, parsed(text, tmp_path)
    status, message = parsed(text + "nonsense of ours\n", tmp_path)
    assert status != 0
    assert "nonsense" in message


def test_daemons_follow_from_settings_and_custom_lines() -> None:
    topology = three_nodes(bgp=BGP, ospf=Ospf(), static_routes=STATIC, frr_conf=FREE)
    assert frr.daemons(topology.routers[0]) == ("zebra", "staticd", "ospfd", "bgpd", "isisd")
    assert frr.daemons(Router(name="plain")) == ()


def test_each_daemon_gets_its_own_sections_and_no_other() -> None:
    topology = three_nodes(bgp=BGP, ospf=Ospf(), static_routes=STATIC, frr_conf=FREE)
    router = topology.routers[0]
    parts = frr.per_daemon(frr.frr_conf(topology, router), frr.daemons(router))
    assert "router bgp 100" in parts["bgpd.conf"]
    assert "router ospf" not in parts["bgpd.conf"]
    assert " ip ospf cost 7" in parts["ospfd.conf"]
    assert "ospf" not in parts["zebra.conf"]
    assert "prefix-list" not in parts["zebra.conf"]
    assert "ip prefix-list p" in parts["bgpd.conf"]
    assert "ip route 10.7.0.0/16 10.9.0.2" in parts["staticd.conf"]
    assert "router isis lab\n net 49.0001.0000.0000.0001.00" in parts["isisd.conf"]
    assert all("hostname r1" in part for part in parts.values())


@pytest.mark.parametrize(("loopbacks", "has_line"), [(100, False), (300, True)])
def test_zebra_has_a_long_queue_for_many_prefixes(loopbacks: int, has_line: bool, tmp_path: Path) -> None:
    addresses = tuple(ip_interface((0x0AFE0000 + number, 32)) for number in range(loopbacks))
    topology = Topology(nodes=(Router(name="r1", loopbacks=addresses, ospf=Ospf()),))
    text = frr.frr_conf(topology, topology.routers[0])
    assert ("zebra dplane limit 10000" in frr.per_daemon(text, ("zebra", "ospfd"))["zebra.conf"]) is has_line
    assert "dplane" not in frr.per_daemon(text, ("zebra", "ospfd"))["ospfd.conf"]
    assert parsed(text, tmp_path)[0] == 0
    with_line = topology.routers[0].model_copy(update={"frr_conf": "zebra dplane limit 7\n"})
    lines = frr.frr_conf(topology.model_copy(update={"nodes": (with_line,)}), with_line).splitlines()
    assert [line for line in lines if "dplane" in line] == ["zebra dplane limit 7"]


def test_ebgp_needs_no_policy_unless_required() -> None:
    topology = three_nodes(bgp=BGP)
    assert " no bgp ebgp-requires-policy" in frr.frr_conf(topology, topology.routers[0])
    topology = three_nodes(bgp=BGP.model_copy(update={"requires_policy": True}))
    assert "requires-policy" not in frr.frr_conf(topology, topology.routers[0])


def test_ospf_is_passive_towards_hosts_and_point_to_point_between_routers() -> None:
    topology = three_nodes(ospf=Ospf(hello_s=1, dead_s=4))
    text = frr.frr_conf(topology, topology.routers[0])
    assert " ip ospf passive" in text.split("interface r1-eth1\n")[1].split("exit")[0]
    section = text.split("interface r1-eth0\n")[1].split("exit")[0]
    assert " ip ospf network point-to-point" in section
    assert " ip ospf hello-interval 1\n" in section
    assert "hello" not in text.split("interface r1-eth1\n")[1].split("exit")[0]


def test_router_id_is_the_lowest_loopback() -> None:
    topology = three_nodes(bgp=BGP)
    assert " bgp router-id 10.255.0.1" in frr.frr_conf(topology, topology.routers[0])


MIXED = """
vrf red
 ip route 10.0.0.0/8 10.9.0.2
 vni 7
exit-vrf
key chain k
 key 1
  key-string s
route-map m permit 10
 match community c
 match ip address prefix-list p
 set metric-type type-1
 set src 10.0.0.1
ip prefix-list p seq 5 permit any
router rip
 network r1-eth0
router ospf
 redistribute rip route-map m
router bgp 1
debug ospf6 message all
"""


def test_daemons_get_only_policies_that_they_know() -> None:
    names = ("zebra", "staticd", "ospfd", "bgpd", "ripd")
    parts = {name: frr.per_daemon(MIXED, names)[f"{name}.conf"] for name in names}
    assert " match community c" in parts["bgpd"]
    assert " match community c" not in parts["ospfd"]
    assert " set metric-type type-1" in parts["ospfd"]
    assert all(" match ip address prefix-list p" in parts[name] for name in ("ospfd", "bgpd", "ripd"))
    assert "key chain k" in parts["ripd"]
    assert not any("key chain" in parts[name] for name in names if name != "ripd")
    assert "route-map" not in parts["zebra"] + parts["staticd"]
    assert " vni 7" in parts["zebra"]
    assert " ip route 10.0.0.0/8" in parts["staticd"]
    zebra_conf = frr.per_daemon(MIXED + "ip protocol ospf route-map m\n", names)["zebra.conf"]
    assert " set src 10.0.0.1" in zebra_conf
    assert "prefix-list p seq 5" in zebra_conf


def test_custom_lines_start_their_daemons() -> None:
    assert frr.daemons(Router(name="r", frr_conf="interface e\n isis metric 3\n ip pim")) == ("zebra", "isisd", "pimd")
    assert frr.daemons(Router(name="r", frr_conf="vrf red\n ip route 10.0.0.0/8 blackhole")) == ("zebra", "staticd")
    assert frr.daemons(Router(name="r", frr_conf="debug bgp updates\nroute-map m permit 10")) == ("zebra",)


def test_groups_are_joined_after_interfaces_exist() -> None:
    assert frr.at_start("interface e\n ip igmp\n", ("zebra", "pimd"))
    assert frr.at_start("interface e\n ip igmp join 239.1.1.1\n", ("zebra", "pimd")) == {}


@pytest.mark.parametrize("router", ["r1", "r4"])
def test_a_route_map_precedes_the_neighbors_that_use_it(router: str) -> None:
    topology = addressed(mn.load(EXAMPLES / "bgp-policy.mn").topology)
    node = next(candidate for candidate in topology.routers if candidate.name == router)
    configuration = frr.frr_conf(topology, node)
    for text in (configuration, frr.per_daemon(configuration, ("zebra", "bgpd"))["bgpd.conf"]):
        defined_at = {words[1]: line_number for line_number, words in _lines(text) if words[0] == "route-map"}
        used_at = {
            words[3]: line_number
            for line_number, words in _lines(text)
            if words[0] == "neighbor" and words[2] == "route-map"
        }
        assert used_at and all(defined_at[name] < line_number for name, line_number in used_at.items())


def _lines(text: str) -> list[tuple[int, list[str]]]:
    return [(number, line.split()) for number, line in enumerate(text.splitlines()) if line.strip()]


def test_interfaces_are_sorted_by_name() -> None:
    topology = three_nodes(ospf=Ospf())
    lines = frr.frr_conf(topology, topology.node("r1")).splitlines()  # type: ignore[arg-type]
    names = [line.split()[1] for line in lines if line.startswith("interface ")]
    assert names == ["lo", "r1-eth0", "r1-eth1"]


def test_the_configurations_of_all_routers_come_from_one_look_at_the_topology(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at all broadcast domains for each router would make a large lab slow."""
    complete = addressed(ospf_everywhere(grid(3, 3, hosts=1)))
    looks: list[int] = []

    def broadcast_domains(topology: Topology) -> tuple[domains.Domain, ...]:
        looks.append(len(topology.links))
        return domains.broadcast_domains(topology)

    monkeypatch.setattr(router_views, "broadcast_domains", broadcast_domains)
    texts = frr_confs(complete)
    assert len(looks) == 1
    assert texts == {router.name: frr_conf(complete, router) for router in complete.routers}

"""Routing presets: the settings that each one sets, keeps and removes."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.edits import generators, routing_presets
from frrlib.model.nodes import Router
from frrlib.model.routing import Bgp, BgpNeighbor, Isis, Ospf, Vrf
from frrlib.model.topology import Topology
from frrlib.prediction.routes import expected_routes
from tests.checks.problems import complaints, errors
from tests.edits.topologies import GRID, drawn, linked, with_ipv6, with_ospf


def test_ospf_everywhere_keeps_existing_settings() -> None:
    topology = linked(drawn("router", "legacy-router", "host"), "r1 r2", "r2 h1")
    topology = with_ospf(topology, hello_s=10, area="0")
    after = routing_presets.ospf_everywhere(topology)
    assert after.routers[0] == topology.routers[0]
    assert all(router.ospf for router in after.routers)
    assert errors(after) == []
    assert len(expected_routes(addressed(after))["r1"]) == 2  # the host's network, and the other loopback


@pytest.mark.parametrize("topology", [generators.line(4), generators.tree(3, 2), with_ipv6(generators.ring(4))])
def test_presets_cause_no_problems(topology: Topology) -> None:
    bare = routing_presets.clear_routing(topology)
    for preset in (
        routing_presets.ospf_everywhere,
        routing_presets.isis_everywhere,
        routing_presets.rip_everywhere,
        routing_presets.as_per_router,
    ):
        after = preset(bare)
        assert complaints(after) == []
        assert complaints(routing_presets.lab_timers_everywhere(after)) == []
        assert complaints(routing_presets.frr_timers_everywhere(after)) == []


def test_ipv6_is_routed_on_routers_with_ipv6_addresses() -> None:
    for topology, has_ipv6 in ((generators.line(3), False), (with_ipv6(generators.line(3)), True)):
        after = routing_presets.rip_everywhere(routing_presets.ospf_everywhere(routing_presets.clear_routing(topology)))
        assert [bool(router.ospf6) for router in after.routers] == [has_ipv6] * 3
        assert [bool(router.ripng) for router in after.routers] == [has_ipv6] * 3


def test_timers_of_interfaces_and_sessions_change_too() -> None:
    router = Router(
        name="r1",
        ospf=Ospf.model_validate({"interfaces": [{"interface": "r1-eth0", "hello_s": 7, "area": "1"}]}),
        isis=Isis(),
        bgp=Bgp(asn=1, neighbors=(BgpNeighbor(address=ip_address("10.0.0.2"), remote_as=2, hold_s=33),)),
        vrfs=(Vrf(name="red", ospf=Ospf(hello_s=5)),),
    )
    slow = routing_presets.frr_timers_everywhere(Topology(nodes=(router,))).routers[0]
    assert slow.ospf and slow.isis and slow.bgp and slow.vrfs[0].ospf
    assert (slow.ospf.hello_s, slow.ospf.dead_s, slow.ospf.lab_timers) == (10, 40, False)
    assert (slow.ospf.interfaces[0].hello_s, slow.ospf.interfaces[0].area) == (None, "1")
    assert (slow.bgp.connect_retry_s, slow.bgp.coalesce_ms, slow.bgp.neighbors[0].hold_s) == (120, 1000, None)
    assert slow.vrfs[0].ospf.hello_s == 10
    fast = routing_presets.lab_timers_everywhere(Topology(nodes=(slow,))).routers[0]
    assert fast.ospf and fast.isis
    assert (fast.ospf.hello_s, fast.ospf.lab_timers, fast.isis.lab_timers) == (1, True, True)


def test_clearing_routing_leaves_addresses() -> None:
    after = routing_presets.clear_routing(routing_presets.as_per_router(GRID))
    assert not any(router.runs_frr for router in after.routers)
    assert all(router.loopbacks for router in after.routers)
    assert [link.a.addresses for link in after.links] == [
        link.a.addresses for link in routing_presets.as_per_router(GRID).links
    ]

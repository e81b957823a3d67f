"""Differences of topologies in words and as steps, without a lab."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.addressing.resolved import resolved
from frrlib.changes.comparison import Change, changes
from frrlib.changes.kept_names import with_kept_names
from frrlib.changes.plan_difference import plan_difference, router_lines
from frrlib.changes.read_back import deviations, unseen_lines
from frrlib.conf.changes import difference
from frrlib.conf.merge import merged
from frrlib.model.nodes import VlanInterface
from frrlib.model.topology import Topology
from frrlib.network.network import Bgp, Network, Ospf, Shape, end
from frrlib.render.plan import plan
from frrlib.wire.plan import Plan
from frrlib.wire.replies import LabChangeReply


def network(**fields: Any) -> Network:
    """h1 - r1 - r2 - h2."""
    net = Network("pair", **fields)
    for name in ("r1", "r2"):
        net.router(name, ospf=Ospf())
    for name in ("h1", "h2"):
        net.host(name)
    net.link("h1", "r1")
    net.link("h2", "r2")
    return net


def compared(before: Topology, after: Topology) -> tuple[Change, ...]:
    running = addressed(before)
    pair = resolved(running), resolved(with_kept_names(running, after))
    plans = plan(pair[0]), plan(pair[1])
    return changes(*pair, plans, plan_difference(*plans))


def texts(before: Topology, after: Topology) -> list[str]:
    return [str(change) for change in compared(before, after)]


def test_equal_topologies_and_other_looks_give_no_change() -> None:
    before, moved = network().topology, network().topology
    moved = moved.model_copy(update={"nodes": tuple(node.model_copy(update={"x": 9.0}) for node in moved.nodes)})
    assert compared(before, before) == compared(before, moved) == ()


def test_new_and_removed_parts_come_in_the_order_in_which_they_are_made() -> None:
    before, after = network(), network()
    before.host("h3")
    before.link("h3", "r1", id="old")
    after.router("r3", bgp=Bgp(asn=65003))
    after.link(end("r3", "10.9.0.3/24"), end("r2", "10.9.0.2/24"), id="new", both=Shape(rate_mbit=5))
    result = compared(before.topology, after.topology)
    assert [(change.action, change.subject, change.name) for change in result] == [
        ("remove", "link", "old"), ("add", "node", "r3"), ("add", "link", "new"),
        *([("change", "link", "l1")] * 2 + [("change", "link", "l2")] * 2),
        ("change", "configuration", "r1"), ("change", "configuration", "r2"), ("remove", "node", "h3"),
    ]  # fmt: skip
    assert str(result[1]) == "add router r3 (bgp)"
    assert str(result[2]) == "add link new (r3-eth0 10.9.0.3/24 to r2-eth1 10.9.0.2/24)"
    # The first shaped link of a lab switches the offloads of all links off.
    assert str(result[3]) == "link l1: segmentation offloads off at h1-eth0"
    assert result[-2].lines == (
        "+ interface r2-eth1 > ip ospf area 0", "+ interface r2-eth1 > ip ospf network point-to-point"
    )  # fmt: skip


def test_values_addresses_and_carrier_change_in_place() -> None:
    before, after = network(), network()
    before.link(
        end("r1", "10.8.0.1/24"), end("r2", "10.8.0.2/24"), id="core", both=Shape(rate_mbit=10, queue_packets=20)
    )
    after.link(
        end("r1", "10.9.0.1/24"), end("r2", "10.9.0.2/24"), id="core", up=False,
        a_to_b=Shape(rate_mbit=10, queue_packets=20), b_to_a=Shape(rate_mbit=2.5, shaper="htb"),
    )  # fmt: skip
    assert [text for text in texts(before.topology, after.topology) if text.startswith("link core")] == [
        "link core: rate 2.5 Mbit/s instead of 10 Mbit/s from r2 to r1",
        "link core: queue limit none instead of 20 packets from r2 to r1",
        "link core: shaper htb instead of tbf from r2 to r1",
        "link core: address 10.9.0.1/24 instead of 10.8.0.1/24 at r1-eth1",
        "link core: address 10.9.0.2/24 instead of 10.8.0.2/24 at r2-eth1",
        "link core: take its carrier away",
    ]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"both": Shape(delay_ms=3)}, "only a link with delay or loss passes the link namespace"),
        ({"a": end("r1", mtu_bytes=1400), "b": end("r2", mtu_bytes=1400)}, "its MTU changes"),
        ({"a": end("r1", mac="02:00:00:00:00:07")}, "a hardware address changes"),
        ({"b": end("h2")}, "its ends change"),
    ],
)
def test_a_link_is_made_anew_where_its_interfaces_cannot_stay(fields: dict[str, Any], reason: str) -> None:
    before, after = network(), network()
    before.link("r1", "r2", id="core")
    after.link(**{"a": "r1", "b": "r2", "id": "core", **fields})
    remade = [change for change in compared(before.topology, after.topology) if change.action == "remake"]
    assert [change.name for change in remade] == ["core"] and str(remade[0]).endswith(f"anew, because {reason}")


def test_a_node_made_anew_takes_its_links_and_their_far_ends_with_vlans_along() -> None:
    def topology(command: str) -> Topology:
        net = Network("chain")
        net.host("h1", start_command=command)
        net.host("h2", vlan_interfaces=(VlanInterface(address="10.7.0.1/24", vlan_id=7),))
        net.host("h3")
        net.link("h1", "h2", id="l1")
        net.link("h2", "h3", id="l2")
        return net.topology

    result = compared(topology("echo 1"), topology("echo 2"))
    assert {(change.action, change.name) for change in result} == {
        ("remake", "h1"), ("remake", "h2"), ("remake", "l1"), ("remake", "l2"),
    }  # fmt: skip
    assert "make host h1 anew, with its processes and links, because its start command changes" in map(str, result)


def test_a_removed_link_does_not_rename_later_interfaces() -> None:
    before, after = network(), network()
    for net in (before, after):
        if net is before:
            net.link("r1", "r2", id="first")
        net.link("r1", "r2", id="second")
    removed = [change for change in compared(before.topology, after.topology) if change.subject == "link"]
    assert [(change.action, change.name) for change in removed] == [("remove", "first")]


def test_switches_with_controllers_and_interfaces_of_the_machine_are_refused() -> None:
    before, after = network(), network(shown_folders=("/srv",))
    after.switch("s1", controllers=("c0",))
    after.controller("c0")
    after.host("h3", external_interfaces=("eth7",))
    after.link("s1", "h3", id="l3")
    refused = {change.name: change.refusal for change in compared(before.topology, after.topology) if change.refusal}
    assert refused.keys() == {"", "s1", "c0", "h3", "l3"}
    assert all(reason.endswith("; stop the lab and run it again") for reason in refused.values())


OLD = "router ospf\n ospf router-id 1.1.1.1\nexit\n!\nrouter bgp 65001\n neighbor 10.0.0.2 remote-as 65002\nexit\n!\n"
NEW = "ip prefix-list p seq 5 permit any\n!\nrouter ospf\n ospf router-id 1.1.1.2\nexit\n!\n"


def test_lines_of_a_router_turn_one_configuration_into_the_other_and_back() -> None:
    lines = router_lines(OLD, NEW)
    forth, back = ("\n".join(forms[0] for forms in part) for part in (lines.lines, lines.undo))
    assert not difference(merged(OLD, forth), NEW)
    assert not difference(merged(NEW, back), OLD)
    assert ("no router bgp 65001",) in lines.lines
    assert lines.commands == ("clear ip ospf process",)


def test_a_removal_has_shorter_forms_down_to_its_subject() -> None:
    lines = router_lines(
        "router ospf\n maximum-paths 4\n timers throttle spf 1 2 3\nexit\n", "router ospf\nexit\n"
    ).lines
    assert (" no maximum-paths 4", " no maximum-paths") in lines
    assert (" no timers throttle spf 1 2 3", " no timers throttle spf 1 2", " no timers throttle spf 1",
            " no timers throttle spf") in lines  # fmt: skip


def _typed(before: str, after: str) -> list[str]:
    """The lines to type in their first forms, without sections and their ends."""
    lines = [forms[0].strip() for forms in router_lines(before, after).lines]
    return [line for line in lines if not line.startswith(("interface", "router", "exit"))]


ISIS = "interface r1-eth0\n ip router isis lab\n ipv6 router isis lab\n isis passive\n isis metric 7\nexit\n!\n"


def test_lines_of_isis_that_frr_removes_with_the_protocol_are_not_typed() -> None:
    """FRR 8.4 rejects `no isis passive` at an interface that IS-IS has left."""
    bare, one_family = (
        "interface r1-eth0\n ip address 10.0.0.1/24\nexit\n!\n",
        ISIS.replace(" ip router isis lab\n", ""),
    )
    assert _typed(ISIS, "") == _typed(ISIS + "router isis lab\nexit\n", "")[:2] == [
        "no ip router isis lab", "no ipv6 router isis lab",
    ]  # fmt: skip
    assert _typed(ISIS, bare)[:2] == ["no ip router isis lab", "no ipv6 router isis lab"]
    assert "no isis passive" not in _typed(ISIS, bare)
    # It stays at the interface for the other family.
    assert _typed(ISIS, one_family.replace(" isis passive\n", "")) == ["no ip router isis lab", "no isis passive"]
    undo = [forms[0].strip() for forms in router_lines("", ISIS).undo]
    assert "no ip router isis lab" in undo and not [line for line in undo if "passive" in line or "metric" in line]
    removed = [change.line for change in difference(ISIS, "")]
    assert "isis passive" in removed  # people still see all of them


@pytest.mark.parametrize(
    ("old", "new", "typed"),
    [
        ("interface a\n ip ospf area 0", "interface a\n ip ospf area 1", ["no ip ospf area 0", "ip ospf area 1"]),
        ("interface a\n ipv6 ospf6 area 0", "interface a\n ipv6 ospf6 area 1",
         ["no ipv6 ospf6 area 0", "ipv6 ospf6 area 1"]),
        ("interface a\n ip ospf cost 5", "interface a\n ip ospf cost 6", ["ip ospf cost 6"]),
        ("router ospf\n area 1 nssa", "router ospf\n area 1 nssa no-summary", ["area 1 nssa no-summary"]),
        ("router ospf\n area 1 nssa no-summary", "router ospf\n area 1 nssa",
         ["no area 1 nssa no-summary", "area 1 nssa"]),
        ("router ospf\n area 1 nssa no-summary", "router ospf", ["no area 1 nssa"]),
        ("router ospf\n area 1 stub no-summary", "router ospf", ["no area 1 stub"]),
        ("router ospf\n area 1 range 10.0.0.0/8 cost 5", "router ospf\n area 1 range 10.0.0.0/8",
         ["no area 1 range 10.0.0.0/8 cost 5", "area 1 range 10.0.0.0/8"]),
        ("router ospf\n redistribute static metric 5", "router ospf\n redistribute static", ["redistribute static"]),
        ("router bgp 1\n address-family ipv4 unicast\n  redistribute static metric 5",
         "router bgp 1\n address-family ipv4 unicast\n  redistribute static",
         ["no redistribute static metric 5", "redistribute static"]),
        ("route-map m permit 1\n set ip next-hop 10.0.0.1", "route-map m permit 1\n set ip next-hop peer-address",
         ["no set ip next-hop 10.0.0.1", "set ip next-hop peer-address"]),
    ],
)  # fmt: skip
def test_old_values_that_frr_would_keep_are_removed_first(old: str, new: str, typed: list[str]) -> None:
    """FRR 8.4 rejects, ignores or merges these new values (each tried with vtysh), and replaces all others."""
    lines = [line for line in _typed(old, new) if not line.startswith(("address-family", "route-map"))]
    assert lines == typed


def test_removed_lines_leave_nothing_behind() -> None:
    bfd = "router bgp 65001\n neighbor 10.0.0.2 remote-as 65002\n"
    assert _typed(
        f"{bfd} neighbor 10.0.0.2 bfd\n neighbor 10.0.0.2 bfd profile lab\nexit\n", f"{bfd}exit\n"
    ) == ["no neighbor 10.0.0.2 bfd profile lab", "no neighbor 10.0.0.2 bfd"]  # fmt: skip
    # With `no` in front of the whole line, FRR turns split horizon off.
    for start in ("ip rip", "ipv6 ripng"):
        poisoned, off = (
            f"interface r1-eth0\n {line}\nexit\n"
            for line in (f"{start} split-horizon poisoned-reverse", f"no {start} split-horizon")
        )
        assert _typed(poisoned, "") == [f"{start} split-horizon"]
        assert _typed(poisoned, off) == [f"{start} split-horizon", f"no {start} split-horizon"]
        assert _typed(off, poisoned) == [f"{start} split-horizon", f"{start} split-horizon poisoned-reverse"]


def test_neighbors_that_join_or_leave_a_peer_group_are_entered_anew() -> None:
    start = "router bgp 65001\n neighbor 10.0.0.2 remote-as 65002\n"
    group = " neighbor PG peer-group\n neighbor PG weight 5\n neighbor 10.0.0.2 peer-group PG\n"
    assert _typed(f"{start}{group}exit\n", f"{start}exit\n") == [
        "no neighbor 10.0.0.2", "no neighbor PG", "neighbor 10.0.0.2 remote-as 65002",
    ]  # fmt: skip
    family = " address-family ipv4 unicast\n  neighbor 10.0.0.2 activate\n exit-address-family\nexit\n"
    typed = _typed(f"{start}{family}", f"{start}{group}{family}")
    assert [line for line in typed if "address-family" not in line] == [
        "no neighbor 10.0.0.2", "neighbor 10.0.0.2 remote-as 65002", "neighbor PG peer-group", "neighbor PG weight 5",
        "neighbor 10.0.0.2 peer-group PG", "neighbor 10.0.0.2 activate",
    ]  # fmt: skip
    # Another weight of the group disturbs nobody.
    assert _typed(f"{start}{group}exit\n", f"{start}{group.replace('5', '6')}exit\n") == ["neighbor PG weight 6"]


def test_lines_of_bfd_that_frr_cannot_remove_get_their_defaults() -> None:
    (forms,) = (
        line for line in router_lines("bfd\n peer 10.0.0.2\n  receive-interval 50\n exit\nexit\n",
                                      "bfd\n peer 10.0.0.2\n exit\nexit\n").lines
        if "receive" in line[0]
    )  # fmt: skip
    assert [form.strip() for form in forms] == [
        "no receive-interval 50", "no receive-interval", "receive-interval 300",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("shown", "unseen"),
    [
        ("ip ospf hello-interval 7\n", ""),
        ("", ""),  # FRR omits a default
        ("ip ospf hello-interval 9\n", "interface r1-eth0 > ip ospf hello-interval 7"),
        ("ip ospf hello-interval 7\n ip ospf cost 33\n", "interface r1-eth0 > ip ospf cost 33"),  # it should be gone
    ],
)
def test_lines_that_frr_accepts_and_shows_with_other_values_are_reported(shown: str, unseen: str) -> None:
    old, new = Network("pair"), Network("pair")
    for net, hello_s, cost in ((old, 5, 33), (new, 7, None)):
        for name in ("r1", "r2"):
            net.router(name, ospf=Ospf(hello_s=hello_s))
        net.link(end("r1", "10.9.0.1/24", ospf_cost=cost), end("r2", "10.9.0.2/24"))
    plans = tuple(plan(resolved(addressed(net.topology))) for net in (old, new))
    after = frr_conf(plans[1], "r1")
    running = after.replace(" ip ospf hello-interval 7\n", f" {shown}" if shown else "")
    reply: Any = {"configurations": {"r1": {"ospfd": running}}}
    sentences = unseen_lines((plans[0], plans[1]), plan_difference(plans[0], plans[1]), reply)
    assert sentences == ([f"r1: FRR accepted these lines and does not show them: {unseen}"] if unseen else [])


def frr_conf(lab_plan: Plan, name: str) -> str:
    frr = next(node.frr for node in lab_plan.nodes if node.name == name)
    assert frr is not None
    return frr.files["frr.conf"]


def test_sections_are_removed_after_the_lines_that_may_need_them() -> None:
    old = "key chain k\nexit\n!\ninterface r1-eth0\n ip rip authentication key-chain k\nexit\n!\n"
    assert _typed(old, "") == ["no ip rip authentication key-chain k", "no key chain k"]


def test_a_kernel_that_differs_is_reported_by_interface() -> None:
    before, after = network(), network()
    before.link("r1", "h1", id="gone")
    after.link(end("r1", "10.9.0.1/24"), end("r2", "10.9.0.2/24"), id="core", both=Shape(rate_mbit=5))
    running = addressed(before.topology)
    pair = resolved(running), resolved(with_kept_names(running, after.topology))
    plans = plan(pair[0]), plan(pair[1])
    reply: LabChangeReply = {
        "qdiscs": {}, "kernels": {}, "cables": {}, "warnings": [], "failed_commands": {}, "configurations": {},
        "interfaces": {"r1": [{"name": "r1-eth1", "addresses": ["10.9.0.7/24"], "mtu": 1500}]},
    }  # fmt: skip
    found = deviations(pair[1], plans, plan_difference(*plans), reply)
    assert "r1: r1-eth1 does not have the address 10.9.0.1/24" in found
    assert "r1: the interface r1-eth0 does not exist" in found
    assert any("r2-eth1" in text and "tbf" in text for text in found)

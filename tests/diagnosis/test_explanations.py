"""Explanations from recorded replies of daemons and kernels, without a lab."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from frrlib.addressing.resolved import resolved
from frrlib.diagnosis.bgp import neighbor_lines
from frrlib.diagnosis.explanation import Explanation, Step, cause, explain
from frrlib.diagnosis.facts import LabFacts
from frrlib.diagnosis.links import address_causes, link_causes
from frrlib.diagnosis.origins import static_routes
from frrlib.diagnosis.ospf import is_configured, ospf6_causes
from frrlib.diagnosis.routes import explain_missing_route, network_of
from frrlib.diagnosis.vrfs import with_vrf_commands
from frrlib.diagnosis.wiring import shared_links
from frrlib.errors import CommandFailed, TopologyError
from frrlib.lab.lab import Lab
from frrlib.network.network import Network, Ospf

CONFIG = """
ip route 10.6.0.0/16 10.99.0.1
ip route 10.6.0.0/16 blackhole 200
interface r1-eth0
 description to r2
 ipv6 ospf6 area 0
exit
router bgp 65001
 neighbor INSIDE peer-group
 neighbor INSIDE password secret
 neighbor 10.0.12.2 remote-as 65002
 neighbor 10.0.12.2 peer-group INSIDE
 !
 address-family ipv4 unicast
  neighbor INSIDE route-map DENY in
  neighbor 10.0.12.2 activate
 exit-address-family
exit
router ospf
 network 10.0.12.0/24 area 0
exit
"""


class RecordedLab:
    """Two routers whose interfaces have the given addresses.

    Args:
        addresses: by node.
        flags: of the interface of each node.
    """

    def __init__(self, addresses: dict[str, str], flags: dict[str, tuple[str, ...]] | None = None) -> None:
        net = Network()
        for name in addresses:
            net.router(name, ospf=Ospf())
        net.link(*addresses)
        self.topology = resolved(net.topology)
        self._addresses, self._flags, self._node = addresses, flags or {}, ""

    def __getitem__(self, node: str) -> RecordedLab:
        self._node = node
        return self

    def faults_now(self) -> dict[str, Any]:
        """No faults."""
        names = ("links_down", "interfaces_down", "frozen", "stopped", "dead", "lossy")
        return {**{name: [] for name in names}, "values": {}}

    def run(self, *argv: str) -> str:
        """The reply of `ip -j addr`."""
        local, _, length = self._addresses[self._node].partition("/")
        known = {"local": local, "prefixlen": int(length), "scope": "global"}
        flags = self._flags.get(self._node, ("UP", "LOWER_UP"))
        name = f"{self._node}-eth0"
        return json.dumps([{}, {"ifname": name, "flags": flags, "mtu": 1500, "addr_info": [known]}])

    def vtysh(self, command: str) -> str:
        """The configuration; no other command is answered."""
        if command == "show running-config":
            return CONFIG
        raise CommandFailed(("vtysh", "-c", command), 1, "ospfd is not running")


def facts_of(lab: RecordedLab) -> LabFacts:
    """The facts of a recorded lab."""
    return LabFacts(cast(Lab, lab))


@pytest.mark.parametrize(
    ("a", "b", "same_mask", "words"),
    [
        ("10.0.12.1/24", "10.0.12.2/24", True, ""),
        ("10.0.12.1/24", "10.0.12.2/30", False, ""),  # each network contains the other end
        ("10.0.12.1/24", "10.0.12.2/30", True, "masks"),
        ("10.0.12.9/24", "10.0.12.2/30", False, "masks"),  # 10.0.12.9 is not in 10.0.12.0/30
        ("10.0.12.1/24", "10.0.13.2/24", False, "networks"),
        ("10.0.12.1/32", "10.0.13.2/32", False, ""),  # unnumbered
        ("10.0.12.1/24", "2001:db8::2/64", False, "r2-eth0 of r2 has no IPv4 address"),
    ],
)
def test_addresses_of_a_link(a: str, b: str, same_mask: bool, words: str) -> None:
    lab = RecordedLab({"r1": a, "r2": b})
    link = shared_links(lab.topology)["r1", "r2"][0]
    sentences = [step.sentence for step in address_causes(facts_of(lab), link, same_mask=same_mask)]
    assert len(sentences) == bool(words)
    assert words in "".join(sentences)


@pytest.mark.parametrize(
    ("flags", "sentences"),
    [
        ({}, []),
        ({"r2": ()}, ["r2-eth0 of r2 is down."]),
        ({"r1": ("UP",), "r2": ()}, ["r2-eth0 of r2 is down."]),  # r1 lacks its carrier only because of r2
        ({"r1": ("UP",)}, ["r1-eth0 of r1 has no carrier."]),
    ],
)
def test_interfaces_of_a_link(flags: dict[str, tuple[str, ...]], sentences: list[str]) -> None:
    lab = RecordedLab({"r1": "10.0.12.1/24", "r2": "10.0.12.2/24"}, flags)
    link = shared_links(lab.topology)["r1", "r2"][0]
    assert [step.sentence for step in link_causes(facts_of(lab), link)] == sentences


def test_settings_are_read_from_the_running_configuration() -> None:
    lab = RecordedLab({"r1": "10.0.12.1/24", "r2": "10.0.12.2/24"})
    facts = facts_of(lab)
    assert neighbor_lines(facts, "r1", "10.0.12.2") == ["remote-as 65002", "peer-group INSIDE", "password secret"]
    assert neighbor_lines(facts, "r1", "10.0.12.2", "ipv4 unicast") == ["activate", "route-map DENY in"]
    assert neighbor_lines(facts, "r1", "10.0.12.22") == []
    routes = static_routes(facts, "r1", network_of(facts, "10.6.0.0/16"))
    assert [route.hop for route in routes] == ["10.99.0.1", "blackhole"]
    assert is_configured(facts, shared_links(lab.topology)["r1", "r2"][0].a)


def test_an_address_stands_for_the_network_around_it() -> None:
    facts = facts_of(RecordedLab({"r1": "10.0.12.1/24", "r2": "10.0.12.2/30"}))
    assert str(network_of(facts, "10.0.12.200")) == "10.0.12.0/24"
    assert str(network_of(facts, "10.0.12.1")) == "10.0.12.0/30"
    assert str(network_of(facts, "10.9.9.9")) == "10.9.9.9/32"
    assert str(network_of(facts, "10.1.2.3/16")) == "10.1.0.0/16"
    with pytest.raises(TopologyError, match="is no prefix"):
        network_of(facts, "10.1/99")


def test_the_first_cause_counts() -> None:
    works, first, second = (
        Step("r1", "", "It works."),
        cause("r2", "e", "It fails.", "Repair it."),
        cause("", "", "More."),
    )
    explanation = explain("route", [works, first, works, second], unknown="Nothing was found.")
    assert explanation.steps == (works, first, second)
    assert explanation.cause == first
    assert explanation.as_value()["cause"] == {
        "node": "r2", "interface": "e", "sentence": "It fails.", "remedy": "Repair it.", "is_cause": True,
    }  # fmt: skip
    assert str(explain("route", [works], unknown="Nothing was found.")) == "It works. Nothing was found."
    assert explain("route", [works], is_there=True, unknown="?") == Explanation("route", True, (works,))


class ChangingLab(RecordedLab):
    """A lab without a route in its kernels, whose zebra has it for the first replies, and whose daemon ends then.

    Args:
        replies: the number of replies in which r1's zebra has the route.
    """

    def __init__(self, replies: int) -> None:
        super().__init__({"r1": "10.0.12.1/24", "r2": "10.0.12.2/24"})
        self._replies, self._questions = replies, 0

    def faults_now(self) -> dict[str, Any]:
        """The end of ripd, from the second question on."""
        self._questions += 1
        return {**super().faults_now(), "dead": ["r1:ripd", "r2:ldpd"] if self._questions > 1 else []}

    def run(self, *argv: str) -> str:
        """No routes, and the addresses."""
        return "[]" if "route" in argv else super().run(*argv)

    def vtysh(self, command: str) -> str:
        """The route in zebra's table, as long as it has it; else as in `RecordedLab`."""
        if command != "show ip route 10.7.0.0/16 json":
            return super().vtysh(command)
        self._replies -= 1
        entry = {"protocol": "rip", "selected": True, "installed": True, "nexthops": []}
        return json.dumps({"10.7.0.0/16": [entry]} if self._replies >= 0 and self._node == "r1" else {})


@pytest.mark.parametrize(("replies", "is_kernel_at_fault"), [(1, False), (9, True)])
def test_a_route_that_goes_between_two_replies_is_no_fault_of_the_kernel(
    replies: int, is_kernel_at_fault: bool
) -> None:
    explanation = explain_missing_route(cast(Lab, ChangingLab(replies)), "r1", "10.7.0.0/16")
    assert not explanation.is_there
    assert ("The kernel of r1 does not have the route" in str(explanation)) == is_kernel_at_fault


def test_the_end_of_a_daemon_is_read_anew() -> None:
    facts = facts_of(ChangingLab(0))
    assert facts.faults["dead"] == []
    assert facts.ended_daemons("r1", "r3") == [("r1", "ripd")]


def test_an_interface_of_ospfv3_needs_the_process() -> None:
    class Ospf6Lab(RecordedLab):
        """ospf6d runs without any interface: `router ospf6` is missing at r1, the line of the interface at r2."""

        def vtysh(self, command: str) -> str:
            replies = {"show daemons": "zebra ospf6d", "show ipv6 ospf6 interface json": "{}"}
            return replies[command] if command in replies else super().vtysh(command)

    facts = facts_of(Ospf6Lab({"r1": "10.0.12.1/24", "r2": "10.0.12.2/24"}))
    (link,) = shared_links(facts.topology)["r1", "r2"]
    remedies = {step.node: step.remedy for step in ospf6_causes(facts, link)}
    assert remedies == {
        "r1": "In vtysh of r1: `router ospf6`.", "r2": "In vtysh of r2: `interface r2-eth0`, `ipv6 ospf6 area AREA`.",
    }  # fmt: skip


def test_remedies_name_the_vrf_of_their_router() -> None:
    lab = RecordedLab({"r1": "10.0.12.1/24", "r2": "10.0.12.2/24"})
    facts = LabFacts(cast(Lab, lab), {"r1": "red"})
    remedies = {
        "`router ospf`, `no area 1 stub`": "`router ospf vrf red`, `no area 1 stub`",
        "`router bgp 65001`": "`router bgp 65001 vrf red`",
        "`ip route 10.6.0.0/16 10.0.12.2`": "`ip route 10.6.0.0/16 10.0.12.2 vrf red`",
        "`miniedit-frr why r1 10.0.12.2` names it": "`miniedit-frr why r1 10.0.12.2 --vrf red` names it",
        "`interface r1-eth0`, `no shutdown`": "`interface r1-eth0`, `no shutdown`",
    }
    for remedy, expected in remedies.items():
        (in_vrf, elsewhere) = with_vrf_commands(facts, [cause("r1", "", "", remedy), cause("r2", "", "", remedy)])
        assert (in_vrf.remedy, elsewhere.remedy) == (expected, remedy)

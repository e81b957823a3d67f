"""`frrlib.diagnosis` on labs with OSPF and IS-IS: the mistake that was typed is the first cause."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pytest

from frrlib.diagnosis.explanation import Explanation, Step
from frrlib.diagnosis.neighbors import explain_missing_neighbor
from frrlib.diagnosis.routes import explain_missing_route
from frrlib.errors import TopologyError
from frrlib.lab.lab import Lab
from frrlib.network.network import Isis, Network, Ospf, Ospf6, OspfArea, OspfInterface, Rip, end
from tests.waiting import wait_for_lab

pytestmark = pytest.mark.lab

LAN = "10.1.0.0/16"


def chain(**protocols: object) -> Network:
    """h1 - r1 - r2 - r3: the route to h1's network has to pass r2."""
    net = Network("Chain")
    net.host("h1")
    for name in ("r1", "r2", "r3"):
        net.router(name, **protocols)
    net.link(end("h1", "10.1.0.10/16"), end("r1", "10.1.0.1/16"))
    net.link(end("r1", "10.0.12.1/24"), end("r2", "10.0.12.2/24"))
    net.link(end("r2", "10.0.23.2/24"), end("r3", "10.0.23.3/24"))
    return net


@dataclass(frozen=True)
class Mistake:
    """Commands of vtysh at a router, the commands that undo them, and words of the cause.

    Attributes:
        words: parts of the sentence of the first cause.
        by_ip: commands of `ip` instead of vtysh, separated by semicolons.
    """

    router: str
    typed: str
    undo: str
    words: tuple[str, ...]
    by_ip: bool = False

    def make(self, lab: Lab) -> None:
        """Make the mistake in a lab."""
        self._enter(lab, self.typed)

    def clear(self, lab: Lab) -> None:
        """Undo the mistake."""
        self._enter(lab, self.undo)

    def _enter(self, lab: Lab, commands: str) -> None:
        lines = [line.strip() for line in commands.split(";")]
        if self.by_ip:
            for line in lines:
                lab[self.router].run("ip", *line.split())
        else:
            lab[self.router].configure(lines)


def at_r2(typed: str, undo: str, *words: str) -> Mistake:
    """A mistake at the interface of r2 to r1."""
    return Mistake("r2", f"interface r2-eth0;{typed}", f"interface r2-eth0;{undo}", words)


def first_cause(lab: Lab, mistake: Mistake, protocol: str) -> Step:
    """The first cause of the missing neighbor, once the neighbor is lost; that of the missing route is the same."""
    mistake.make(lab)
    try:
        step = wait_for_lab(
            lambda: explain_missing_neighbor(lab, "r1", "r2", protocol).cause, "the loss of the neighbor"
        )
        route = wait_for_lab(lambda: explain_missing_route(lab, "r3", LAN).cause, "the loss of the route")
    finally:
        mistake.clear(lab)
    assert (route.node, route.sentence) == (step.node, step.sentence)
    return step


def wait_for_cause(explain: Callable[[], Explanation], sentence: str) -> None:
    """Wait for a first cause. While zebra removes the routes of a daemon that ended, the kernel may still have them."""

    def is_named() -> bool:
        step = explain().cause
        return step is not None and step.sentence == sentence

    wait_for_lab(is_named, lambda: f"the cause {sentence!r}: {explain()}")


def _is_there(explain: Callable[[], Explanation]) -> bool:
    return explain().is_there


def assert_healthy(lab: Lab, protocol: str) -> None:
    """All is well again, or was never otherwise."""
    for explain in (
        partial(explain_missing_route, lab, "r3", LAN),
        partial(explain_missing_neighbor, lab, "r1", "r2", protocol),
        partial(explain_missing_neighbor, lab, "r3", "r2", protocol),
    ):
        wait_for_lab(partial(_is_there, explain), str(explain))
        explanation = explain()
        assert explanation.is_there
        assert explanation.causes == ()
        assert all(not step.remedy for step in explanation.steps)


# --- OSPF -------------------------------------------------------------------------------------------------------------

OSPF_MISTAKES = {
    "hello": at_r2("ip ospf hello-interval 2", "ip ospf hello-interval 1", "hello intervals", "has 1 s", "has 2 s"),
    "dead": at_r2("ip ospf dead-interval 9", "ip ospf dead-interval 3", "dead intervals", "has 3 s", "has 9 s"),
    "type": at_r2(
        "ip ospf network broadcast", "ip ospf network point-to-point", "network types", "point-to-point", "broadcast"
    ),
    "area": at_r2(
        "no ip ospf area 0;ip ospf area 7", "no ip ospf area 7;ip ospf area 0", "areas differ", "0.0.0.0", "0.0.0.7"
    ),
    "one side": at_r2(
        "ip ospf authentication;ip ospf authentication-key secret",
        "no ip ospf authentication;no ip ospf authentication-key",
        "authentication differs", "r1-eth1 of r1 uses none", "a plain password",
    ),
    "off": at_r2("no ip ospf area 0", "ip ospf area 0", "OSPF does not run on r2-eth0 of r2"),
    "shutdown": at_r2("shutdown", "no shutdown", "r2-eth0 of r2 is down"),
    "area key": Mistake(
        "r2", "router ospf;area 0 authentication", "router ospf;no area 0 authentication", ("authentication differs",)
    ),
    "passive": Mistake(
        "r2", "router ospf;passive-interface r2-eth0", "router ospf;no passive-interface r2-eth0",
        ("OSPF is passive on r2-eth0 of r2",),
    ),
    "mtu": Mistake(
        "r2", "link set r2-eth0 mtu 1400", "link set r2-eth0 mtu 1500", ("MTUs differ", "1500", "1400"), by_ip=True
    ),
    "address": Mistake(
        "r2", "addr flush dev r2-eth0 scope global;addr add 10.0.13.2/24 dev r2-eth0",
        "addr flush dev r2-eth0 scope global;addr add 10.0.12.2/24 dev r2-eth0",
        ("networks of the addresses differ", "10.0.12.1/24", "10.0.13.2/24"), True,
    ),
    "no address": Mistake(
        "r2", "addr flush dev r2-eth0 scope global", "addr add 10.0.12.2/24 dev r2-eth0",
        ("r2-eth0 of r2 has no IPv4 address",), True,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def ospf_lab() -> Iterator[Lab]:
    with Lab(chain(ospf=Ospf(hello_s=1, dead_s=3)).topology, place="namespace") as lab:
        lab.wait_converged()
        yield lab


def test_a_healthy_lab_gives_no_cause(ospf_lab: Lab) -> None:
    assert_healthy(ospf_lab, "ospf")
    assert str(explain_missing_route(ospf_lab, "r3", LAN)) == "r3 has 10.1.0.0/16 by OSPF from r2."
    assert str(explain_missing_route(ospf_lab, "r1", "10.1.0.99")) == "r1 has 10.1.0.0/16 on r1-eth0."


@pytest.mark.parametrize("name", OSPF_MISTAKES)
def test_a_mistake_in_ospf_is_the_first_cause(ospf_lab: Lab, name: str) -> None:
    mistake = OSPF_MISTAKES[name]
    if name == "mtu":  # only a new adjacency compares MTUs
        mistake.make(ospf_lab)
        ospf_lab["r2"].vtysh("clear ip ospf process")
    step = first_cause(ospf_lab, mistake, "ospf")
    assert [word for word in mistake.words if word not in step.sentence] == []
    assert step.remedy
    assert_healthy(ospf_lab, "ospf")


def test_different_keys_and_key_ids_are_distinguished(ospf_lab: Lab) -> None:
    for router, interface in (("r1", "r1-eth1"), ("r2", "r2-eth0")):
        ospf_lab[router].configure(
            [f"interface {interface}", "ip ospf authentication message-digest", "ip ospf message-digest-key 1 md5 one"]
        )
    try:
        assert_healthy(ospf_lab, "ospf")
        key = at_r2(
            "no ip ospf message-digest-key 1;ip ospf message-digest-key 1 md5 two",
            "no ip ospf message-digest-key 1;ip ospf message-digest-key 1 md5 one",
        )
        sentence = first_cause(ospf_lab, key, "ospf").sentence
        assert sentence == "The authentication keys of r1-eth1 of r1 and r2-eth0 of r2 differ."
        assert_healthy(ospf_lab, "ospf")
        number = at_r2(
            "no ip ospf message-digest-key 1;ip ospf message-digest-key 2 md5 one",
            "no ip ospf message-digest-key 2;ip ospf message-digest-key 1 md5 one",
        )
        assert "IDs of the authentication keys" in first_cause(ospf_lab, number, "ospf").sentence
    finally:
        for router, interface in (("r1", "r1-eth1"), ("r2", "r2-eth0")):
            lines = ["no ip ospf authentication", "no ip ospf message-digest-key 1"]
            ospf_lab[router].configure([f"interface {interface}", *lines])
    assert_healthy(ospf_lab, "ospf")


def test_faults_of_the_lab_are_causes(ospf_lab: Lab) -> None:
    ospf_lab.link_down("l2")
    try:
        step = wait_for_lab(lambda: explain_missing_route(ospf_lab, "r3", LAN).cause, "the loss of the route")
        assert step.sentence == "The link between r1-eth1 of r1 and r2-eth0 of r2 is down."
    finally:
        ospf_lab.link_up("l2")
    assert_healthy(ospf_lab, "ospf")
    ospf_lab.lose("l2")
    try:
        step = wait_for_lab(
            lambda: explain_missing_neighbor(ospf_lab, "r1", "r2", "ospf").cause, "the loss of the neighbor"
        )
        assert step.sentence == "r2 does not answer pings from r1 to 10.0.12.2, though both interfaces are up."
    finally:
        ospf_lab.clear_faults()
    assert_healthy(ospf_lab, "ospf")
    ospf_lab.freeze("r2")
    try:
        assert str(explain_missing_neighbor(ospf_lab, "r1", "r2", "ospf")) == "All processes of r2 are stopped."
    finally:
        ospf_lab.thaw("r2")
    assert_healthy(ospf_lab, "ospf")
    ospf_lab["r2"].kill("ospfd")
    try:
        wait_for_cause(lambda: explain_missing_route(ospf_lab, "r3", LAN), "The daemon ospfd does not run on r2.")
    finally:
        ospf_lab["r2"].restart("ospfd")
    assert_healthy(ospf_lab, "ospf")


def test_a_network_that_its_router_does_not_advertise_is_named(ospf_lab: Lab) -> None:
    r1 = ospf_lab["r1"]
    r1.configure(["interface r1-eth0", "no ip ospf area 0"])
    try:
        step = wait_for_lab(lambda: explain_missing_route(ospf_lab, "r3", LAN).cause, "the loss of the route")
        assert (step.node, step.interface) == ("r1", "r1-eth0")
        assert step.sentence == ("r1 does not advertise 10.1.0.0/16 by OSPF, because OSPF does not run on r1-eth0.")
    finally:
        r1.configure(["interface r1-eth0", "ip ospf area 0"])
    assert_healthy(ospf_lab, "ospf")
    r1.configure(["ip route 10.5.0.0/16 blackhole"])
    try:
        step = wait_for_lab(lambda: explain_missing_route(ospf_lab, "r3", "10.5.0.0/16").cause, "a cause")
        assert step.sentence == ("r1 has 10.5.0.0/16 by static, but does not redistribute static routes into OSPF.")
        assert "`router ospf`, `redistribute static`" in step.remedy
        r1.configure(["router ospf", "redistribute static"])
        wait_for_lab(lambda: explain_missing_route(ospf_lab, "r3", "10.5.0.0/16").is_there, "the route")
    finally:
        r1.configure(["no ip route 10.5.0.0/16 blackhole", "router ospf", "no redistribute static"])


def test_static_routes_and_unknown_networks(ospf_lab: Lab) -> None:
    r3 = ospf_lab["r3"]
    r3.configure(["ip route 10.6.0.0/16 10.99.0.1"])
    try:
        step = explain_missing_route(ospf_lab, "r3", "10.6.0.0/16").cause
        assert step is not None
        assert step.sentence == (
            "r3 has the static route `ip route 10.6.0.0/16 10.99.0.1`, but its next hop 10.99.0.1 is unreachable from "
            "r3."
        )
        step = explain_missing_route(ospf_lab, "r1", "10.6.0.0/16").cause
        assert step is not None and step.node == "r3"
    finally:
        r3.configure(["no ip route 10.6.0.0/16 10.99.0.1"])
    step = explain_missing_route(ospf_lab, "r3", "10.1.0.0/24").cause
    assert step is not None
    assert step.sentence == "r1-eth0 of r1 has 10.1.0.1/16, so its network is 10.1.0.0/16, not 10.1.0.0/24."
    step = explain_missing_route(ospf_lab, "r3", "172.16.0.0/12").cause
    assert step is not None
    assert step.sentence.startswith("No interface of a router has an address in 172.16.0.0/12")
    r1 = ospf_lab["r1"]
    r1.configure(["interface r1-eth0", "shutdown"])
    try:
        step = wait_for_lab(lambda: explain_missing_route(ospf_lab, "r3", LAN).cause, "the loss of the route")
        assert step.sentence == "r1-eth0 of r1 is in 10.1.0.0/16, but it is down."
    finally:
        r1.configure(["interface r1-eth0", "no shutdown"])
    assert_healthy(ospf_lab, "ospf")


def test_wrong_questions_are_refused(ospf_lab: Lab) -> None:
    for words in (("r9", LAN), ("h1", LAN), ("r3", "10.1.0.0/99"), ("r3", "ten")):
        with pytest.raises(TopologyError):
            explain_missing_route(ospf_lab, *words)
    for words3 in (("r1", "r9", "ospf"), ("r1", "r1", "ospf"), ("r1", "r2", "eigrp")):
        with pytest.raises(TopologyError):
            explain_missing_neighbor(ospf_lab, *words3)
    step = explain_missing_neighbor(ospf_lab, "r1", "r3", "ospf").cause
    assert step is not None and "share no link" in step.sentence


def test_areas_of_ospf() -> None:
    """r1 redistributes a route, which does not enter the stub area of r3; then r2 forgets that the area is a stub."""
    net = Network("Areas")
    timers = {"hello_s": 1, "dead_s": 3}
    stub = (OspfArea(area="1", kind="stub"),)
    net.router(
        "r1", ospf=Ospf(**timers), frr_conf="ip route 10.5.0.0/16 blackhole\nrouter ospf\n redistribute static\n"
    )
    net.router("r2", ospf=Ospf(**timers, areas=stub, interfaces=(OspfInterface(interface="r2-eth1", area="1"),)))
    net.router("r3", ospf=Ospf(**timers, area="1", areas=stub))
    net.link(end("r1", "10.0.12.1/24"), end("r2", "10.0.12.2/24"))
    net.link(end("r2", "10.0.23.2/24"), end("r3", "10.0.23.3/24"))
    with Lab(net.topology, place="namespace") as lab:
        lab.wait_converged()
        wait_for_lab(lambda: explain_missing_route(lab, "r2", "10.5.0.0/16").is_there, "the external route")
        step = explain_missing_route(lab, "r3", "10.5.0.0/16").cause
        assert step is not None
        assert "but sends packets to it by its route to default" in str(explain_missing_route(lab, "r3", "10.5.0.0/16"))
        assert step.sentence == "Area 0.0.0.1 is a stub area, which accepts no external routes such as 10.5.0.0/16."
        lab["r2"].configure(["router ospf", "area 0 range 10.0.12.0/24 not-advertise"])
        step = wait_for_lab(lambda: explain_missing_route(lab, "r3", "10.0.12.0/24").cause, "the loss of the route")
        assert step.sentence.startswith("r2 hides 10.0.12.0/24 in the range 10.0.12.0/24 (`area 0")
        lab["r2"].configure(["router ospf", "no area 1 stub"])
        step = wait_for_lab(lambda: explain_missing_neighbor(lab, "r2", "r3", "ospf").cause, "the loss of the neighbor")
        assert step.sentence == "The types of area 0.0.0.1 differ: it is a normal area at r2, a stub area at r3."


def test_a_lan_of_three_routers() -> None:
    """On a LAN masks count, and a mistake of one router leaves the others neighbors."""
    net = Network("LAN")
    net.bridge("s1")
    for number in (1, 2, 3):
        net.router(f"r{number}", ospf=Ospf(hello_s=1, dead_s=3))
        net.link(end(f"r{number}", f"10.0.0.{number}/24"), "s1")
    mask = Mistake(
        "r2", "addr flush dev r2-eth0 scope global;addr add 10.0.0.2/28 dev r2-eth0",
        "addr flush dev r2-eth0 scope global;addr add 10.0.0.2/24 dev r2-eth0",
        ("masks of the addresses differ", "10.0.0.1/24", "10.0.0.2/28"), by_ip=True,
    )  # fmt: skip
    twin = Mistake(
        "r2", "router ospf;ospf router-id 10.255.0.1", "router ospf;ospf router-id 10.255.0.2",
        ("r1 and r2 have the same router ID 10.255.0.1",),
    )  # fmt: skip
    with Lab(net.topology, place="namespace") as lab:
        lab.wait_converged()
        for mistake in (mask, twin):
            mistake.make(lab)
            lab["r2"].vtysh("clear ip ospf process")
            step = wait_for_lab(
                lambda: explain_missing_neighbor(lab, "r1", "r2", "ospf").cause, "the loss of the neighbor"
            )
            assert [word for word in mistake.words if word not in step.sentence] == []
            if mistake is mask:
                wait_for_lab(lambda: explain_missing_neighbor(lab, "r1", "r3", "ospf").is_there, "the other neighbors")
            mistake.clear(lab)
            lab["r2"].vtysh("clear ip ospf process")
            for peer in ("r1", "r3"):
                wait_for_lab(
                    lambda peer=peer: explain_missing_neighbor(lab, "r2", peer, "ospf").is_there, "the neighbor"
                )


def test_ospfv3_and_rip() -> None:
    """IPv6 routes by OSPFv3 are explained beside those of RIP."""
    net = Network("Two protocols")
    for name in ("r1", "r2"):
        net.router(name, ospf6=Ospf6(hello_s=1, dead_s=3), rip=Rip())
    net.host("h1")
    net.link(end("h1", "10.1.0.10/16", "2001:db8:1::10/64"), end("r1", "10.1.0.1/16", "2001:db8:1::1/64"))
    net.link(end("r1", "10.0.12.1/24", "2001:db8:12::1/64"), end("r2", "10.0.12.2/24", "2001:db8:12::2/64"))
    with Lab(net.topology, place="namespace") as lab:
        lab.wait_converged()
        assert str(explain_missing_route(lab, "r2", "2001:db8:1::/64")) == "r2 has 2001:db8:1::/64 by OSPFv3."
        assert explain_missing_route(lab, "r2", LAN).is_there
        lab["r2"].configure(["interface r2-eth0", "ipv6 ospf6 hello-interval 2"])
        step = wait_for_lab(lambda: explain_missing_route(lab, "r2", "2001:db8:1::/64").cause, "the loss of the route")
        assert step.sentence == "The hello intervals differ: r1-eth1 of r1 has 1 s, r2-eth0 of r2 has 2 s."
        lab["r2"].configure(["interface r2-eth0", "ipv6 ospf6 hello-interval 1"])
        wait_for_lab(lambda: explain_missing_route(lab, "r2", "2001:db8:1::/64").is_there, "the route")
        lab["r1"].configure(["interface r1-eth0", "no ipv6 ospf6 area 0"])
        step = wait_for_lab(lambda: explain_missing_route(lab, "r2", "2001:db8:1::/64").cause, "the loss of the route")
        assert step.sentence.endswith("by OSPFv3, because OSPFv3 does not run on r1-eth0.")
        lab["r2"].kill("ripd")
        wait_for_cause(lambda: explain_missing_route(lab, "r2", LAN), "The daemon ripd does not run on r2.")


# --- IS-IS ------------------------------------------------------------------------------------------------------------

#: FRR forgets the type of the network with the instance.
AGAIN = "ip router isis lab;isis network point-to-point"
ISIS_MISTAKES = {
    "off": at_r2("no ip router isis lab", AGAIN, "IS-IS does not run on r2-eth0 of r2"),
    "tag": at_r2(
        "no ip router isis lab;ip router isis lap", f"no ip router isis lap;{AGAIN}",
        "r2 has no such instance with a NET", "lap",
    ),
    "passive": at_r2("isis passive", "no isis passive", "IS-IS is passive on r2-eth0 of r2"),
    "type": at_r2(
        "no isis network point-to-point", "isis network point-to-point", "network types", "point-to-point", "broadcast"
    ),
    "password": at_r2("isis password clear x", "no isis password", "r2-eth0 of r2 has a password", "r1 has none"),
    "mtu": Mistake(
        "r2", "link set r2-eth0 mtu 1300", "link set r2-eth0 mtu 1500", ("MTUs differ", "1500", "1300"), by_ip=True
    ),
    "level": Mistake(
        "r2", "router isis lab;is-type level-1", "router isis lab;is-type level-2-only",
        ("levels differ", "level 1", "level 2"),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def isis_lab() -> Iterator[Lab]:
    net = chain(isis=Isis(hello_s=1, hello_multiplier=3))
    with Lab(net.topology, place="namespace") as lab:
        lab.wait_converged()
        yield lab


def test_a_healthy_lab_with_isis_gives_no_cause(isis_lab: Lab) -> None:
    assert_healthy(isis_lab, "isis")


@pytest.mark.parametrize("name", ISIS_MISTAKES)
def test_a_mistake_in_isis_is_the_first_cause(isis_lab: Lab, name: str) -> None:
    mistake = ISIS_MISTAKES[name]
    step = first_cause(isis_lab, mistake, "isis")
    assert [word for word in mistake.words if word not in step.sentence] == []
    assert step.remedy
    assert_healthy(isis_lab, "isis")


def test_areas_of_isis_count_at_level_1(isis_lab: Lab) -> None:
    for router in ("r1", "r2"):
        isis_lab[router].configure(["router isis lab", "is-type level-1"])
    net = next(line for line in isis_lab["r2"].vtysh("show running-config").splitlines() if line.startswith(" net "))
    other = net.replace("49.0001", "49.0002")
    assert other != net
    try:
        wait_for_lab(lambda: explain_missing_neighbor(isis_lab, "r1", "r2", "isis").is_there, "the neighbor at level 1")
        isis_lab["r2"].configure(["router isis lab", other.strip(), f"no {net.strip()}"])
        step = wait_for_lab(
            lambda: explain_missing_neighbor(isis_lab, "r1", "r2", "isis").cause, "the loss of the neighbor"
        )
        assert "areas differ: r1 is in 49.0001, r2 in 49.0002" in step.sentence
    finally:
        isis_lab["r2"].configure(["router isis lab", net.strip(), f"no {other.strip()}"])
        for router in ("r1", "r2"):
            isis_lab[router].configure(["router isis lab", "is-type level-2-only"])
    assert_healthy(isis_lab, "isis")

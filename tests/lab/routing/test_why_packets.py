"""`frrlib.diagnosis.packets` on a lab of hosts and routers: the mistake that was typed is the first cause."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from frrlib.diagnosis.explanation import Step
from frrlib.diagnosis.packets import explain_lost_packets, explain_unreachable
from frrlib.errors import TopologyError
from frrlib.lab.lab import Lab
from frrlib.network.network import Network, end
from tests.waiting import wait_for_lab

pytestmark = [pytest.mark.lab, pytest.mark.timeout(300)]

H2 = "10.2.0.10"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """h1 - r1 = r2 - h2 with static routes over the first of two links, and h3 beside h2."""
    net = Network("Pings")
    for name in ("h1", "h2", "h3"):
        net.host(name)
    net.bridge("s1")
    net.router("r1", frr_conf="ip route 10.2.0.0/16 10.0.12.2\n")
    net.router("r2", frr_conf="ip route 10.1.0.0/16 10.0.12.1\n")
    net.link(end("h1", "10.1.0.10/16"), end("r1", "10.1.0.1/16"))
    net.link(end("r1", "10.0.12.1/24"), end("r2", "10.0.12.2/24"))
    net.link(end("r1", "10.0.13.1/24"), end("r2", "10.0.13.2/24"))
    net.link(end("r2", "10.2.0.1/16"), "s1")
    net.link("s1", end("h2", "10.2.0.10/16"))
    net.link("s1", end("h3", "10.2.0.30/16"))
    with Lab(net.topology, place="namespace") as lab:
        lab.wait_converged()
        yield lab


#: The node, its commands, the commands that undo them, the node of the cause, and words of its sentence and remedy.
MISTAKES = {
    "blackhole": (
        "r2", "ip route add blackhole 10.2.0.10", "ip route del blackhole 10.2.0.10", "r2",
        ["r2 has a blackhole route to 10.2.0.10/32", "`ip route del blackhole 10.2.0.10/32`"],
    ),
    "unreachable": (
        "r2", "ip route add unreachable 10.2.0.10", "ip route del unreachable 10.2.0.10", "r2",
        ["r2 has an unreachable route to 10.2.0.10/32, which drops the packets to 10.2.0.10."],
    ),
    "prohibit": (
        "r2", "ip route add prohibit 10.1.0.10", "ip route del prohibit 10.1.0.10", "r2",
        ["r2 has a prohibiting route to 10.1.0.10/32, which drops the replies to 10.1.0.10."],
    ),
    "no forwarding": (
        "r2", "sysctl -qw net.ipv4.ip_forward=0", "sysctl -qw net.ipv4.ip_forward=1", "r2",
        ["r2 does not forward packets: net.ipv4.ip_forward is 0.", "`sysctl -w net.ipv4.ip_forward=1`"],
    ),
    "no forwarding at one interface": (
        "r2", "sysctl -qw net.ipv4.conf.r2-eth0.forwarding=0", "sysctl -qw net.ipv4.conf.r2-eth0.forwarding=1", "r2",
        ["r2 does not forward packets that arrive on r2-eth0: net.ipv4.conf.r2-eth0.forwarding is 0."],
    ),
    "strict reverse path filter": (
        "r2", "sysctl -qw net.ipv4.conf.r2-eth0.rp_filter=1;ip route add 10.1.0.0/17 via 10.0.13.1",
        "sysctl -qw net.ipv4.conf.r2-eth0.rp_filter=0;ip route del 10.1.0.0/17", "r2",
        ["route back to 10.1.0.10 uses r2-eth1, and net.ipv4.conf.r2-eth0.rp_filter is 1 (strict)", "rp_filter=2`"],
    ),
    "no route back": (
        "h2", "ip route del default", "ip route add default via 10.2.0.1", "h2",
        ["h2 has no route back to 10.1.0.10.", "`ip route add default via 10.2.0.1`"],
    ),
    "no route": (
        "h1", "ip route del default", "ip route add default via 10.1.0.1", "h1",
        ["h1 has no route to 10.2.0.10.", "`ip route add default via 10.1.0.1`"],
    ),
    "loop": (
        "r2", "ip route add 10.2.0.10 via 10.0.12.1", "ip route del 10.2.0.10", "r2",
        ["loop until their TTL expires: r1 → r2 → r1", "route to 10.2.0.10/32 at r2"],
    ),
    "next hop": (
        "r2", "ip route add 10.2.0.10 via 10.0.13.77", "ip route del 10.2.0.10", "r2",
        ["to the next hop 10.0.13.77 at r2-eth1, but no node there has this address"],
    ),
    "wrong neighbor": (
        "r2", "ip neigh replace 10.2.0.10 lladdr 02:00:00:00:00:99 dev r2-eth2 nud permanent",
        "ip neigh del 10.2.0.10 dev r2-eth2", "r2",
        ["permanent wrong hardware address for 10.2.0.10 on r2-eth2: 02:00:00:00:00:99", "`ip neigh del 10.2.0.10"],
    ),
    "ARP off": (
        "h2", "ip link set h2-eth0 arp off", "ip link set h2-eth0 arp on", "h2",
        ["ARP is off at h2-eth0 of h2", "`ip link set h2-eth0 arp on`"],
    ),
    "ignored": (
        "h2", "sysctl -qw net.ipv4.icmp_echo_ignore_all=1", "sysctl -qw net.ipv4.icmp_echo_ignore_all=0", "h2",
        ["h2 ignores pings: net.ipv4.icmp_echo_ignore_all is 1."],
    ),
    "interface": (
        "h2", "ip link set h2-eth0 down", "ip link set h2-eth0 up;ip route add default via 10.2.0.1", "h2",
        ["h2-eth0 of h2 is down.", "`ip link set h2-eth0 up`"],
    ),
    "no address": (
        "h2", "ip addr del 10.2.0.10/16 dev h2-eth0",
        "ip addr add 10.2.0.10/16 dev h2-eth0;ip route add default via 10.2.0.1", "r2",
        ["No node on the network of r2-eth2 of r2 has the address 10.2.0.10."],
    ),
    "address of two nodes": (
        "h3", "ip addr add 10.2.0.10/16 dev h3-eth0", "ip addr del 10.2.0.10/16 dev h3-eth0", "",
        ["Two nodes of one network have the address 10.2.0.10: h2-eth0 of h2 and h3-eth0 of h3."],
    ),
    "address of the sender": (
        "r2", "ip addr add 10.1.0.10/32 dev lo", "ip addr del 10.1.0.10/32 dev lo", "r2",
        ["r2 drops the packets to 10.2.0.10, because it has their source address 10.1.0.10 itself."],
    ),
    "MTU": (
        "h2", "ip link set h2-eth0 mtu 1300", "ip link set h2-eth0 mtu 1500", "r2",
        ["Packets of more than 1300 bytes are lost between r2 and h2", "an MTU of 1500 bytes"],
    ),
    "lost inside a node": (
        "h2", "tc qdisc replace dev h2-eth0 root tbf rate 8kbit burst 10b limit 10b", "tc qdisc del dev h2-eth0 root",
        "h2", ["h2 receives the packets to 10.2.0.10 on h2-eth0, but answers none of them."],
    ),
}  # fmt: skip


@contextmanager
def mistake(lab: Lab, node: str, typed: str, undo: str) -> Iterator[None]:
    """Commands of a node are in force within the block."""
    try:
        for line in typed.split(";"):
            lab[node].run(*line.split())
        yield
    finally:
        for line in undo.split(";"):
            lab[node].run(*line.split())


def first_cause(lab: Lab) -> Step:
    step = explain_lost_packets(lab, "h1", H2).cause
    assert step is not None
    return step


def assert_healthy(lab: Lab) -> None:
    wait_for_lab(lambda: lab.ping("h1", "h2", 1)["received"], "a reply")
    explanation = explain_lost_packets(lab, "h1", H2)
    assert (explanation.is_there, explanation.causes) == (True, ()), explanation


def test_a_healthy_lab_gives_no_cause(lab: Lab) -> None:
    assert_healthy(lab)
    assert str(explain_lost_packets(lab, "h1", H2)) == "h1 receives replies from 10.2.0.10 (h1 → r1 → r2 → h2)."
    for router in ("r1", "r2"):
        explanation = explain_unreachable(lab, router, H2)
        assert (explanation.is_there, explanation.causes) == (True, ())
        assert f"{router} receives replies from 10.2.0.10" in str(explanation)
    # A smaller MTU at both ends of a link is reported to the sender.
    for node, name in (("r1", "r1-eth1"), ("r2", "r2-eth0")):
        lab[node].run("ip", "link", "set", name, "mtu", "1300")
    try:
        assert_healthy(lab)
    finally:
        for node, name in (("r1", "r1-eth1"), ("r2", "r2-eth0")):
            lab[node].run("ip", "link", "set", name, "mtu", "1500")


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_the_first_cause(lab: Lab, name: str) -> None:
    node, typed, undo, cause_node, words = MISTAKES[name]
    with mistake(lab, node, typed, undo):
        step = first_cause(lab)
        answer = f"{step.sentence} {step.remedy}"
        assert [word for word in words if word not in answer] == [], answer
        assert not cause_node or step.node == cause_node
        assert step.remedy
    wait_for_lab(lambda: lab.ping("h1", "h2", 1)["received"], "a reply")


def test_faults_of_the_lab_are_causes(lab: Lab) -> None:
    lab.lose("l2")
    try:
        assert first_cause(lab).sentence == "The link l2 between r1 and r2 loses packets (a fault)."
    finally:
        lab.clear_faults()
    lab.link_down("l4")
    try:
        step = wait_for_lab(lambda: explain_unreachable(lab, "r2", H2).cause, "a cause")
        assert step.sentence == "r2-eth2 of r2 is in 10.2.0.0/16, but its link l4 is down."
        assert first_cause(lab) == step
    finally:
        lab.link_up("l4")
    assert_healthy(lab)


def test_a_loose_reverse_path_filter_needs_any_route(lab: Lab) -> None:
    with mistake(lab, "r2", "sysctl -qw net.ipv4.conf.all.rp_filter=2", "sysctl -qw net.ipv4.conf.all.rp_filter=0"):
        lab["r2"].run("ip", "route", "add", "10.1.0.0/17", "via", "10.0.13.1")
        try:
            assert_healthy(lab)
        finally:
            lab["r2"].run("ip", "route", "del", "10.1.0.0/17")
        lab["r2"].configure("no ip route 10.1.0.0/16 10.0.12.1")
        try:
            step = wait_for_lab(lambda: explain_lost_packets(lab, "h1", H2).cause, "a cause")
        finally:
            lab["r2"].configure("ip route 10.1.0.0/16 10.0.12.1")
        assert step.node == "r2"
        assert "route back to 10.1.0.10 is missing, and net.ipv4.conf.all.rp_filter is 2 (loose)" in step.sentence
        assert "rp_filter=0`" in step.remedy
    assert_healthy(lab)


def test_a_neighbor_without_replies_to_arp_is_named(lab: Lab) -> None:
    setting = "net.ipv4.conf.h2-eth0.arp_ignore"
    with mistake(lab, "h2", f"sysctl -qw {setting}=8", f"sysctl -qw {setting}=0"):
        lab["r2"].run("ip", "neigh", "flush", "dev", "r2-eth2")
        step = first_cause(lab)
        assert (step.node, step.interface) == ("r2", "r2-eth2")
        assert step.sentence.startswith("r2 does not find the hardware address of 10.2.0.10 on r2-eth2 (")
        assert step.sentence.endswith("h2 does not reply to its ARP requests.")
    assert_healthy(lab)


#: The node, the hook of its chain, the rule or policy, and the cause.
FIREWALLS = {
    "without counter": ("r2", "forward", "ip saddr 10.1.0.0/16 drop", "r2 drops the packets to 10.2.0.10"),
    "with counter": ("r1", "forward", "ip daddr 10.1.0.0/16 counter reject", "r1 drops the replies to 10.1.0.10"),
    "input": ("h2", "input", "ip protocol icmp counter drop", "h2 drops the packets to 10.2.0.10"),
    "output": ("h1", "output", "ip protocol icmp drop", "h1 drops the packets to 10.2.0.10"),
    "replies": ("h1", "input", "ip protocol icmp drop", "h1 drops the replies to 10.1.0.10"),
}


@pytest.mark.skipif(shutil.which("nft") is None, reason="nft is not installed")
@pytest.mark.parametrize("name", FIREWALLS)
def test_the_rule_of_a_firewall_is_named(lab: Lab, name: str) -> None:
    node, hook, rule, words = FIREWALLS[name]
    lab[node].run("nft", "add", "table", "ip", "lab")
    try:
        lab[node].run("nft", f"add chain ip lab guard {{ type filter hook {hook} priority 0; }}")
        lab[node].run("nft", "add", "rule", "ip", "lab", "guard", "tcp", "dport", "22", "drop")  # matches no pings
        lab[node].run("nft", "add", "rule", "ip", "lab", "guard", *rule.split())
        step = first_cause(lab)
        assert step.node == node
        assert f"The firewall of {words}: chain guard of table ip lab has `" in step.sentence
        assert "dport" not in step.sentence
        assert "`nft delete rule ip lab guard handle " in step.remedy
    finally:
        lab[node].run("nft", "delete", "table", "ip", "lab")
    assert_healthy(lab)


def test_wrong_questions_are_refused(lab: Lab) -> None:
    for words in (("r9", H2), ("s1", H2), ("h1", "10.2/99")):
        with pytest.raises(TopologyError):
            explain_lost_packets(lab, *words)

"""Static routes, VRFs, labels and multicast in real labs, checked by packets and by the kernel's tables."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from frrlib.expect.comparison import ABSENT, ANY
from frrlib.expect.expectation import expect
from frrlib.formats import mn
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from frrlib.network.network import Network, StaticRoute, end
from tests.examples.data import EXAMPLES

pytestmark = pytest.mark.lab
GROUP, PORT, SENT = "239.1.1.1", 5000, 40

SEND = f"""
import socket, time
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
line.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 16)
for number in range({SENT}):
    line.sendto(str(number).encode(), ("{GROUP}", {PORT}))
    time.sleep(0.1)
"""
#: Joins the group on the given interface, and prints the packets that arrive within some seconds.
RECEIVE = f"""
import socket, struct, sys, time
line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
line.bind(("{GROUP}", {PORT}))
joined = struct.pack("4sii", socket.inet_aton("{GROUP}"), 0, socket.if_nametoindex(sys.argv[1]))
line.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, joined)
line.settimeout(0.5)
end, got = time.monotonic() + 9, []
while time.monotonic() < end and "{SENT - 1}" not in got:
    try:
        got.append(line.recv(100).decode())
    except TimeoutError:
        pass
print(*got)
"""


@pytest.fixture
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    """The running example of this name."""
    with Lab(mn.load(EXAMPLES / request.param).topology) as lab:
        lab.wait_routes(60)
        yield lab


def kernel_routes(lab: Lab, router: str, *words: str) -> dict[str, Any]:
    return {route["dst"]: route for route in json.loads(lab[router].run("ip", "-j", "route", "show", *words))}


@pytest.mark.parametrize("lab", ["static.mn"], indirect=True)
def test_a_floating_static_route_is_used_when_the_other_is_gone(lab: Lab) -> None:
    assert kernel_routes(lab, "r1")["10.0.2.0/24"]["gateway"] == "10.1.0.2"
    lab.set_link("l2", up=False)
    expect(lambda: kernel_routes(lab, "r1"), {"10.0.2.0/24": {"gateway": "10.2.0.2"}}, timeout_s=20)
    expect(lambda: kernel_routes(lab, "r2"), {"10.0.1.0/24": {"gateway": "10.2.0.1"}}, timeout_s=20)
    assert lab.ping("h1", "h2", 2)["received"] == 2
    lab.set_link("l2", up=True)
    expect(lambda: kernel_routes(lab, "r1"), {"10.0.2.0/24": {"gateway": "10.1.0.2"}}, timeout_s=20)


def test_a_blackhole_drops_and_an_unreachable_route_refuses_and_both_are_announced() -> None:
    with Lab(nowhere()) as lab:
        lab.wait_routes(30)
        kinds = {prefix: route.get("type", "unicast") for prefix, route in kernel_routes(lab, "r1").items()}
        assert (kinds["10.98.0.0/16"], kinds["10.99.0.0/16"]) == ("unreachable", "blackhole")
        assert lab["r1"].run("ip", "-6", "route", "show", "fd99::/32").startswith("blackhole")
        assert kernel_routes(lab, "r2")["10.99.0.0/16"]["gateway"] == "10.0.1.1"
        answers = {far: lab["h1"].run("sh", "-c", f"ping -c 1 -W 1 10.{far}.0.1 || true") for far in (98, 99)}
        assert "Destination Host Unreachable" in answers[98]
        assert "Unreachable" not in answers[99]
        assert "0 received" in answers[99]


def nowhere() -> Topology:
    """h1 - r1 - r2: r1 announces prefixes to which it has no path."""
    net = Network("Routes to nowhere")
    routes = (("10.98.0.0/16", "reject"), ("10.99.0.0/16", "blackhole"), ("fd99::/32", "blackhole"))
    net.host("h1", at=(80, 80))
    net.router(
        "r1",
        at=(200, 80),
        static_routes=tuple(StaticRoute.model_validate({"prefix": prefix, "via": via}) for prefix, via in routes),
        bgp={
            "asn": 65001,
            "networks": ("10.99.0.0/16",),
            "neighbors": ({"address": "10.0.1.2", "remote_as": 65002},),
        },
    )
    net.router("r2", at=(320, 80), bgp={"asn": 65002, "neighbors": ({"address": "10.0.1.1", "remote_as": 65001},)})
    net.link(end("h1", "10.0.0.2/24"), end("r1", "10.0.0.1/24", "fd00::1/64"))
    net.link(end("r1", "10.0.1.1/24"), end("r2", "10.0.1.2/24"))
    return net.topology


@pytest.mark.parametrize("lab", ["vrf.mn"], indirect=True)
def test_vrfs_keep_equal_addresses_apart(lab: Lab) -> None:
    for table in ("10", "20"):
        expect(
            lambda table=table: kernel_routes(lab, "r1", "table", table), {"192.168.2.0/24": {"gateway": "10.0.0.2"}}
        )
        expect(
            lambda table=table: kernel_routes(lab, "r2", "table", table), {"192.168.1.0/24": {"gateway": "10.0.0.1"}}
        )
    interfaces = [kernel_routes(lab, "r1", "table", table)["192.168.2.0/24"]["dev"] for table in ("10", "20")]
    assert interfaces == ["r1-eth2", "r1-eth3"]
    for pair in (("red1", "red2"), ("blue1", "blue2")):
        ping = lab.ping(*pair, 2)
        assert (ping["received"], ping["ttl"]) == (2, [62, 62])
    # blue2 is down and red2 has the same address: a packet of the blue VRF in the red one would get a reply.
    lab["blue2"].run("ip", "link", "set", "blue2-eth0", "down")
    assert lab.ping("blue1", "blue2", 1)["received"] == 0
    assert lab.ping("red1", "red2", 1)["received"] == 1


@pytest.mark.parametrize("lab", ["mpls-ldp.mn"], indirect=True)
def test_labels_are_pushed_swapped_and_popped(lab: Lab) -> None:
    """r1 pushes a label for the network of h2, which is behind r4. r2, the hop before r4, pops it."""
    neighbors = {"neighbors": [{"neighborId": "2.2.2.2", "state": "OPERATIONAL"}]}
    expect(lambda: lab["r1"].vtysh("show mpls ldp neighbor", json=True), neighbors, timeout_s=60)
    far = str(next(a.network for a in lab.topology.link("l6").b.addresses))  # type: ignore[union-attr]
    expect(lambda: "encap mpls" in lab["r1"].run("ip", "route", "show", far), True, timeout_s=30)
    # As text: in JSON the label has the same key as the destination.
    words = lab["r1"].run("ip", "route", "show", far).split()
    pushed = int(words[words.index("mpls") + 1])
    # Popped: "to" would be the next label.
    expect(lambda: label_entries(lab), {str(pushed): {"to": ABSENT}}, timeout_s=20)
    counted = mpls_packets(lab)
    assert lab.ping("h1", "h2", 5)["received"] == 5
    assert mpls_packets(lab) - counted >= 5


def label_entries(lab: Lab) -> dict[str, Any]:
    """The entry of each label in r2's kernel."""
    return {str(entry["dst"]): entry for entry in json.loads(lab["r2"].run("ip", "-j", "-f", "mpls", "route"))}


def mpls_packets(lab: Lab) -> int:
    """The kernel's count of packets with labels that r2 has received from r1."""
    words = ("ip", "-j", "stats", "show", "dev", "r2-eth0", "group", "afstats", "subgroup", "mpls")
    return int(json.loads(lab["r2"].run(*words))[0]["mpls_stats"]["rx"]["packets"])


@pytest.mark.parametrize("lab", ["pim.mn"], indirect=True)
def test_multicast_reaches_members_and_crosses_each_link_once(lab: Lab) -> None:
    for router in ("r1", "r2", "r3", "r4"):
        expect(lambda r=router: sum(map(len, lab[r].vtysh("show ip pim neighbor", json=True).values())), 2)
    group_state = {GROUP: {"*": ANY}}
    got: dict[str, list[str]] = {}

    def listen(host: str) -> None:
        got[host] = lab[host].run("python3", "-c", RECEIVE, f"{host}-eth0", timeout_s=30).split()

    listeners = [threading.Thread(target=listen, args=(host,)) for host in ("h2", "h3")]
    for listener in listeners:
        listener.start()
    for router in ("r3", "r4"):
        expect(lambda r=router: lab[r].vtysh("show ip pim upstream", json=True), group_state, timeout_s=20)
    sent_before = _sent(lab, "r1")
    lab["h1"].run("python3", "-c", SEND, timeout_s=30)
    for listener in listeners:
        listener.join()
    for host in ("h2", "h3"):
        assert len(set(got[host])) > SENT // 2, got[host]  # the first ones may be lost while the tree is built
        assert got[host][-1] == str(SENT - 1)
    assert (
        _sent(lab, "r1") - sent_before < 2 * SENT + 60
    )  # a copy for each of two links at most, and the routers' messages


def _sent(lab: Lab, router: str) -> int:
    interfaces = json.loads(lab[router].run("ip", "-j", "-s", "link"))
    return sum(interface["stats64"]["tx"]["packets"] for interface in interfaces if "-eth" in interface["ifname"])

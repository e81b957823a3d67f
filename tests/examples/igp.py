"""The examples of interior routing protocols, as values: a few routers each, with one thing to see in each drawing."""

from __future__ import annotations

from frrlib.model.topology import Topology
from frrlib.network.network import Isis, IsisInterface, Network, Ospf, Ospf6, OspfArea, OspfInterface, Rip, Ripng, end


def ospf_areas() -> Topology:
    """A backbone of three routers, an ordinary area and a totally stubby one."""
    stub = (OspfArea(area="2", kind="totally-stub"),)
    fast = {"hello_s": 1, "dead_s": 4}
    net = Network("OSPF with three areas")
    net.rectangle("a0", x=270, y=60, width=300, height=250, text="area 0", fill="blue")
    net.rectangle("a1", x=600, y=60, width=330, height=160, text="area 1", fill="green")
    net.rectangle("a2", x=600, y=250, width=330, height=160, text="area 2, totally stubby", fill="yellow")
    net.host("h1", at=(140, 180))
    net.router("r1", at=(320, 180), ospf=Ospf(**fast))
    net.router("r2", at=(500, 120), ospf=Ospf(interfaces=(OspfInterface(interface="r2-eth2", area="1"),), **fast))
    net.router(
        "r3",
        at=(500, 250),
        ospf=Ospf(interfaces=(OspfInterface(interface="r3-eth2", area="2"),), areas=stub, **fast),
    )
    net.router("r4", at=(660, 120), ospf=Ospf(area="1", **fast))
    net.router("r5", at=(800, 120), ospf=Ospf(area="1", **fast))
    net.router("r6", at=(660, 310), ospf=Ospf(area="2", areas=stub, **fast))
    net.router("r7", at=(800, 310), ospf=Ospf(area="2", areas=stub, **fast))
    net.host("h5", at=(1010, 120))
    net.host("h7", at=(1010, 310))
    net.link("h1", "r1")
    net.link(end("r1", ospf_cost=10), end("r2", ospf_cost=10))
    net.link(end("r1", ospf_cost=50), end("r3", ospf_cost=50))
    net.link(end("r2", ospf_cost=10), end("r3", ospf_cost=10))
    net.link(end("r2", ospf_cost=5), end("r4", ospf_cost=5))
    net.link(end("r4", ospf_cost=5), end("r5", ospf_cost=5))
    net.link(end("r3", ospf_cost=5), end("r6", ospf_cost=5))
    net.link(end("r6", ospf_cost=5), end("r7", ospf_cost=5))
    net.link("r5", "h5")
    net.link("r7", "h7")
    return net.topology


def ospf6() -> Topology:
    """A square of routers, IPv6 only: the way over the cheap links is taken, and one net joins three routers."""
    net = Network("OSPFv3: IPv6 only")
    places = {1: (280, 120), 2: (500, 120), 3: (280, 300), 4: (500, 300), 5: (390, 420)}
    for number, at in places.items():
        settings = Ospf6(router_id=f"10.255.0.{number}", hello_s=1, dead_s=4)
        net.router(f"r{number}", at=at, loopbacks=(f"2001:db8:ff::{number}/128",), ospf6=settings)
    net.host("h1", at=(120, 120))
    net.host("h5", at=(570, 420))
    net.bridge("b1", at=(390, 340))
    net.link("h1", end("r1", "2001:db8:1::1/64"))
    net.link(end("r1", "2001:db8:12::1/64", ospf_cost=5), end("r2", "2001:db8:12::2/64", ospf_cost=5))
    net.link(end("r1", "2001:db8:13::1/64", ospf_cost=30), end("r3", "2001:db8:13::3/64", ospf_cost=30))
    net.link(end("r2", "2001:db8:24::2/64", ospf_cost=5), end("r4", "2001:db8:24::4/64", ospf_cost=5))
    net.link(end("r3", "2001:db8:345::3/64", ospf_cost=10), "b1")
    net.link(end("r4", "2001:db8:345::4/64", ospf_cost=10), "b1")
    net.link(end("r5", "2001:db8:345::5/64", ospf_cost=10), "b1")
    net.link(end("r5", "2001:db8:5::1/64"), "h5")
    return net.topology


def isis() -> Topology:
    """IPv4 and IPv6 by one protocol, in two areas that level 2 joins, with two equal ways between them."""
    net = Network("IS-IS for IPv4 and IPv6")
    net.rectangle("a1", x=230, y=60, width=240, height=330, text="area 49.0001", fill="blue")
    net.rectangle("a2", x=510, y=60, width=240, height=330, text="area 49.0002", fill="green")
    settings = {
        1: ("49.0001", (280, 220), {"r1-eth1": 20, "r1-eth2": 10}),
        2: ("49.0001", (420, 120), {"r2-eth0": 20}),
        3: ("49.0001", (420, 320), {"r3-eth0": 10, "r3-eth1": 20}),
        4: ("49.0002", (560, 120), {"r4-eth1": 10}),
        5: ("49.0002", (560, 320), {"r5-eth0": 20, "r5-eth1": 10}),
        6: ("49.0002", (700, 220), {"r6-eth0": 10, "r6-eth1": 10}),
    }
    for number, (area, at, metrics) in settings.items():
        rows = tuple(IsisInterface(interface=name, metric=metric) for name, metric in metrics.items())
        # One IPv6 address asks for IPv6 everywhere.
        loopbacks = ("10.255.0.1/32", "2001:db8:ff::1/128") if number == 1 else ()
        router = Isis(area=area, interfaces=rows, hello_s=1, hello_multiplier=4)
        net.router(f"r{number}", at=at, loopbacks=loopbacks, isis=router)
    net.host("h1", at=(120, 220))
    net.host("h6", at=(860, 220))
    net.link("h1", "r1")
    for a, b in (("r1", "r2"), ("r1", "r3"), ("r2", "r4"), ("r3", "r5"), ("r4", "r6"), ("r5", "r6")):
        net.link(a, b)
    net.link("r6", "h6")
    return net.topology


def rip() -> Topology:
    """A ring of five: RIP counts routers, whatever the links can do, and goes the other way round when one breaks."""
    net = Network("RIP counts hops")
    places = {1: (250, 220), 2: (400, 100), 3: (580, 140), 4: (580, 300), 5: (400, 340)}
    for number, at in places.items():
        net.router(f"r{number}", at=at, rip=Rip(update_s=5, timeout_s=15, garbage_s=10))
    net.host("h1", at=(90, 220))
    net.host("h3", at=(740, 140))
    net.link("h1", "r1")
    for a, b in (("r1", "r2"), ("r2", "r3"), ("r3", "r4"), ("r4", "r5"), ("r5", "r1")):
        net.link(a, b)
    net.link("r3", "h3")
    return net.topology


def ripng() -> Topology:
    """The same for IPv6: a line of four, with a net that three of them share."""
    net = Network("RIPng: RIP for IPv6")
    places = {1: (250, 200), 2: (400, 200), 3: (610, 120), 4: (610, 280)}
    for number, at in places.items():
        settings = Ripng(update_s=5, timeout_s=15, garbage_s=10)
        net.router(f"r{number}", at=at, loopbacks=(f"2001:db8:ff::{number}/128",), ripng=settings)
    net.host("h1", at=(90, 200))
    net.host("h4", at=(770, 280))
    net.bridge("b1", at=(510, 200))
    net.link("h1", end("r1", "2001:db8:1::1/64"))
    net.link(end("r1", "2001:db8:12::1/64"), end("r2", "2001:db8:12::2/64"))
    net.link(end("r2", "2001:db8:234::2/64"), "b1")
    net.link(end("r3", "2001:db8:234::3/64"), "b1")
    net.link(end("r4", "2001:db8:234::4/64"), "b1")
    net.link(end("r4", "2001:db8:4::1/64"), "h4")
    return net.topology


ALL = {"ospf-areas": ospf_areas, "ospf6": ospf6, "isis": isis, "rip": rip, "ripng": ripng}

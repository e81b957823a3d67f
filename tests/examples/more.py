"""The examples beside and upon interior routing, as values: static routes, VRFs, labels, multicast."""

from __future__ import annotations

from frrlib.model.topology import Topology
from frrlib.network.network import Ldp, Network, Ospf, Pim, PimRp, StaticRoute, Vrf, end

#: An IGP that forms its adjacencies within a second.
_OSPF = Ospf(hello_s=1, dead_s=4)


def static() -> Topology:
    """Two routers with two links, of which the second is for when the first is gone."""
    net = Network("Static routes, with a floating route for a failed link")
    net.host("h1", at=(80, 220))
    net.host("h2", at=(720, 220))
    for name, at, far, other in (("r1", (240, 220), "10.0.2.0/24", 2), ("r2", (560, 220), "10.0.1.0/24", 1)):
        first = StaticRoute.model_validate({"prefix": far, "via": f"10.1.0.{other}"})
        second = StaticRoute.model_validate({"prefix": far, "via": f"10.2.0.{other}", "distance": 200})
        net.router(name, at=at, static_routes=(first, second))
    net.link(end("h1", "10.0.1.10/24"), end("r1", "10.0.1.1/24"))
    net.link(end("r1", "10.1.0.1/30"), end("r2", "10.1.0.2/30"))
    net.link(end("r1", "10.2.0.1/30"), end("r2", "10.2.0.2/30"))
    net.link(end("h2", "10.0.2.10/24"), end("r2", "10.0.2.1/24"))
    waits = "The route over the second link has distance 200:\nit is used only if the first link is down."
    net.note("n1", x=230, y=80, width=340, height=50, text=waits)
    return net.topology


def vrf() -> Topology:
    """Two customers at the same two routers, each with a table, an OSPF and a link of its own."""
    net = Network("Two customers with the same addresses, separated by VRFs")
    tables = {"red": (10, 130), "blue": (20, 310)}
    for side, x in ((1, 80), (2, 720)):
        for name, (_, y) in tables.items():
            net.host(f"{name}{side}", at=(x, y))
    for router, x in (("r1", 260), ("r2", 540)):
        vrfs = (
            Vrf(name=name, table=table, interfaces=(f"{router}-eth{port}", f"{router}-eth{port + 2}"), ospf=_OSPF)
            for port, (name, (table, _)) in enumerate(tables.items())
        )
        net.router(router, at=(x, 220), vrfs=tuple(vrfs))
    for name in tables:
        net.link(end(f"{name}1", "192.168.1.10/24"), end("r1", "192.168.1.1/24"))
    for _ in tables:
        net.link(end("r1", "10.0.0.1/30"), end("r2", "10.0.0.2/30"))
    for name in tables:
        net.link(end(f"{name}2", "192.168.2.10/24"), end("r2", "192.168.2.1/24"))
    net.rectangle("a1", x=20, y=70, width=770, height=105, fill="red", line="red")
    net.rectangle("a2", x=20, y=265, width=770, height=105, fill="blue", line="blue")
    apart = "Red and blue use the same addresses.\n"
    apart += "Each has its own table, its own OSPF and its own link between r1 and r2."
    net.note("n1", x=190, y=10, width=480, height=50, text=apart)
    return net.topology


def mpls_ldp() -> Topology:
    """Four routers that give each other labels, with a short way and a long one."""
    net = Network("MPLS: labels by LDP over OSPF")
    net.host("h1", at=(80, 200))
    net.host("h2", at=(830, 200))
    for number, at in {1: (230, 200), 2: (380, 120), 3: (530, 280), 4: (680, 200)}.items():
        loopback = f"{number}.{number}.{number}.{number}/32"
        net.router(f"r{number}", at=at, loopbacks=(loopback,), ospf=_OSPF, ldp=Ldp(hello_s=1, hold_s=4))
    net.link("h1", "r1")
    net.link("r1", "r2")
    net.link("r2", "r4")
    net.link(end("r1", ospf_cost=25), end("r3", ospf_cost=25))
    net.link("r3", "r4")
    net.link("r4", "h2")
    popped = "Packets from h1 to h2 carry a label between r1 and r2;\n"
    popped += "r2 removes it for r4 (penultimate hop popping)."
    net.note("n1", x=230, y=20, width=400, height=50, text=popped)
    return net.topology


def pim() -> Topology:
    """A ring of four routers: a sender at one, a receiver at each of two others, the rendezvous point between."""
    net = Network("Multicast: one sender, two receivers, a rendezvous point")
    meeting = Pim(rendezvous_points=(PimRp.model_validate({"address": "2.2.2.2"}),), hello_s=5)
    net.host("h1", at=(80, 240))
    for number, at in {1: (230, 240), 2: (400, 130), 3: (570, 180), 4: (570, 330)}.items():
        loopback = f"{number}.{number}.{number}.{number}/32"
        net.router(f"r{number}", at=at, loopbacks=(loopback,), ospf=_OSPF, pim=meeting)
    net.host("h2", at=(730, 180))
    net.host("h3", at=(730, 330))
    for a, b in (("h1", "r1"), ("r1", "r2"), ("r2", "r3"), ("r1", "r4"), ("r3", "r4"), ("r3", "h2"), ("r4", "h3")):
        net.link(a, b)
    once = "h1 sends to 239.1.1.1; r2 is the rendezvous point.\n"
    once += "A packet crosses each link once, for any number of receivers."
    net.note("n1", x=230, y=30, width=380, height=50, text=once)
    return net.topology


ALL = {"static": static, "vrf": vrf, "mpls-ldp": mpls_ldp, "pim": pim}

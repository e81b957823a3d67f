"""The forms of BFD, PIM and LDP."""

from __future__ import annotations

from ipaddress import IPv4Interface

from frrlib.model.nodes import Router
from frrlib.model.routing import Bfd, BfdPeer, Ldp, Pim, PimInterface, PimRp
from miniedit_frr.dialogs import kinds, router_parts, spelling
from miniedit_frr.dialogs.fields import Field
from miniedit_frr.dialogs.forms_routing import at_interfaces, interface_names
from miniedit_frr.dialogs.lists import Table
from miniedit_frr.dialogs.parts import Group
from miniedit_frr.dialogs.quantities import COUNT, WHOLE_MS, WHOLE_S
from miniedit_frr.dialogs.sheets import Surroundings

_PEERS = Field(
    "node.bfd.peers", "Peers",
    Table(
        (
            Field("address", "Address", kinds.IP),
            Field("interface", "Interface", kinds.suggestion((), spelling.word_fault), hint="of the address",
                  offers=interface_names),
            Field("multihop", "Multihop", kinds.flag()),
            Field("local_address", "Own address", kinds.OPTIONAL_IP, hint="FRR's choice"),
        ),
        BfdPeer, lambda around, value, rows: ("", "", "", ""), "peer", empty="Only neighbours of the protocols.",
        weights=(4, 3, 2, 4),
    ),
    "Watched by themselves, not because a protocol asks for it. Those further than a link away are multihop ones.",
)  # fmt: skip
BFD = Group(
    "",
    (
        Field("node.bfd.transmit_ms", "Send every", kinds.quantity(WHOLE_MS), "10 to 60000 ms; FRR's own is 300 ms."),
        Field("node.bfd.receive_ms", "Hear every", kinds.quantity(WHOLE_MS), "What the other end is asked for."),
        Field("node.bfd.detect_multiplier", "Detect multiplier", kinds.quantity(COUNT),
              "A neighbour is gone after so many missed packets."),
        _PEERS,
    ),
    Field("node.bfd", "Set BFD's intervals and peers", kinds.part(Bfd)),
)  # fmt: skip


def _meeting_point(around: Surroundings) -> Pim:
    """PIM with the rendezvous point of another router, else the lowest loopback of the first router that has one."""
    for router in around.topology.routers:
        if router.pim and router.pim.rendezvous_points:
            return Pim(rendezvous_points=router.pim.rendezvous_points)
    for each in around.filled.nodes:
        loopbacks = (
            [at.ip for at in each.loopbacks if isinstance(at, IPv4Interface)] if isinstance(each, Router) else []
        )
        if loopbacks:
            return Pim(rendezvous_points=(PimRp(address=min(loopbacks)),))
    return Pim()


_POINTS = Field(
    "node.pim.rendezvous_points", "Rendezvous points",
    Table(
        (Field("address", "Address", kinds.IPV4), Field("groups", "Groups", kinds.NETWORK)),
        PimRp, lambda around, value, rows: ("", "224.0.0.0/4"), "rendezvous point",
        empty="None: sources and receivers do not find each other.", weights=(1, 1),
    ),
    "Where sources and receivers find each other: an address of a router, the same on all of them.",
)  # fmt: skip


_IGMP = kinds.mapped({None: "where hosts are", True: "yes", False: "no"})
PIM = Group(
    "",
    (
        _POINTS,
        Field("node.pim.hello_s", "Hello interval", kinds.quantity(WHOLE_S), "Between hellos; FRR's own is 30 s."),
        at_interfaces(
            "pim", PimInterface,
            (Field("settings.pim", "PIM", kinds.flag()), Field("settings.igmp", "IGMP", _IGMP)),
            (
                Field("settings.priority", "Priority", kinds.quantity(COUNT, True), "To be designated router.",
                      hint="1"),
                Field("settings.joins", "Joins", kinds.IPV4S,
                      "Groups that the router itself joins there, as in 239.1.1.1.", hint="none"),
            ),
            "IGMP listens to hosts that join groups.", True, (4, 5, 2, 4),
        ),
    ),
    Field("node.pim", "Run PIM on this router", lambda around: kinds.part(lambda: _meeting_point(around))),
)  # fmt: skip

LDP = Group(
    "",
    (
        Field("node.ldp.router_id", "Router ID", kinds.ROUTER_ID,
              "Also the address that sessions go to; others need a route to it.", hint=router_parts.identity_hint),
        Field("node.ldp.interfaces", "Interfaces", kinds.checks(()),
              "None ticked: all that lead to other routers.", single=True, offers=interface_names),
        Field("node.ldp.hello_s", "Hello interval", kinds.quantity(WHOLE_S), "Between hellos; FRR's own is 5 s."),
        Field("node.ldp.hold_s", "Hold time", kinds.quantity(WHOLE_S), "A neighbour is gone without any for so long."),
    ),
    Field("node.ldp", "Run LDP on this router", kinds.part(Ldp)),
)  # fmt: skip

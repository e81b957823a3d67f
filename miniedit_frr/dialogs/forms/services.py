"""The forms of BFD, PIM and LDP."""

from __future__ import annotations

from ipaddress import IPv4Interface

from frrlib.model.nodes import Router
from frrlib.model.routing import Bfd, BfdPeer, Ldp, Pim, PimInterface, PimRp
from miniedit_frr.dialogs import router_parts
from miniedit_frr.dialogs.fields import kinds, spelling
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.lists import TableKind
from miniedit_frr.dialogs.fields.quantities import COUNT, WHOLE_MS, WHOLE_S
from miniedit_frr.dialogs.forms.routing import interface_names, interface_settings
from miniedit_frr.dialogs.parts import FieldGroup
from miniedit_frr.dialogs.sheets import FormContext

_PEERS = Field(
    "node.bfd.peers", "Peers",
    TableKind(
        (
            Field("address", "Address", kinds.IP),
            Field("interface", "Interface", kinds.suggestion((), spelling.word_fault), hint="from the address",
                  offers=interface_names),
            Field("multihop", "Multihop", kinds.flag()),
            Field("local_address", "Local address", kinds.OPTIONAL_IP, hint="automatic"),
        ),
        BfdPeer, lambda context, value, rows: ("", "", "", ""), "peer",
        empty="No peers: BFD only monitors neighbors of the protocols.", weights=(4, 3, 2, 4),
    ),
    "Neighbors that BFD monitors although no protocol requests it. Tick Multihop for a neighbor behind another router.",
)  # fmt: skip
BFD = FieldGroup(
    "",
    (
        Field("node.bfd.transmit_ms", "Transmit interval", kinds.quantity(WHOLE_MS),
              "Minimum time between BFD packets sent, 10 to 60000 ms. FRR's default: 300 ms."),
        Field("node.bfd.receive_ms", "Receive interval", kinds.quantity(WHOLE_MS),
              "Minimum time between BFD packets received, 10 to 60000 ms. FRR's default: 300 ms."),
        Field("node.bfd.detect_multiplier", "Detect multiplier", kinds.quantity(COUNT),
              "A neighbor is lost after this many missed packets."),
        _PEERS,
    ),
    Field("node.bfd", "Set BFD's intervals and peers", kinds.part(Bfd)),
)  # fmt: skip


def _initial_pim(context: FormContext) -> Pim:
    """Initial settings of PIM.

    The rendezvous points are those of another router, else the lowest address of the first router with a loopback.
    """
    for router in context.topology.routers:
        if router.pim and router.pim.rendezvous_points:
            return Pim(rendezvous_points=router.pim.rendezvous_points)
    for node in context.filled.nodes:
        loopbacks = (
            [at.ip for at in node.loopbacks if isinstance(at, IPv4Interface)] if isinstance(node, Router) else []
        )
        if loopbacks:
            return Pim(rendezvous_points=(PimRp(address=min(loopbacks)),))
    return Pim()


_POINTS = Field(
    "node.pim.rendezvous_points", "Rendezvous points",
    TableKind(
        (Field("address", "Address", kinds.IPV4), Field("groups", "Groups", kinds.NETWORK)),
        PimRp, lambda context, value, rows: ("", "224.0.0.0/4"), "rendezvous point",
        empty="Without a rendezvous point, receivers get no traffic from sources.", weights=(1, 1),
    ),
    "The router at which multicast sources and receivers meet (RP): its address, the same on all routers.",
)  # fmt: skip


_IGMP = kinds.mapped({None: "if hosts are attached", True: "yes", False: "no"})
PIM = FieldGroup(
    "",
    (
        _POINTS,
        Field("node.pim.hello_s", "Hello interval", kinds.quantity(WHOLE_S),
              "Time between two hellos. FRR's default: 30 s."),
        interface_settings(
            "pim", PimInterface,
            (Field("settings.pim", "PIM", kinds.flag()), Field("settings.igmp", "IGMP", _IGMP)),
            (
                Field("settings.priority", "Priority", kinds.quantity(COUNT, True),
                      "In the election of the designated router; the highest wins.",
                      hint="1"),
                Field("settings.joins", "Joins", kinds.IPV4S,
                      "Groups that the router itself joins on this interface, such as 239.1.1.1. Needs IGMP.",
                      hint="none"),
            ),
            "With IGMP, the router learns which groups the hosts on the interface join.", True, (4, 5, 2, 4),
        ),
    ),
    Field("node.pim", "Run PIM on this router", lambda context: kinds.part(lambda: _initial_pim(context))),
)  # fmt: skip

LDP = FieldGroup(
    "",
    (
        Field("node.ldp.router_id", "Router ID", kinds.ROUTER_ID,
              "Also the transport address of the sessions. Other routers need a route to it.",
              hint=router_parts.router_id_hint),
        Field("node.ldp.interfaces", "Interfaces", kinds.checks(()),
              "None ticked: all interfaces to other routers.", single=True, offers=interface_names),
        Field("node.ldp.hello_s", "Hello interval", kinds.quantity(WHOLE_S),
              "Time between two hellos. FRR's default: 5 s."),
        Field("node.ldp.hold_s", "Hold time", kinds.quantity(WHOLE_S),
              "A neighbor is lost after this long without a hello. FRR's default: 15 s."),
    ),
    Field("node.ldp", "Run LDP on this router", kinds.part(Ldp)),
)  # fmt: skip

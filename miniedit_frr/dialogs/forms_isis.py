"""The form of IS-IS."""

from __future__ import annotations

from dataclasses import replace

from frrlib.model.routing import Isis, IsisInterface
from miniedit_frr.dialogs import kinds
from miniedit_frr.dialogs.fields import Field
from miniedit_frr.dialogs.forms_routing import AS_ROUTER, at_interfaces, begins, redistribution
from miniedit_frr.dialogs.parts import Group
from miniedit_frr.dialogs.quantities import COUNT, WHOLE_S
from miniedit_frr.dialogs.timers import timer_buttons

_LEVELS = {"1": "1: within the area", "2": "2: between areas", "1-2": "1 and 2: both"}
_AT = kinds.mapped({None: "as the router", "1": "1", "2": "2", "1-2": "1 and 2"})
_TYPES = {"auto": "automatic", "point-to-point": "point-to-point", "broadcast": "broadcast"}
_TIMERS = (
    "Lab timers: hellos each second, a lost neighbour is missed after 4 s, and nothing waits; made to be watched. "
    "FRR's own: each 3 s, missed after 30 s; made for large networks that must not wear themselves out."
)

_INTERFACES = at_interfaces(
    "isis", IsisInterface,
    (
        Field("settings.level", "Level", _AT),
        Field("settings.metric", "Metric", replace(kinds.quantity(COUNT, True), width=8), hint="10"),
        Field("settings.passive", "Passive", kinds.flag()),
    ),
    (
        Field("settings.network_type", "Network type", kinds.choice(_TYPES),
              "Automatic: point-to-point where two routers share the link."),
        Field("settings.hello_s", "Hello interval", kinds.quantity(WHOLE_S, True), "Between two hellos.",
              hint="the router's"),
        Field("settings.hello_multiplier", "Hello multiplier", kinds.quantity(COUNT, True),
              "A neighbour is gone after so many missed hellos.", hint="the router's"),
        Field("settings.key", "Key", kinds.KEY, "A password by MD5 in hellos; the same at both ends.", hint="none"),
        Field("settings.bfd", "BFD", AS_ROUTER, "Watches the neighbours in milliseconds."),
    ),
    "Passive interfaces are announced and form no adjacency; those to hosts are passive anyway.", True, (4, 5, 3, 2, 2),
)  # fmt: skip

ISIS = Group(
    "",
    (
        Field("node.isis.area", "Area", kinds.ISIS_AREA, "Begins the network entity title, as in 49.0001."),
        Field("node.isis.system_id", "System ID", kinds.SYSTEM_ID, "Goes on with it; empty: from the router ID.",
              hint="automatic"),
        Field("node.isis.level", "Level", kinds.choice(_LEVELS), "Which adjacencies it forms."),
        Field("node.isis.ipv4", "IPv4", kinds.flag(), "Routes IPv4."),
        Field("node.isis.ipv6", "IPv6", kinds.flag(), "Routes IPv6."),
        _INTERFACES,
        Group(
            "Timers",
            (
                timer_buttons("node.isis", Isis, _TIMERS),
                Field("node.isis.hello_s", "Hello interval", kinds.quantity(WHOLE_S), "Between two hellos."),
                Field("node.isis.hello_multiplier", "Hello multiplier", kinds.quantity(COUNT),
                      "A neighbour is gone after so many missed hellos."),
                Field("node.isis.lab_timers", "React at once", kinds.flag(),
                      "Shortest paths and link states after milliseconds. Off: FRR waits up to seconds."),
                Field("node.isis.point_to_point", "Point-to-point links", kinds.flag(),
                      "Two routers on a link elect no designated one."),
                Field("node.isis.bfd", "BFD", kinds.flag(), "Lost neighbours are noticed in milliseconds."),
            ),
        ),
        Group(
            "Other routes",
            (
                Field("node.isis.key", "Key", kinds.KEY,
                      "A password by MD5 in link states; the same on all routers.", hint="none"),
                Field("node.isis.overload", "Overload", kinds.flag(), "Asks others not to send traffic through it."),
                Field("node.isis.default_originate", "Announce a default route", kinds.flag(),
                      "To all other routers, whether it has one or not."),
                redistribution("node.isis.redistribute", "isis"),
            ),
        ),
    ),
    Field("node.isis", "Run IS-IS on this router", begins("isis", Isis)),
)  # fmt: skip

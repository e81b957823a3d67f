"""The form of IS-IS."""

from __future__ import annotations

from dataclasses import replace

from frrlib.model.routing import Isis, IsisInterface
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.quantities import COUNT, SIZE_BYTES, WHOLE_S
from miniedit_frr.dialogs.forms.routing import AS_ROUTER, interface_settings, protocol_switch, redistribution
from miniedit_frr.dialogs.parts import FieldGroup
from miniedit_frr.dialogs.timers import timer_buttons

_LEVELS = {"1": "1: within the area", "2": "2: between areas", "1-2": "1 and 2: both"}
_AT = kinds.mapped({None: "as the router", "1": "1", "2": "2", "1-2": "1 and 2"})
_TYPES = {"auto": "automatic", "point-to-point": "point-to-point", "broadcast": "broadcast"}
_TIMERS = (
    "Lab timers: a hello every second, a lost neighbor is detected after 4 s, and routes follow at once. FRR's "
    "defaults: a hello every 3 s, a loss is detected after 30 s, and delays protect large networks from overload."
)

_INTERFACES = interface_settings(
    "isis", IsisInterface,
    (
        Field("settings.level", "Level", _AT),
        Field("settings.metric", "Metric", replace(kinds.quantity(COUNT, True), width=8), hint="10"),
        Field("settings.passive", "Passive", kinds.flag()),
    ),
    (
        Field("settings.network_type", "Network type", kinds.choice(_TYPES),
              "Automatic: point-to-point if the link joins exactly two routers, otherwise broadcast."),
        Field("settings.hello_s", "Hello interval", kinds.quantity(WHOLE_S, True), "Time between two hellos.",
              hint="the router's"),
        Field("settings.hello_multiplier", "Hello multiplier", kinds.quantity(COUNT, True),
              "A neighbor is lost after this many missed hellos.", hint="the router's"),
        Field("settings.key", "Key", kinds.KEY, "MD5 password in hellos; the same on both ends of the link.",
              hint="none"),
        Field("settings.bfd", "BFD", AS_ROUTER, "Detect a lost neighbor in milliseconds."),
    ),
    "The network of a passive interface is announced, but no adjacency is formed. Interfaces to hosts are always "
    "passive.", True, (4, 5, 3, 2, 2),
)  # fmt: skip

ISIS = FieldGroup(
    "",
    (
        Field("node.isis.area", "Area", kinds.ISIS_AREA,
              "First part of the network entity title (NET), such as 49.0001."),
        Field("node.isis.system_id", "System ID", kinds.SYSTEM_ID,
              "Second part of the NET, such as 0000.0000.0001. Empty: derived from the router ID.",
              hint="automatic"),
        Field("node.isis.level", "Level", kinds.choice(_LEVELS),
              "Adjacencies to form: within the area (level 1), between areas (level 2), or both."),
        Field("node.isis.ipv4", "IPv4", kinds.flag(), "Compute routes for IPv4."),
        Field("node.isis.ipv6", "IPv6", kinds.flag(), "Compute routes for IPv6."),
        _INTERFACES,
        FieldGroup(
            "Timers",
            (
                timer_buttons("node.isis", Isis, _TIMERS),
                Field("node.isis.hello_s", "Hello interval", kinds.quantity(WHOLE_S), "Time between two hellos."),
                Field("node.isis.hello_multiplier", "Hello multiplier", kinds.quantity(COUNT),
                      "A neighbor is lost after this many missed hellos."),
                Field("node.isis.lab_timers", "React at once", kinds.flag(),
                      "Compute routes and send LSPs within milliseconds. Off: FRR's delays of seconds."),
                Field("node.isis.point_to_point", "Point-to-point links", kinds.flag(),
                      "Links between two routers elect no designated router (DIS)."),
                Field("node.isis.bfd", "BFD", kinds.flag(), "Detect lost neighbors in milliseconds."),
            ),
        ),
        FieldGroup(
            "Other routes",
            (
                Field("node.isis.key", "Key", kinds.KEY,
                      "MD5 password in LSPs (area and domain password); the same on all routers.", hint="none"),
                Field("node.isis.lsp_mtu_bytes", "LSP MTU", kinds.quantity(SIZE_BYTES, optional=True),
                      "Size of the largest LSP, 128 to 4352 bytes. Every interface needs an MTU of 3 bytes more.",
                      hint="1497 B"),
                Field("node.isis.overload", "Overload", kinds.flag(),
                      "Other routers send no transit traffic through this router (overload bit)."),
                Field("node.isis.default_originate", "Announce a default route", kinds.flag(),
                      "Announced to all other routers, even if this router has no default route."),
                redistribution("node.isis.redistribute", "isis"),
            ),
        ),
    ),
    Field("node.isis", "Run IS-IS on this router", protocol_switch("isis", Isis)),
)  # fmt: skip

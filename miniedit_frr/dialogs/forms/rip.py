"""The forms of RIP and RIPng."""

from __future__ import annotations

from frrlib.model.routing import Rip, RipInterface, Ripng
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.quantities import COUNT, WHOLE_S
from miniedit_frr.dialogs.forms.routing import interface_settings, protocol_switch, redistribution
from miniedit_frr.dialogs.parts import FieldGroup
from miniedit_frr.dialogs.timers import timer_buttons

_HORIZONS = {"on": "yes", "poison": "yes, with poisoned reverse", "off": "no"}
_KEYS = (
    Field(
        "settings.key",
        "Key",
        kinds.KEY_16,
        "Authenticates RIP packets; the same key on both ends of the link.",
        hint="none",
    ),
    Field(
        "settings.key_id",
        "Key ID",
        kinds.quantity(COUNT),
        "1 to 255: MD5 with this key number. 0: plain-text password.",
    ),
)
_HELP = (
    "The network of a passive interface is announced, but no updates are sent there. Interfaces to hosts are always "
    "passive. Split horizon: routes are not advertised on the interface on which they were learned."
)
_TIMERS = (
    "Lab timers: an update every 5 s; a route expires after 15 s. FRR's defaults, as in the standard: every 30 s; a "
    "route expires after 180 s."
)


def _group(protocol: str, name: str, version: type[Rip] | type[Ripng]) -> FieldGroup:
    path = f"node.{protocol}"
    columns = (
        Field("settings.split_horizon", "Split horizon", kinds.choice(_HORIZONS)),
        Field("settings.passive", "Passive", kinds.flag()),
    )
    rows = interface_settings(protocol, RipInterface, columns, _KEYS if protocol == "rip" else (), _HELP,
                              weights=(4, 5, 4, 2))  # fmt: skip
    return FieldGroup(
        "",
        (
            rows,
            FieldGroup(
                "Timers",
                (
                    timer_buttons(path, version, _TIMERS),
                    Field(f"{path}.update_s", "Update", kinds.quantity(WHOLE_S),
                          "Time between two updates with all routes. Changes are sent at once. FRR's default: 30 s."),
                    Field(f"{path}.timeout_s", "Timeout", kinds.quantity(WHOLE_S),
                          "A route expires after this long without an update. FRR's default: 180 s."),
                    Field(f"{path}.garbage_s", "Garbage collection", kinds.quantity(WHOLE_S),
                          "An expired route is advertised as unreachable for this long. FRR's default: 120 s."),
                ),
            ),
            FieldGroup(
                "Other routes",
                (
                    Field(f"{path}.default_originate", "Announce a default route", kinds.flag(),
                          "Announced to all other routers, even if this router has no default route."),
                    redistribution(f"{path}.redistribute", protocol),
                ),
            ),
        ),
        Field(path, f"Run {name} on this router", protocol_switch(protocol, version)),
    )  # fmt: skip


RIP, RIPNG = _group("rip", "RIP", Rip), _group("ripng", "RIPng", Ripng)

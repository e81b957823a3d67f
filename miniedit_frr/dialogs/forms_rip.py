"""The forms of RIP and RIPng."""

from __future__ import annotations

from frrlib.model.routing import Rip, RipInterface, Ripng
from miniedit_frr.dialogs import kinds
from miniedit_frr.dialogs.fields import Field
from miniedit_frr.dialogs.forms_routing import at_interfaces, begins, redistribution
from miniedit_frr.dialogs.parts import Group
from miniedit_frr.dialogs.quantities import COUNT, WHOLE_S
from miniedit_frr.dialogs.timers import timer_buttons

_HORIZONS = {"on": "yes", "poison": "yes, as unreachable", "off": "no"}
_KEYS = (
    Field("settings.key", "Key", kinds.KEY_16, "Authenticates packets; the same at both ends.", hint="none"),
    Field("settings.key_id", "Key ID", kinds.quantity(COUNT), "1 to 255: MD5 with that key; 0: a plain password."),
)
_HELP = "Passive interfaces are announced and send nothing; those to hosts are passive anyway. Split horizon keeps " \
    "routes from going back where they came from."  # fmt: skip
_TIMERS = (
    "Lab timers: all routes each 5 s, gone after 15 s. FRR's own: each 30 s, gone after 180 s, as the protocol has it "
    "since 1988."
)


def _group(protocol: str, called: str, version: type[Rip] | type[Ripng]) -> Group:
    path = f"node.{protocol}"
    columns = (
        Field("settings.split_horizon", "Split horizon", kinds.choice(_HORIZONS)),
        Field("settings.passive", "Passive", kinds.flag()),
    )
    rows = at_interfaces(protocol, RipInterface, columns, _KEYS if protocol == "rip" else (), _HELP,
                         weights=(4, 5, 4, 2))  # fmt: skip
    return Group(
        "",
        (
            rows,
            Group(
                "Timers",
                (
                    timer_buttons(path, version, _TIMERS),
                    Field(f"{path}.update_s", "Update", kinds.quantity(WHOLE_S),
                          "All routes are told so often; changes are told at once. FRR's own is 30 s."),
                    Field(f"{path}.timeout_s", "Timeout", kinds.quantity(WHOLE_S),
                          "A route is gone when it was not heard of for so long. FRR's own is 180 s."),
                    Field(f"{path}.garbage_s", "Garbage", kinds.quantity(WHOLE_S),
                          "So much longer it is still told as gone. FRR's own is 120 s."),
                ),
            ),
            Group(
                "Other routes",
                (
                    Field(f"{path}.default_originate", "Announce a default route", kinds.flag(),
                          "To all other routers, whether it has one or not."),
                    redistribution(f"{path}.redistribute", protocol),
                ),
            ),
        ),
        Field(path, f"Run {called} on this router", begins(protocol, version)),
    )  # fmt: skip


RIP, RIPNG = _group("rip", "RIP", Rip), _group("ripng", "RIPng", Ripng)

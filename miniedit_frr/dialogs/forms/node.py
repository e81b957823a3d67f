"""The form of each kind of node."""

from __future__ import annotations

from miniedit_frr.dialogs.forms.host import HOST
from miniedit_frr.dialogs.forms.router import ROUTER
from miniedit_frr.dialogs.forms.switch import BRIDGE, CONTROLLER, SWITCH
from miniedit_frr.dialogs.parts import Tab

#: The form of each kind of node.
FORMS: dict[str, tuple[Tab, ...]] = {
    "host": HOST,
    "router": ROUTER,
    "switch": SWITCH,
    "bridge": BRIDGE,
    "controller": CONTROLLER,
}

"""The forms of switches, bridges and controllers."""

from __future__ import annotations

import re

from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.kinds import TextKind
from miniedit_frr.dialogs.fields.quantities import COUNT
from miniedit_frr.dialogs.forms.shared import APPEARANCE, COMMANDS, EXTERNAL, SWITCH_INTERFACES, name_field
from miniedit_frr.dialogs.parts import FieldGroup, Tab
from miniedit_frr.dialogs.sheets import FormContext, NodeSheet


def _controllers(context: FormContext) -> TextKind:
    return kinds.checks(context.names("controller"))


def _dpid_hint(context: FormContext, value: NodeSheet) -> str:
    digits = re.findall("[0-9]+", value.node.name)
    return f"{int(digits[0]):x}, from the name" if digits else "none: enter one"


#: MiniEdit's types of switches, and their names in MiniEdit.
SWITCH_TYPES = {
    "ovs": "Open vSwitch, kernel mode",
    "ivs": "Indigo Virtual Switch",
    "user": "Userspace switch",
    "userns": "Userspace switch in a namespace",
}

SWITCH = (
    Tab(
        "Properties",
        (
            name_field("Hostname"),
            Field("node.switch_type", "Switch type",
                  kinds.choice({"default": "Default, as in Preferences", **SWITCH_TYPES})),
            Field("node.dpid", "DPID", kinds.DPID, "OpenFlow datapath ID, 1 to 16 hexadecimal digits.", single=True,
                  hint=_dpid_hint),
            Field("node.controllers", "Controllers", _controllers,
                  "Without a controller the switch forwards like a bridge."),
            Field("node.management_address", "IP address", kinds.MANAGEMENT, "Management address of the switch.",
                  hint="none",
                  single=True),
            Field("node.dpctl_port", "DPCTL port", kinds.PORT, "TCP port on which the switch listens for ovs-ofctl.",
                  hint="none"),
            Field("node.netflow", "Enable NetFlow", kinds.flag()),
            Field("node.sflow", "Enable sFlow", kinds.flag()),
            COMMANDS,
            APPEARANCE,
        ),
    ),
    SWITCH_INTERFACES,
    Tab("External Interfaces", (EXTERNAL,)),
)  # fmt: skip

BRIDGE = (
    Tab(
        "Properties",
        (
            name_field("Hostname"),
            Field("node.stp", "Spanning tree (STP)", kinds.flag(), "Blocks links that would close a loop."),
            COMMANDS,
            APPEARANCE,
        ),
    ),
    SWITCH_INTERFACES,
)

CONTROLLER = (
    Tab(
        "Properties",
        (
            name_field(),
            Field("node.controller_type", "Controller type",
                  kinds.choice({"ref": "OpenFlow reference", "ovsc": "OVS controller", "remote": "Remote controller",
                                "inband": "In-band controller"})),
            Field("node.protocol", "Protocol", kinds.choice({"tcp": "TCP", "ssl": "SSL"})),
            Field("node.port", "Controller port", kinds.quantity(COUNT)),
            FieldGroup("Remote and in-band controllers",
                       (Field("node.address", "IP address", kinds.TEXT, "Address on which the controller listens."),)),
            COMMANDS,
            APPEARANCE,
        ),
    ),
)  # fmt: skip

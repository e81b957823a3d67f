"""The form of planned faults: a table with time, kind, target and parameters of each fault."""

from __future__ import annotations

from typing import Any

from frrlib.errors import TopologyError
from frrlib.model.fault_words import VERB_OF, VERBS, parse, settings_of
from frrlib.model.faults import LASTING, OF_DAEMONS, Fault
from frrlib.model.names import natural
from frrlib.model.nodes import Controller
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field, Lens
from miniedit_frr.dialogs.fields.lists import TableKind
from miniedit_frr.dialogs.fields.quantities import TIME_S, InvalidQuantity
from miniedit_frr.dialogs.parts import Tab
from miniedit_frr.dialogs.sheets import FormContext

#: The name of each kind in the table.
_LABELS = {
    "link-down": "Link down", "link-up": "Link up", "loss": "Loss", "link-values": "Change link",
    "interface-down": "Interface down", "interface-up": "Interface up", "flap": "Interface flaps",
    "daemon-killed": "Kill daemon", "daemon-stopped": "Stop daemon", "daemon-continued": "Continue daemon",
    "daemon-restarted": "Restart daemon", "frozen": "Freeze node", "thawed": "Thaw node",
    "power-cycled": "Power-cycle", "partition": "Partition", "healed": "Heal partitions", "varied": "Vary link",
}  # fmt: skip
#: Hints for the parameters of some kinds. The hint for other kinds is a duration.
_HOW = {
    "loss": "100%; or 30% 2s", "link-values": "rate=5 delay=10ms", "flap": "once; or 5 1s",
    "power-cycled": "off for 1s; or 5s", "varied": "rate=square:5:20:4s 30s",
}  # fmt: skip
_HELP = (
    "Faults that occur while the flows run. At is the time after the start of the flows. A duration (2s) ends the "
    "fault after that time. Examples of How: 30% 2s for a loss; rate=5 delay=10ms loss=1% queue=30 for a changed "
    "link, with towards r2 for one direction; 5 1s for an interface that flaps 5 times, 1 s each; rate=square:5:20:4s "
    "30s for a rate that varies between 5 and 20 Mbit/s with a period of 4 s, for 30 s (ramp, square, sine or trace)."
)


def _targets(context: FormContext) -> list[str]:
    topology = context.filled
    links = [link.id for link in topology.links]
    nodes = sorted((node.name for node in topology.nodes if not isinstance(node, Controller)), key=natural)
    interfaces = [f"{end.node}:{end.interface}" for link in topology.links for end in link.ends]
    return [*links, *nodes, *interfaces]


def _replaced(fault: Fault, settings: str) -> Fault:
    raise NotImplementedError  # rows are created anew, never changed


def _fault(context: FormContext, time_s: float, kind: str, target: str, settings: str) -> Fault:
    target = target.replace(" ", ":") if kind in OF_DAEMONS else target
    words = [VERB_OF[kind], *([target] if target else []), *settings.split()]
    try:
        return parse(context.topology, words, time_s)
    except TopologyError as error:
        usage = VERBS[VERB_OF[kind]][1]
        raise InvalidQuantity(
            f"{_LABELS[kind]} {target}: {error.message}; arguments after the time: {usage or 'none'}"
        ) from None


def _table(context: FormContext) -> TableKind:
    def make_fault(**cells: Any) -> Fault:
        return _fault(context, **cells)

    columns = (
        Field("time_s", "At", kinds.quantity(TIME_S)),
        Field("kind", "What", kinds.choice(_LABELS)),
        Field("target", "Where", kinds.suggestion(_targets(context))),
        Field("settings", "How", kinds.words(width=24), lens=Lens(settings_of, _replaced, ("settings",)), hint=_hint),
    )
    return TableKind(columns, make_fault, _new, "fault", empty="No faults are planned.", weights=(1, 3, 3, 4))


def _hint(context: FormContext, row: Fault) -> str:
    """The hint for the last cell of a row."""
    return _HOW.get(row.kind, "permanent; or 2s" if row.kind in LASTING else "nothing")


def _new(context: FormContext, value: Any, rows: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The texts of a new fault: the first link goes down, one second after the last fault."""
    links = [link.id for link in context.topology.links]
    after_s = 1.0 + max((fault.time_s for fault in context.topology.faults), default=0.0)
    return (f"{after_s:g}", _LABELS["link-down"], links[0] if links else "", "")


FAULTS = (Tab("Faults", (Field("faults", "", _table, _HELP),)),)

"""The forms of flows: one or several flows, and the table of all flows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from frrlib.edits.new_names import fresh_flow_ids
from frrlib.model.flow_words import CALLED, flow_summary
from frrlib.model.flows import Flow
from frrlib.model.nodes import ADDRESSED
from frrlib.model.traffic.kinds import KINDS
from frrlib.picture.flows import NAMED
from frrlib.prediction.congestion import control_of
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field, Lens
from miniedit_frr.dialogs.fields.kinds import Content, TextKind
from miniedit_frr.dialogs.fields.lists import RowsKind
from miniedit_frr.dialogs.fields.present_fields import present_fields
from miniedit_frr.dialogs.fields.quantities import COUNT, SIZE_BYTES, TIME_S, InvalidQuantity
from miniedit_frr.dialogs.forms.shared import congestion_controls
from miniedit_frr.dialogs.forms.traffic_parameters import PARAMETERS, SENTENCES, TrafficParameter
from miniedit_frr.dialogs.parts import FieldGroup, Tab
from miniedit_frr.dialogs.sheets import FormContext
from miniedit_frr.dialogs.text_part import text_part

#: The conditions that end a flow, the most common first.
_ENDS = {"duration_s": TIME_S, "size_bytes": SIZE_BYTES}
#: Duration of a flow that loses its size, because its new kind of traffic has none.
_USUAL_S = 10.0
#: Settings that only some traffic has, and whether they apply to a flow.
_APPLIES: dict[str, Callable[[Flow], bool]] = {
    "congestion_control": lambda flow: flow.is_tcp,
    "streams": lambda flow: type(flow.traffic).has_streams,
    "opened_by": lambda flow: type(flow.traffic).opener == "either" and flow.is_tcp,
    "dscp": lambda flow: flow.kind != "command",
    "ecn": lambda flow: flow.kind not in ("ping", "web-page", "command"),
}


@dataclass(frozen=True)
class _FlowField(Field):
    """A field that is shown if the flow's traffic uses it, or if it is set nevertheless."""

    def is_in(self, value: Any) -> bool:
        """Whether a flow has the field."""
        above, _, name = self.path.rpartition(".")
        if above == "traffic":
            return name in type(value.traffic).model_fields
        usual = Flow.model_fields[name].default if name in _APPLIES else None
        return name not in _APPLIES or _APPLIES[name](value) or getattr(value, name) not in (usual, "")

    def put(self, value: Any, new: Any) -> Any:
        """The flow with a new value of the field. Errors use the labels of the form."""
        try:
            return super().put(value, new)
        except InvalidQuantity as wrong:
            labels = {parameter.name: parameter.label.lower() for parameter in PARAMETERS}
            raise InvalidQuantity(re.sub(r"\w+_\w+", lambda word: labels.get(word[0], word[0]), str(wrong))) from None


# --- access to fields of the model --------------------------------------------------------------------------------


def _until(flow: Flow) -> tuple[str, float | int] | None:
    return next(((name, getattr(flow, name)) for name in _ENDS if getattr(flow, name) is not None), None)


def _with_until(flow: Flow, until: tuple[str, float | int]) -> Flow:
    ends: dict[str, Any] = {name: until[1] if name == until[0] else None for name in _ENDS}
    return Flow(**{**dict(flow), **ends})


def _with_kind(flow: Flow, kind: str) -> Flow:
    """A flow changed to another kind, with its initial values. Unused settings get their defaults."""
    if flow.kind == kind:
        return flow
    changed = Flow(**{**dict(flow), "traffic": KINDS[kind](), "size_bytes": None,
                    "duration_s": flow.duration_s or _USUAL_S})  # fmt: skip
    usual = {name: Flow.model_fields[name].default for name, means in _APPLIES.items() if not means(changed)}
    return changed.model_copy(update={**usual, **({} if changed.is_tcp else {"congestion_control": ""})})


def _with_control(flow: Flow, control: str) -> Flow:
    return Flow(**{**dict(flow), "congestion_control": control})


def _edits_for_kind(content: Content) -> dict[str, Content | None]:
    """Drop the edits for another kind of traffic. Clear the congestion control for traffic without TCP."""
    kind = next((kind for kind, label in CALLED.items() if content in (kind, label)), "bulk")
    return {"traffic": None, **({} if KINDS[kind].transport == "tcp" else {"congestion_control": ""})}


def _fault_of_id(text: str) -> str:
    if not text:
        return "is missing; type a name"
    odd = next((letter for letter in text if letter.isspace() or letter in ',"/'), "")
    return f"contains {odd!r}; use letters, digits and signs such as - and _" if odd else ""


def _default_control(context: FormContext, flow: Flow) -> str:
    """The congestion control of a flow without a setting: that of the link, the host or the kernel."""
    if not flow.is_tcp:
        return "not TCP"
    control = control_of(context.filled, flow.model_copy(update={"congestion_control": ""}))
    return f"{control.name} ({control.by})" if control.name else "the kernel's default"


def _color(text: str) -> str:
    named = NAMED.get(text.strip().lower(), text.strip())
    if named and not re.fullmatch("#[0-9a-fA-F]{6}", named):
        raise InvalidQuantity(f"must be a color such as #3366cc, or one of {', '.join(NAMED)}")
    return named


def _color_name(color: str) -> str:
    return next((name for name, value in NAMED.items() if value == color.upper()), color)


_COLOR = TextKind(_color, _color_name, "open", choices={name: name for name in NAMED}, width=12)
_UNTIL = kinds.measured(_ENDS)
_YES_NO = {None: "as the host", True: "yes: ECN-capable", False: "never"}


def _ends(context: FormContext) -> TextKind:
    return kinds.choice({name: name for name in context.names(*ADDRESSED)})


# --- the fields ---------------------------------------------------------------------------------------------------

_ID = Field(
    "id", "Name", kinds.words(_fault_of_id, width=18), "Identifies the flow in results and figures.", single=True
)
_FROM = Field("source", "From", _ends, "The node that sends the data.")
_TO = Field("destination", "To", _ends, "The node that receives the data.")
_SENDS = Field(
    "traffic", "Sends", kinds.choice(CALLED), "The kind of traffic.",
    lens=Lens(lambda flow: flow.kind, _with_kind, ("traffic", "traffic.kind")), implied_edits=_edits_for_kind,
    explains=lambda flow: SENTENCES[flow.kind],
)  # fmt: skip
_CONTROL = _FlowField(
    "congestion_control", "Congestion control", kinds.USUAL_OR_CONGESTION_CONTROL,
    "Linux name of the TCP congestion control, such as cubic or bbr. Empty: the default of the link, the host or the "
    "kernel.", hint=_default_control,
    lens=Lens(lambda flow: flow.congestion_control if flow.is_tcp else "", _with_control, ("congestion_control",)),
    offers=congestion_controls,
)  # fmt: skip
_START = Field("start_s", "Starts at", kinds.quantity(TIME_S), "Time after the start of all flows.")
_FOR = Field("until", "Sends for", _UNTIL, "A time, or for bulk data an amount, such as 10 s or 5 MB.",
             lens=Lens(_until, _with_until, tuple(_ENDS)))  # fmt: skip
_MANY = Field("count", "Count", kinds.quantity(COUNT), "Number of identical flows that run in parallel.")
_APART = Field("stagger_s", "Apart", kinds.quantity(TIME_S), "Time between the starts of two of these flows.")
_COLOR_FIELD = Field("colour", "Color", _COLOR, "Color on the drawing and in figures.", hint="automatic")
_CONNECTION = (
    _CONTROL,
    _FlowField("streams", "Streams", kinds.quantity(COUNT),
               "Number of parallel TCP connections that count as one flow."),
    _FlowField("opened_by", "Opened by", kinds.choice({"source": "the source", "destination": "the destination"}),
               "The node that opens the connection. The data always goes from the source to the destination."),
    _FlowField("dscp", "DSCP", kinds.quantity(COUNT, True),
               "DiffServ code point of the packets, 0 to 63. 46 is expedited forwarding (EF).",
               hint="the host's"),
    _FlowField("ecn", "ECN", kinds.mapped(_YES_NO),
               "Congested queues mark ECN-capable packets instead of dropping them."),
)  # fmt: skip


def _default_text(parameter: TrafficParameter, context: FormContext, flow: Flow) -> str:
    return parameter.usual.get(flow.kind, "")


def _explanation(parameter: TrafficParameter, flow: Flow) -> str:
    return parameter.help_by_kind.get(flow.kind, parameter.help)


#: The parameters of all kinds of traffic. A form shows those of the current kind.
TRAFFIC_FIELDS = tuple(
    _FlowField(f"traffic.{parameter.name}", parameter.label, parameter.kind, parameter.help,
               hint=partial(_default_text, parameter) if parameter.usual else "",
               explains=partial(_explanation, parameter) if parameter.help_by_kind else None)
    for parameter in PARAMETERS
)  # fmt: skip

#: The form of one or several flows.
FLOW = (
    Tab("Flow", (
        text_part(lambda context, flow: _summary(context, flow)),
        present_fields(
            _ID, _FROM, _TO, _SENDS, FieldGroup("When", (_START, _FOR, _MANY, _APART)),
            FieldGroup("Looks", (_COLOR_FIELD,)),
        ),
    )),
    Tab("Traffic", (
        present_fields(
            FieldGroup("Parameters of this kind of traffic", TRAFFIC_FIELDS),
            FieldGroup("Packets and connections", _CONNECTION),
        ),
    )),
)  # fmt: skip
#: The fields in the side panel, whose context is only the flow.
FLOW_PANEL = tuple(
    replace(field, hint="the kernel's or the host's" if field is _CONTROL else field.hint)
    for field in (_ID, _FROM, _TO, _SENDS, _CONTROL, _START, _FOR, _MANY, _APART, _COLOR_FIELD)
)


# --- the list of flows --------------------------------------------------------------------------------------------


def _columns(context: FormContext) -> tuple[Field, ...]:
    ends = _ends(context)
    widths = {"start_s": 7, "count": 5, "stagger_s": 6}
    until = replace(_UNTIL, widget="line", width=9)
    return (
        replace(_ID, kind=kinds.words(_fault_of_id, width=8)),
        replace(_FROM, kind=ends),
        replace(_TO, kind=ends),
        replace(_SENDS, kind=replace(_SENDS.plain, width=17)),
        replace(_CONTROL, kind=replace(_CONTROL.plain, width=10)),
        replace(_START, kind=replace(_START.plain, width=widths["start_s"])),
        replace(_FOR, kind=until),
        replace(_MANY, kind=replace(_MANY.plain, width=widths["count"])),
        replace(_APART, kind=replace(_APART.plain, width=widths["stagger_s"])),
    )


def _new_flow(context: FormContext, value: Any, rows: tuple[Flow, ...]) -> dict[str, Content]:
    """The contents of a new flow: those of the last flow, except its color.

    The first flow goes from the first host to the last one.
    """
    used = {row.id for row in rows}
    name = next(flow_id for flow_id in fresh_flow_ids(context.topology) if flow_id not in used)
    if rows:
        fields = (*_columns(context), *TRAFFIC_FIELDS, *_CONNECTION)
        copied = {field.path: field.plain.show(field.get(rows[-1])) for field in fields if field.is_in(rows[-1])}
        return {**copied, "id": name}
    ends = context.names("host") if len(context.names("host")) > 1 else context.names(*ADDRESSED)
    source, destination = ends[0] if ends else "", ends[-1] if len(ends) > 1 else ""
    return {"id": name, "source": source, "destination": destination, "congestion_control": context.congestion_control}


def _summary(context: FormContext, flow: Flow) -> str:
    return flow_summary(flow, control_of(context.filled, flow).name)


def _table(context: FormContext) -> RowsKind:
    def called(flow: Flow) -> str:
        return f"{flow.id}: {_summary(context, flow)}"

    details = present_fields(*TRAFFIC_FIELDS, *(field for field in _CONNECTION if field is not _CONTROL), _COLOR_FIELD)
    return RowsKind(
        _columns(context), (details,), Flow(id="f", source="?", destination="?"), _new_flow, "flow", called,
        "No flows: a run only waits for the routes.", (2, 3, 3, 4, 3, 2, 3, 1, 2),
    )  # fmt: skip


FLOWS = (
    Tab(
        "Flows",
        (Field("flows", "", _table,
               "Traffic between two nodes. Each flow sends for a time (10 s) or, for bulk data, until an amount is "
               "sent (5 MB). Count is the number of identical flows; Apart is the time between their starts. A TCP "
               "flow without a congestion control uses that of its outgoing link, otherwise the host's, otherwise the "
               "kernel's."),),
    ),
    Tab(
        "Before the flows",
        (
            Field("wait.routes", "All routes", kinds.flag(),
                  "Flows start when all adjacencies are up and every router has all the routes that its protocols are "
                  "expected to learn."),
            Field("wait.stable_s", "Unchanged for", kinds.quantity(TIME_S),
                  "Adjacencies and routes must be unchanged for this long."),
            Field("wait.timeout_s", "Timeout", kinds.quantity(TIME_S), "The run fails if it has to wait longer."),
            Field("wait.ping_count", "Pings before", kinds.quantity(COUNT),
                  "Number of pings between the ends of each flow, to measure the unloaded path. 0: none."),
        ),
    ),
)  # fmt: skip

"""Faults as short texts that people type: "loss l1 30% 2s", "kill r1 bgpd", "flap r1-eth0 5 1s".

The command line, dialogs and texts for people use the same words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from frrlib.errors import TopologyError
from frrlib.model.base import first_fault
from frrlib.model.courses import Course
from frrlib.model.faults import FIFO, LASTING, OF_DAEMONS, OF_INTERFACES, Fault, FaultKind, LinkValues
from frrlib.model.interface_names import with_names
from frrlib.model.queues import DISCIPLINES, AnyDiscipline
from frrlib.model.topology import Topology

#: Kind of fault and arguments by verb; optional arguments are in brackets.
VERBS: dict[str, tuple[FaultKind, str]] = {
    "link-down": ("link-down", "LINK [FOR]"),
    "link-up": ("link-up", "LINK"),
    "loss": ("loss", "LINK [PERCENT%] [FOR] [towards NODE]"),
    "set": (
        "link-values",
        "LINK [rate=MBIT] [delay=MS] [jitter=MS] [loss=%] [queue=PACKETS] [discipline=KIND[,PARAMETER=VALUE]] "
        "[towards NODE]",
    ),
    "vary": ("varied", "LINK VALUE=PATTERN:LOW:HIGH[:PERIOD[:STEP]] FOR [towards NODE]"),
    "interface-down": ("interface-down", "INTERFACE [FOR]"),
    "interface-up": ("interface-up", "INTERFACE"),
    "flap": ("flap", "INTERFACE [TIMES] [PERIOD]"),
    "kill": ("daemon-killed", "ROUTER DAEMON"),
    "stop": ("daemon-stopped", "ROUTER DAEMON [FOR]"),
    "cont": ("daemon-continued", "ROUTER DAEMON"),
    "restart": ("daemon-restarted", "ROUTER DAEMON"),
    "freeze": ("frozen", "NODE [FOR]"),
    "thaw": ("thawed", "NODE"),
    "power-cycle": ("power-cycled", "ROUTER [FOR]"),
    "partition": ("partition", "NODE,NODE,... [FOR]"),
    "heal": ("healed", ""),
}
VERB_OF: dict[str, str] = {kind: verb for verb, (kind, _) in VERBS.items()}
_VALUES = {"rate": ("rate_mbit", "mbit"), "delay": ("delay_ms", "ms"), "jitter": ("jitter_ms", "ms"),
           "loss": ("loss_percent", "%")}  # fmt: skip
#: Units of a queue limit, and the field of each.
_QUEUE_UNITS = {"bytes": "queue_bytes", "packets": "queue_packets", "bdp": "queue_bdp", "ms": "queue_ms"}
#: Name and unit in the text, by field of `LinkValues`.
_NAME_AND_UNIT = {field: (name, unit) for name, (field, unit) in _VALUES.items()}
_NAME_AND_UNIT |= {field: ("queue", unit) for unit, field in _QUEUE_UNITS.items()}
#: The word for a queueing discipline, whose parameters follow its kind: "discipline=fq_codel,target_ms=5".
_DISCIPLINE = "discipline"

#: The beginning of a text about queue limits, and the pattern of each limit.
_LIMITS = "queue limit "
_LIMIT = re.compile(r"(?:^|, )(?:(\d{1,18}) bytes|none) towards ([^,\s]+)")

#: The longest run, in seconds.
LATEST_S = 86_400


def parse(topology: Topology, words: Sequence[str], time_s: float = 0.0) -> Fault:
    """Parse a fault.

    Args:
        topology: the topology that its names refer to. It completes an interface that is given without its node.
        words: a verb of `VERBS` and its arguments.
        time_s: the time of the fault, from the start of the flows.

    Raises:
        TopologyError: the words are not a fault; the message has the usage.
    """
    verb, arguments = (words[0] if words else ""), list(words[1:])
    if verb not in VERBS:
        raise TopologyError(f"{verb!r} is not a fault", field="kind", remedy=f"one of {', '.join(VERBS)}")
    kind, usage = VERBS[verb]
    fields: dict[str, Any] = {"kind": kind, "time_s": time_s}
    try:
        if kind != "healed":
            fields["target"] = _target(topology, kind, arguments)
        _parse_arguments(kind, arguments, fields)
        if arguments:
            raise ValueError(f"{arguments[0]!r} is unexpected here")
        return Fault(**fields)
    except ValidationError as problem:
        field, reason = first_fault(problem)
        reason = reason.replace("Input should be", "must be")
        raise TopologyError(reason, node=str(fields.get("target", "")), field=field, remedy=f"{verb} {usage}") from None
    except ValueError as problem:
        raise TopologyError(str(problem), remedy=f"{verb} {usage}".rstrip()) from None


def parse_planned(topology: Topology, text: str) -> Fault:
    """Parse a fault with its time: "4s loss l1 30% 2s". Raises TopologyError as `parse` does."""
    at, *words = text.split() or [""]
    try:
        time_s = seconds(at)
    except ValueError:
        reason = f"{text!r} does not begin with a time"
        raise TopologyError(
            reason, field="faults", remedy="seconds after the start of the flows, as in 4 loss l1"
        ) from None
    if not 0 <= time_s <= LATEST_S:
        raise TopologyError(f"{at} is not a valid time of a fault", field="faults", remedy=f"from 0 to {LATEST_S} s")
    return parse(topology, words, time_s)


def words_of(fault: Fault) -> str:
    """The text of a fault, which `parse` reads."""
    target = fault.target.replace(":", " ") if fault.kind in OF_DAEMONS else fault.target
    return " ".join(filter(None, (VERB_OF[fault.kind], target, settings_of(fault))))


def settings_of(fault: Fault) -> str:
    """The words after a fault's target; empty for none."""
    words: list[str] = []
    if fault.kind == "loss":
        words.append(f"{fault.loss_percent:.12g}%")
    if fault.values is not None:
        for field, value in fault.values.given.items():
            if field == "queue":
                words.append(f"{_DISCIPLINE}={discipline_text(value)}")
            else:
                name, unit = _NAME_AND_UNIT[field]
                words.append(f"{name}={value:.12g}{unit}")
    if fault.course is not None:
        words.append(_course_words(fault.course))
    if fault.kind == "flap":
        words += [str(fault.times), f"{fault.period_s:.12g}s"]
    if fault.duration_s is not None:
        words.append(f"{fault.duration_s:.12g}s")
    if fault.towards:
        words.append(f"towards {fault.towards}")
    return " ".join(words)


def discipline_text(queue: AnyDiscipline | str) -> str:
    """A queueing discipline with the parameters that are set, as one word: "fq_codel,target_ms=5,ecn=false"."""
    if isinstance(queue, str):
        return queue
    parameters = queue.model_dump(mode="json", exclude_defaults=True)
    return ",".join([parameters.pop("kind"), *(f"{name}={_plain(value)}" for name, value in parameters.items())])


def read_discipline(text: str) -> dict[str, str | int] | str:
    """Parse a text of `discipline_text`: the fields of the discipline, or "fifo".

    Raises:
        ValueError: there is no discipline of this kind, or a parameter has no value.
    """
    kind, *parameters = text.split(",")
    if text == FIFO:
        return FIFO
    if kind not in DISCIPLINES:
        raise ValueError(f"{kind!r} is not a queueing discipline; choose one of {', '.join((FIFO, *DISCIPLINES))}")
    fields: dict[str, str | int] = {"kind": kind}
    for parameter in parameters:
        name, equals, value = parameter.partition("=")
        if not equals or name == "kind":
            raise ValueError(f"{parameter!r} is not a parameter of {kind} with its value, as in ecn=true")
        fields[name] = int(value) if value.isdecimal() else value
    return fields


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def values_text(settings: str) -> tuple[dict[str, Any], str]:
    """Parse a text of `settings_of`: the values of a link, and the node at its end (empty for both directions)."""
    words = settings.split()
    towards = words[words.index("towards") + 1] if "towards" in words[:-1] else ""
    return dict(_value(word) for word in words if "=" in word), towards


def limits_text(limits: Mapping[str, int | None]) -> str:
    """The queue limits of a link's directions as one text ("queue limit 18750 bytes towards r2, none towards r1").

    Args:
        limits: bytes by the destination node of each direction; None for no stated limit.

    Returns:
        the text; empty for no direction.
    """
    parts = [f"{'none' if limit is None else f'{limit} bytes'} towards {node}" for node, limit in limits.items()]
    return f"{_LIMITS}{', '.join(parts)}" if parts else ""


def read_limits(text: str) -> dict[str, int | None]:
    """Parse a text of `limits_text`: queue limits by the destination node of the direction; empty for other texts."""
    if not text.startswith(_LIMITS):
        return {}
    return {node: int(size) if size else None for size, node in _LIMIT.findall(text.removeprefix(_LIMITS))}


def _target(topology: Topology, kind: FaultKind, arguments: list[str]) -> str:
    if not arguments:
        raise ValueError("the target is missing")
    name = arguments.pop(0)
    if kind in OF_DAEMONS and ":" not in name:
        if not arguments:
            raise ValueError(f"the daemon of {name} is missing")
        return f"{name}:{arguments.pop(0)}"
    if kind in OF_INTERFACES and ":" not in name:
        owners = [end.node for link in with_names(topology).links for end in link.ends if end.interface == name]
        if len(owners) > 1:
            raise ValueError(
                f"{' and '.join(owners)} both have an interface {name}; add the node, as in {owners[0]}:{name}"
            )
        return f"{owners[0]}:{name}" if owners else f":{name}"
    return name


def _parse_arguments(kind: FaultKind, arguments: list[str], fields: dict[str, Any]) -> None:
    """Parse the words after the target into the fields and remove them; unexpected words stay."""
    if kind in ("loss", "link-values", "varied") and "towards" in arguments[:-1]:
        place = arguments.index("towards")
        fields["towards"] = arguments[place + 1]
        del arguments[place : place + 2]
    if kind == "loss" and arguments and arguments[0].endswith("%"):
        fields["loss_percent"] = _number(arguments.pop(0).removesuffix("%"))
    if kind == "link-values":
        fields["values"] = LinkValues.model_validate(dict(_value(word) for word in arguments if "=" in word))
        arguments[:] = [word for word in arguments if "=" not in word]
    if kind == "varied" and arguments and "=" in arguments[0]:
        fields["course"] = _course(arguments.pop(0))
    if kind == "loss" and arguments and arguments[0].replace(".", "", 1).isdigit():
        raise ValueError(f"{arguments[0]!r} may mean {arguments[0]}% or {arguments[0]}s; add the unit")
    if kind == "flap":
        fields |= {"times": arguments.pop(0)} if arguments else {}
        fields |= {"period_s": seconds(arguments.pop(0))} if arguments else {}
    if kind in LASTING and arguments:
        fields["duration_s"] = seconds(arguments.pop(0))


def _value(word: str) -> tuple[str, Any]:
    name, _, text = word.partition("=")
    if name == _DISCIPLINE:
        return "queue", read_discipline(text)
    if name == "queue":
        unit = next((unit for unit in _QUEUE_UNITS if text.endswith(unit)), "packets")
        value = _number(text.removesuffix(unit))
        return _QUEUE_UNITS[unit], int(value) if unit in ("bytes", "packets") and value == int(value) else value
    if name not in _VALUES:
        raise ValueError(
            f"{name!r} is not a value of a link; choose one of {', '.join((*_VALUES, 'queue', _DISCIPLINE))}"
        )
    field, unit = _VALUES[name]
    return field, _number(text.lower().removesuffix(unit))


def _course(word: str) -> Course:
    """A course: "rate=square:5:20:4s", "delay=ramp:10:50::0.5s", "loss=trace:0/1,2.5/3:10s"."""
    name, _, text = word.partition("=")
    if name not in _VALUES or name == "jitter":
        raise ValueError(f"{name!r} is not a value that can vary; choose rate, delay or loss")
    pattern, *parts = text.split(":")
    fields: dict[str, Any] = {"value": _VALUES[name][0], "pattern": pattern}
    if pattern == "trace":
        pairs = [pair.partition("/") for pair in (parts.pop(0) if parts else "").split(",") if pair]
        fields["points"] = tuple((seconds(at), _number(value)) for at, _, value in pairs)
    else:
        if len(parts) < 2:
            raise ValueError(f"{word!r} lacks the range of its values, as in {name}={pattern}:5:20:4s")
        fields |= {"low": _number(parts.pop(0)), "high": _number(parts.pop(0))}
    for field in ("period_s", "step_s"):
        if parts and (span := parts.pop(0)):
            fields[field] = seconds(span)
    if parts:
        raise ValueError(f"{parts[0]!r} is unexpected here")
    return Course.model_validate(fields)


def _course_words(course: Course) -> str:
    parts = [f"{_NAME_AND_UNIT[course.value][0]}={course.pattern}"]
    if course.pattern == "trace":
        parts.append(",".join(f"{time_s:.12g}/{value:.12g}" for time_s, value in course.points))
    else:
        parts += [f"{course.low:.12g}", f"{course.high:.12g}"]
    has_step = course.step_s != Course.model_fields["step_s"].default
    if course.period_s or has_step:
        parts.append(f"{course.period_s:.12g}s" if course.period_s else "")
    parts += [f"{course.step_s:.12g}s"] if has_step else []
    return ":".join(parts)


def seconds(text: str) -> float:
    """A time span: "2s", "500ms", "1.5". Raises ValueError for anything else."""
    plain = text.strip().lower()
    try:
        return float(plain.removesuffix("ms")) / 1e3 if plain.endswith("ms") else float(plain.removesuffix("s"))
    except ValueError:
        raise ValueError(f"{text!r} is not a time such as 2s or 500ms") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None

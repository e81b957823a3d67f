"""Reads the links of a Mininet topology: their interfaces, and the `tc` options of the classes TCLink and TCIntf."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from frrlib.errors import TopologyError
from frrlib.formats.entry import Notices, Unreadable, number
from frrlib.formats.mininet_nodes import MininetNode, reason
from frrlib.formats.mininet_options import Options, is_on, mininet_class, unwrapped
from frrlib.formats.mininet_remarks import Remarks
from frrlib.formats.units import interface_address, milliseconds
from frrlib.model.base import INTERFACE_NAME_LENGTH, Address
from frrlib.model.frames import USUAL_MTU_BYTES, full_frame_bytes
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import ADDRESSED
from frrlib.model.queues import Red

#: Fields of a shape by options of Mininet's class TCIntf.
_NUMBERS = {"bw": "rate_mbit", "loss": "loss_percent", "max_queue_size": "queue_packets"}
_TIMES = {"delay": "delay_ms", "jitter": "jitter_ms"}
_BOUNDS = ("enable_red", "enable_ecn", "use_tbf", "latency_ms", "use_htb", "use_hfsc")
#: The options that a shape is read from.
LINK_OPTIONS = (*_NUMBERS, *_TIMES, *_BOUNDS)
#: Highest rate that Mininet sets.
_MININET_LIMIT_MBIT = 1000
#: Mininet's RED (`TCIntf.bwCmds`). Its probability is 1, and our largest is below 1.
_RED = Red(min_bytes=30_000, max_bytes=35_000, avpkt_bytes=1500, burst_packets=20, probability=0.999)
_RED_LIMIT_BYTES, _TBF_BURST_BYTES = 1_000_000, 15_000
#: Mininet's classes of links and interfaces; the text is a remark on what is different here.
_LINKS = {
    "Link": "", "TCLink": "", "TCULink": "checksum offload stays on here",
    "OVSLink": "it joins two switches by a pair of interfaces here",
}  # fmt: skip
#: The options with which Mininet's class TCIntf shapes an interface.
_SHAPING = ("bw", "delay", "loss", "max_queue_size")
_INTERFACES = {"Intf": "", "TCIntf": "", "OVSIntf": "it is an ordinary interface here"}
_SIDES = ("1", "2")


# --- shapes -----------------------------------------------------------------------------------------------------------


def link_shape(options: Mapping[str, Any], name: str = "", notices: Notices | None = None) -> Shape:
    """The effect of Mininet's options of a link on packets of one direction.

    Args:
        options: bw (Mbit/s), delay and jitter (times in `tc`'s syntax), loss (percent), max_queue_size (packets), and
            the other ones of `LINK_OPTIONS`.
        name: name of the link, for messages.
        notices: receives remarks on options without effect here; None for nobody.

    Raises:
        TopologyError: an option has an invalid value.
    """
    read = Options(options, Remarks(name, "link", notices or Notices()))
    try:
        shape = _shape(read)
    except (ValidationError, Unreadable) as problem:
        raise TopologyError(reason(problem), node=name) from None
    read.finish()
    return shape


def _shape(options: Options) -> Shape:
    fields = {field: value for key, field in _NUMBERS.items() if (value := options.take(key)) is not None}
    fields |= {field: value for key, field in _TIMES.items() if (value := _time(options, key))}
    if "rate_mbit" not in fields and (limit := fields.pop("queue_packets", None)) is not None:
        options.remark("max_queue_size", limit, "it limits no queue, for the link has no bw")
    shape = Shape(**fields)
    if shape.rate_mbit is not None and shape.rate_mbit > _MININET_LIMIT_MBIT:
        options.remark("bw", shape.rate_mbit, f"Mininet sets no rate above {_MININET_LIMIT_MBIT}, but a lab does")
    if shape.jitter_ms and not shape.delay_ms:
        options.remark("jitter", f"{shape.jitter_ms:g}ms", "without delay it has no effect in Mininet, but in a lab")
    return _with_latency(_with_red(shape, options), options)


def _time(options: Options, key: str) -> float:
    value = options.take(key, "")
    result, has_unit = milliseconds(value)
    if not has_unit:
        options.remarks.warn_without_unit(options.place(key), value, result)
    return result


def _with_red(shape: Shape, options: Options) -> Shape:
    """The shape with Mininet's RED, which ECN includes. RED needs a rate, and a queue that reaches its thresholds."""
    is_requested = {key: is_on(options.take(key, False)) for key in ("enable_red", "enable_ecn")}
    if not any(is_requested.values()):
        return shape
    key = "enable_ecn" if is_requested["enable_ecn"] else "enable_red"
    if shape.rate_mbit is None:
        options.remark(key, True, "it has no effect, for the link has no bw")
        return shape
    packets = shape.queue_packets
    if packets is not None and packets * full_frame_bytes(USUAL_MTU_BYTES) < (_RED.max_bytes or 0):
        options.remark(key, True, f"RED has no effect in a queue of {packets} packets, which max_queue_size sets")
        return shape
    queue = _RED.model_copy(update={"ecn": is_requested["enable_ecn"]})
    limit = {} if packets is not None else {"queue_bytes": _RED_LIMIT_BYTES}
    return shape.model_copy(update={"queue": queue, **limit})


def _with_latency(shape: Shape, options: Options) -> Shape:
    """The shape with the queue limit that Mininet's option `use_tbf` implies.

    `tc` adds the burst to the limit (`q_tbf.c`). A netem or RED below the token bucket has a queue of its own, so that
    this limit has no effect. A rate is always enforced by a token bucket, so that `use_htb` changes nothing.
    """
    uses_hfsc, uses_tbf = is_on(options.take("use_hfsc", False)), is_on(options.take("use_tbf", False))
    latency_ms = options.take("latency_ms")
    options.take("use_htb")
    if uses_hfsc:
        options.remark("use_hfsc", True, "a token bucket enforces the rate here")
    has_own_queue = shape.needs_link_namespace or shape.queue is not None or shape.queue_packets is not None
    if shape.rate_mbit is None or uses_hfsc or not uses_tbf or has_own_queue:
        if latency_ms is not None:
            options.remark("latency_ms", latency_ms, "it has no effect without bw and use_tbf, or with another queue")
        return shape
    rate_bytes_ms = shape.rate_mbit * 1e6 / 8 / 1e3
    queued = _TBF_BURST_BYTES if latency_ms is None else rate_bytes_ms * _number(latency_ms, "latency_ms")
    return Shape(**{**shape.model_dump(exclude_defaults=True), "queue_bytes": round(queued + _TBF_BURST_BYTES)})


def _number(value: Any, name: str) -> float:
    try:
        return number(value)
    except Unreadable as problem:
        raise Unreadable(f"{name} {problem}") from None


# --- links ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """One end of a link in Mininet.

    Attributes:
        number: "1" or "2", as in the names of its options.
        node: name of the node.
        port: number of the port; None if it is not set.
        options: the options of the interface.
        is_shaped: whether its own class shapes it in Mininet.
    """

    number: str
    node: str
    port: int | None
    options: Options
    is_shaped: bool = False


@dataclass(frozen=True)
class MininetLink:
    """A link in Mininet: its ID here, the options that concern both ends, and the two ends."""

    id: str
    options: Options
    sides: tuple[Side, Side]


def link_of(link_id: str, names: tuple[str, str], info: Mapping[str, Any], notices: Notices) -> MininetLink:
    """Split the options of a link into those of the link and of each end.

    As in Mininet, an option of the link overrides that of an end.
    """
    remarks = Remarks(link_id, "link", notices)
    constructor, values = unwrapped(info.get("cls"), {key: value for key, value in info.items() if key != "cls"})
    if remark := _class_remark(constructor, _LINKS, "an ordinary link"):
        Options({}, remarks).remark("cls", constructor, remark)
    interface_class = values.pop("intf", None)
    if interface_class is not None and mininet_class(constructor, _LINKS)[0] in ("TCLink", "TCULink"):
        Options({}, remarks).remark("intf", interface_class, "it has no effect on links with a class of their own")
        interface_class = None
    of_sides: dict[str, dict[str, Any]] = {}
    for side in _SIDES:
        renamed = {"interface": f"intfName{side}", "addr": f"addr{side}"}
        own = dict(values.pop(f"params{side}", None) or {})
        of_sides[side] = {**own, **{key: values.pop(name, None) for key, name in renamed.items()}}
        of_sides[side]["cls"] = values.pop(f"cls{side}", None) or interface_class
        of_sides[side]["port"] = next(
            (port for port in (values.pop(f"port{side}", None), own.get("port")) if isinstance(port, int)), None
        )
    speedup = Options({"speedup": values.pop("speedup", None)}, remarks)
    sides = [_side(side, name, of_sides[side], values, remarks) for side, name in zip(_SIDES, names, strict=True)]
    if mininet_class(constructor, _LINKS) == ("Link", True):
        ignored = [key for key in _SHAPING if any(key in side.options and not side.is_shaped for side in sides)]
        if ignored:
            Options({}, remarks).remark(
                "cls", constructor, f"Mininet ignores {' and '.join(ignored)}, but a lab does not"
            )
    return MininetLink(link_id, speedup, (sides[0], sides[1]))


def _side(number: str, node: str, own: dict[str, Any], common: Mapping[str, Any], remarks: Remarks) -> Side:
    constructor, port = own.pop("cls"), own.pop("port")
    constructor, own = unwrapped(constructor, own)
    places = {key: f"params{number}.{key}" for key in own if key not in common}
    places |= {"interface": f"intfName{number}", "addr": f"addr{number}"}
    options = Options({**own, **common}, remarks, places)
    if remark := _class_remark(constructor, _INTERFACES, "an ordinary interface"):
        Options({}, remarks).remark(f"cls{number}", constructor, remark)
    return Side(number, node, port, options, mininet_class(constructor, {"TCIntf": ""})[0] == "TCIntf")


def _class_remark(constructor: Any, names: Mapping[str, str], plain: str) -> str:
    """The remark on a class of links or interfaces; empty for none."""
    known, is_itself = mininet_class(constructor, names)
    if constructor is None or is_itself:
        return names.get(known, "")
    return f"it is read as {plain}, and its own code is left out"


def read_link(link: MininetLink, nodes: Mapping[str, MininetNode], first: Mapping[str, Side]) -> Link:
    """Read a link.

    Args:
        link: the link in Mininet.
        nodes: the nodes by name.
        first: the first end of each node, which has the node's own address.

    Raises:
        TopologyError: an option has an invalid value.
    """
    try:
        shapes = {side.number: _shape(side.options) for side in link.sides}
        speedup = _speedup(link, shapes)
        ends, up = [], True
        for side in link.sides:
            is_first = first.get(side.node) is side
            end = _end(side, nodes.get(side.node), is_first)
            # Setting an address switches an interface on.
            up = up and (is_on(side.options.take("up", True)) or bool(is_first and end.addresses))
            ends.append(end)
        for side in link.sides:
            side.options.finish()
        foreign = link.sides[0].options.remarks.foreign()
        return Link(
            id=link.id, a=ends[0], b=ends[1], a_to_b=shapes["1"], b_to_a=shapes["2"], up=up, speedup_mbit=speedup,
            foreign=foreign,
        )  # fmt: skip
    except (ValidationError, Unreadable) as problem:
        raise TopologyError(reason(problem), node=link.id) from None


def _speedup(link: MininetLink, shapes: dict[str, Shape]) -> int | None:
    """The link's speedup, for whole numbers of Mbit/s and links with a rate."""
    value = link.options.take("speedup")
    if not value:
        return None
    if isinstance(value, int) and any(shape.rate_mbit is not None for shape in shapes.values()):
        return value
    link.options.remark("speedup", value, "it needs bw, and a whole number of Mbit/s")
    return None


def _end(side: Side, node: MininetNode | None, is_first: bool) -> End:
    options = side.options
    default = f"{side.node}-eth{side.port}" if side.port is not None else ""
    interface = options.take("interface") or (default if len(default) <= INTERFACE_NAME_LENGTH else "")
    hardware = options.take("addr", ""), options.take("mac", "")
    return End(
        node=side.node,
        interface=interface,
        addresses=_addresses(side, node, is_first),
        mac=(node.mac if node is not None and is_first else "") or hardware[1] or hardware[0],
        mtu_bytes=_mtu_bytes(options),
    )


def _addresses(side: Side, node: MininetNode | None, is_first: bool) -> tuple[Address, ...]:
    """The addresses of an end: that of the node at its first end, else that of the end's own option."""
    options = side.options
    value = options.take("ip", "")
    own, has_prefix = interface_address(value)
    if own is not None and not has_prefix:
        options.remarks.warn_without_prefix(options.place("ip"), own)
    if node is None or node.node.kind not in ADDRESSED:
        if own is not None:
            options.remark("ip", value, "an interface of a switch has no address here")
        return ()
    if is_first and node.address is not None:
        if own not in (None, node.address):
            options.remark("ip", value, f"the address {node.address} of {side.node} replaces it, as in Mininet")
        return (node.address,)
    if is_first and own is not None and not node.has_ip:
        options.remark("ip", value, f"Mininet replaces it by an address of 10.0.0.0/8, unless {side.node} has ip=None")
    return (own,) if own is not None else ()


def _mtu_bytes(options: Options) -> int | None:
    """The MTU of Mininet's option `ifconfig`, as in "mtu 1400"."""
    words = options.take("ifconfig", "")
    match = re.search(r"\bmtu\s+([0-9]{1,9})\b", str(words))
    if words and (not match or str(words).split() not in (["mtu", match[1]], ["mtu", match[1], "up"])):
        options.remark("ifconfig", words, "only mtu is read from these words")
    return int(match[1]) if match else None

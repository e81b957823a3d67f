"""Random edits of a drawing: every gesture, menu and dialog of an editor, by name."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from frrlib.errors import TopologyError
from frrlib.model import generators
from frrlib.model.annotations import PALETTE
from frrlib.model.base import Value
from frrlib.model.edits import annotating, arrange, changes, clip, layout, layouts, linking, presets
from frrlib.model.edits.parts import controllers_of
from frrlib.model.flows import Flow, Wait
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import PrivateDirectory, VlanInterface
from frrlib.model.routing import Bgp, BgpNeighbor, Ospf, StaticRoute
from frrlib.model.topology import Netflow, OpenFlowVersions, Preferences, Sflow, Topology

TOOLS = sorted(changes.TOOLS)
#: A random edit, given chance; it may refuse with a TopologyError.
Edit = Callable[[Topology, random.Random], Topology]
T = TypeVar("T")

#: A drawing of more nodes than this gets no further copies and no generated parts: the edits shall stay quick.
_MANY = 40

_SHAPES = (
    Shape(),
    Shape(rate_mbit=10, delay_ms=20.5, queue_bdp=1),
    Shape(rate_mbit=0.5, jitter_ms=1.25, loss_percent=0.1, queue_bytes=9000),
    Shape(delay_ms=3),
    Shape(rate_mbit=100, queue_packets=33),
    Shape(rate_mbit=1000, queue_ms=2.5),
)
_ADDRESSES = ((), (ip_interface("10.9.0.1/16"),), (ip_interface("10.0.0.7/24"), ip_interface("fd00::7/64")))
_COMMANDS = ("", "echo started > /tmp/x")

#: What a dialog can put into each field of a value: at least two different contents each.
CONTENTS: dict[str, dict[str, tuple[Any, ...]]] = {
    "Host": {
        "default_route": (None, ip_address("10.0.0.1"), ip_address("fd00::1")),
        "vlan_interfaces": ((), (VlanInterface(address=ip_interface("10.5.0.1/24"), vlan_id=5),)),
        "external_interfaces": ((), ("eth7",)),
        "private_directories": ((), (PrivateDirectory(path="/run"), PrivateDirectory(path="/a", persistent="/b"))),
        "scheduler": ("host", "cfs", "rt"),
        "cpu_percent": (None, 12.5),
        "cores": ("", "0,1"),
        "congestion_control": ("", "bbr"),
    },
    "Router": {
        "loopbacks": ((), (ip_interface("192.168.0.1/32"),)),
        "daemons": ((), ("zebra",), ("isisd", "bfdd")),
        "ospf": (None, Ospf(), Ospf(area="0.0.0.1", hello_s=1, dead_s=3, lab_timers=False)),
        "bgp": (
            None,
            Bgp(
                asn=65_001,
                networks=(ip_network("10.0.0.0/16"),),
                neighbors=(BgpNeighbor(address=ip_address("10.9.0.2"), remote_as=65_002),),
            ),
        ),
        "static_routes": ((), (StaticRoute(prefix=ip_network("10.3.0.0/16"), via=ip_address("10.9.0.2")),)),
        "frr_conf": ("", "ip forwarding\n"),
        "controllers": (None, ()),
    },
    "Switch": {
        "switch_type": ("default", "ovs", "ivs", "user", "userns"),
        "dpid": ("", "00000000000000ab"),
        "controllers": ((), ("c0",)),
        "management_address": ("", "10.0.9.1"),
        "dpctl_port": ("", "6634"),
        "netflow": (False, True),
        "sflow": (False, True),
        "external_interfaces": ((), ("eth8",)),
    },
    "Bridge": {"controllers": ((), ("c0",)), "stp": (False, True)},
    "Controller": {
        "controller_type": ("ref", "ovsc", "remote", "inband"),
        "protocol": ("tcp", "ssl"),
        "address": ("127.0.0.1", "10.0.0.99"),
        "port": (6633, 6653),
    },
    "every node": {
        "number": (None, 7),
        "label": ("", "border", "the core"),
        "colour": ("", "red", "#3366cc"),
        "start_command": _COMMANDS,
        "stop_command": _COMMANDS,
    },
    "Link": {"a_to_b": _SHAPES, "b_to_a": _SHAPES, "up": (True, False), "speedup": (None, 2)},
    "End": {
        "interface": ("", "uplink"),
        "addresses": _ADDRESSES,
        "mac": ("", "02:00:00:00:00:01"),
        "mtu_bytes": (None, 9000),
        "ospf_cost": (None, 50),
    },
    "Flow": {
        "congestion_control": ("cubic", "bbr"),
        "start_s": (0.0, 2.5),
        "duration_s": (10.0, 1.0),
        "count": (1, 4),
    },
    "Wait": {"routes": (True, False), "timeout_s": (60.0, 5.0), "ping_count": (3, 0)},
    "Annotation": {
        "width": (160.0, 20.5),
        "height": (60.0, 300.0),
        "text": ("", "AS 65001\nOSPF area 0"),
        "fill": ("", "yellow", "#abcdef"),
        "line": ("", "grey"),
    },
    "Preferences": {
        "ip_base": ("10.0.0.0/8", "192.168.0.0/16"),
        "terminal_type": ("xterm", "gterm"),
        "start_cli": (False, True),
        "switch_type": ("ovs", "ivs", "user", "userns"),
        "dpctl": ("", "6640"),
        "openflow": (OpenFlowVersions(), OpenFlowVersions(of10=False, of13=True)),
        "sflow": (Sflow(), Sflow(target="10.0.0.9", polling="10")),
        "netflow": (Netflow(), Netflow(target="10.0.0.9:9996", add_id_to_interface=True)),
    },
}  # fmt: skip


# --- what an edit is about ------------------------------------------------------------------------------------------


def _one(values: Iterable[T], chance: random.Random) -> T:
    there = list(values)
    if not there:
        raise TopologyError("there is none")
    return chance.choice(there)


def _name(topology: Topology, chance: random.Random) -> str:
    return _one(topology.nodes, chance).name


def _some(topology: Topology, chance: random.Random) -> list[str]:
    names = [node.name for node in topology.nodes]
    return chance.sample(names, min(len(names), chance.randint(1, 4)))


def _deleted(topology: Topology, chance: random.Random) -> Topology:
    """A few nodes; of a big drawing half."""
    names = [node.name for node in topology.nodes]
    half = chance.sample(names, len(names) // 2)
    return changes.delete(topology, half if len(names) > _MANY else _some(topology, chance))


def _notes(topology: Topology, chance: random.Random) -> list[str]:
    ids = [each.id for each in topology.annotations]
    return chance.sample(ids, min(len(ids), chance.randint(1, 3)))


def _other(value: Any, contents: Mapping[str, tuple[Any, ...]], chance: random.Random) -> Any:
    """The value with one field of another content than it has."""
    field = chance.choice(sorted(contents))
    content = _one((each for each in contents[field] if each != getattr(value, field)), chance)
    try:
        return type(value)(**{**dict(value), field: content})
    except ValidationError as fault:  # such as a duration for a flow that has a size
        raise TopologyError(str(fault), field=field) from fault


# --- dialogs --------------------------------------------------------------------------------------------------------


def _node_filled_in(topology: Topology, chance: random.Random) -> Topology:
    node = _one(topology.nodes, chance)
    contents = {**CONTENTS[type(node).__name__], **CONTENTS["every node"]}
    return changes.replace_node(topology, node.name, _other(node, contents, chance))


def _link_filled_in(topology: Topology, chance: random.Random) -> Topology:
    link = _one(topology.links, chance)
    return changes.replace_link(topology, link.id, _other(link, CONTENTS["Link"], chance))


def _end_filled_in(topology: Topology, chance: random.Random) -> Topology:
    link, side = _one(topology.links, chance), chance.choice("ab")
    end: End = _other(getattr(link, side), CONTENTS["End"], chance)
    return changes.replace_link(topology, link.id, link.model_copy(update={side: end}))


def _link_led_elsewhere(topology: Topology, chance: random.Random) -> Topology:
    link = _one(topology.links, chance)
    moved = Link(id=link.id, a=link.a, b=End(node=_name(topology, chance)), a_to_b=link.a_to_b)
    return changes.replace_link(topology, link.id, moved)


def _flows_filled_in(topology: Topology, chance: random.Random) -> Topology:
    flow: Flow = _one(topology.flows, chance)
    after = _other(flow, CONTENTS["Flow"], chance)
    return changes.set_flows(topology, (after if each == flow else each for each in topology.flows))


def _annotation_filled_in(topology: Topology, chance: random.Random) -> Topology:
    after = _other(_one(topology.annotations, chance), CONTENTS["Annotation"], chance)
    return annotating.replace_annotation(topology, after)


def _annotated(topology: Topology, chance: random.Random) -> Topology:
    kind, size = chance.choice(sorted(annotating.TOOLS)), chance.choice([0.0, 75.0])
    return annotating.annotate(topology, kind, chance.randint(0, 900), 10.0, size, size, "what is here")[0]


def _preferences_filled_in(topology: Topology, chance: random.Random) -> Topology:
    after: Preferences = _other(topology.preferences, CONTENTS["Preferences"], chance)
    return topology.model_copy(update={"preferences": after})


def _drawing_filled_in(topology: Topology, chance: random.Random) -> Topology:
    wait: Wait = _other(topology.wait, CONTENTS["Wait"], chance)
    title = chance.choice(["", "Two systems", "é"])
    return topology.model_copy(update={"wait": wait, "title": title})


# --- menus ----------------------------------------------------------------------------------------------------------


def _controller_released(topology: Topology, chance: random.Random) -> Topology:
    pairs = [(node.name, controller) for node in topology.nodes for controller in controllers_of(node)]
    return linking.release(topology, *_one(pairs, chance))


def _pasted(topology: Topology, chance: random.Random, cut: bool = False) -> Topology:
    """Copied, or cut, and pasted once or twice."""
    _refuse_many(topology)
    names = _some(topology, chance)
    part = clip.copy(topology, names, _notes(topology, chance))
    if cut:
        topology = changes.delete(topology, names)
    for way in range(chance.randint(1, 2)):
        topology, _ = clip.paste(topology, part, 30.0 * way, 30.0 * way)
    return topology


def _duplicated(topology: Topology, chance: random.Random) -> Topology:
    _refuse_many(topology)
    return clip.duplicate(topology, _some(topology, chance), 20, 20, _notes(topology, chance))[0]


def _generated(topology: Topology, chance: random.Random) -> Topology:
    _refuse_many(topology)
    make = GENERATORS[chance.choice(sorted(GENERATORS))]
    part = make(chance.choice(get_args(generators.Device)))
    return clip.merge(topology, part, chance.randint(0, 500), chance.randint(0, 500))[0]


def _refuse_many(topology: Topology) -> None:
    if len(topology.nodes) > _MANY:
        raise TopologyError("is big enough")


def _laid_out(topology: Topology, chance: random.Random) -> Topology:
    how = chance.choice([layouts.circle, layouts.layered, layouts.rows, layouts.springs, None])
    names = None if chance.random() < 0.5 else _some(topology, chance)
    if how is not None:
        return how(topology, names)
    return layout.auto_layout(topology, names, pitch_px=90.0, corner=(chance.randint(0, 300), 10.0))


#: A small network of each generator, given the device.
GENERATORS: dict[str, Callable[[Any], Topology]] = {
    "line": lambda device: generators.line(3, device),
    "ring": lambda device: generators.ring(3, device, hosts=0),
    "star": lambda device: generators.star(3, device),
    "tree": lambda device: generators.tree(2, 2, device),
    "grid": lambda device: generators.grid(2, 2, device),
    "full_mesh": lambda device: generators.full_mesh(4, device, hosts=0),
    "dumbbell": lambda device: generators.dumbbell(2, device=device),
    "fat_tree": lambda device: generators.fat_tree(2, device),
}

_NAMES = ("web", "h1", "r7", "core", "a b", "x" * 40)

#: Every gesture and dialog of an editor, as random edits.
EDITS: dict[str, Edit] = {
    "node": lambda t, c: changes.add_node(t, c.choice(TOOLS), c.randint(0, 900), c.randint(0, 500))[0],
    "link": lambda t, c: linking.add_link(t, _name(t, c), _name(t, c))[0],
    "shaped link": lambda t, c: linking.add_link(t, _name(t, c), _name(t, c), c.choice(_SHAPES))[0],
    "flow": lambda t, c: changes.add_flow(t, _name(t, c), _name(t, c))[0],
    "delete": _deleted,
    "delete link": lambda t, c: changes.delete(t, link_ids=[_one(t.links, c).id]),
    "delete flow": lambda t, c: changes.delete(t, flow_ids=[_one(t.flows, c).id]),
    "rename": lambda t, c: changes.rename(t, _name(t, c), c.choice(_NAMES)),
    "move": lambda t, c: arrange.shift(t, _some(t, c), c.randint(-50, 50), c.randint(-50, 50)),
    "drop": lambda t, c: arrange.move(t, {name: (c.randint(0, 900), c.randint(0, 500)) for name in _some(t, c)}),
    "align": lambda t, c: arrange.align(t, _some(t, c), c.choice(get_args(arrange.Edge))),
    "distribute": lambda t, c: arrange.distribute(t, _some(t, c), c.choice(get_args(arrange.Axis))),
    "snap": lambda t, c: arrange.snap(t, _some(t, c), 20),
    "layout": _laid_out,
    "paste": _pasted,
    "cut and paste": lambda t, c: _pasted(t, c, cut=True),
    "duplicate": _duplicated,
    "generate": _generated,
    "fill in a node": _node_filled_in,
    "fill in a link": _link_filled_in,
    "fill in an end": _end_filled_in,
    "lead a link elsewhere": _link_led_elsewhere,
    "fill in a flow": _flows_filled_in,
    "annotate": _annotated,
    "fill in an annotation": _annotation_filled_in,
    "move annotations": lambda t, c: annotating.shift_annotations(t, _notes(t, c), c.randint(-50, 50), 7.5),
    "colour annotations": lambda t, c: annotating.change(t, _notes(t, c), fill=c.choice(PALETTE)),
    "delete annotation": lambda t, c: annotating.delete_annotations(t, [_one(t.annotations, c).id]),
    "restack": lambda t, c: annotating.restack(t, _notes(t, c), c.choice(["front", "back"])),
    "colour nodes": lambda t, c: annotating.colour_nodes(t, _some(t, c), c.choice(["", *PALETTE])),
    "preferences": _preferences_filled_in,
    "the drawing's own": _drawing_filled_in,
    "release": _controller_released,
    "ospf": lambda t, c: presets.ospf_everywhere(t),
    "ospf in another area": lambda t, c: presets.ospf_everywhere(t, "0.0.0.1"),
    "bgp": lambda t, c: presets.as_per_router(t, c.choice([65_001, 100])),
}
#: Edits that state what the user likes: they may make a fault of a faultless drawing.
ANYTHING_GOES = {edit for edit in EDITS if edit.startswith("fill in")} | {
    "preferences",
    "the drawing's own",
    "lead a link elsewhere",
    "ospf in another area",
}


def edited(topology: Topology, edit: str, seed: int) -> Topology:
    """The drawing after a random edit; the same drawing where it is refused."""
    try:
        return EDITS[edit](topology, random.Random(seed))
    except TopologyError:
        return topology


def changed(topology: Topology, edit: str, seed: int) -> tuple[str, Topology]:
    """An edit that surely changes something, and the drawing after it: `edit` if a few tries make it, else a node."""
    for number in range(8):
        after = edited(topology, edit, seed * 8 + number)
        if after != topology:
            return edit, after
    return "node", edited(topology, "node", seed)


_NOT_IN_DIALOGS = {"kind", "name", "id", "x", "y", "a", "b", "node", "source", "destination", "foreign"}


def editable(value: type[Value]) -> set[str]:
    """The fields that dialogs show: neither identity, nor place, nor what the file had from others."""
    return set(value.model_fields) - _NOT_IN_DIALOGS


def everything() -> Topology:
    """A drawing with all that any edit needs: every kind of node, linked, with a controller's list and a flow."""
    drawn, tools = Topology(), ("host", "host", *TOOLS)
    for index, tool in enumerate(tools):
        drawn, _ = changes.add_node(drawn, tool, 100.0 * index, 70.0 * (index % 3))
    names = {node.name for node in drawn.nodes}
    for a, b in itertools.combinations(sorted(names), 2):
        if not linking.why_not(drawn, a, b):
            drawn, _ = linking.add_link(drawn, a, b)
    drawn, _ = changes.add_flow(drawn, *[host.name for host in drawn.hosts][:2])
    for kind in annotating.TOOLS:
        drawn, _ = annotating.annotate(drawn, kind, 50.0, 50.0)
    return drawn

"""Random edits of a drawing: every gesture, menu and dialog of an editor, by name."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from frrlib.edits import (
    annotations,
    arrange,
    autonomous_systems,
    changes,
    clipboard,
    fault_plan,
    generators,
    layouts,
    links,
    protocol_defaults,
    router_tools,
    routing_presets,
    schedule,
    spring_layout,
)
from frrlib.edits.parts import controllers_of
from frrlib.errors import TopologyError
from frrlib.model.annotations import PALETTE
from frrlib.model.faults import Fault
from frrlib.model.flows import Flow, Wait
from frrlib.model.interface_names import with_names
from frrlib.model.links import End, Link
from frrlib.model.topology import Preferences, Topology
from tests.contents.drawing import CONTENTS, SHAPES

TOOLS = sorted(changes.TOOLS)
#: A random edit, given chance; it may refuse with a TopologyError.
Edit = Callable[[Topology, random.Random], Topology]
T = TypeVar("T")

#: A drawing of more nodes than this gets no further copies and no generated parts: the edits shall stay quick.
_MANY = 40

# --- what an edit is about ------------------------------------------------------------------------------------------


def _choice_of(values: Iterable[T], chance: random.Random) -> T:
    choices = list(values)
    if not choices:
        raise TopologyError("there is none")
    return chance.choice(choices)


def _name(topology: Topology, chance: random.Random) -> str:
    return _choice_of(topology.nodes, chance).name


def _some(topology: Topology, chance: random.Random) -> list[str]:
    names = [node.name for node in topology.nodes]
    return chance.sample(names, min(len(names), chance.randint(1, 4)))


def _deleted(topology: Topology, chance: random.Random) -> Topology:
    """A few nodes; of a big drawing half."""
    names = [node.name for node in topology.nodes]
    half = chance.sample(names, len(names) // 2)
    return changes.delete(topology, half if len(names) > _MANY else _some(topology, chance))


def _notes(topology: Topology, chance: random.Random) -> list[str]:
    ids = [annotation.id for annotation in topology.annotations]
    return chance.sample(ids, min(len(ids), chance.randint(1, 3)))


def _other(value: Any, contents: Mapping[str, tuple[Any, ...]], chance: random.Random) -> Any:
    """The value with one field of another content than it has."""
    field = chance.choice(sorted(contents))
    content = _choice_of((choice for choice in contents[field] if choice != getattr(value, field)), chance)
    try:
        return type(value)(**{**dict(value), field: content})
    except ValidationError as fault:  # such as a duration for a flow that has a size
        raise TopologyError(str(fault), field=field) from fault


def _as_timed(before: Topology, after: Topology, chance: random.Random) -> Topology:
    """After a preset, with the timers of routers that ran the protocol before, as in the window."""
    return protocol_defaults.with_timers_of_new_protocols(before, after, chance.random() < 0.5)


# --- dialogs --------------------------------------------------------------------------------------------------------


def _node_filled_in(topology: Topology, chance: random.Random) -> Topology:
    node = _choice_of(topology.nodes, chance)
    contents = {**CONTENTS[type(node).__name__], **CONTENTS["every node"]}
    return changes.replace_node(topology, node.name, _other(node, contents, chance))


def _link_filled_in(topology: Topology, chance: random.Random) -> Topology:
    link = _choice_of(topology.links, chance)
    return changes.replace_link(topology, link.id, _other(link, CONTENTS["Link"], chance))


def _end_filled_in(topology: Topology, chance: random.Random) -> Topology:
    link, side = _choice_of(topology.links, chance), chance.choice("ab")
    end: End = _other(getattr(link, side), CONTENTS["End"], chance)
    return changes.replace_link(topology, link.id, link.model_copy(update={side: end}))


def _link_led_elsewhere(topology: Topology, chance: random.Random) -> Topology:
    link = _choice_of(topology.links, chance)
    moved = Link(id=link.id, a=link.a, b=End(node=_name(topology, chance)), a_to_b=link.a_to_b)
    return changes.replace_link(topology, link.id, moved)


def _flows_filled_in(topology: Topology, chance: random.Random) -> Topology:
    flow: Flow = _choice_of(topology.flows, chance)
    after = _other(flow, CONTENTS["Flow"], chance)
    return changes.set_flows(topology, (after if other == flow else other for other in topology.flows))


def _faults_planned(topology: Topology, chance: random.Random) -> Topology:
    """One more fault, of a link, an interface or a node; later edits have to keep the meaning of its name."""
    link = _choice_of(topology.links, chance)
    end = chance.choice(with_names(topology).links[topology.links.index(link)].ends)
    fault = chance.choice([
        Fault(kind="link-down", target=link.id, time_s=3),
        Fault(kind="loss", target=link.id, towards=end.node, duration_s=1.5),
        Fault(kind="flap", target=f"{end.node}:{end.interface}", times=3, time_s=1),
    ])  # fmt: skip
    return fault_plan.set_faults(topology, (*topology.faults, fault))


def _planned(topology: Topology, chance: random.Random) -> list[schedule.ScheduleKey]:
    """Some entries of the plan."""
    keys = list(schedule.entries(topology))
    return chance.sample(keys, min(len(keys), chance.randint(1, 3)))


def _levelled(topology: Topology, chance: random.Random) -> Topology:
    """Another rate, delay or loss than was planned."""
    levels = [(key, name) for key, entry in schedule.entries(topology).items() for name in schedule.levels(entry)]
    return schedule.with_level(topology, *_choice_of(levels, chance), chance.uniform(0, 90)).topology


def _planned_again(topology: Topology, chance: random.Random) -> Topology:
    if len(topology.flows) + len(topology.faults) > _MANY:
        raise TopologyError("is big enough")
    entries = schedule.entries(topology)
    return schedule.added(topology, [entries[key] for key in _planned(topology, chance)], chance.uniform(-5, 5))[0]


def _annotation_filled_in(topology: Topology, chance: random.Random) -> Topology:
    after = _other(_choice_of(topology.annotations, chance), CONTENTS["Annotation"], chance)
    return annotations.replace_annotation(topology, after)


def _annotated(topology: Topology, chance: random.Random) -> Topology:
    kind, size = chance.choice(sorted(annotations.TOOLS)), chance.choice([0.0, 75.0])
    return annotations.annotate(topology, kind, chance.randint(0, 900), 10.0, size, size, "what is here")[0]


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
    return links.release(topology, *_choice_of(pairs, chance))


def _pasted(topology: Topology, chance: random.Random, cut: bool = False) -> Topology:
    """Copied, or cut, and pasted once or twice."""
    _refuse_many(topology)
    names = _some(topology, chance)
    part = clipboard.copy(topology, names, _notes(topology, chance))
    if cut:
        topology = changes.delete(topology, names)
    for number in range(chance.randint(1, 2)):
        topology, _ = clipboard.paste(topology, part, 30.0 * number, 30.0 * number)
    return topology


def _duplicated(topology: Topology, chance: random.Random) -> Topology:
    _refuse_many(topology)
    return clipboard.duplicate(topology, _some(topology, chance), 20, 20, _notes(topology, chance))[0]


def _generated(topology: Topology, chance: random.Random) -> Topology:
    _refuse_many(topology)
    make = GENERATORS[chance.choice(sorted(GENERATORS))]
    part = make(chance.choice(get_args(generators.Device)))
    return clipboard.merge(topology, part, chance.randint(0, 500), chance.randint(0, 500))[0]


def _refuse_many(topology: Topology) -> None:
    if len(topology.nodes) > _MANY:
        raise TopologyError("is big enough")


def _laid_out(topology: Topology, chance: random.Random) -> Topology:
    how = chance.choice([layouts.circle, layouts.layered, layouts.left_to_right, layouts.rows, layouts.springs, None])
    names = None if chance.random() < 0.5 else _some(topology, chance)
    if how is not None:
        return how(topology, names)
    return spring_layout.auto_layout(topology, names, pitch_px=90.0, corner=(chance.randint(0, 300), 10.0))


def _halves(topology: Topology, chance: random.Random) -> list[list[str]]:
    """The routers in two groups, the first ones and the others."""
    names = [router.name for router in topology.routers]
    place = chance.randint(0, len(names))
    return [names[:place], names[place:]]


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
    "link": lambda t, c: links.add_link(t, _name(t, c), _name(t, c))[0],
    "shaped link": lambda t, c: links.add_link(t, _name(t, c), _name(t, c), c.choice(SHAPES))[0],
    "connected routers": lambda t, c: router_tools.connect(t, _name(t, c), _name(t, c))[0],
    "flow": lambda t, c: changes.add_flow(t, _name(t, c), _name(t, c))[0],
    "delete": _deleted,
    "delete link": lambda t, c: changes.delete(t, link_ids=[_choice_of(t.links, c).id]),
    "delete flow": lambda t, c: changes.delete(t, flow_ids=[_choice_of(t.flows, c).id]),
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
    "plan a fault": _faults_planned,
    "plan it at another time": lambda t, c: schedule.shifted(t, _planned(t, c), c.uniform(-9, 9)).topology,
    "plan it for longer": lambda t, c: schedule.prolonged(t, _planned(t, c), c.uniform(-9, 9)).topology,
    "plan its end": lambda t, c: schedule.with_duration(t, _planned(t, c), c.choice([None, 1.5])).topology,
    "plan other values": _levelled,
    "plan another pace": lambda t, c: (
        schedule.with_period(t, _choice_of(schedule.entries(t), c), c.uniform(0, 9)).topology
    ),
    "plan it no more": lambda t, c: schedule.removed(t, _planned(t, c)).topology,
    "plan it again": _planned_again,
    "annotate": _annotated,
    "fill in an annotation": _annotation_filled_in,
    "move annotations": lambda t, c: annotations.shift_annotations(t, _notes(t, c), c.randint(-50, 50), 7.5),
    "colour annotations": lambda t, c: annotations.change(t, _notes(t, c), fill=c.choice(PALETTE)),
    "delete annotation": lambda t, c: annotations.delete_annotations(t, [_choice_of(t.annotations, c).id]),
    "restack": lambda t, c: annotations.restack(t, _notes(t, c), c.choice(["front", "back"])),
    "colour nodes": lambda t, c: annotations.color_nodes(t, _some(t, c), c.choice(["", *PALETTE])),
    "preferences": _preferences_filled_in,
    "the drawing's own": _drawing_filled_in,
    "release": _controller_released,
    "ospf": lambda t, c: _as_timed(t, routing_presets.ospf_everywhere(t), c),
    "ospf in another area": lambda t, c: _as_timed(t, routing_presets.ospf_everywhere(t, "0.0.0.1"), c),
    "isis": lambda t, c: _as_timed(t, routing_presets.isis_everywhere(t), c),
    "rip": lambda t, c: _as_timed(t, routing_presets.rip_everywhere(t), c),
    "bgp": lambda t, c: autonomous_systems.as_per_router(t, c.choice([65_001, 100])),
    "systems": lambda t, c: autonomous_systems.groups_as_systems(t, _halves(t, c), reflectors=c.choice([0, 1, 2])),
    "lab timers": lambda t, c: routing_presets.lab_timers_everywhere(routing_presets.ospf_everywhere(t)),
    "usual timers": lambda t, c: routing_presets.frr_timers_everywhere(routing_presets.ospf_everywhere(t)),
    "rip on some": lambda t, c: _as_timed(
        t, routing_presets.limited_to(t, routing_presets.rip_everywhere(t), _some(t, c)), c
    ),
    "no routing": lambda t, c: routing_presets.clear_routing(t),
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


def everything() -> Topology:
    """A drawing with all that any edit needs: all kinds of nodes, linked, a controller's list, a flow, a fault."""
    topology, tools = Topology(), ("host", "host", *TOOLS)
    for index, tool in enumerate(tools):
        topology, _ = changes.add_node(topology, tool, 100.0 * index, 70.0 * (index % 3))
    names = {node.name for node in topology.nodes}
    for a, b in itertools.combinations(sorted(names), 2):
        if not links.link_refusal(topology, a, b):
            topology, _ = links.add_link(topology, a, b)
    topology, _ = changes.add_flow(topology, *[host.name for host in topology.hosts][:2])
    end = with_names(topology).links[0].a
    flap = Fault(kind="flap", target=f"{end.node}:{end.interface}", times=2)
    topology, _ = schedule.added(topology, [flap, Fault(kind="loss", target=topology.links[0].id, time_s=2)])
    for kind in annotations.TOOLS:
        topology, _ = annotations.annotate(topology, kind, 50.0, 50.0)
    return topology

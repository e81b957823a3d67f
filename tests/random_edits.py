"""Random edits of a drawing: every gesture and dialog of an editor, by name."""

from __future__ import annotations

import random
from collections.abc import Callable

from frrlib.errors import TopologyError
from frrlib.model import generators
from frrlib.model.edits import arrange, changes, clip, layout, linking, presets
from frrlib.model.links import Shape
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology

TOOLS = sorted(changes.TOOLS)
#: A random edit, given chance; it may refuse with a TopologyError.
Edit = Callable[[Topology, random.Random], Topology]


def _name(topology: Topology, chance: random.Random) -> str:
    return chance.choice(topology.nodes).name if topology.nodes else "nobody"


def _some(topology: Topology, chance: random.Random) -> list[str]:
    names = [node.name for node in topology.nodes]
    return chance.sample(names, min(len(names), chance.randint(1, 4)))


def _shaped(topology: Topology, chance: random.Random) -> Topology:
    if not topology.links:
        raise TopologyError("has no link")
    link = chance.choice(topology.links)
    shape = Shape(rate_mbit=chance.randint(1, 99), delay_ms=chance.randint(0, 9) / 2)
    return changes.replace_link(
        topology, link.id, link.model_copy(update={"a_to_b": shape, "up": chance.random() < 0.8})
    )


def _labelled(topology: Topology, chance: random.Random) -> Topology:
    name = _name(topology, chance)
    node = topology.node(name) or Host(name=name)
    return changes.replace_node(topology, name, node.model_copy(update={"label": f"label {chance.randint(0, 3)}"}))


#: Every gesture and dialog of an editor, as random edits.
EDITS: dict[str, Edit] = {
    "node": lambda t, c: changes.add_node(t, c.choice(TOOLS), c.randint(0, 900), c.randint(0, 500))[0],
    "link": lambda t, c: linking.add_link(t, _name(t, c), _name(t, c))[0],
    "flow": lambda t, c: changes.add_flow(t, _name(t, c), _name(t, c))[0],
    "delete": lambda t, c: changes.delete(t, [_name(t, c)]),
    "delete link": lambda t, c: changes.delete(t, link_ids=[link.id for link in t.links[:1]]),
    "rename": lambda t, c: changes.rename(t, _name(t, c), c.choice(["web", "h1", "r7", "core", "a b", "x" * 40])),
    "move": lambda t, c: arrange.shift(t, _some(t, c), c.randint(-50, 50), c.randint(-50, 50)),
    "align": lambda t, c: arrange.align(t, _some(t, c), "left"),
    "snap": lambda t, c: arrange.snap(t, _some(t, c), 20),
    "layout": lambda t, c: layout.auto_layout(t),
    "paste": lambda t, c: clip.duplicate(t, _some(t, c), 20, 20)[0] if len(t.nodes) < 40 else t,
    "merge": lambda t, c: clip.merge(t, generators.star(3))[0] if len(t.nodes) < 40 else t,
    "shape": _shaped,
    "label": _labelled,
    "ospf": lambda t, c: presets.ospf_everywhere(t),
    "bgp": lambda t, c: presets.as_per_router(t),
}


def edited(topology: Topology, edit: str, seed: int) -> Topology:
    """The drawing after a random edit; the same drawing where it is refused."""
    try:
        return EDITS[edit](topology, random.Random(seed))
    except TopologyError:
        return topology

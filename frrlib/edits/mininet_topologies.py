"""Mininet's own topologies by their names on its command line: the same nodes, links and ports, with positions.

"tree,depth=2,fanout=3" and "tree,2,3" are equal. All topologies have OpenFlow switches and by default one controller
for all of them, as in MiniEdit with its option `--topo`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

from frrlib.edits.generators import MOST_NODES
from frrlib.errors import TopologyError
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Controller, Host, Switch
from frrlib.model.topology import Topology

_PITCH_PX = 100.0
_ROW_PX = 120.0
_LEFT_PX = 80.0
_TOP_PX = 80.0
#: A line at this distance from a switch does not look like a line to it.
_CLEAR_PX = 40.0
_MOST_LOOKED_AT = 40


class _Sketch:
    """A topology under construction."""

    def __init__(self, both: Shape) -> None:
        self.switches: list[Switch] = []
        self.hosts: list[Host] = []
        self.links: list[Link] = []
        self._both = both

    def switch(self, name: str, column: float, row: float, dpid: str = "") -> str:
        self.switches.append(
            Switch(name=name, x=column * _PITCH_PX, y=row * _ROW_PX, dpid=dpid, number=len(self.switches) + 1)
        )
        return name

    def host(self, name: str, column: float, row: float) -> str:
        self.hosts.append(Host(name=name, x=column * _PITCH_PX, y=row * _ROW_PX, number=len(self.hosts) + 1))
        return name

    def link(self, a: str, b: str, interface: str = "") -> None:
        link_id, both = f"l{len(self.links) + 1}", self._both
        ends = End(node=a), End(node=b, interface=interface)
        self.links.append(Link(id=link_id, a=ends[0], b=ends[1], a_to_b=both, b_to_a=both))

    def topology(self, title: str, controller: bool) -> Topology:
        below = 1 if controller else 0
        moved = {"x": _LEFT_PX, "y": _TOP_PX + below * _ROW_PX}
        spots = [node.model_copy(update={"x": node.x + moved["x"], "y": node.y + moved["y"]}) for node in self.hosts]
        names = ("c0",) if controller else ()
        switches = [
            node.model_copy(update={"x": node.x + moved["x"], "y": node.y + moved["y"], "controllers": names})
            for node in self.switches
        ]
        x = _clear_column([complex(node.x, node.y) for node in switches]) if controller else 0.0
        top = (Controller(name="c0", x=x, y=_TOP_PX),) if controller else ()
        return Topology(title=title, nodes=(*top, *switches, *spots), links=tuple(self.links))


def _clear_column(switches: list[complex]) -> float:
    """A position above the switches, near the middle, from which lines to switches do not pass close to others."""
    first, last = min(spot.real for spot in switches), max(spot.real for spot in switches)
    middle = (first + last) / 2
    if len(switches) > _MOST_LOOKED_AT:
        return middle
    steps = range(int((last - first) / _PITCH_PX) + 2)
    columns = [middle + sign * step * _PITCH_PX / 2 for step in steps for sign in (1, -1)]
    return max(columns, key=lambda x: min(_CLEAR_PX, _clearance(complex(x, _TOP_PX), switches)))


def _clearance(controller: complex, switches: list[complex]) -> float:
    """The smallest distance between a line to one switch and another switch, in pixels."""
    nearest = _CLEAR_PX
    for end in switches:
        line = end - controller
        for switch in switches:
            along = (switch - controller) / line
            if switch != end and 0 < along.real < 1:
                nearest = min(nearest, abs(along.imag) * abs(line))
    return nearest


def _single(sketch: _Sketch, k: int = 2) -> None:
    switch = sketch.switch("s1", (k - 1) / 2, 0)
    for number in range(1, k + 1):
        sketch.link(sketch.host(f"h{number}", number - 1, 1), switch)


def _minimal(sketch: _Sketch) -> None:
    _single(sketch, 2)


def _reversed(sketch: _Sketch, k: int = 2) -> None:
    switch = sketch.switch("s1", (k - 1) / 2, 0)
    for number in range(1, k + 1):
        sketch.link(sketch.host(f"h{number}", number - 1, 1), switch, f"s1-eth{k - number + 1}")


def _linear(sketch: _Sketch, k: int = 2, n: int = 1) -> None:
    previous = ""
    for column in range(1, k + 1):
        at = (column - 1) * max(n, 1)
        switch = sketch.switch(f"s{column}", at + (n - 1) / 2, 0)
        for number in range(1, n + 1):
            name = f"h{column}" if n == 1 else f"h{number}s{column}"
            sketch.link(sketch.host(name, at + number - 1, 1), switch)
        if previous:
            sketch.link(switch, previous)
        previous = switch


def _tree(sketch: _Sketch, depth: int = 1, fanout: int = 2) -> None:
    def below(left: float, level: int) -> str:
        width = fanout ** (depth - level)
        column = left + (width - 1) / 2
        if level == depth:
            return sketch.host(f"h{len(sketch.hosts) + 1}", column, level)
        switch = sketch.switch(f"s{len(sketch.switches) + 1}", column, level)
        for branch in range(fanout):
            sketch.link(switch, below(left + branch * width / fanout, level + 1))
        return switch

    below(0, 0)


def _torus(sketch: _Sketch, x: int, y: int, n: int = 1) -> None:
    spots = [(i, j) for i in range(x) for j in range(y)]
    for i, j in spots:
        place = f"{i + 1}x{j + 1}"
        switch = sketch.switch(f"s{place}", 2 * i, 2 * j, f"{(i + 1) * 256 + j + 1:x}")
        for number in range(1, n + 1):
            name = f"h{place}" if n == 1 else f"h{place}x{number}"
            sketch.link(sketch.host(name, 2 * i + 0.4 + 0.8 * number / n, 2 * j + 1), switch)
    for i, j in spots:
        for next_column, next_row in ((i, (j + 1) % y), ((i + 1) % x, j)):
            sketch.link(f"s{i + 1}x{j + 1}", f"s{next_column + 1}x{next_row + 1}")


_SHAPES: dict[str, Callable[..., None]] = {
    "minimal": _minimal, "linear": _linear, "reversed": _reversed, "single": _single, "tree": _tree, "torus": _torus,
}  # fmt: skip
_LEAST = {("torus", "x"): 3, ("torus", "y"): 3, ("linear", "n"): 0, ("torus", "n"): 0}
NAMES = ("none", *_SHAPES)


def usage() -> str:
    """The allowed options: each name with its parameters."""
    words = []
    for name in NAMES:
        signature = inspect.signature(_SHAPES[name]).parameters.values() if name in _SHAPES else ()
        parameters = [parameter for parameter in signature if parameter.name != "sketch"]
        usual = [
            f"{parameter.name}={'3' if parameter.default is inspect.Parameter.empty else parameter.default}"
            for parameter in parameters
        ]
        words.append(",".join([name, *usual]))
    return "; ".join(words)


def topology_of(spec: str, both: Shape | None = None, controller: bool = True) -> Topology:
    """The topology of a specification of Mininet's option `--topo`.

    Args:
        spec: a name of `NAMES`, then parameters in their order or by their names, separated by commas.
        both: the shape of both directions of every link; None for unshaped links.
        controller: whether there is a controller for all switches.

    Raises:
        TopologyError: there is no such name or parameter, a number is too small, or the topology would be too large.
    """
    name, *words = [word.strip() for word in spec.split(",")]
    if name not in NAMES:
        raise TopologyError(f"{name!r} is not a topology of Mininet", remedy=f"one of {', '.join(NAMES)}")
    values = _parameters(name, words)
    if name == "none":
        return Topology()
    for parameter, value in values.items():
        least = _LEAST.get((name, parameter), 1)
        if value < least:
            raise TopologyError(f"is {value}", node=name, field=parameter, remedy=f"at least {least}")
    _refuse_giants(name, values)
    sketch = _Sketch(both or Shape())
    _SHAPES[name](sketch, **values)
    title = ",".join([name, *(f"{parameter}={value}" for parameter, value in values.items())])
    return sketch.topology(title, controller)


def _parameters(name: str, words: list[str]) -> dict[str, int]:
    """Every parameter of a shape with its number."""
    shape = _SHAPES.get(name)
    parameters = (
        [argument for argument in inspect.signature(shape).parameters.values() if argument.name != "sketch"]
        if shape
        else []
    )
    values: dict[str, int] = {}
    for position, word in enumerate(words):
        key, equals, number = word.partition("=")
        parameter = key.strip() if equals else (parameters[position].name if position < len(parameters) else "")
        if parameter not in {argument.name for argument in parameters}:
            names = " and ".join(argument.name for argument in parameters) or "no parameters"
            raise TopologyError(f"has no parameter {key!r}", node=name, remedy=f"it has {names}")
        text = (number if equals else key).strip()
        if not re.fullmatch(r"[+-]?\d{1,9}", text):
            raise TopologyError(f"is {text!r}", node=name, field=parameter, remedy="a whole number")
        values[parameter] = int(text)
    for argument in parameters:
        if argument.name not in values:
            if argument.default is inspect.Parameter.empty:
                raise TopologyError(
                    "is missing", node=name, field=argument.name, remedy=f"as in {name},{argument.name}=3"
                )
            values[argument.name] = argument.default
    return {argument.name: values[argument.name] for argument in parameters}


def _refuse_giants(name: str, values: dict[str, int]) -> None:
    match name:
        case "single" | "reversed":
            nodes = 1 + values["k"]
        case "linear":
            nodes = values["k"] * (1 + values["n"])
        case "torus":
            nodes = values["x"] * values["y"] * (1 + values["n"])
        case "tree":
            # Levels are counted one by one, since a power of large numbers would be huge.
            nodes, level = 0, 1
            for _ in range(values["depth"] + 1):
                nodes, level = nodes + level, level * values["fanout"]
                if nodes > MOST_NODES:
                    break
        case _:
            nodes = 3
    if nodes > MOST_NODES:
        raise TopologyError("is too large to display", node=name, remedy=f"at most {MOST_NODES} nodes")

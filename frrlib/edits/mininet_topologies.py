"""Mininet's own topologies by their names on its command line: the same nodes, links and ports, placed to be looked at.

"tree,depth=2,fanout=3" and "tree,2,3" say the same. Every drawing has OpenFlow switches and, unless that is not wanted,
one controller for all of them, as MiniEdit draws them with its option `--topo`.
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
#: A line that passes a switch so far away is not taken for one to it.
_CLEAR_PX = 40.0
_MOST_LOOKED_AT = 40


class _Sketch:
    """A drawing in the making."""

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
    """Where above the switches a controller's lines to them keep clear of the others, as near the middle as may be."""
    left, right = min(spot.real for spot in switches), max(spot.real for spot in switches)
    middle = (left + right) / 2
    if len(switches) > _MOST_LOOKED_AT:
        return middle
    steps = range(int((right - left) / _PITCH_PX) + 2)
    columns = [middle + sign * step * _PITCH_PX / 2 for step in steps for sign in (1, -1)]
    return max(columns, key=lambda x: min(_CLEAR_PX, _clearance(complex(x, _TOP_PX), switches)))


def _clearance(controller: complex, switches: list[complex]) -> float:
    """How near a line to one switch comes to another, in pixels."""
    nearest = _CLEAR_PX
    for end in switches:
        way = end - controller
        for other in switches:
            along = (other - controller) / way
            if other != end and 0 < along.real < 1:
                nearest = min(nearest, abs(along.imag) * abs(way))
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
    before = ""
    for column in range(1, k + 1):
        at = (column - 1) * max(n, 1)
        switch = sketch.switch(f"s{column}", at + (n - 1) / 2, 0)
        for number in range(1, n + 1):
            name = f"h{column}" if n == 1 else f"h{number}s{column}"
            sketch.link(sketch.host(name, at + number - 1, 1), switch)
        if before:
            sketch.link(switch, before)
        before = switch


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
        for right, down in ((i, (j + 1) % y), ((i + 1) % x, j)):
            sketch.link(f"s{i + 1}x{j + 1}", f"s{right + 1}x{down + 1}")


_SHAPES: dict[str, Callable[..., None]] = {
    "minimal": _minimal, "linear": _linear, "reversed": _reversed, "single": _single, "tree": _tree, "torus": _torus,
}  # fmt: skip
_LEAST = {("torus", "x"): 3, ("torus", "y"): 3, ("linear", "n"): 0, ("torus", "n"): 0}
NAMES = ("none", *_SHAPES)


def usage() -> str:
    """The allowed options: each name with its parameters."""
    words = []
    for name in NAMES:
        known = inspect.signature(_SHAPES[name]).parameters.values() if name in _SHAPES else ()
        given = [each for each in known if each.name != "sketch"]
        usual = [f"{each.name}={'3' if each.default is inspect.Parameter.empty else each.default}" for each in given]
        words.append(",".join([name, *usual]))
    return "; ".join(words)


def drawing(spec: str, both: Shape | None = None, controller: bool = True) -> Topology:
    """The drawing that Mininet calls so.

    Args:
        spec: a name of `NAMES`, then parameters in their order or by their names, separated by commas.
        both: the shape of both directions of every link; None for plain cables.
        controller: whether there is a controller for all switches.

    Raises:
        TopologyError: there is no such name or parameter, a number is too small, or the drawing would be a giant.
    """
    name, *words = [each.strip() for each in spec.split(",")]
    if name not in NAMES:
        raise TopologyError(f"{name!r} is not a topology of Mininet", right=f"one of {', '.join(NAMES)}")
    given = _parameters(name, words)
    if name == "none":
        return Topology()
    for parameter, value in given.items():
        least = _LEAST.get((name, parameter), 1)
        if value < least:
            raise TopologyError(f"is {value}", node=name, field=parameter, right=f"at least {least}")
    _refuse_giants(name, given)
    sketch = _Sketch(both or Shape())
    _SHAPES[name](sketch, **given)
    title = ",".join([name, *(f"{parameter}={value}" for parameter, value in given.items())])
    return sketch.topology(title, controller)


def _parameters(name: str, words: list[str]) -> dict[str, int]:
    """Every parameter of a shape with its number."""
    shape = _SHAPES.get(name)
    known = [each for each in inspect.signature(shape).parameters.values() if each.name != "sketch"] if shape else []
    given: dict[str, int] = {}
    for position, word in enumerate(words):
        left, equals, right = word.partition("=")
        parameter = left.strip() if equals else (known[position].name if position < len(known) else "")
        if parameter not in {each.name for each in known}:
            names = " and ".join(each.name for each in known) or "no parameters"
            raise TopologyError(f"has no parameter {left!r}", node=name, right=f"it has {names}")
        text = (right if equals else left).strip()
        if not re.fullmatch(r"[+-]?\d{1,9}", text):
            raise TopologyError(f"is {text!r}", node=name, field=parameter, right="a whole number")
        given[parameter] = int(text)
    for each in known:
        if each.name not in given:
            if each.default is inspect.Parameter.empty:
                raise TopologyError("is missing", node=name, field=each.name, right=f"as in {name},{each.name}=3")
            given[each.name] = each.default
    return {each.name: given[each.name] for each in known}


def _refuse_giants(name: str, given: dict[str, int]) -> None:
    match name:
        case "single" | "reversed":
            nodes = 1 + given["k"]
        case "linear":
            nodes = given["k"] * (1 + given["n"])
        case "torus":
            nodes = given["x"] * given["y"] * (1 + given["n"])
        case "tree":
            # Levels are counted one by one: a power of large numbers is itself a giant.
            nodes, level = 0, 1
            for _ in range(given["depth"] + 1):
                nodes, level = nodes + level, level * given["fanout"]
                if nodes > MOST_NODES:
                    break
        case _:
            nodes = 3
    if nodes > MOST_NODES:
        raise TopologyError("is too large to display", node=name, right=f"at most {MOST_NODES} nodes")

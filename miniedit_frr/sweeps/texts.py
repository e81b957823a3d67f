"""The typed text of a sweep, as axes and in words, and the fields that can be picked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from frrlib.errors import TopologyError
from frrlib.model.topology import Topology
from frrlib.variation.axes import Axis, begun, parse_axis, parse_zip
from frrlib.variation.field_paths import targets, value_at
from frrlib.variation.points import count, points
from frrlib.variation.values import text_of

#: This many of the combinations are listed.
_FIRST = 3
_OF_LINKS, _OF_FLOWS = ("rate", "delay", "loss", "queue"), ("cc", "start", "duration", "size")
_OF_HOSTS = ("cc", "tcp.buffer_bdp")


def axes_of(topology: Topology, text: str) -> tuple[Axis, ...]:
    """The axes in some lines: a field and its values each, or several fields that vary together, with ; between them.

    Raises:
        TopologyError: a line says none; the message tells which.
    """
    axes: list[Axis] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            axes.append((parse_zip if ";" in line else parse_axis)(topology, line.strip()))
            topology = begun(topology, axes[-1])
        except TopologyError as error:
            raise TopologyError(f"line {number}: {error}") from None
    return tuple(axes)


def describe_axes(axes: Sequence[Axis], repeat: int) -> str:
    """How many runs a sweep has, and its first combinations.

    Raises:
        TopologyError: two axes vary one field.
    """
    first = [str(point) for point in islice(points(axes), _FIRST + 1)]
    sizes = " x ".join(str(len(axis.rows)) for axis in axes)
    many = count(axes)
    lines = [f"{sizes} = {many} combinations, {repeat} repetitions each: {many * repeat} runs" if len(axes) > 1 else
             f"{many} combinations, {repeat} repetitions each: {many * repeat} runs", *first[:_FIRST]]  # fmt: skip
    return "\n".join([*lines, "…"] if len(first) > _FIRST else lines)


def paths_of(topology: Topology, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """Fields that are often varied, those of chosen links and flows (by id) first."""
    found = [f"flow:*.{name}" for name in _OF_FLOWS] if len(topology.flows) > 1 else []
    found += [f"flow:{flow.id}.{name}" for flow in topology.flows for name in _OF_FLOWS]
    ids = {flow.id: f"flow:{flow.id}." for flow in topology.flows}
    for link in topology.links:
        ids[link.id] = f"link:{link.a.node}-{link.b.node}."
        found += [f"{ids[link.id]}{name}" for name in _OF_LINKS]
    found += [f"host:*.{name}" for name in _OF_HOSTS]
    first = tuple(ids[each] for each in chosen if each in ids)
    there = [path for path in dict.fromkeys(found) if _value(topology, path) is not None]
    return tuple(sorted(there, key=lambda path: not path.startswith(first)) if first else there)


def axis_line(topology: Topology, path: str) -> str:
    """A line for a field, with the value that it has now."""
    return f"{path}={_value(topology, path) or ''}"


def _value(topology: Topology, path: str) -> str | None:
    """The present value of the first field that a path names; None where it names none."""
    try:
        value = text_of(value_at(topology, targets(topology, path)[0].steps))
    except TopologyError:
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)

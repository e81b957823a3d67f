"""The typed text of a sweep as axes and as a description, and the suggested fields."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from frrlib.errors import TopologyError
from frrlib.model.topology import Topology
from frrlib.variation.axes import Axis, parse_axis, parse_zip, with_first_row
from frrlib.variation.field_paths import targets, value_at, with_kernel_parameter
from frrlib.variation.points import count, points
from frrlib.variation.values import text_of

#: Number of combinations that are listed.
_FIRST = 3
#: Number of lines of the longest description: the numbers, the combinations, and an ellipsis.
MOST_LINES = 1 + _FIRST + 1
_OF_LINKS, _OF_FLOWS = ("rate", "delay", "loss", "queue"), ("cc", "start", "duration", "size")
_OF_HOSTS = ("cc", "tcp.buffer_bdp")


def axes_of(topology: Topology, text: str) -> tuple[Axis, ...]:
    """The axes in a text: each line has a field and its values, or several fields that vary together, separated by ";".

    Raises:
        TopologyError: a line is malformed; the message names it.
    """
    axes: list[Axis] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            axes.append((parse_zip if ";" in line else parse_axis)(topology, line.strip()))
            topology = with_first_row(topology, axes[-1])
        except TopologyError as error:
            raise TopologyError(f"line {number}: {error}") from None
    return tuple(axes)


def describe_axes(axes: Sequence[Axis], repeat: int) -> str:
    """The number of runs of a sweep, and its first combinations.

    Raises:
        TopologyError: two axes vary one field.
    """
    first = [str(point) for point in islice(points(axes), _FIRST + 1)]
    sizes = " x ".join(str(len(axis.rows)) for axis in axes)
    total = count(axes)
    combinations = f"{total} {'combination' if total == 1 else 'combinations'}"
    repetitions = f"{repeat} {'repetition' if repeat == 1 else 'repetitions'} each"
    runs = f"{total * repeat} {'run' if total * repeat == 1 else 'runs'}"
    product = f"{sizes} = " if len(axes) > 1 else ""
    lines = [f"{product}{combinations}, {repetitions}: {runs}", *first[:_FIRST]]
    return "\n".join([*lines, "…"] if len(first) > _FIRST else lines)


def paths_of(topology: Topology, selected: Sequence[str] = ()) -> tuple[str, ...]:
    """Fields that are often varied, those of the selected links and flows (by ID) first."""
    candidates = [f"flow:*.{name}" for name in _OF_FLOWS] if len(topology.flows) > 1 else []
    candidates += [f"flow:{flow.id}.{name}" for flow in topology.flows for name in _OF_FLOWS]
    ids = {flow.id: f"flow:{flow.id}." for flow in topology.flows}
    for link in topology.links:
        ids[link.id] = f"link:{link.a.node}-{link.b.node}."
        candidates += [f"{ids[link.id]}{name}" for name in _OF_LINKS]
    candidates += [f"host:*.{name}" for name in _OF_HOSTS]
    first = tuple(ids[name_or_id] for name_or_id in selected if name_or_id in ids)
    existing = [path for path in dict.fromkeys(candidates) if _value(topology, path) is not None]
    return tuple(sorted(existing, key=lambda path: not path.startswith(first)) if first else existing)


def axis_line(topology: Topology, path: str) -> str:
    """A line for a field with its current value. Text that has values already is kept as it is."""
    return path if "=" in path else f"{path}={_value(topology, path) or ''}"


def _value(topology: Topology, path: str) -> str | None:
    """The current value of the first field that a path names; None if it names none."""
    try:
        extended = with_kernel_parameter(topology, path)
        value = text_of(value_at(extended, targets(extended, path)[0].steps))
    except TopologyError:
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)

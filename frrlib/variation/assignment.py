"""One field with one text: which field of the drawing it is, what it says, and the drawing with it."""

from __future__ import annotations

from typing import NamedTuple

from frrlib.errors import TopologyError
from frrlib.model import quantities
from frrlib.model.base import Value
from frrlib.model.quantities import Measure, Wrong
from frrlib.model.topology import Topology
from frrlib.variation.field_paths import Target, replaced, targets
from frrlib.variation.values import read, text_of

#: Short names of what has a field for each unit: kind of object and name to field and measure, the first that fits.
SIZES: dict[tuple[str, str], tuple[tuple[str, Measure], ...]] = {
    ("link", "queue"): (
        ("queue_packets", quantities.PACKETS), ("queue_bytes", quantities.SIZE_BYTES),
        ("queue_ms", quantities.TIME_MS), ("queue_bdp", quantities.BDP),
    ),
    ("host", "buffer"): (("tcp.buffer_bytes", quantities.SIZE_BYTES), ("tcp.buffer_bdp", quantities.BDP)),
}  # fmt: skip


class Setting(Value):
    """A field and what it is set to, both as they were written.

    Attributes:
        path: as in `paths`.
        text: as in `values`.
    """

    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}={self.text}"


class FieldAssignment(NamedTuple):
    """The result of one setting.

    Attributes:
        topology: the drawing with it; whether its values fit together is not looked at.
        column: the path with the field's own name, whose numbers have its unit.
        value: what the field holds now, as a cell of a table.
        targets: the fields that were set.
    """

    topology: Topology
    column: str
    value: str | float | bool
    targets: tuple[Target, ...]


def as_sized(topology: Topology, path: str, text: str) -> tuple[str, Target | None]:
    """The path of the field that a text's unit speaks of, and that field where the path is one of `SIZES`.

    Raises:
        TopologyError: the path names nothing.
    """
    kind, _, rest = path.partition(":")
    head, _, last = rest.rpartition(".")
    sizes = SIZES.get((kind, last), ())
    for name, measure in sizes:
        try:
            measure.read(text)
        except Wrong:
            continue
        path = f"{kind}:{head}.{name}"
        return path, targets(topology, path)[0]
    if sizes and last == "buffer":
        raise TopologyError(f"{text!r} is not a size", node=path, right="such as 64 kB or 2bdp")
    targets(topology, path)
    return path, None


def set_field(topology: Topology, setting: Setting) -> FieldAssignment:
    """A drawing with one setting.

    Raises:
        TopologyError: the path names nothing, or the text is no value for the field.
    """
    path, _ = as_sized(topology, setting.path, setting.text)
    found = targets(topology, path)
    for target in found:
        try:
            value = read(target.name, target.field, setting.text)
        except ValueError as problem:
            raise TopologyError(f"{setting.text!r} {problem}", node=setting.path) from None
        topology = replaced(topology, target.steps, value)
    head, _, last = path.rpartition(".")
    column = f"{head}.{found[0].name}" if last != found[0].name else path
    return FieldAssignment(topology, column, text_of(value), found)

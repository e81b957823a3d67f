"""Sets one field of a topology from a text."""

from __future__ import annotations

from typing import NamedTuple

from frrlib.errors import TopologyError
from frrlib.model import quantities
from frrlib.model.base import Value
from frrlib.model.quantities import InvalidQuantity, Measure
from frrlib.model.topology import Topology
from frrlib.variation.field_paths import Target, replaced, targets, with_kernel_parameter
from frrlib.variation.values import read, text_of

#: Short names of settings with a field for each unit: fields with their units, by kind of object and name.
SIZES: dict[tuple[str, str], tuple[tuple[str, Measure], ...]] = {
    ("link", "queue"): (
        ("queue_packets", quantities.PACKETS), ("queue_bytes", quantities.SIZE_BYTES),
        ("queue_ms", quantities.TIME_MS), ("queue_bdp", quantities.BDP),
    ),
    ("host", "buffer"): (("tcp.buffer_bytes", quantities.SIZE_BYTES), ("tcp.buffer_bdp", quantities.BDP)),
}  # fmt: skip


class Setting(Value):
    """A field and its new value, both as text.

    Attributes:
        path: path of the field, as in `field_paths`.
        text: text of the value, as in `values`.
    """

    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}={self.text}"


class FieldAssignment(NamedTuple):
    """The result of one setting.

    Attributes:
        topology: the changed topology; its consistency is not checked.
        column: the path with the field's own name, which includes the unit.
        value: the new value, as a cell of a table.
        targets: the fields that were set.
    """

    topology: Topology
    column: str
    value: str | float | bool
    targets: tuple[Target, ...]


def as_sized(topology: Topology, path: str, text: str) -> tuple[str, Target | None]:
    """The path of the field for a text's unit, and its target if the path is one of `SIZES`.

    Raises:
        TopologyError: the path does not exist.
    """
    kind, _, name_and_field = path.partition(":")
    head, _, last = name_and_field.rpartition(".")
    sizes = SIZES.get((kind, last), ())
    for name, measure in sizes:
        try:
            measure.read(text)
        except InvalidQuantity:
            continue
        path = f"{kind}:{head}.{name}"
        return path, targets(topology, path)[0]
    if sizes and last == "buffer":
        raise TopologyError(f"{text!r} is not a size", node=path, remedy="such as 64 kB or 2bdp")
    targets(topology, path)
    return path, None


def set_field(topology: Topology, setting: Setting) -> FieldAssignment:
    """Set one field.

    Raises:
        TopologyError: the path does not exist, or the text is not a valid value.
    """
    path, _ = as_sized(topology, setting.path, setting.text)
    topology = with_kernel_parameter(topology, path)
    all_targets = targets(topology, path)
    for target in all_targets:
        try:
            value = read(target.name, target.field, setting.text)
        except ValueError as problem:
            raise TopologyError(f"{setting.text!r} {problem}", node=setting.path) from None
        topology = replaced(topology, target.steps, value)
    head, _, last = path.rpartition(".")
    is_named = path.startswith("kernel:") or last == all_targets[0].name
    column = path if is_named else f"{head}.{all_targets[0].name}"
    return FieldAssignment(topology, column, text_of(value), all_targets)

"""The generators as a table with their parameters, for dialogs and commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from frrlib.edits import generators
from frrlib.edits.autonomous_systems import FIRST_ASN, as_per_router
from frrlib.errors import TopologyError
from frrlib.model.topology import Topology

#: The possible devices of a generated network, and their names for people.
DEVICES: dict[str, str] = {
    "router": "FRR routers with OSPF",
    "system": "FRR routers with BGP, an AS each",
    "switch": "OpenFlow switches",
    "bridge": "LegacySwitches",
}
_GAP_PX = 140.0
#: Preferred ratio of width to height.
_ASPECT = 1.5


@dataclass(frozen=True)
class RecipeInput:
    """A parameter of a generator, which is a whole number.

    Attributes:
        name: name of the argument, also in error messages.
        label: label for people.
        usual: default value.
        least: minimum.
        step: distance between valid values.
    """

    name: str
    label: str
    usual: int
    least: int = 0
    step: int = 1


@dataclass(frozen=True)
class Recipe:
    """A generator with its title, description, function and parameters."""

    title: str
    about: str
    make: Callable[..., Topology]
    parameters: tuple[RecipeInput, ...]


def _hosts(usual: int, where: str = "Hosts at each device") -> RecipeInput:
    return RecipeInput("hosts", where, usual)


RECIPES: dict[str, Recipe] = {
    "line": Recipe("Line", "Devices in a row.", generators.line, (RecipeInput("n", "Devices", 4, 1), _hosts(1))),
    "ring": Recipe("Ring", "Devices in a ring.", generators.ring, (RecipeInput("n", "Devices", 6, 3), _hosts(1))),
    "star": Recipe(
        "Star", "Devices around one in the middle.", generators.star, (RecipeInput("arms", "Arms", 5, 1), _hosts(1)),
    ),
    "tree": Recipe(
        "Tree", "Every device has several below it.", generators.tree,
        (RecipeInput("depth", "Levels", 3, 1), RecipeInput("fanout", "Branches of each device", 2, 1),
         _hosts(2, "Hosts at each lowest device")),
    ),
    "grid": Recipe(
        "Grid", "Devices in rows and columns, each linked to its neighbors.", generators.grid,
        (RecipeInput("rows", "Rows", 3, 1), RecipeInput("columns", "Columns", 4, 1), _hosts(0)),
    ),
    "full_mesh": Recipe(
        "Full mesh", "Every two devices are linked.", generators.full_mesh,
        (RecipeInput("n", "Devices", 5, 2), _hosts(1)),
    ),
    "dumbbell": Recipe(
        "Dumbbell", "Pairs of hosts that share one bottleneck, 10 Mbit/s with 20 ms each way.", generators.dumbbell,
        (RecipeInput("pairs", "Pairs of hosts", 3, 1),),
    ),
    "fat_tree": Recipe(
        "Fat tree", "Core, aggregation and edge of devices with k ports.", generators.fat_tree,
        (RecipeInput("k", "Ports of each device, k", 4, 2, 2), _hosts(2, "Hosts at each edge device")),
    ),
}  # fmt: skip


def generate(recipe: Recipe, texts: Mapping[str, str], device: str = "router", first_asn: int = FIRST_ASN) -> Topology:
    """Generate a network from typed values.

    Args:
        recipe: one of RECIPES.
        texts: text of each parameter by name.
        device: kind of device, a key of DEVICES.
        first_asn: number of the first AS, if each device is an AS.

    Raises:
        TopologyError: a text is not a whole number, or the generator rejects it; `field` is the parameter.
    """
    if device not in DEVICES:
        raise TopologyError(f"{device!r} is not a device", field="device", remedy=" or ".join(DEVICES))
    values: dict[str, Any] = {}
    for parameter in recipe.parameters:
        text = texts.get(parameter.name, str(parameter.usual)).strip()
        if not text.isascii() or not text.removeprefix("-").isdigit() or len(text) > 6:
            raise TopologyError(
                f"{text!r} is not a number" if text else "is missing", field=parameter.name, remedy="a whole number"
            )
        values[parameter.name] = int(text)
    if device == "system":
        return as_per_router(recipe.make(**values, device="router"), first_asn)
    return recipe.make(**values, device=device)


def offset_beside(topology: Topology, part: Topology) -> tuple[float, float]:
    """The distance that moves a part beside or below the topology, whichever gives the better aspect ratio."""
    old, new = _frame(topology), _frame(part)
    if old is None or new is None:
        return 0.0, 0.0
    (left_px, top, right_px, low), (new_left, new_top, new_right, new_low) = old, new
    width, height = new_right - new_left + _GAP_PX, new_low - new_top + _GAP_PX
    beside = (right_px - left_px + width) / max(low - top, height)
    below = max(right_px - left_px, width) / (low - top + height)
    if max(beside, _ASPECT) / min(beside, _ASPECT) <= max(below, _ASPECT) / min(below, _ASPECT):
        return right_px + _GAP_PX - new_left, top - new_top
    return left_px - new_left, low + _GAP_PX - new_top


def _frame(topology: Topology) -> tuple[float, float, float, float] | None:
    xs = [node.x for node in topology.nodes] + [
        x for annotation in topology.annotations for x in (annotation.x, annotation.x + annotation.width)
    ]
    ys = [node.y for node in topology.nodes] + [
        y for annotation in topology.annotations for y in (annotation.y, annotation.y + annotation.height)
    ]
    return (min(xs), min(ys), max(xs), max(ys)) if xs else None

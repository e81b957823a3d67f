"""A wrong answer as its difference from a reference state: a JSON merge patch (RFC 7396).

    {
        "nodes": {"r1": {"ospf": {"hello_s": 5, "dead_s": null}}},
        "links": {"r1-r2": {"a": {"ospf_cost": 10}}}
    }

The names of fields are those of `docs/topology.schema.json`, as below `miniedit_frr` in `.mn` files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from frrlib.exercises.errors import ExerciseError
from frrlib.formats.entry import path_text
from frrlib.formats.own import refusal
from frrlib.model.base import Value
from frrlib.model.topology import Topology

_PARTS = {"nodes": "node", "links": "link", "flows": "flow"}
_V = TypeVar("_V", bound=Value)


def merged(value: Any, patch: Any) -> Any:
    """A JSON value after a merge patch: null removes a field, objects are merged, all other values replace the old one.

    No argument is changed.
    """
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for name, change in patch.items():
        if change is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), change)
    return result


def patched(topology: Topology, patch: Any, where: str) -> Topology:
    """A topology with changed fields of some nodes, links and flows.

    Fields with their default values are absent when the patch is merged, so removing a field restores its default.

    Args:
        topology: the topology.
        patch: parsed JSON: an object with `nodes`, `links` or `flows`, each with an object of fields by name. A link's
            name is its two ends in their order ("r1-r2"), or its ID ("l3"), as parallel links need it.
        where: the file of the patch, for messages.

    Raises:
        ExerciseError: a key or name does not exist, a name means several links, or a value is invalid. The message has
            the file and the name.
    """
    for key in _object(patch, where).keys() - _PARTS.keys():
        raise ExerciseError(where, f"{key} is not a known key", f"the keys are {', '.join(_PARTS)}")
    update: dict[str, Any] = {}
    for key, kind in _PARTS.items():
        values = list(getattr(topology, key))
        for name, change in _object(patch.get(key, {}), f"{where}, {key}").items():
            place = f"{where}, {kind} {name}"
            index = _index_of(name, [_names(value) for value in values], kind, place)
            values[index] = _changed(values[index], _object(change, place), place)
        update[key] = tuple(values)
    return topology.model_copy(update=update)


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ExerciseError(where, "is not an object")
    return value


def _names(value: Any) -> tuple[str, ...]:
    """The names of a node, a link or a flow; its own one first."""
    if hasattr(value, "a_to_b"):
        return value.id, f"{value.a.node}-{value.b.node}"
    return (value.id if hasattr(value, "id") else value.name,)


def _index_of(name: str, names_of: Sequence[tuple[str, ...]], kind: str, where: str) -> int:
    """The position of the value that has a name."""
    indices = [index for index, names in enumerate(names_of) if name in names]
    if not indices:
        known = ", ".join(names[-1] for names in names_of)
        remedy = f"the names are {known}" if known else f"the topology has no {kind}s"
        raise ExerciseError(where, f"the {kind} does not exist", remedy)
    if len(indices) > 1:
        own_names = " or ".join(names_of[index][0] for index in indices)
        raise ExerciseError(where, f"{len(indices)} links have this name", f"use an ID: {own_names}")
    return indices[0]


def _changed(value: _V, patch: dict[str, Any], where: str) -> _V:
    content = merged(value.model_dump(mode="json", exclude_defaults=True), patch)
    try:
        return type(value).model_validate(content)
    except ValidationError as problem:
        invalid = refusal(problem, content, ())
        raise ExerciseError(f"{where}, {path_text(invalid.path)}".rstrip(", "), invalid.reason) from None

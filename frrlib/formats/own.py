"""Our one key in a .mn file, with the fields that MiniEdit's keys cannot express.

The content is a difference. MiniEdit's keys of a file are read back, and the key has the fields in which the topology
differs from that. Reading applies these fields again. So no fact is in a file twice, new fields of the model need no
code here, and a file without the key is a topology that MiniEdit's keys express in full.

    "miniedit_frr": {
        "schema": 1,
        "title": "...", "wait": {...}, "flows": [...], "preferences": {...},      fields of the topology
        "shown_folders": ["~/servers"], "copied_folders": ["work"],
        "kernel_modules": ["tcp_mine.c"],                                         own kernel modules
        "kernel_parameters": [{"name": "tcp_bbr3.beta", "value": 200}],           constants of kernel modules
        "faults": [{"kind": "loss", "target": "l1", "time_s": 3}],                planned faults
        "annotations": [{"id": "a1", "kind": "note", ...}],                       notes and shapes, in their order
        "nodes": {"r1": {"ospf": {"hello_s": 1, "dead_s": 4}}},                   fields of nodes, by name
        "links": [{"link": ["r1", "r2"], "nth": 2, "a_to_b": {"queue_bdp": 1}}],  fields of links, by ends; of parallel
                                                                                  ones the nth, the first without nth
        "loose_links": [{"at": 3, "link": {...}}],                                links to missing nodes, by position
        "order": ["h1", "r1", "h2"]                                               of the nodes, if it is not hosts,
    }                                                                             switches, controllers
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from frrlib.formats.entry import Notices, brief, kind_of, path_text
from frrlib.formats.jsontext import InvalidFile, Path_
from frrlib.model.annotations import Annotation
from frrlib.model.faults import Fault
from frrlib.model.flows import Flow, Wait
from frrlib.model.links import Link
from frrlib.model.nodes import Node
from frrlib.model.topology import Preferences, Topology

KEY = "miniedit_frr"
SCHEMA = 1

Object = dict[str, Any]
M = TypeVar("M", bound=BaseModel)

_PLAIN = ("title", "shown_folders", "copied_folders", "kernel_modules", "kernel_parameters", "intended_problems",
          "foreign")  # fmt: skip
_TOP = (*_PLAIN, "wait", "preferences")
_KNOWN = {"schema", *_TOP, "flows", "faults", "annotations", "nodes", "links", "loose_links", "order"}
#: Fields that MiniEdit's keys decide; our key must not change the identity of a node or link.
_FIXED_IN_NODES, _FIXED_IN_ENDS = frozenset({"name", "kind"}), frozenset({"node"})


# --- writing --------------------------------------------------------------------------------------------------------


def own_content(topology: Topology, plain: Topology) -> Object:
    """The content of our key.

    Args:
        topology: the topology to write; its node names are unique.
        plain: the topology that MiniEdit's keys of the file express.
    """
    record: Object = {"schema": SCHEMA}
    record |= _difference(_fields(plain, _TOP), _fields(topology, _TOP), _fields(topology, _TOP, lean=True))
    for key, values in (("flows", topology.flows), ("faults", topology.faults), ("annotations", topology.annotations)):
        record |= _unless_empty(**{key: [value.model_dump(mode="json", exclude_defaults=True) for value in values]})
    plain_nodes = {node.name: node for node in plain.nodes}
    nodes = {node.name: _changes(plain_nodes[node.name], node) for node in topology.nodes}
    record |= _unless_empty(nodes={name: changes for name, changes in nodes.items() if changes})
    expressible = [link for link in topology.links if link.a.node in plain_nodes and link.b.node in plain_nodes]
    record |= _unless_empty(links=_link_records(plain.links, expressible))
    record |= _unless_empty(
        loose_links=[
            {"at": index, "link": link.model_dump(mode="json", exclude_defaults=True)}
            for index, link in enumerate(topology.links)
            if link.a.node not in plain_nodes or link.b.node not in plain_nodes
        ]
    )
    order = [node.name for node in topology.nodes]
    return record | ({"order": order} if order != list(plain_nodes) else {})


def _unless_empty(**values: Any) -> Object:
    return {key: value for key, value in values.items() if value}


def _fields(value: BaseModel, names: Iterable[str], lean: bool = False) -> Object:
    return value.model_dump(mode="json", include=set(names), exclude_defaults=lean)


def _changes(plain: BaseModel, value: BaseModel) -> Object:
    if plain == value:
        return {}
    lean = value.model_dump(mode="json", exclude_defaults=True)
    return _difference(plain.model_dump(mode="json"), value.model_dump(mode="json"), lean)


def _difference(plain: Object, full: Object, lean: Object) -> Object:
    """The fields of `full` that differ from `plain`; new parts are taken from `lean`, without their defaults."""
    changes: Object = {}
    for key, value in full.items():
        if value == plain[key]:
            continue
        both = isinstance(value, dict) and isinstance(plain[key], dict)
        changes[key] = _difference(plain[key], value, lean.get(key, {})) if both else lean.get(key, value)
    return changes


def _link_records(plain: Iterable[Link], links: Iterable[Link]) -> list[Object]:
    records = []
    counts: dict[tuple[str, str], int] = {}
    for plain_link, link in zip(plain, links, strict=True):
        ends = (link.a.node, link.b.node)
        counts[ends] = counts.get(ends, 0) + 1
        changes = _changes(plain_link, link)
        if changes:
            nth = {"nth": counts[ends]} if counts[ends] > 1 else {}
            records.append({"link": list(ends), **nth, **changes})
    return records


# --- reading --------------------------------------------------------------------------------------------------------


def with_own_content(plain: Topology, content: Any, notices: Notices) -> Topology:
    """The topology of a file: that of MiniEdit's keys, with the fields of our key applied.

    Args:
        plain: the topology of MiniEdit's keys.
        content: the content of our key, as parsed from the file.
        notices: receives warnings about fields of nodes or links that no longer exist.

    Raises:
        InvalidFile: the content has a newer schema, or is invalid.
    """
    content = _object(content, (KEY,))
    schema = content.get("schema")
    if type(schema) is not int or schema < 1:
        raise InvalidFile("is not a schema number", (KEY, "schema") if "schema" in content else (KEY,))
    if schema > SCHEMA:
        reason = f"is {schema}: a newer version of this program wrote the file, this one reads up to {SCHEMA}"
        raise InvalidFile(reason, (KEY, "schema"))
    for key in content.keys() - _KNOWN:
        raise InvalidFile("is not a known key", (KEY, key))
    top: Object = {key: content[key] for key in _PLAIN if key in content}
    parts: Object = {
        "wait": _with_changes(Wait, plain.wait, content.get("wait", {}), (KEY, "wait")),
        "preferences": _with_changes(
            Preferences, plain.preferences, content.get("preferences", {}), (KEY, "preferences")
        ),
        "flows": _values(Flow, content, "flows"),
        "faults": _values(Fault, content, "faults"),
        "annotations": _values(Annotation, content, "annotations"),
        "nodes": _nodes(plain, content, notices),
        "links": _with_loose_links(_links(plain, content, notices), content),
    }
    head = _valid(Topology, {"title": plain.title, "foreign": plain.foreign, **top}, (KEY,))
    return head.model_copy(update=parts)


def _object(value: Any, path: Path_) -> Object:
    if not isinstance(value, dict):
        raise InvalidFile(f"is {kind_of(value)}, not an object", path)
    return value


def _list(value: Any, path: Path_) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidFile(f"is {kind_of(value)}, not a list", path)
    return value


def _with_changes(kind: type[M], plain: M, changes: Any, path: Path_, fixed: frozenset[str] = frozenset()) -> M:
    """A value with some fields changed."""
    changes = _object(changes, path)
    for key in changes.keys() & fixed:
        raise InvalidFile("is already set by a key of MiniEdit", (*path, key))
    if not changes:
        return plain
    return _valid(kind, _merged(plain.model_dump(mode="json"), changes), path)


def _merged(plain: Object, changes: Object) -> Object:
    merged = dict(plain)
    for key, value in changes.items():
        below = merged.get(key)
        both = isinstance(value, dict) and isinstance(below, dict)
        merged[key] = _merged(below, value) if both and below is not None else value
    return merged


def _values(kind: type[M], content: Object, key: str) -> tuple[M, ...]:
    """A list of complete values."""
    listed = enumerate(_list(content.get(key, []), (KEY, key)))
    return tuple(_valid(kind, _object(value, (KEY, key, index)), (KEY, key, index)) for index, value in listed)


def _valid(kind: type[M], value: Object, path: Path_) -> M:
    try:
        return kind.model_validate(value)
    except ValidationError as problem:
        raise refusal(problem, value, path) from None


def refusal(problem: ValidationError, value: Any, path: Path_) -> InvalidFile:
    """A failed validation as one error: the first fault, with its path in `value`."""
    first = problem.errors(include_url=False, include_context=False)[0]
    steps: list[str | int] = []
    for step in first["loc"]:
        is_key = isinstance(value, dict) and step in value
        if is_key or (isinstance(value, list) and isinstance(step, int) and step < len(value)):
            steps.append(step)
            value = value[step]
    if first["type"] == "missing":
        return InvalidFile(f"has no {first['loc'][-1]}", (*path, *steps))
    reason = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        return InvalidFile("is not a known key", (*path, *steps))
    return InvalidFile(f"{brief(value)}: {reason[:1].lower()}{reason[1:]}", (*path, *steps))


def _nodes(plain: Topology, content: Object, notices: Notices) -> tuple[Node, ...]:
    records = _object(content.get("nodes", {}), (KEY, "nodes"))
    nodes: dict[str, Node] = {}
    for node in plain.nodes:
        path = (KEY, "nodes", node.name)
        nodes[node.name] = _with_changes(type(node), node, records.get(node.name, {}), path, _FIXED_IN_NODES)
    for name in records.keys() - nodes.keys():
        reason = "belongs to a node that is no longer in the file, and is left out"
        notices.warn("left-over", "", path_text((KEY, "nodes", name)), reason)
    places: dict[str, int] = {}
    for index, name in enumerate(_list(content.get("order", []), (KEY, "order"))):
        if isinstance(name, str):
            places.setdefault(name, index)
    return tuple(sorted(nodes.values(), key=lambda node: places.get(node.name, len(places))))


def _links(plain: Topology, content: Object, notices: Notices) -> list[Link]:
    records: dict[tuple[str, str, int], tuple[Object, Path_]] = {}
    for index, record in enumerate(_list(content.get("links", []), (KEY, "links"))):
        path: Path_ = (KEY, "links", index)
        changes = dict(_object(record, path))
        ends, nth = changes.pop("link", None), changes.pop("nth", 1)
        if not (isinstance(ends, list) and len(ends) == 2 and all(isinstance(end, str) for end in ends)):
            raise InvalidFile("does not name its link", path)
        if type(nth) is not int:
            raise InvalidFile(f"is {kind_of(nth)}, not a whole number", (*path, "nth"))
        for side in ("a", "b"):
            for key in _object(changes.get(side, {}), (*path, side)).keys() & _FIXED_IN_ENDS:
                raise InvalidFile("is already set by a key of MiniEdit", (*path, side, key))
        records[ends[0], ends[1], nth] = changes, path
    links, counts = [], dict[tuple[str, str], int]()
    for link in plain.links:
        pair = (link.a.node, link.b.node)
        counts[pair] = counts.get(pair, 0) + 1
        changes, path = records.pop((*pair, counts[pair]), ({}, ()))
        links.append(_with_changes(Link, link, changes, path))
    for _, path in records.values():
        notices.warn(
            "left-over", "", path_text(path), "belongs to a link that is no longer in the file, and is left out"
        )
    return links


def _with_loose_links(links: list[Link], content: Object) -> tuple[Link, ...]:
    """The links, with links to missing nodes inserted at their positions."""
    for index, record in enumerate(_list(content.get("loose_links", []), (KEY, "loose_links"))):
        path: Path_ = (KEY, "loose_links", index)
        record = _object(record, path)
        at = record.get("at")
        if type(at) is not int or at < 0 or record.keys() - {"at", "link"}:
            raise InvalidFile("has no position", path)
        links.insert(at, _valid(Link, _object(record.get("link"), (*path, "link")), (*path, "link")))
    return tuple(links)

"""Files of MiniEdit: reads `.mn` files of versions 1 and 2, and writes version 2, which MiniEdit itself can open.

Settings of MiniEdit stay under its keys, all others are under one key of ours (`own`), and unknown keys are kept.
Reading executes nothing: start commands are text until a lab runs them.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from frrlib.errors import TopologyError
from frrlib.formats import miniedit_read, miniedit_write, own
from frrlib.formats.entry import FileObject, Notices, path_text
from frrlib.formats.files import replace_file
from frrlib.formats.jsontext import InvalidFile, decode_text, line_of, parse_json, read_bytes
from frrlib.model.problem import Problem
from frrlib.model.topology import Topology

__all__ = ["LoadedFile", "dumps", "load", "loads", "read_text", "save"]


@dataclass(frozen=True)
class LoadedFile:
    """The contents of a file.

    Attributes:
        topology: the topology.
        warnings: problems of the file itself, such as a link to a missing node that was left out. `check` finds the
            problems of the topology.
    """

    topology: Topology
    warnings: tuple[Problem, ...] = ()


def load(path: str | os.PathLike[str]) -> LoadedFile:
    """Read a topology from a file.

    Raises:
        TopologyError: the file cannot be read, or is not a topology; with the line if it is known.
    """
    return loads(read_bytes(path), Path(path).name)


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file, without parsing it.

    Raises:
        TopologyError: the file cannot be read, or is not text.
    """
    name = Path(path).name
    try:
        return decode_text(read_bytes(path))
    except InvalidFile as problem:
        raise TopologyError(problem.reason, node=name, line=problem.line) from None


def loads(data: str | bytes, name: str = "") -> LoadedFile:
    """Read a topology from a file's content.

    Args:
        data: the content; bytes may be UTF-8, or UTF-16 or UTF-32 with a byte order mark.
        name: the file's name, for messages.

    Raises:
        TopologyError: the content is not a topology; with the line if it is known.
    """
    text = ""
    try:
        text = decode_text(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
        return _read(text)
    except InvalidFile as problem:
        line = problem.line or (line_of(text, problem.path) if problem.path else 0)
        where = f"{path_text(problem.path)} " if problem.path else ""
        raise TopologyError(f"{where}{problem.reason}", node=name, line=line) from None


def _read(text: str) -> LoadedFile:
    value, twice = parse_json(text)
    if not isinstance(value, dict):
        raise InvalidFile("is not a file of MiniEdit: it contains no object")
    notices = Notices()
    for key in twice:
        notices.warn("double-key", "", key, "stands twice in one object; the last one counts")
    document = FileObject(value, (), notices)
    ours = own.KEY in document.rest
    content = document.rest.pop(own.KEY, None)
    try:
        topology = miniedit_read.read(document, notices, strict_names=not ours)
    except ValidationError as problem:
        raise own.refusal(problem, None, ()) from None
    if ours:
        topology = own.with_own_content(topology, content, notices)
    return LoadedFile(topology, notices.all())


def dumps(topology: Topology) -> str:
    """The text of a topology's file.

    Reading it gives an equal topology, even if the topology has errors.

    Raises:
        TopologyError: two nodes have one name, which a `.mn` file cannot distinguish.
    """
    for name, count in Counter(node.name for node in topology.nodes).items():
        if count > 1:
            raise TopologyError(
                f"{count} nodes have this name", node=name, field="name", remedy="give each node its own name"
            )
    document = miniedit_write.write(topology)
    document.pop(own.KEY, None)
    try:
        # A copy is read, since reading removes keys from objects.
        plain = miniedit_read.read(
            FileObject(json.loads(json.dumps(document)), (), Notices()), Notices(), strict_names=False
        )
    except InvalidFile as problem:
        raise TopologyError(f"{path_text(problem.path)} {problem.reason}".strip()) from None
    document[own.KEY] = own.own_content(topology, plain)
    return json.dumps(document, sort_keys=True, indent=4, separators=(",", ": "), allow_nan=False) + "\n"


def save(topology: Topology, path: str | os.PathLike[str]) -> None:
    """Write a topology to a file; a failure leaves the old file unchanged.

    Raises:
        TopologyError: the file format does not support the topology (see `dumps`).
        PlaceError: the file cannot be written.
    """
    replace_file(path, dumps(topology).encode("utf-8"))

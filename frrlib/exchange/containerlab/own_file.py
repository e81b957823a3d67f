"""A file beside a written topology of containerlab, with the fields that containerlab cannot express.

It holds the difference between the topology and the one that the files of containerlab express, as `own` has it for
files of MiniEdit, and digests of these files. After a change of a file, the fields that its change may concern are
not applied.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from frrlib.formats import own
from frrlib.formats.entry import Notices
from frrlib.formats.jsontext import InvalidFile, decode_text, parse_json
from frrlib.formats.mn import LoadedFile
from frrlib.model.nodes import LOOKS
from frrlib.model.topology import Topology
from frrlib.system.untrusted_files import read_bytes

_DIGESTS, _CONTENT = "digests", own.KEY
_MOST_BYTES = 16_000_000


def own_file(topology_file: Path) -> Path:
    """The file of a topology's further fields: "lab.miniedit-frr.json" for "lab.clab.yml"."""
    stem = topology_file.name.removesuffix(topology_file.suffix).removesuffix(".clab")
    return topology_file.with_name(f"{stem}.miniedit-frr.json")


def own_text(topology: Topology, plain: Topology, files: dict[str, bytes]) -> str:
    """The content of the file.

    Args:
        topology: the topology, without parts that containerlab has no equivalent for.
        plain: the topology that the files of containerlab express.
        files: the content of these files by name.
    """
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    record = {_DIGESTS: digests, _CONTENT: own.own_content(topology, plain)}
    return json.dumps(record, sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def with_own_file(plain: LoadedFile, path: Path, data: bytes) -> LoadedFile:
    """The topology with the fields of the file beside it; unchanged if there is none.

    Args:
        plain: the topology that the files of containerlab express.
        path: the file of the topology.
        data: its content.

    Raises:
        InvalidFile: the file beside it is invalid.
    """
    beside = own_file(path)
    if not beside.is_file() or beside.is_symlink():
        return plain
    try:
        record, _ = parse_json(decode_text(read_bytes(beside, _MOST_BYTES)))
    except OSError as problem:
        raise InvalidFile(f"cannot be read: {problem.strerror}", (beside.name,)) from None
    if not isinstance(record, dict) or not isinstance(record.get(_CONTENT), dict):
        raise InvalidFile("is not a file of this program", (beside.name,))
    notices = Notices()
    content = _still_valid(record, path, data, notices)
    topology = own.with_own_content(plain.topology, content, notices)
    return LoadedFile(topology, (*plain.warnings, *notices.all()))


def _still_valid(record: dict[str, Any], path: Path, data: bytes, notices: Notices) -> dict[str, Any]:
    """The fields that no later change of the files can concern."""
    digests = record.get(_DIGESTS)
    digests = digests if isinstance(digests, dict) else {}
    content = dict(record[_CONTENT])
    nodes = content.get("nodes")
    nodes = dict(nodes) if isinstance(nodes, dict) else {}
    changed = [name for name in digests if name != path.name and _digest(path.parent, name) != digests[name]]
    if digests.get(path.name) != hashlib.sha256(data).hexdigest():
        content = {key: value for key, value in content.items() if key not in ("links", "loose_links", "order")}
        nodes = {name: _looks(changes) for name, changes in nodes.items()}
        reason = f"was changed since {own_file(path).name} was written; only its flows, faults and notes are used"
        notices.warn("left-over", "", path.name, reason)
    for name in changed:
        router = name.partition("/")[0]
        if router in nodes:
            nodes[router] = _looks(nodes[router])
            notices.warn("left-over", router, name, "was changed, so its lines are read anew", about="node")
    return {**content, **({"nodes": nodes} if nodes else {})}


def _looks(changes: Any) -> Any:
    return {key: value for key, value in changes.items() if key in LOOKS} if isinstance(changes, dict) else changes


def _digest(folder: Path, name: str) -> str:
    """The digest of a file in the folder; empty if it is missing, outside, or no ordinary file."""
    try:
        target = (folder / name).resolve()
        if not target.is_relative_to(folder.resolve()):
            return ""
        return hashlib.sha256(read_bytes(target, _MOST_BYTES)).hexdigest()
    except OSError:
        return ""

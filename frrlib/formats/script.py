"""A topology as a Python script that runs it, readable and editable.

The script builds the topology with `frrlib.network` and passes it to `miniedit_frr.script.main`, which has the options.
It contains the whole topology: running it gives an equal value. Scripts are written here and never read.
"""

from __future__ import annotations

import os
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from frrlib.formats.files import replace_file
from frrlib.formats.pytext import WIDTH, Source, SourceGroup, call, format_source, items, number, text
from frrlib.model.annotations import Annotation
from frrlib.model.faults import Fault
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.names import numbered
from frrlib.model.nodes import Node, Router
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import Bulk

#: Maximum number of links that the script's description lists; more are only counted.
_LISTED_LINKS = 12
#: Fields that are rendered specially.
_NODE_FORM = frozenset({"kind", "name", "x", "y", "number"})
_LINK_FORM = frozenset({"id", "a", "b", "a_to_b", "b_to_a"})
_FLOW_FORM = frozenset({"id", "source", "destination", "congestion_control", "start_s", "duration_s", "size_bytes"})
_TOPOLOGY_FORM = frozenset({"title", "nodes", "links", "flows", "faults", "annotations"})

Arguments = list[tuple[str, Source]]


def dumps(topology: Topology, *, name: str = "lab.py", python: str = "", project: str = "") -> str:
    """The text of a script that runs a topology.

    Args:
        topology: the topology; it may have errors, which the script reports when it runs.
        name: the script's own name, for its description.
        python: the interpreter in which the script goes on where its own does not have this project; this one's if
            empty.
        project: the folder from which that imports the project; the one of this module if empty.
    """
    sections: dict[str, list[SourceGroup]] = {
        "": [call("Network", [*_title(topology), *_fields(topology, _TOPOLOGY_FORM)])],
        "Nodes": [_node(node) for node in topology.nodes],
        "Links": [_link(link, position) for position, link in enumerate(topology.links, 1)],
        "Flows": [_flow(flow) for flow in topology.flows],
        "Faults": [_fault(fault) for fault in topology.faults],
        "Notes and shapes": [_annotation(annotation) for annotation in topology.annotations],
    }
    used = {word for groups in sections.values() for group in groups for word in _names(group)}
    python = python or sys.executable or "/usr/bin/python3"
    project = project or str(Path(__file__).resolve().parents[2])
    parts = [
        _docstring(topology, name),
        "import os\nimport sys\n",
        _preamble(sorted(used, key=lambda word: (word.islower(), word)), python, project),
        *(_section(title, groups) for title, groups in sections.items() if groups),
        'if __name__ == "__main__":\n    main(net)\n',
    ]
    return "\n".join(parts)


def save(topology: Topology, path: str | os.PathLike[str]) -> None:
    """Write a script to a file; a failure leaves the old file unchanged.

    Raises:
        PlaceError: the file cannot be written.
    """
    replace_file(path, dumps(topology, name=Path(path).name).encode("utf-8"))


# --- statements -----------------------------------------------------------------------------------------------------


def _section(title: str, groups: list[SourceGroup]) -> str:
    start = "" if title else "net = "
    lines = [f"# {title}"] if title else []
    return "\n".join([*lines, *(start + format_source(group, 0, len(start)) for group in groups), ""])


def _title(topology: Topology) -> Arguments:
    return [("", text(topology.title))] if topology.title else []


def _node(node: Node) -> SourceGroup:
    arguments: Arguments = [("", text(node.name))]
    if node.x or node.y:
        arguments.append(("at", SourceGroup("(", (("", number(node.x)), ("", number(node.y))), ")")))
    parts = numbered(node.name)
    if node.number != (parts[1] if parts else None):
        arguments.append(("number", repr(node.number)))
    return call(f"net.{node.kind}", arguments + _fields(node, _NODE_FORM))


def _link(link: Link, position: int) -> SourceGroup:
    arguments: Arguments = [("", _end(link.a)), ("", _end(link.b))]
    shapes = {"a_to_b": link.a_to_b, "b_to_a": link.b_to_a}
    if link.a_to_b == link.b_to_a:
        shapes = {"both": link.a_to_b}
    arguments += [(name, _value(shape)) for name, shape in shapes.items() if not shape.is_plain]
    if link.id != f"l{position}":
        arguments.append(("id", text(link.id)))
    return call("net.link", arguments + _fields(link, _LINK_FORM))


def _end(end: End) -> Source:
    addresses: Arguments = [("", text(str(address))) for address in end.addresses]
    fields = _fields(end, frozenset({"node", "addresses"}))
    return call("end", [("", text(end.node)), *addresses, *fields]) if addresses or fields else text(end.node)


def _flow(flow: Flow) -> SourceGroup:
    """A flow; congestion control and duration are always written, since users change them first."""
    arguments: Arguments = [("", text(word)) for word in (flow.id, flow.source, flow.destination)]
    if flow.is_tcp or flow.congestion_control != Flow.model_fields["congestion_control"].default:
        arguments.append(("congestion_control", text(flow.congestion_control)))
    if flow.start_s:
        arguments.append(("start_s", number(flow.start_s)))
    if flow.duration_s is not None:
        arguments.append(("duration_s", number(flow.duration_s)))
    if flow.size_bytes is not None:
        arguments.append(("size_bytes", number(flow.size_bytes)))
    return call("net.flow", arguments + _fields(flow, _FLOW_FORM))


def _fault(fault: Fault) -> SourceGroup:
    """A fault; its time is the first argument."""
    arguments: Arguments = [("", number(fault.time_s)), ("", text(fault.kind))]
    arguments += [("", text(fault.target))] if fault.target else []
    return call("net.fault", arguments + _fields(fault, frozenset({"kind", "target", "time_s"})))


def _annotation(annotation: Annotation) -> SourceGroup:
    return call(f"net.{annotation.kind}", [("", text(annotation.id)), *_fields(annotation, frozenset({"id", "kind"}))])


def _fields(value: BaseModel, left_out: frozenset[str] = frozenset()) -> Arguments:
    """The fields of a value that differ from their defaults, as keyword arguments; required fields come first."""
    arguments = []
    for name, field in sorted(type(value).model_fields.items(), key=lambda item: not item[1].is_required()):
        content = getattr(value, name)
        if name not in left_out and (field.is_required() or content != field.default):
            arguments.append((name, _value(content)))
    return arguments


def _value(value: Any) -> Source:
    if isinstance(value, BaseModel):
        return call(type(value).__name__, _fields(value))
    if isinstance(value, tuple):
        return items([_value(item) for item in value])
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, int | float):
        return number(value)
    return text(str(value))  # texts, and addresses as text


def _names(source: Source) -> Iterator[str]:
    """The names from `frrlib.network` that some source uses."""
    if isinstance(source, SourceGroup):
        if source.head[:-1].isidentifier():
            yield source.head[:-1]
        for _, value in source.items:
            yield from _names(value)


# --- imports and description ----------------------------------------------------------------------------------------


def _preamble(names: list[str], python: str, project: str) -> str:
    """The imports, and the fallback for an interpreter without the project: `python3`, and `sudo python3`."""
    imported = f"    from frrlib.network import {', '.join(names)}"
    if len(imported) > WIDTH:
        lines = "".join(f"        {name},\n" for name in names)
        imported = f"    from frrlib.network import (\n{lines}    )"
    return f"""\
try:
{imported}
    from miniedit_frr.script import main
except ImportError as error:  # another Python: go on in the one that has MiniEdit-FRR
    python = {text(python)}
    if sys.executable == python or not os.access(python, os.X_OK):
        sys.exit(f"{{error}}. In a clone of MiniEdit-FRR: ./run script {{sys.argv[0]}}")
    project = {text(project)}
    os.execve(python, [python, *sys.argv], os.environ | {{"PYTHONPATH": project}})
"""


def _docstring(topology: Topology, name: str) -> str:
    paragraphs = [[_harmless(topology.title) or "A network"]]
    paragraphs.append([*_wrapped("Nodes: ", _nodes_text(topology)), *_links_text(topology), *_flows_text(topology)])
    script = _harmless(name)
    descriptions = {
        f"python3 {script}": "without root",
        f"sudo python3 {script}": "the same as root",
        f"python3 {script} --place labkernel": "in a kernel of its own",
        f"python3 {script} --repeat 3 --cc bbr,cubic": "six runs",
    }
    longest = max(map(len, descriptions))
    paragraphs.append([f"    {command:{longest}}    {description}" for command, description in descriptions.items()])
    paragraphs.append(["--out DIR sets the results folder, --frr prints FRR's configuration, --help lists all."])
    lines = "\n\n".join("\n".join(paragraph) for paragraph in paragraphs).split("\n")
    return '"""' + "\n".join(line.rstrip() for line in lines) + '\n"""\n'


def _harmless(words: str) -> str:
    """Text on one line without any special meaning to Python."""
    plain = "".join(letter if letter.isprintable() else " " for letter in words)
    return " ".join(plain.replace("\\", "/").replace('"', "'").split())


def _wrapped(start: str, words: str) -> list[str]:
    lines = textwrap.wrap(words, WIDTH, initial_indent=start, subsequent_indent="    ", break_long_words=False)
    return [line.rstrip() for line in lines] or [f"{start}none"]


def _nodes_text(topology: Topology) -> str:
    if len(topology.nodes) > 2 * _LISTED_LINKS:
        counts = Counter(node.kind for node in topology.nodes)
        return ", ".join(f"{count} {kind}{'' if count == 1 else _plural(kind)}" for kind, count in counts.items())
    roles: dict[str, list[str]] = {}
    for node in topology.nodes:
        roles.setdefault(_role(node), []).append(_harmless(node.name))
    return "; ".join(f"{', '.join(names)} ({role})" for role, names in roles.items())


def _plural(kind: str) -> str:
    return "es" if kind == "switch" else "s"


def _role(node: Node) -> str:
    if not isinstance(node, Router):
        return node.kind
    spoken = [f"BGP in AS {node.bgp.asn}"] if node.bgp else []
    spoken += ["OSPF"] if node.ospf else []
    spoken += ["static routes"] if node.static_routes else []
    return "router" + (f": {', '.join(spoken)}" if spoken else "")


def _links_text(topology: Topology) -> Iterator[str]:
    if len(topology.links) > _LISTED_LINKS:
        yield f"Links: {len(topology.links)}"
        return
    yield "Links:" if topology.links else "Links: none"
    for link in topology.links:
        a, b = _harmless(link.a.node), _harmless(link.b.node)
        both = link.a_to_b == link.b_to_a
        shapes = [("", link.a_to_b)] if both else [(f"to {b} ", link.a_to_b), (f"to {a} ", link.b_to_a)]
        shapes_text = "; ".join(f"{direction}{_shape_text(shape)}" for direction, shape in shapes if not shape.is_plain)
        yield f"    {a} - {b}" + (f"    {shapes_text}" if shapes_text else "")


def _shape_text(shape: Shape) -> str:
    parts = [f"{number(shape.rate_mbit)} Mbit/s"] if shape.rate_mbit is not None else []
    parts += [f"{number(shape.delay_ms)} ms"] if shape.delay_ms else []
    parts += [f"jitter {number(shape.jitter_ms)} ms"] if shape.jitter_ms else []
    parts += [f"loss {number(shape.loss_percent)} %"] if shape.loss_percent else []
    limits = {"queue_packets": "packets", "queue_bytes": "bytes", "queue_ms": "ms", "queue_bdp": "BDP"}
    for field, unit in limits.items():
        if (limit := getattr(shape, field)) is not None:
            parts.append(f"queue {number(limit)} {unit}")
    parts += [shape.queue.kind] if shape.queue is not None else []
    parts += [f"tc: {'; '.join(shape.qdiscs)}"] if shape.qdiscs else []
    return ", ".join(parts)


def _flows_text(topology: Topology) -> Iterator[str]:
    if len(topology.flows) > _LISTED_LINKS:
        yield f"Flows: {len(topology.flows)}"
    elif topology.flows:
        yield "Flows:"
        for flow in topology.flows:
            length = f"{number(flow.duration_s)} s" if flow.duration_s is not None else f"{flow.size_bytes} bytes"
            many = f"{flow.count} times " if flow.count > 1 else ""
            kind = "" if isinstance(flow.traffic, Bulk) else f"{flow.kind} "
            ends = f"{many}{kind}{_harmless(flow.source)} to {_harmless(flow.destination)}"
            when = f"from {number(flow.start_s)} s for {length}"
            control = f"{flow.congestion_control or 'unasked'}, " if flow.is_tcp else ""
            yield f"    {_harmless(flow.id)}: {ends}, {control}{when}"

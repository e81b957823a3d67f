"""Writes a new exercise: `exercise.toml`, the two topologies, and a page whose text the author completes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from frrlib.exercises.check_base import CheckBase, Stage
from frrlib.exercises.checks import Check, Neighbor, Route
from frrlib.exercises.errors import ExerciseError, invalid_values_of
from frrlib.exercises.exercise import FILE, SOLUTION, START, ExerciseFile
from frrlib.exercises.making.candidates import PROTOCOL_WORDS, counted_solution
from frrlib.exercises.variables import as_template
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.model.nodes import Node, Router
from frrlib.model.topology import Topology
from frrlib.render.frr import daemons

#: The only chapter. An author who wants more adds a table, a page and a topology for each.
CHAPTER, PAGE = "tasks", "tasks.md"
#: The most checks of a chapter.
MOST_CHECKS = 100
_HEAD = """# An exercise. docs/exercises.md explains every line; `miniedit-frr exercise test .` tries the exercise.
# To give each student other addresses, replace values in all files by variables in braces.
"""
#: The settings that begin and end the table of a check.
_FIRST, _LAST = ("id", "kind", "title", "points"), ("needs", "within_s", "holds_at_start", "message")
_LONG_LIST = 100
_PAGE = """# {title}

Describe here what the network is for, and which values students must use. The pictures of the window show names and
addresses, so the text needs only those that students have to set.

## Tasks

{tasks}

Then run `miniedit-frr exercise check`, or press *Check All*.
"""


def write_exercise(
    folder: Path, title: str, start: Topology, solution: Topology, checks: Sequence[Check], minutes: int = 30
) -> None:
    """Write an exercise with one chapter.

    Args:
        folder: the new folder; an empty one is accepted.
        title: a few words.
        start: the topology at the start. Its routers also get the daemons of the solution.
        solution: the same nodes and links with the right settings.
        checks: the checks in the order of the tasks. Absences get `needs`.
        minutes: the time that the exercise takes.

    Raises:
        ExerciseError: the folder is not empty, there are no checks or too many, or a value is invalid.
        PlaceError: it cannot be written.
    """
    refuse_folder(folder)
    if not checks:
        raise ExerciseError("", "no check is chosen", "choose at least one")
    if len(checks) > MOST_CHECKS:
        raise ExerciseError(
            "", f"{len(checks)} checks are chosen, and a chapter has up to {MOST_CHECKS}", "choose fewer"
        )
    content = _content(title, start, solution, checks, minutes)
    with invalid_values_of("the new exercise"):
        ExerciseFile.model_validate(content)
    texts = {
        START: _template(start_with_daemons(start, solution)),
        PAGE: as_template(_PAGE.format(title=title, tasks="\n".join(f"- {check.title}." for check in checks))),
        f"{SOLUTION}/{CHAPTER}.mn": _template(counted_solution(start, solution)),
        FILE: _toml(content),  # the last one, so that a folder with it is complete
    }
    (folder / SOLUTION).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        replace_file(folder / name, text.encode())


def refuse_folder(folder: Path) -> None:
    """Raise ExerciseError if a folder cannot become a new exercise, because it is a file or not empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExerciseError(str(folder), "exists already", "choose another folder")


def start_with_daemons(start: Topology, solution: Topology) -> Topology:
    """The start with the daemons that the solution needs, so that students can configure them in vtysh."""
    nodes: list[Node] = []
    for node in start.nodes:
        other = solution.node(node.name)
        if isinstance(node, Router) and isinstance(other, Router):
            missing = [name for name in daemons(other) if name not in daemons(node)]
            node = node.model_copy(update={"daemons": (*node.daemons, *missing)})
        nodes.append(node)
    return start.model_copy(update={"nodes": tuple(nodes)})


def _content(title: str, start: Topology, solution: Topology, checks: Sequence[Check], minutes: int) -> dict[str, Any]:
    """The content of `exercise.toml`, in its order."""
    ordered = [*sorted(checks, key=lambda check: check.stage)]
    return {
        "version": 1,
        "title": title,
        "aims": [*_aims(ordered)],
        "minutes": minutes,
        "locked": [*_locked(start, counted_solution(start, solution), checks)],
        "chapters": [{
            "id": CHAPTER, "title": title, "text": PAGE,
            "checks": [_settings(_with_needs(check, ordered)) for check in ordered],
        }],
    }  # fmt: skip


def _aims(checks: Iterable[Check]) -> Iterator[str]:
    """Aims that follow from the kinds of checks, for the author to complete."""
    checks = [*checks]
    kinds = {check.kind for check in checks}
    if "address" in kinds:
        yield "You can give addresses to the interfaces of a network."
    protocols = {check.protocol for check in checks if isinstance(check, Neighbor | Route)} - {"", "connected"}
    words = [word for name, word in PROTOCOL_WORDS.items() if name in protocols and name != "static"]
    if "static" in protocols:
        yield "You can choose and set static routes."
    if words:
        whose = "its" if len(words) == 1 else "their"
        yield f"You can configure {' and '.join(words)}, and read the state of {whose} neighbors."
    if "path" in kinds:
        yield "You can predict the path of packets, and choose it."


def _locked(start: Topology, solution: Topology, checks: Sequence[Check]) -> Iterator[str]:
    """The hosts whose settings are the same in both topologies, so that no task is about them."""
    addressed = {node for check in checks if check.kind == "address" for node in check.nodes[:1]}
    for host in start.hosts:
        ends = [[end for _, end in topology.ends_at(host.name)] for topology in (start, solution)]
        if host == solution.node(host.name) and ends[0] == ends[1] and host.name not in addressed:
            yield host.name


def _with_needs(check: Check, checks: Sequence[Check]) -> CheckBase:
    """An absence with the neighbors of its node that it needs, since a network in which nothing works lacks all."""
    if check.stage != Stage.ABSENT or check.needs:
        return check
    near = [other.id for other in checks if isinstance(other, Neighbor) and not other.is_negative]
    at_node = [other.id for other in checks if isinstance(other, Neighbor) and set(other.nodes) & set(check.nodes)]
    return check.model_copy(update={"needs": tuple(name for name in near if name in at_node)})


def _settings(check: CheckBase) -> dict[str, Any]:
    """The settings of a check that differ from their defaults, the task first and the message last."""
    values = check.model_dump(mode="json", exclude_defaults=True)
    names = [name for name in _FIRST if name in values]
    names += [name for name in values if name not in _FIRST + _LAST]
    names += [name for name in _LAST if name in values]
    return {name: _templates(values[name]) for name in names}


def _template(topology: Topology) -> str:
    return json.dumps(_templates(json.loads(mn.dumps(topology))), indent=2, ensure_ascii=False) + "\n"


def _templates(value: Any) -> Any:
    """A JSON value with its braces doubled where they would name variables."""
    if isinstance(value, str):
        return as_template(value)
    if isinstance(value, list | tuple):
        return [_templates(element) for element in value]
    if isinstance(value, dict):
        return {as_template(name): _templates(inner) for name, inner in value.items()}
    return value


def _toml(content: dict[str, Any]) -> str:
    """The text of `exercise.toml`: plain values first, then a table for the chapter and each check."""
    chapter = content["chapters"][0]
    lines = [_HEAD.rstrip()]
    lines += [f"{name} = {_toml_value(value)}" for name, value in content.items() if name != "chapters" and value != []]
    lines += ["", "[[chapters]]"]
    lines += [f"{name} = {_toml_value(value)}" for name, value in chapter.items() if name != "checks"]
    for check in chapter["checks"]:
        lines += ["", "[[chapters.checks]]", *(f"{name} = {_toml_value(value)}" for name, value in check.items())]
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    """A value in TOML, whose texts, numbers and lists are written as in JSON. A long list has a line for each text."""
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if not isinstance(value, list) or len(text) <= _LONG_LIST:
        return text
    return "\n".join(("[", *(f"    {_toml_value(element)}," for element in value), "]"))

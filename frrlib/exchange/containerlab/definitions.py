"""The definition of each node of containerlab, with the values that it inherits from its group, its kind and defaults.

The most specific value is used: that of the node, its group, its kind, the defaults. Lists are joined, from the
defaults to the node, and objects are merged, as in containerlab.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from frrlib.exchange.containerlab.yaml_text import InvalidYaml, YamlValue
from frrlib.formats.jsontext import Path_

#: Kinds of containers with Linux.
LINUX = ("", "linux", "frr")


@dataclass(frozen=True)
class Definition:
    """A node of the file.

    Attributes:
        name: its name in the file.
        line, path: its place in the file.
        kind: its kind ("linux").
        values: all its values by key, including inherited ones.
        own: the values of its own entry by key.
    """

    name: str
    line: int
    path: Path_
    kind: str
    values: dict[str, YamlValue] = field(default_factory=dict)
    own: dict[str, YamlValue] = field(default_factory=dict)

    def text(self, key: str) -> str:
        """The text of a key; empty if it is missing. Raises InvalidYaml for another value."""
        return self.values[key].text() if key in self.values else ""

    def items(self, key: str) -> list[YamlValue]:
        """The list of a key; empty if it is missing. Raises InvalidYaml for another value."""
        return self.values[key].items("a list of texts, one on each line after '- '") if key in self.values else []

    def members(self, key: str) -> dict[str, YamlValue]:
        """The object of a key; empty if it is missing. Raises InvalidYaml for another value."""
        return self.values[key].members("NAME: VALUE on each line") if key in self.values else {}


def definitions(topology: dict[str, YamlValue]) -> list[Definition]:
    """The nodes of the object `topology` of a file, in their order.

    Raises:
        InvalidYaml: a part of the object has a wrong type.
    """
    nodes = topology.get("nodes")
    if nodes is None:
        return []
    defaults = _members(topology, "defaults")
    kinds = {name: value.members() for name, value in _members(topology, "kinds").items()}
    groups = {name: value.members() for name, value in _members(topology, "groups").items()}
    entries = []
    for name, entry in nodes.members("the name of each node, with its values below").items():
        values = entry.members("the values of the node, such as kind: linux")
        group = groups.get(_text(values.get("group")), {})
        kind = _text(values.get("kind")) or _text(group.get("kind")) or _text(defaults.get("kind"))
        if not group:
            inherited = _text(kinds.get(kind, {}).get("group")) or _text(defaults.get("group"))
            group = groups.get(inherited, {}) if "group" not in values else {}
            kind = kind or _text(group.get("kind"))
        layers = (defaults, kinds.get(kind, {}), group, values)
        entries.append(Definition(name, entry.line, entry.path, kind, _merged(layers), values))
    return entries


def _members(topology: dict[str, YamlValue], key: str) -> dict[str, YamlValue]:
    return topology[key].members() if key in topology else {}


def _text(value: YamlValue | None) -> str:
    return "" if value is None else value.text()


def _merged(layers: Iterable[dict[str, YamlValue]]) -> dict[str, YamlValue]:
    values: dict[str, YamlValue] = {}
    for layer in layers:
        for key, value in layer.items():
            values[key] = _joined(values[key], value) if key in values else value
    return values


def _joined(old: YamlValue, new: YamlValue) -> YamlValue:
    """A value over an inherited one."""
    if new.content is None:
        return old
    if isinstance(old.content, list) and isinstance(new.content, list):
        return replace(new, content=[*old.content, *new.content])
    if isinstance(old.content, dict) and isinstance(new.content, dict):
        return replace(new, content={**old.content, **new.content})
    if isinstance(old.content, list | dict) and isinstance(new.content, str):
        raise InvalidYaml(f"is {new.content[:40]!r}, and the inherited value is not text", new.path, new.line)
    return new

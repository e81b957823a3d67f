"""Parses YAML from untrusted sources within limits, and keeps the line of each value.

PyYAML only composes the document: no tag constructs an object. Size, depth and number of values are limited, also after
aliases are expanded, so that a small file cannot fill the memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from frrlib.formats.entry import brief, kind_of
from frrlib.formats.jsontext import InvalidFile, Path_

#: Limits of a file. A lab of containerlab with hundreds of nodes has less than 200 kB.
LARGEST_BYTES, MOST_VALUES, DEEPEST = 2**20, 50_000, 32
_LONGEST_TEXT = 65_536
_TAG = "tag:yaml.org,2002:"
_NULL, _MERGE = f"{_TAG}null", "<<"
_SCALARS = frozenset(_TAG + name for name in ("str", "int", "float", "bool", "null", "timestamp", "merge", "value"))
_COLLECTIONS = (f"{_TAG}seq", f"{_TAG}map")
#: Variables of the environment, which containerlab fills in: `${NAME}`, `${NAME:=default}`, `$NAME`.
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::?[-=]([^}\n]*))\}")


class InvalidYaml(InvalidFile):
    """A value of the file is rejected; `remedy` is the expected value."""

    def __init__(self, reason: str, path: Path_ = (), line: int = 0, remedy: str = "") -> None:
        super().__init__(reason, path, line)
        self.remedy = remedy


@dataclass(frozen=True)
class YamlValue:
    """A value of the file with its place.

    Attributes:
        content: text as it is in the file ("8080" for a number), None for null, a list, or an object by key.
        line: its line, from 1.
        path: its keys and positions from the top.
    """

    content: str | list[YamlValue] | dict[str, YamlValue] | None
    line: int
    path: Path_

    def fault(self, expected: str, remedy: str = "") -> InvalidYaml:
        """The error that this value is not as expected ("a list")."""
        kind = "nothing" if self.content is None else kind_of(self.content)
        content = brief(self.content) if isinstance(self.content, str) else kind
        return InvalidYaml(f"is {content}, not {expected}", self.path, self.line, remedy)

    def text(self) -> str:
        """The text; empty for null. Raises InvalidYaml for lists and objects."""
        if self.content is None:
            return ""
        if not isinstance(self.content, str):
            raise self.fault("text")
        return self.content

    def items(self, remedy: str = "") -> list[YamlValue]:
        """The list; empty for null. Raises InvalidYaml for other values."""
        if self.content is None:
            return []
        if not isinstance(self.content, list):
            raise self.fault("a list", remedy)
        return self.content

    def members(self, remedy: str = "") -> dict[str, YamlValue]:
        """The object; empty for null. Raises InvalidYaml for other values."""
        if self.content is None:
            return {}
        if not isinstance(self.content, dict):
            raise self.fault("an object", remedy)
        return self.content

    def plain(self) -> Any:
        """The value as JSON has it; numbers stay text."""
        if isinstance(self.content, list):
            return [item.plain() for item in self.content]
        if isinstance(self.content, dict):
            return {key: value.plain() for key, value in self.content.items()}
        return self.content


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Composes a document; deep nesting is rejected while it is scanned, since that takes quadratic time."""

    def fetch_more_tokens(self) -> Any:
        """Scan the next token, unless the text is nested too deeply."""
        if self.flow_level > DEEPEST:
            raise InvalidYaml(f"is nested more than {DEEPEST} deep", (), self.line + 1)
        return super().fetch_more_tokens()


def parse_yaml(text: str) -> YamlValue:
    """The document of a text.

    Raises:
        InvalidYaml: the text is not YAML, or exceeds a limit.
    """
    if "{{" in text:
        line = text.count("\n", 0, text.index("{{")) + 1
        raise InvalidYaml("is a template of Go", (), line, "fill it in first, and open the result")
    filled = _VARIABLE.sub(lambda match: match[1], text)
    try:
        loader = _Loader(filled)
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.reader.ReaderError as problem:
        line = filled.count("\n", 0, problem.position) + 1
        raise InvalidYaml(f"has the character U+{problem.character:04X}", (), line, "remove it") from None
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        reason = " ".join(part for part in (problem.context, problem.problem) if part)
        raise InvalidYaml(f"is not YAML: {reason}", (), mark.line + 1 if mark else 0) from None
    except RecursionError:
        raise InvalidYaml(f"is nested more than {DEEPEST} deep") from None
    if root is None:
        raise InvalidYaml("is an empty file")
    return _Conversion().value(root, (), ())


class _Conversion:
    """Converts composed nodes, and counts them: each use of an alias counts again."""

    def __init__(self) -> None:
        self._count = 0

    def value(self, node: yaml.Node, path: Path_, parents: tuple[yaml.Node, ...]) -> YamlValue:
        line = node.start_mark.line + 1
        self._count += 1
        if self._count > MOST_VALUES:
            raise InvalidYaml(f"has more than {MOST_VALUES} values after its aliases are expanded", path, line)
        if any(node is parent for parent in parents):
            raise InvalidYaml("contains itself by an alias", path, line, "remove the alias")
        if len(parents) > DEEPEST:
            raise InvalidYaml(f"is nested more than {DEEPEST} deep", path, line)
        if not isinstance(node, yaml.ScalarNode) and node.tag not in _COLLECTIONS:
            raise _tagged(node, path, line)
        below = (*parents, node)
        if isinstance(node, yaml.ScalarNode):
            return YamlValue(_scalar(node, path, line), line, path)
        if isinstance(node, yaml.SequenceNode):
            items = [self.value(item, (*path, index), below) for index, item in enumerate(node.value)]
            return YamlValue(items, line, path)
        return YamlValue(self._members(node, path, below), line, path)

    def _members(self, node: yaml.MappingNode, path: Path_, below: tuple[yaml.Node, ...]) -> dict[str, YamlValue]:
        inherited: dict[str, YamlValue] = {}
        members: dict[str, YamlValue] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise InvalidYaml("has a key that is not text", path, line)
            key = _scalar(key_node, path, line) or ""
            if key == _MERGE:
                for source in value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]:
                    if not isinstance(source, yaml.MappingNode):
                        raise InvalidYaml("merges a value that is not an object", (*path, key), line)
                    inherited = {**self.value(source, path, below).members(), **inherited}
                continue
            if key in members:
                raise InvalidYaml("stands twice in one object", (*path, key), line, "remove one of them")
            members[key] = self.value(value_node, (*path, key), below)
        return {**inherited, **members}


def _tagged(node: yaml.Node, path: Path_, line: int) -> InvalidYaml:
    return InvalidYaml(f"has the tag {brief(node.tag.removeprefix(_TAG))}", path, line, "use plain values only")


def _scalar(node: yaml.ScalarNode, path: Path_, line: int) -> str | None:
    if node.tag not in _SCALARS:
        raise _tagged(node, path, line)
    if node.tag == _NULL:
        return None
    text = str(node.value)
    if len(text) > _LONGEST_TEXT:
        raise InvalidYaml(f"has {len(text)} characters", path, line, f"use at most {_LONGEST_TEXT}")
    for letter in text:
        if not letter.isprintable() and letter not in "\n\t":
            raise InvalidYaml(f"has the character U+{ord(letter):04X}", path, line, "remove it")
    return text

"""Parses XML from untrusted sources within limits, and keeps the line of each element.

Documents with a document type are rejected, so entities neither expand nor read files. Size, depth and number of
elements are limited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from frrlib.formats.entry import brief
from frrlib.formats.jsontext import InvalidFile

#: Limits of a file. A scenario of CORE with hundreds of nodes has less than 1 MB.
LARGEST_BYTES, MOST_ELEMENTS, DEEPEST = 8 * 2**20, 50_000, 32
_LONGEST_NUMBER = 30
#: Characters that control a terminal. Tabs and ends of lines are allowed.
CONTROL_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class InvalidXml(InvalidFile):
    """An element of the file is rejected; `where` is the element ("links/link[2]"), `remedy` the expected value."""

    def __init__(self, reason: str, line: int = 0, remedy: str = "", where: str = "") -> None:
        super().__init__(reason, (where,) if where else (), line)
        self.remedy = remedy


@dataclass
class Element:
    """An element of the file with its place.

    Attributes:
        tag: its name.
        line: its line, from 1.
        place: its names and numbers from the top ("links/link[2]"); empty for the root.
        attributes: its attributes.
        children: the elements in it.
        text: the text in it, without that of its children.
    """

    tag: str
    line: int
    place: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def fault(self, reason: str, remedy: str = "") -> InvalidXml:
        """The error that this element is wrong."""
        return InvalidXml(reason, self.line, remedy, self.place or self.tag)

    def child(self, *tags: str) -> Element | None:
        """The first element in it with one of the names."""
        return next((child for child in self.children if child.tag in tags), None)

    def all(self, *path: str) -> Iterator[Element]:
        """The elements at a path of names below it."""
        for child in self.children:
            if child.tag == path[0]:
                if len(path) == 1:
                    yield child
                else:
                    yield from child.all(*path[1:])

    def get(self, *names: str) -> str:
        """The first of some attributes that it has; empty if it has none."""
        return next((self.attributes[name].strip() for name in names if name in self.attributes), "")

    def number(self, *names: str) -> float:
        """The first of some attributes as a number, 0 if it has none. Raises InvalidXml for another text."""
        text = self.get(*names)
        if not text or text == "None":
            return 0.0
        try:
            value = float(text) if len(text) <= _LONGEST_NUMBER else float("nan")
        except ValueError:
            value = float("nan")
        if not abs(value) < float("inf"):
            name = next(name for name in names if name in self.attributes)
            raise self.fault(f"has {name}={brief(text)}", "a number")
        return value


def parse_xml(data: bytes) -> Element:
    """The root element of a document.

    Raises:
        InvalidXml: the text is not XML, has a document type, or exceeds a limit.
    """
    if len(data) > LARGEST_BYTES:
        raise InvalidXml(f"is larger than {LARGEST_BYTES // 2**20} MiB, the limit for XML")
    if not data.strip():
        raise InvalidXml("is an empty file")
    builder = _Builder()
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as problem:
        reason = expat.ErrorString(problem.code)
        raise InvalidXml(f"is not XML: {reason}", problem.lineno, "close each element, as in <link></link>") from None
    except (ValueError, LookupError) as problem:  # an encoding that Python does not have
        raise InvalidXml(f"is not XML: {problem}", 1, "save it in UTF-8") from None
    assert builder.root is not None
    return builder.root


class _Builder:
    """Receives the parts of a document, and makes elements of them."""

    def __init__(self) -> None:
        self.root: Element | None = None
        self._open: list[Element] = []
        self._texts: list[list[str]] = []
        self._counts: list[dict[str, int]] = [{}]
        self._elements = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.EntityDeclHandler = self._refuse_doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def _fail(self, reason: str, remedy: str = "") -> NoReturn:
        where = self._open[-1].place if self._open else ""
        raise InvalidXml(reason, self.parser.CurrentLineNumber, remedy, where)

    def _refuse_doctype(self, *_: object) -> None:
        self._fail("has a document type or entities", "remove <!DOCTYPE ...>; it has no meaning here")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > MOST_ELEMENTS:
            self._fail(f"has more than {MOST_ELEMENTS} elements")
        if len(self._open) >= DEEPEST:
            self._fail(f"is nested more than {DEEPEST} deep")
        for value in attributes.values():
            self._check(value)
        place = ""
        if self._open:
            counts = self._counts[-1]
            counts[tag] = counts.get(tag, 0) + 1
            parent = self._open[-1].place
            several = tag in _REPEATED
            place = f"{parent}/{tag}[{counts[tag]}]" if several else f"{parent}/{tag}"
            place = place.removeprefix("/")
        element = Element(tag, self.parser.CurrentLineNumber, place, attributes)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)
        self._texts.append([])
        self._counts.append({})

    def _end(self, tag: str) -> None:
        text = "".join(self._texts.pop())
        self._check(text)
        self._open.pop().text = text
        self._counts.pop()

    def _characters(self, text: str) -> None:
        self._texts[-1].append(text)

    def _check(self, text: str) -> None:
        if not text.isprintable() and (match := CONTROL_CHARACTER.search(text)):
            self._fail(f"has the character U+{ord(match[0]):04X}", "remove it")


#: Elements that stand several times in one, and are counted in places.
_REPEATED = frozenset(("network", "device", "link", "service", "node", "hook", "configuration", "file", "template",
                       "mobility_configuration", "emane_configuration", "config", "g", "text"))  # fmt: skip

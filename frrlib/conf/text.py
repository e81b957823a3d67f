"""A configuration as a tree of entries, read from text and written as FRR writes it.

Reading follows FRR: a section goes on until a line that ends it, or one that can only stand further out. FRR does not
look at indentation; here it decides only where a line is less indented than the heading of the section it follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from frrlib.conf import grammar


@dataclass(frozen=True)
class ConfigEntry:
    """One line of a configuration, and if it opens a section, what stands below it.

    Attributes:
        text: the line, without indentation; empty for comments behind which nothing stands.
        kind: which kind of section it opens ("interface", "bgp", "address-family", ...); empty for a plain line.
        below: the entries of its section.
        comments: the lines of comment before it, with their "!" or "#".
    """

    text: str
    kind: str = ""
    below: tuple[ConfigEntry, ...] = ()
    comments: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The key by which it equals another entry next to it."""
        return grammar.section_key(self.kind, self.text) if self.kind else self.text


#: What vtysh prints around a configuration, and what opens and ends typing one.
_AROUND = ("Building configuration...", "Current configuration:", "configure terminal", "conf t", "end", "configure")
_LEAVING = ("exit", "quit")
#: How people shorten the heading that is typed most often.
_INTERFACE = ("int", "inte", "inter", "interf", "interfa", "interfac")


@dataclass
class _Open:
    """A section that is being read."""

    kind: str
    heading: str = ""
    indent: int = -1
    comments: tuple[str, ...] = ()
    entries: list[ConfigEntry] = field(default_factory=list)

    def entry(self) -> ConfigEntry:
        return ConfigEntry(self.heading, self.kind, joined_entries(self.entries), self.comments)


def parse(text: str) -> tuple[ConfigEntry, ...]:
    """The entries of a configuration; sections that are opened more than once are one.

    Args:
        text: as in `frr.conf`, or as `show running-config` prints it, or as somebody typed it; nothing is refused.
    """
    stack, comments = [_Open("")], list[str]()
    for raw in text.expandtabs(8).splitlines():
        line = " ".join(raw.split())
        if not line or line == "!":
            continue
        if line[0] in "!#":
            comments.append(line)
            continue
        if line in _AROUND:
            _close(stack, 1 if line == "end" or line.startswith("conf") else len(stack))
        elif line in _LEAVING:
            _tail(stack[-1], comments)
            _close(stack, max(1, len(stack) - 1))
        elif line.startswith("exit-"):
            _tail(stack[-1], comments)
            depths = [depth for depth, one in enumerate(stack) if depth and grammar.closer(one.kind) == line]
            _close(stack, depths[-1] if depths else len(stack))
        else:
            _take(stack, line, len(raw) - len(raw.lstrip()), comments)
    _close(stack, 1)
    _tail(stack[0], comments)
    return joined_entries(stack[0].entries)


def _tail(section: _Open, comments: list[str]) -> None:
    """Keep the comments behind which nothing stands any more."""
    if comments:
        section.entries.append(ConfigEntry("", comments=tuple(comments)))
        comments.clear()


def _take(stack: list[_Open], line: str, indent: int, comments: list[str]) -> None:
    """Put a line where it belongs, and open its section if it has one."""
    words = line.split()
    if words[0] in _INTERFACE:
        words[0] = "interface"
        line = " ".join(words)
    depth, opened = _place(stack, words, indent)
    _close(stack, depth)
    said = tuple(comments)
    comments.clear()
    if opened is not None and words[0] != "no":
        stack.append(_Open(opened, line, indent, said))
    else:
        stack[-1].entries.append(ConfigEntry(line, comments=said))


def _place(stack: list[_Open], words: list[str], indent: int) -> tuple[int, str | None]:
    """How many sections stay open for a line, and the kind of section that it opens (or, with `no`, takes away)."""
    bare = words[1:] if words[0] == "no" and len(words) > 1 else words
    for depth in range(len(stack), 0, -1):
        section = stack[depth - 1]
        opened = grammar.opens(section.kind, bare)
        if opened is not None:
            return depth, opened
        if depth > 1 and indent > section.indent and bare[0] not in ("router", "interface", "route-map"):
            break  # it is written as a line of this section
    depth = len(stack)
    while depth > 1 and indent < stack[depth - 1].indent:
        depth -= 1
    return (1 if depth > 1 and grammar.stands_outside(stack[depth - 1].kind, words) else depth), None


def _close(stack: list[_Open], depth: int) -> None:
    while len(stack) > depth:
        done = stack.pop()
        stack[-1].entries.append(done.entry())


def joined_entries(entries: Iterable[ConfigEntry]) -> tuple[ConfigEntry, ...]:
    """The entries with those of the same section made one, and lines that are said twice said once."""
    found: dict[tuple[bool, str, int], ConfigEntry] = {}
    for number, entry in enumerate(entries):
        key = (bool(entry.kind), entry.key, 0 if entry.text else number)
        there = found.get(key)
        if there is None:
            found[key] = entry
        elif entry.kind:
            comments = tuple(dict.fromkeys([*there.comments, *entry.comments]))
            below = joined_entries([*there.below, *entry.below])
            found[key] = replace(there, text=entry.text, below=below, comments=comments)
    return tuple(found.values())


def joined(texts: Iterable[str]) -> str:
    """One configuration that says all that several say, for instance those of the daemons of one router.

    Of a line of which there can be one only, the first text's counts: each daemon hides a password in its own way.
    """
    whole: tuple[ConfigEntry, ...] = ()
    for text in texts:
        whole = joined_entries([*whole, *_not_said(parse(text), whole)])
    return written(whole)


def _not_said(entries: tuple[ConfigEntry, ...], before: tuple[ConfigEntry, ...]) -> Iterator[ConfigEntry]:
    """The entries but those about which `before` has its own line."""
    about = {grammar.key_of(entry.text) for entry in before if not entry.kind} - {None}
    sections = {(entry.kind, entry.key): entry.below for entry in before if entry.kind}
    for entry in entries:
        if entry.kind:
            yield replace(entry, below=tuple(_not_said(entry.below, sections.get((entry.kind, entry.key), ()))))
        elif grammar.key_of(entry.text) not in about:
            yield entry


def written(entries: Iterable[ConfigEntry]) -> str:
    """Entries as text: sections indented, ended, and set apart by "!". Empty for none."""
    lines: list[str] = []
    _write(tuple(entries), 0, lines)
    return "\n".join(lines) + "\n" if lines else ""


def _write(entries: tuple[ConfigEntry, ...], depth: int, lines: list[str]) -> None:
    pad = " " * depth
    for number, entry in enumerate(entries):
        apart = entry.kind or (number and entries[number - 1].kind)
        if apart and number:
            lines.append(f"{pad}!")
        lines += [pad + comment for comment in entry.comments]
        if entry.text:
            lines.append(pad + entry.text)
        if entry.kind:
            _write(entry.below, depth + 1, lines)
            lines.append(pad + grammar.closer(entry.kind))
    if depth == 0 and lines:
        lines.append("!")


def formatted(text: str) -> str:
    """The text as FRR would write it: indented, every section ended and said once."""
    return written(parse(text))

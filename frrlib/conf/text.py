"""A configuration as a tree of entries, read from text and written as FRR writes it.

Parsing follows FRR: a section continues until a line that ends it, or a line that is valid only further out. FRR
ignores indentation. Here it matters only if a line is less indented than the heading of the current section.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from frrlib.conf import grammar


@dataclass(frozen=True)
class ConfigEntry:
    """One line of a configuration with its section, if it opens one.

    Attributes:
        text: the line, without indentation; empty for comments that no line follows.
        kind: the kind of section that it opens ("interface", "bgp", "address-family", ...); empty for a plain line.
        below: the entries of its section.
        comments: the lines of comment before it, with their "!" or "#".
    """

    text: str
    kind: str = ""
    below: tuple[ConfigEntry, ...] = ()
    comments: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A key that is equal for entries with the same subject."""
        return grammar.section_key(self.kind, self.text) if self.kind else self.text


#: Lines that vtysh adds around a configuration, and the commands that enter and leave configuration mode.
_VTYSH_LINES = (
    "Building configuration...",
    "Current configuration:",
    "configure terminal",
    "conf t",
    "end",
    "configure",
)
_LEAVING = ("exit", "quit")
#: The start of messages that vtysh prints, such as that of a missing vtysh.conf. No command of FRR begins so.
_MESSAGE = "% "
#: Abbreviations of "interface", the heading that is typed most often.
_INTERFACE = ("int", "inte", "inter", "interf", "interfa", "interfac")


@dataclass
class _OpenSection:
    """A section that is being parsed."""

    kind: str
    heading: str = ""
    indent: int = -1
    comments: tuple[str, ...] = ()
    entries: list[ConfigEntry] = field(default_factory=list)

    def entry(self) -> ConfigEntry:
        return ConfigEntry(self.heading, self.kind, joined_entries(self.entries), self.comments)


def parse(text: str) -> tuple[ConfigEntry, ...]:
    """Parse a configuration. Sections that are opened more than once are joined.

    Args:
        text: as in `frr.conf`, as printed by `show running-config`, or as typed. No line is rejected.
    """
    stack, comments = [_OpenSection("")], list[str]()
    for raw in text.expandtabs(8).splitlines():
        line = " ".join(raw.split())
        if not line or line == "!" or line.startswith(_MESSAGE):
            continue
        if line[0] in "!#":
            comments.append(line)
            continue
        if line in _VTYSH_LINES:
            _close(stack, 1 if line == "end" or line.startswith("conf") else len(stack))
        elif line in _LEAVING:
            _tail(stack[-1], comments)
            _close(stack, max(1, len(stack) - 1))
        elif line.startswith("exit-"):
            _tail(stack[-1], comments)
            depths = [depth for depth, section in enumerate(stack) if depth and grammar.closer(section.kind) == line]
            _close(stack, depths[-1] if depths else len(stack))
        else:
            _add_line(stack, line, len(raw) - len(raw.lstrip()), comments)
    _close(stack, 1)
    _tail(stack[0], comments)
    return joined_entries(stack[0].entries)


def _tail(section: _OpenSection, comments: list[str]) -> None:
    """Keep trailing comments, which no line follows."""
    if comments:
        section.entries.append(ConfigEntry("", comments=tuple(comments)))
        comments.clear()


def _add_line(stack: list[_OpenSection], line: str, indent: int, comments: list[str]) -> None:
    """Add a line to its section, and open a section if the line is a heading."""
    words = line.split()
    if words[0] in _INTERFACE:
        words[0] = "interface"
        line = " ".join(words)
    depth, opened = _place(stack, words, indent)
    _close(stack, depth)
    preceding_comments = tuple(comments)
    comments.clear()
    if opened is not None and words[0] != "no":
        stack.append(_OpenSection(opened, line, indent, preceding_comments))
    else:
        stack[-1].entries.append(ConfigEntry(line, comments=preceding_comments))


def _place(stack: list[_OpenSection], words: list[str], indent: int) -> tuple[int, str | None]:
    """The number of sections that stay open for a line, and the kind of section that it opens (with `no`: removes)."""
    bare = words[1:] if words[0] == "no" and len(words) > 1 else words
    for depth in range(len(stack), 0, -1):
        section = stack[depth - 1]
        opened = grammar.opens(section.kind, bare)
        if opened is not None:
            return depth, opened
        if depth > 1 and indent > section.indent and bare[0] not in ("router", "interface", "route-map"):
            break  # its indentation makes it a line of this section
    depth = len(stack)
    while depth > 1 and indent < stack[depth - 1].indent:
        depth -= 1
    return (1 if depth > 1 and grammar.stands_outside(stack[depth - 1].kind, words) else depth), None


def _close(stack: list[_OpenSection], depth: int) -> None:
    while len(stack) > depth:
        done = stack.pop()
        stack[-1].entries.append(done.entry())


def joined_entries(entries: Iterable[ConfigEntry]) -> tuple[ConfigEntry, ...]:
    """The entries with equal sections joined and repeated lines removed."""
    entry_by_key: dict[tuple[bool, str, int], ConfigEntry] = {}
    for number, entry in enumerate(entries):
        key = (bool(entry.kind), entry.key, 0 if entry.text else number)
        earlier = entry_by_key.get(key)
        if earlier is None:
            entry_by_key[key] = entry
        elif entry.kind:
            comments = tuple(dict.fromkeys([*earlier.comments, *entry.comments]))
            below = joined_entries([*earlier.below, *entry.below])
            entry_by_key[key] = replace(earlier, text=entry.text, below=below, comments=comments)
    return tuple(entry_by_key.values())


def joined(texts: Iterable[str]) -> str:
    """One configuration joined from several, such as those of the daemons of one router.

    If a line can occur only once, the first text's line is used: each daemon masks a password in its own form.
    """
    joint: tuple[ConfigEntry, ...] = ()
    for text in texts:
        joint = joined_entries([*joint, *_new_entries(parse(text), joint)])
    return config_text(joint)


def _new_entries(entries: tuple[ConfigEntry, ...], earlier: tuple[ConfigEntry, ...]) -> Iterator[ConfigEntry]:
    """The entries without those whose subject is in `earlier`."""
    earlier_keys = {grammar.key_of(entry.text) for entry in earlier if not entry.kind} - {None}
    sections = {(entry.kind, entry.key): entry.below for entry in earlier if entry.kind}
    for entry in entries:
        if entry.kind:
            yield replace(entry, below=tuple(_new_entries(entry.below, sections.get((entry.kind, entry.key), ()))))
        elif grammar.key_of(entry.text) not in earlier_keys:
            yield entry


def config_text(entries: Iterable[ConfigEntry]) -> str:
    """Entries as text: sections are indented, closed, and separated by "!". Empty for none."""
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
    """The text as FRR writes it: indented, with each section closed and without repetition."""
    return config_text(parse(text))

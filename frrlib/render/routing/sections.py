"""`frr.conf` as sections, to which several protocols can add: an interface is written once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from frrlib.conf.grammar import closer
from frrlib.model.routing import Redistribution

#: A comment for timers that differ from FRR's defaults.
WHY_LAB_TIMERS = "! A lab is small and meant to be watched: it reacts at once. FRR's own timers wait seconds."


class Section(NamedTuple):
    """Some lines of `frr.conf`.

    Attributes:
        header: the line that opens the section ("router ospf"); empty for lines of the top level.
        lines: its lines with their indentation.
    """

    header: str
    lines: tuple[str, ...] = ()


def section(header: str, lines: Iterable[str]) -> Section:
    """A section of any number of lines."""
    return Section(header, tuple(lines))


def top(*lines: str) -> Section:
    """Lines of the top level."""
    return Section("", lines)


def text_of(sections: Iterable[Section]) -> str:
    """The text of sections in their order. Sections with the same header are joined at the position of the first."""
    blocks: dict[str, list[str]] = {}
    for number, (header, lines) in enumerate(sections):
        if header or lines:
            blocks.setdefault(header or f"\0{number}", [header] if header else []).extend(lines)
    for header, block in blocks.items():
        if not header.startswith("\0"):
            block.append(closer(header.split()[0]))
    return "".join("\n".join(block) + "\n!\n" for block in blocks.values())


def redistribution(source: Redistribution, family: str = "", level: str = "") -> str:
    """The line that lets a protocol announce routes of another source.

    Args:
        source: the redistributed source and its settings.
        family: "ipv4 " or "ipv6 " if the protocol needs it, with its blank.
        level: " level-1" or " level-2" if the protocol needs it, with its blank.
    """
    metric = f" metric {source.metric}" if source.metric is not None else ""
    return f"redistribute {family}{source.source}{level}{metric}" + (
        f" route-map {source.route_map}" if source.route_map else ""
    )

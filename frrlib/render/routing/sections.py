"""`frr.conf` as sections, so that several protocols can add to one: an interface is written once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from frrlib.conf.grammar import closer
from frrlib.model.routing import Redistribution

#: A comment beside timers that are not FRR's own.
WHY_LAB_TIMERS = "! A lab is small and meant to be watched: it reacts at once. FRR's own timers wait seconds."


class Section(NamedTuple):
    """Some lines of `frr.conf`.

    Attributes:
        header: the line that opens the section ("router ospf"); empty for lines of the top level.
        lines: what stands in it, each with its indentation.
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
    """The text of sections in their order. Those of one header become one, where the first of them stands."""
    blocks: dict[str, list[str]] = {}
    for number, (header, lines) in enumerate(sections):
        if header or lines:
            blocks.setdefault(header or f"\0{number}", [header] if header else []).extend(lines)
    for header, block in blocks.items():
        if not header.startswith("\0"):
            block.append(closer(header.split()[0]))
    return "".join("\n".join(block) + "\n!\n" for block in blocks.values())


def redistribution(each: Redistribution, family: str = "", level: str = "") -> str:
    """The line that lets a protocol announce routes of another source.

    Args:
        each: what is announced, and how.
        family: "ipv4 " or "ipv6 " where the protocol wants it said, with its blank.
        level: " level-1" or " level-2" where the protocol wants it said, with its blank.
    """
    metric = f" metric {each.metric}" if each.metric is not None else ""
    return f"redistribute {family}{each.source}{level}{metric}" + (
        f" route-map {each.route_map}" if each.route_map else ""
    )

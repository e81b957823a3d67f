"""The reason of each kind of problem, looked up, and all of them as one page (docs/checks.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from textwrap import fill
from types import MappingProxyType

from frrlib.checks.reason import Reason
from frrlib.checks.reasons import addresses, bgp, congestion, drawing, files, flows, hosts, links, routing, switches
from frrlib.errors import TopologyError

__all__ = ["PAGE", "REASONS", "Reason", "anchor", "page", "section"]

#: Where the page of all reasons is, in a checkout.
PAGE = "docs/checks.md"
_AREAS: tuple[tuple[str, Mapping[str, Reason]], ...] = (
    ("Names and cables", drawing.REASONS),
    ("Addresses", addresses.REASONS),
    ("Hosts", hosts.REASONS),
    ("Switches and controllers", switches.REASONS),
    ("Links", links.REASONS),
    ("Congestion control", congestion.REASONS),
    ("Flows and planned faults", flows.REASONS),
    ("Routing", routing.REASONS),
    ("BGP and policies", bgp.REASONS),
    ("Files", files.REASONS),
)
#: Kind of problem to why it is one.
REASONS: Mapping[str, Reason] = MappingProxyType({kind: each for _, area in _AREAS for kind, each in area.items()})
_WIDTH = 120
_HEAD = """\
# Checks

`miniedit-frr check FILE`, the list of problems in the window and the remarks beside fields report the problems below.
An error keeps a lab from running, a warning puts its results in doubt, and a note explains. `check FILE --fix` and the
buttons of the list make the changes that have only one solution. `check FILE --why KIND` prints a section.

Made from `frrlib/checks/reasons` by `docs/tools/make_checks.py`.
"""


def anchor(kind: str) -> str:
    """The place of a kind in the page of all kinds ("docs/checks.md#no-path")."""
    return f"{PAGE}#{kind}"


def section(kind: str) -> Reason:
    """The explanation of a kind of problem.

    Raises:
        TopologyError: there is no such kind; names the nearest ones.
    """
    if kind not in REASONS:
        near = get_close_matches(kind, REASONS, 3)
        right = f"such as {', '.join(near)}" if near else f"one of the headings of {PAGE}"
        raise TopologyError(f"there is no kind of problem {kind!r}", right=right)
    return REASONS[kind]


def page() -> str:
    """All of it, as Markdown: a heading for each area and for each kind."""
    return "\n".join([_HEAD, *(line for title, area in _AREAS for line in _area(title, area))])


def _area(title: str, area: Mapping[str, Reason]) -> Iterator[str]:
    yield f"## {title}\n"
    for kind, reason in area.items():
        yield f"### {kind}\n"
        for text in (f"{reason.means} {reason.matters}", f"*Solution:* {reason.todo}"):
            yield fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False) + "\n"

"""The reasons of all kinds of problems, and a page of them (docs/checks.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from textwrap import fill
from types import MappingProxyType

from frrlib.checks import file_problems
from frrlib.checks.kinds import CheckSubject, Reason
from frrlib.checks.subjects import (
    addresses,
    announcements,
    bfd,
    bottlenecks,
    command_overrides,
    commands,
    ecn,
    external_interfaces,
    faults,
    flows,
    gateways,
    host_tcp,
    hosts,
    isis,
    kernel_modules,
    measuring,
    mpls_and_vrfs,
    multicast,
    openflow,
    ospf,
    ospf_areas,
    policies,
    rip,
    routing,
    static_routes,
    structure,
    traffic,
)
from frrlib.checks.subjects.bgp import missing_routes, propagation, sessions, settings
from frrlib.checks.subjects.links import ends, impairments, queues, values
from frrlib.errors import TopologyError

__all__ = ["PAGE", "REASONS", "Reason", "anchor", "page", "section"]

#: The path of the page of all reasons, in a checkout.
PAGE = "docs/checks.md"
#: The areas of the page, each with its subjects.
_AREAS: tuple[tuple[str, tuple[CheckSubject, ...]], ...] = (
    ("Names and cables", (structure.SUBJECT,)),
    ("Addresses", (addresses.SUBJECT, gateways.SUBJECT)),
    ("Hosts", (hosts.SUBJECT, external_interfaces.SUBJECT, commands.SUBJECT, command_overrides.SUBJECT)),
    ("Switches and controllers", (openflow.SUBJECT,)),
    ("Links", (queues.SUBJECT, impairments.SUBJECT, ends.SUBJECT, values.SUBJECT)),
    (
        "Congestion control",
        (bottlenecks.SUBJECT, ecn.SUBJECT, measuring.SUBJECT, host_tcp.SUBJECT, kernel_modules.SUBJECT),
    ),
    ("Flows and planned faults", (flows.SUBJECT, announcements.SUBJECT, traffic.SUBJECT, faults.SUBJECT)),
    (
        "Routing",
        (
            routing.SUBJECT,
            static_routes.SUBJECT,
            bfd.SUBJECT,
            multicast.SUBJECT,
            mpls_and_vrfs.SUBJECT,
            ospf.SUBJECT,
            ospf_areas.SUBJECT,
            isis.SUBJECT,
            rip.SUBJECT,
        ),
    ),
    (
        "BGP and policies",
        (sessions.SUBJECT, settings.SUBJECT, propagation.SUBJECT, missing_routes.SUBJECT, policies.SUBJECT),
    ),
    ("Files", (file_problems.SUBJECT,)),
)
#: Name of a kind of problem to its reason.
REASONS: Mapping[str, Reason] = MappingProxyType(
    {kind.name: kind.reason for _, subjects in _AREAS for subject in subjects for kind in subject.kinds}
)
#: The end of the explanation of a kind with which a lab can run.
_INTENDED = "An exercise can intend it (`--all-the-same`)."
_WIDTH = 120
_HEAD = """\
# Checks

`miniedit-frr check FILE`, the list of problems in the window and the remarks beside fields report the problems below.
An error keeps a lab from running, a warning puts its results in doubt, and a note explains. `check FILE --fix` and the
buttons of the list make the changes that have only one solution. `check FILE --why KIND` prints a section.

For an exercise, a topology can intend errors that real networks can have, such as a wrong AS number: *Run All the Same*
in the window of *Why?*, or `run FILE --all-the-same`. They are warnings then, and a run goes on without the missing
neighbors and routes, which it names.

Made from `frrlib/checks/subjects` by `docs/tools/make_checks.py`.
"""


def anchor(kind: str) -> str:
    """The link to a kind on the page of all kinds ("docs/checks.md#no-path")."""
    return f"{PAGE}#{kind}"


def section(kind: str) -> Reason:
    """The explanation of a kind of problem.

    Raises:
        TopologyError: the kind is unknown; names the nearest kinds.
    """
    if kind not in REASONS:
        near = get_close_matches(kind, REASONS, 3)
        remedy = f"such as {', '.join(near)}" if near else f"one of the headings of {PAGE}"
        raise TopologyError(f"there is no kind of problem {kind!r}", remedy=remedy)
    return REASONS[kind]


def page() -> str:
    """The page of all reasons as Markdown: a heading for each area and for each kind."""
    return "\n".join([_HEAD, *(line for title, subjects in _AREAS for line in _area(title, subjects))])


def _area(title: str, subjects: Iterable[CheckSubject]) -> Iterator[str]:
    yield f"## {title}\n"
    for name, reason, runs in (kind for subject in subjects for kind in subject.kinds):
        yield f"### {name}\n"
        intent = " " + _INTENDED if runs else ""
        for text in (f"{reason.means} {reason.matters}", f"*Solution:* {reason.todo}{intent}"):
            yield fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False) + "\n"

"""All problems of a drawing, found at once."""

from __future__ import annotations

from frrlib.checks.consequences import folded
from frrlib.checks.facts import Facts, Rule, facts_of
from frrlib.checks.subjects import (
    addresses,
    announcements,
    bfd,
    bgp_sessions,
    bottlenecks,
    command_overrides,
    faults,
    flows,
    hosts,
    isis,
    link_queues,
    measuring,
    openflow,
    ospf,
    policies,
    rip,
    routing,
    structure,
    traffic,
)
from frrlib.errors import TopologyError
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology

__all__ = ["RULES", "Problem", "Severity", "check", "problems_of", "refuse_errors"]

#: Every rule, in the order in which problems are told: names and cables first, for what follows rests on them.
RULES: tuple[Rule, ...] = (
    *structure.RULES,
    *openflow.RULES,
    *hosts.RULES,
    *link_queues.RULES,
    *addresses.RULES,
    *bfd.RULES,
    *routing.RULES,
    *ospf.RULES,
    *isis.RULES,
    *rip.RULES,
    *bgp_sessions.RULES,
    *policies.RULES,
    *flows.RULES,
    *announcements.RULES,
    *traffic.RULES,
    *command_overrides.RULES,
    *bottlenecks.RULES,
    *measuring.RULES,
    *faults.RULES,
)
_ORDER = tuple(Severity)


def check(topology: Topology) -> list[Problem]:
    """Every problem of a topology, errors first; empty for one that is without any.

    Interfaces without addresses are no problem: they get automatic ones, and the rules look at those too. Never raises,
    whatever the values say, and never asks this machine anything.
    """
    return problems_of(facts_of(topology))


def problems_of(facts: Facts) -> list[Problem]:
    """As `check`, of a topology that was looked at already."""
    found = folded(facts, dict.fromkeys(problem for rule in RULES for problem in rule(facts)))
    return sorted(found, key=lambda problem: _ORDER.index(problem.severity))


def refuse_errors(topology: Topology) -> None:
    """Do nothing where `check` finds no error.

    Raises:
        TopologyError: it finds some. The first one is told, and how many more there are.
    """
    errors = [problem for problem in check(topology) if problem.severity == Severity.ERROR]
    if not errors:
        return
    first, more = errors[0], len(errors) - 1
    rest = f" ({more} more {'error' if more == 1 else 'errors'})" if more else ""
    raise TopologyError(first.why + rest, node=first.node, field=first.field, right=first.right)

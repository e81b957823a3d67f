"""All problems of a topology."""

from __future__ import annotations

from frrlib.checks.consequences import without_consequences
from frrlib.checks.facts import Facts, Rule, facts_of, has_own_lines
from frrlib.checks.kinds import CheckSubject
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
from frrlib.interpretation.interpretation import interpreted
from frrlib.model.base import Address
from frrlib.model.nodes import Router
from frrlib.model.problem import REFUSED_LINE, Problem, Severity
from frrlib.model.topology import Topology

__all__ = [
    "RULES", "RUNNABLE", "SUBJECTS", "Problem", "Severity", "check", "problems_of", "refuse_errors",
    "with_intended_errors",
]  # fmt: skip

#: Every subject, in the order in which problems are reported: names and links first, since the others depend on them.
SUBJECTS: tuple[CheckSubject, ...] = (
    structure.SUBJECT,
    openflow.SUBJECT,
    hosts.SUBJECT,
    host_tcp.SUBJECT,
    external_interfaces.SUBJECT,
    queues.SUBJECT,
    impairments.SUBJECT,
    ends.SUBJECT,
    addresses.SUBJECT,
    gateways.SUBJECT,
    bfd.SUBJECT,
    multicast.SUBJECT,
    mpls_and_vrfs.SUBJECT,
    static_routes.SUBJECT,
    routing.SUBJECT,
    ospf.SUBJECT,
    ospf_areas.SUBJECT,
    isis.SUBJECT,
    rip.SUBJECT,
    sessions.SUBJECT,
    settings.SUBJECT,
    propagation.SUBJECT,
    policies.SUBJECT,
    flows.SUBJECT,
    commands.SUBJECT,
    announcements.SUBJECT,
    missing_routes.SUBJECT,
    traffic.SUBJECT,
    command_overrides.SUBJECT,
    bottlenecks.SUBJECT,
    ecn.SUBJECT,
    measuring.SUBJECT,
    kernel_modules.SUBJECT,
    values.SUBJECT,
    faults.SUBJECT,
)
#: Every rule, in the same order.
RULES: tuple[Rule, ...] = tuple(rule for subject in SUBJECTS for rule in subject.rules)
#: The kinds of errors that a topology may intend.
RUNNABLE = frozenset(kind.name for subject in SUBJECTS for kind in subject.kinds if kind.runs)
_ORDER = tuple(Severity)


def check(topology: Topology) -> list[Problem]:
    """Every problem of a topology, errors first.

    Interfaces without addresses are no problem: they get automatic ones, and the rules check those too. Never raises,
    for any values, and reads nothing from this machine.
    """
    return problems_of(facts_of(topology))


def problems_of(facts: Facts) -> list[Problem]:
    """As `check`, for the facts of a topology."""
    problems = _found(facts)
    with_lines = interpreted(facts.topology, _interface_addresses(facts))
    if with_lines is not facts.topology:
        problems = _with_custom_lines(facts, problems, _found(facts_of(with_lines)))
    if intended := RUNNABLE.intersection(facts.topology.intended_problems):
        problems = [_as_warning(problem) if problem.kind in intended else problem for problem in problems]
    return sorted(problems, key=lambda problem: _ORDER.index(problem.severity))


def _interface_addresses(facts: Facts) -> dict[str, dict[str, tuple[Address, ...]]]:
    return {
        router.name: {
            **{end.interface: tuple(end.addresses) for _, end in facts.ends.get(router.name, ())},
            "lo": router.loopbacks,
        }
        for router in facts.routers()
    }


def _found(facts: Facts) -> list[Problem]:
    return without_consequences(facts, dict.fromkeys(problem for rule in RULES for problem in rule(facts)))


def _with_custom_lines(facts: Facts, by_settings: list[Problem], with_lines: list[Problem]) -> list[Problem]:
    """The problems with custom lines read as settings, each at the settings or at the lines that it is about.

    Args:
        facts: the facts of the topology.
        by_settings: the problems of the settings alone. Those that the lines resolve are left out.
        with_lines: the problems with the lines read as settings. Those that only the lines cause are warnings, since
            the remaining lines may resolve them. Notes about lines are left out.
    """
    known = set(by_settings)
    problems = []
    for problem in with_lines:
        if problem in known:
            problems.append(problem)
        elif problem.severity != Severity.NOTE:
            node = facts.nodes.get(problem.node) if problem.about == "node" else None
            has_lines = isinstance(node, Router) and has_own_lines(node)
            field = "frr_conf" if has_lines else problem.field
            problems.append(problem.model_copy(update={"severity": Severity.WARNING, "field": field}))
    return problems


def _as_warning(problem: Problem) -> Problem:
    is_error = problem.severity == Severity.ERROR
    return problem.model_copy(update={"severity": Severity.WARNING}) if is_error else problem


def with_intended_errors(topology: Topology) -> Topology:
    """The topology that intends all its errors of the kinds in `RUNNABLE`, for an exercise. Others stay errors.

    It also intends the lines of its routers' configurations that FRR refuses, which only show later.
    """
    kinds = {problem.kind for problem in check(topology) if problem.severity == Severity.ERROR} & RUNNABLE
    if any(router.frr_conf.strip() for router in topology.routers):
        kinds.add(REFUSED_LINE)
    intended = dict.fromkeys((*topology.intended_problems, *sorted(kinds)))
    return topology.model_copy(update={"intended_problems": tuple(intended)})


def refuse_errors(topology: Topology) -> None:
    """Raise an error if `check` finds errors.

    Raises:
        TopologyError: describes the first error, and gives the number of the others.
    """
    errors = [problem for problem in check(topology) if problem.severity == Severity.ERROR]
    if not errors:
        return
    first, count = errors[0], len(errors) - 1
    suffix = f" ({count} more {'error' if count == 1 else 'errors'})" if count else ""
    raise TopologyError(
        first.message + suffix, node=first.node, about=first.about, field=first.field, remedy=first.remedy
    )

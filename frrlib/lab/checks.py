"""Problems that only show when a topology is rendered, reported before any daemon starts.

They are configuration lines that FRR refuses, and planned faults that daemons or links do not support.
"""

from __future__ import annotations

from frrlib.addressing.resolved import resolved
from frrlib.errors import TopologyError
from frrlib.model.nodes import Router
from frrlib.model.problem import REFUSED_LINE, Problem, Severity, error, warning
from frrlib.model.topology import Topology
from frrlib.place.checker.frr_check import RefusedLine, refused_lines_of_all
from frrlib.render.faults import fault_plans
from frrlib.render.frr import frr_confs


def refused_lines(topology: Topology) -> list[Problem]:
    """A problem for every line of a router's configuration that FRR refuses; none if FRR is not installed.

    Syntax only, by one process for all routers (some hundredths of a second). A problem is a warning if the topology
    intends refused lines, except for lines that vtysh must not read.

    Args:
        topology: without the errors that `check` finds; names and addresses may be missing.
    """
    complete = resolved(topology)
    texts = frr_confs(complete)
    answers = refused_lines_of_all(list(texts.values())) if texts else []
    routers = [router for router in complete.routers if router.name in texts]
    is_intended = REFUSED_LINE in topology.intended_problems
    return [
        _problem(router, line, is_intended) for router, lines in zip(routers, answers, strict=True) for line in lines
    ]


def refused_faults(topology: Topology) -> list[Problem]:
    """An error for every planned fault that cannot be made, because of its daemon or its link.

    Args:
        topology: as in `refused_lines`.
    """
    try:
        fault_plans(resolved(topology))
    except TopologyError as fault:
        return [error("no-fault", fault.node, "faults.target", fault.message, fault.remedy, about=fault.about)]
    return []


def refuse_unsupported(topology: Topology) -> None:
    """Check that FRR accepts all lines and all planned faults can be made. Intended refused lines are accepted.

    Raises:
        TopologyError: the first refused line with the number of further ones, or a fault.
    """
    fault_plans(resolved(topology))
    problems = [problem for problem in refused_lines(topology) if problem.severity == Severity.ERROR]
    if problems:
        first, further = problems[0], len(problems) - 1
        suffix = f" ({further} more {'line' if further == 1 else 'lines'})" if further else ""
        raise TopologyError(first.message + suffix, node=first.node, field=first.field)


def _problem(router: Router, refused: RefusedLine, is_intended: bool) -> Problem:
    own_lines = [" ".join(line.split()) for line in router.frr_conf.splitlines()]
    line = " ".join(refused.line.split())
    if line in own_lines:
        position, field = f"line {own_lines.index(line) + 1}", "frr_conf"
    else:
        position, field = f"line {refused.line_number} of its configuration", ""
    message = f'FRR refuses {position}, "{refused.printable_line}": {refused.reason}'
    if is_intended and not refused.is_withheld:
        return warning(REFUSED_LINE, router.name, field, message, about="node")
    return error(REFUSED_LINE, router.name, field, message, about="node")

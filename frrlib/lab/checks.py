"""Problems that only show when a drawing is rendered, reported before any daemon starts.

That is what FRR itself says of its configurations, and what planned faults ask of daemons and links.
"""

from __future__ import annotations

from collections.abc import Sequence

from frrlib.addressing.resolved import resolved
from frrlib.errors import PlaceError, TopologyError
from frrlib.model import openflow
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem, error
from frrlib.model.topology import Topology
from frrlib.place.checker.frr_check import RefusedLine, refused_lines_of_all
from frrlib.place.port_forwarding import Endpoint
from frrlib.render.faults import fault_plans
from frrlib.render.frr import frr_conf


def refused_lines(topology: Topology) -> list[Problem]:
    """An error for every line of a router's configuration that FRR does not take; none where FRR is not installed.

    Syntax only, by one process for all routers (some hundredths of a second).

    Args:
        topology: without errors of the other kind (`check`); names and addresses may be missing.
    """
    whole = resolved(topology)
    routers = [router for router in whole.routers if router.runs_frr]
    answers = refused_lines_of_all([frr_conf(whole, router) for router in routers]) if routers else []
    return [_problem(router, line) for router, lines in zip(routers, answers, strict=True) for line in lines]


def refused_faults(topology: Topology) -> list[Problem]:
    """An error for every planned fault that cannot be made: its router runs no such daemon, its link is none for it.

    Args:
        topology: as in `refused_lines`.
    """
    try:
        fault_plans(resolved(topology))
    except TopologyError as fault:
        return [error("no-fault", fault.node, "faults.target", fault.why, fault.right)]
    return []


def refuse(topology: Topology) -> None:
    """Do nothing where FRR takes all lines and all faults can be made.

    Raises:
        TopologyError: they do not. Of lines the first one is told, and how many more there are.
    """
    fault_plans(resolved(topology))
    problems = refused_lines(topology)
    if problems:
        first, more = problems[0], len(problems) - 1
        rest = f" ({more} more {'line' if more == 1 else 'lines'})" if more else ""
        raise TopologyError(first.why + rest, node=first.node, field=first.field)


def outside_controllers(topology: Topology, allowed: Sequence[str], *, virtual_time: bool = False) -> tuple[str, ...]:
    """Where controllers outside of a lab are that it may reach, each once and written in one way.

    Args:
        topology: with all addresses.
        allowed: what a person has allowed, as "ADDRESS:PORT".
        virtual_time: whether the lab runs in virtual time, in which nothing outside can be waited for.

    Raises:
        TopologyError: one is not written so, or no controller of the drawing is there.
        PlaceError: the lab runs in virtual time.
    """
    known = {str(Endpoint.parse(where)): names for where, names in openflow.outside(topology).items()}
    found = []
    for text in allowed:
        try:
            where = str(Endpoint.parse(text))
        except ValueError as problem:
            raise TopologyError(f"an allowed controller is not an address: {problem}") from None
        if where not in known:
            right = f"allow {' or '.join(known)}" if known else "allow none: all controllers of the drawing are in it"
            raise TopologyError(
                f"no controller of the topology outside of the lab has the address {where}", right=right
            )
        found.append(where)
    if found and virtual_time:
        raise PlaceError(
            f"a lab in virtual time cannot wait for the controller at {found[0]}", "run the lab in real time"
        )
    return tuple(dict.fromkeys(found))


def _problem(router: Router, refused: RefusedLine) -> Problem:
    own = [" ".join(line.split()) for line in router.frr_conf.splitlines()]
    line = " ".join(refused.line.split())
    if line in own:
        where, field = f"line {own.index(line) + 1}", "frr_conf"
    else:
        where, field = f"line {refused.line_number} of its configuration", ""
    return error("refused-line", router.name, field, f'FRR refuses {where}, "{refused.shown}": {refused.why}')

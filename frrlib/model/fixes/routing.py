"""Fixes of routing: timers, router ids, the AS of a neighbour, what is stated twice or for nobody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from frrlib.model.base import Value
from frrlib.model.fixes.fix import Fix, Fixer, changed, fix, nodes_fix
from frrlib.model.links import End
from frrlib.model.nodes import Node, Router
from frrlib.model.problem import Problem
from frrlib.model.rules.facts import Facts


def _settings(facts: Facts, problem: Problem, label: str, change: Callable[[Any], dict[str, Any]]) -> Fix | None:
    """Other values in the settings of the protocol that a problem's field names; None for those of a VRF."""
    name = problem.field.partition(".")[0]

    def changed_router(node: Any) -> Node | None:
        settings = getattr(node, name, None) if isinstance(node, Router) else None
        after = changed(settings, **change(settings)) if isinstance(settings, Value) else None
        return node.model_copy(update={name: after}) if after is not None else None

    return nodes_fix(f"{label} at {problem.node}", facts.drawn, [problem.node], changed_router)


def _timer(field: str, of: str, times: int) -> Fixer:
    """A fixer of a time after which somebody is given up: so many times that between two signs of life.

    It is made at all routers that have it wrong, for neighbours must agree.
    """

    def fixer(facts: Facts, problem: Problem) -> Fix | None:
        protocol, _, last = problem.field.partition(".")
        if last != field:
            return None

        def change(node: Any) -> Node | None:
            settings: Any = getattr(node, protocol) if isinstance(node, Router) else None
            if not _gives_up(settings, field, of):
                return None
            after = changed(settings, **{field: times * getattr(settings, of)})
            return node.model_copy(update={protocol: after}) if after is not None else None

        names = [router.name for router in facts.routers() if _gives_up(getattr(router, protocol), field, of)]
        label = f"{protocol}: {field.removesuffix('_s')} is {times} times {of.removesuffix('_s')}"
        return nodes_fix(f"{label} at {', '.join(names)}", facts.drawn, names, change)

    return fixer


def _gives_up(settings: Any, field: str, of: str) -> bool:
    """Whether somebody is given up before being heard of again."""
    given, heard = getattr(settings, field, None), getattr(settings, of, None)
    return given is not None and heard is not None and given <= heard


def _own_router_id(facts: Facts, problem: Problem) -> Fix | None:
    field = problem.field.rpartition(".")[2]
    usual = "" if field == "system_id" else None
    return _settings(facts, problem, "an automatic router id", lambda settings: {field: usual})


def _each_source_once(facts: Facts, problem: Problem) -> Fix | None:
    def change(settings: Any) -> dict[str, Any]:
        return {"redistribute": tuple({each.source: each for each in reversed(settings.redistribute)}.values())[::-1]}

    return _settings(facts, problem, "each source once", change)


def _no_bgp_source(facts: Facts, problem: Problem) -> Fix | None:
    def change(settings: Any) -> dict[str, Any]:
        return {"redistribute": tuple(each for each in settings.redistribute if each.source != "bgp")}

    return _settings(facts, problem, "no routes of BGP for BGP", change)


def _real_as(facts: Facts, problem: Problem) -> Fix | None:
    """The AS that the routers behind a router's sessions have, where they are in no VRF and no confederation."""
    router = facts.nodes.get(problem.node)
    if problem.field != "bgp.neighbors" or not isinstance(router, Router) or router.bgp is None:
        return None

    def change(settings: Any) -> dict[str, Any]:
        rows = []
        for told in settings.neighbors:
            peer = facts.router_of(told.address)
            other = peer.bgp if peer is not None else None
            is_plain = other is not None and other.confederation_id is None
            rows.append(told.model_copy(update={"remote_as": other.asn}) if other and is_plain else told)
        return {"neighbors": tuple(rows)}

    if router.bgp.confederation_id is not None:
        return None
    return _settings(facts, problem, "the neighbours' own AS numbers", change)


def _no_cost(facts: Facts, problem: Problem) -> Fix | None:
    def free(end: End) -> End:
        return end.model_copy(update={"ospf_cost": None}) if end.node == problem.node else end

    links = tuple(link.model_copy(update={"a": free(link.a), "b": free(link.b)}) for link in facts.drawn.links)
    return fix(f"no cost for OSPF at {problem.node}", facts.drawn, links=links)


def _announced(facts: Facts, problem: Problem) -> Fix | None:
    """The network that BGP leaves out, added to those that it announces."""
    router = facts.nodes.get(problem.node)
    if problem.field != "bgp.networks" or not isinstance(router, Router):
        return None
    own = (address.network for address in facts.all_addresses(router))
    network = next((each for each in own if f" {each}, " in problem.why), None)
    if network is None:
        return None
    label = f"{network} announced"
    return _settings(facts, problem, label, lambda bgp: {"networks": (*bgp.networks, network)})


FIXERS: dict[str, Fixer] = {
    "ospf-timers": _timer("dead_s", "hello_s", 4),
    "rip-timers": _timer("timeout_s", "update_s", 6),
    "ldp-timers": _timer("hold_s", "hello_s", 3),
    "bgp-timers": _timer("hold_s", "keepalive_s", 3),
    "duplicate-router-id": _own_router_id,
    "duplicate-source": _each_source_once,
    "own-source": _no_bgp_source,
    "wrong-as": _real_as,
    "unused-cost": _no_cost,
    "unannounced": _announced,
}

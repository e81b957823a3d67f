"""Fixes of routing: timers, router IDs, the AS of a neighbor, and repeated or unused settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, Fixer, changed, fix, nodes_fix
from frrlib.model.base import Value
from frrlib.model.links import End
from frrlib.model.nodes import Node, Router
from frrlib.model.problem import Problem


def _settings(facts: Facts, problem: Problem, label: str, change: Callable[[Any], dict[str, Any]]) -> Fix | None:
    """Change settings of the protocol in the field of a problem; None for those of a VRF."""
    name = problem.field.partition(".")[0]

    def changed_router(node: Any) -> Node | None:
        settings = getattr(node, name, None) if isinstance(node, Router) else None
        after = changed(settings, **change(settings)) if isinstance(settings, Value) else None
        return node.model_copy(update={name: after}) if after is not None else None

    return nodes_fix(f"{label} at {problem.node}", facts.drawn, [problem.node], changed_router)


def _timer(field: str, of: str, times: int) -> Fixer:
    """A fixer that sets an expiry time, such as the dead interval, to a multiple of the interval between two hellos.

    It applies to all routers with a wrong value, since neighbors must agree.
    """

    def fixer(facts: Facts, problem: Problem) -> Fix | None:
        protocol, _, last = problem.field.partition(".")
        if last != field:
            return None

        def change(node: Any) -> Node | None:
            settings: Any = getattr(node, protocol) if isinstance(node, Router) else None
            if not _expires_early(settings, field, of):
                return None
            after = changed(settings, **{field: times * getattr(settings, of)})
            return node.model_copy(update={protocol: after}) if after is not None else None

        names = [router.name for router in facts.routers() if _expires_early(getattr(router, protocol), field, of)]
        label = f"{protocol}: set {field.removesuffix('_s')} to {times} times {of.removesuffix('_s')}"
        return nodes_fix(f"{label} at {', '.join(names)}", facts.drawn, names, change)

    return fixer


def _expires_early(settings: Any, field: str, of: str) -> bool:
    """Whether a neighbor or route expires before its next hello or update."""
    expiry_s, interval_s = getattr(settings, field, None), getattr(settings, of, None)
    return expiry_s is not None and interval_s is not None and expiry_s <= interval_s


def _own_router_id(facts: Facts, problem: Problem) -> Fix | None:
    field = problem.field.rpartition(".")[2]
    usual = "" if field == "system_id" else None
    return _settings(facts, problem, "use an automatic router ID", lambda settings: {field: usual})


def _each_source_once(facts: Facts, problem: Problem) -> Fix | None:
    def change(settings: Any) -> dict[str, Any]:
        return {"redistribute": tuple({each.source: each for each in reversed(settings.redistribute)}.values())[::-1]}

    return _settings(facts, problem, "remove the repeated sources", change)


def _no_bgp_source(facts: Facts, problem: Problem) -> Fix | None:
    def change(settings: Any) -> dict[str, Any]:
        return {"redistribute": tuple(each for each in settings.redistribute if each.source != "bgp")}

    return _settings(facts, problem, "remove BGP from its own sources", change)


def _real_as(facts: Facts, problem: Problem) -> Fix | None:
    """Set the AS numbers of a router's neighbors to their actual ones, without VRFs and confederations."""
    router = facts.nodes.get(problem.node)
    if problem.field != "bgp.neighbors" or not isinstance(router, Router) or router.bgp is None:
        return None

    def change(settings: Any) -> dict[str, Any]:
        rows = []
        for neighbor in settings.neighbors:
            peer = facts.router_of(neighbor.address)
            other = peer.bgp if peer is not None else None
            is_plain = other is not None and other.confederation_id is None
            rows.append(neighbor.model_copy(update={"remote_as": other.asn}) if other and is_plain else neighbor)
        return {"neighbors": tuple(rows)}

    if router.bgp.confederation_id is not None:
        return None
    return _settings(facts, problem, "use the actual AS numbers of the neighbors", change)


def _no_cost(facts: Facts, problem: Problem) -> Fix | None:
    def free(end: End) -> End:
        return end.model_copy(update={"ospf_cost": None}) if end.node == problem.node else end

    links = tuple(link.model_copy(update={"a": free(link.a), "b": free(link.b)}) for link in facts.drawn.links)
    return fix(f"remove the OSPF costs at {problem.node}", facts.drawn, links=links)


def _announced(facts: Facts, problem: Problem) -> Fix | None:
    """Add the missing network to the BGP networks."""
    router = facts.nodes.get(problem.node)
    if problem.field != "bgp.networks" or not isinstance(router, Router):
        return None
    own = (address.network for address in facts.all_addresses(router))
    network = next((each for each in own if f" {each}, " in problem.why), None)
    if network is None:
        return None
    label = f"announce {network}"
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

"""Topologies in a short form of the file format, and their problems."""

from __future__ import annotations

from typing import Any

from frrlib.checks.check import Problem, Severity, check
from frrlib.model.flows import Flow
from frrlib.model.topology import Topology

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE


def node(name: str, **fields: Any) -> dict[str, Any]:
    kinds = {"h": "host", "r": "router", "s": "switch", "b": "bridge", "c": "controller"}
    return {"kind": kinds[name[0]], "name": name, **fields}


def end(text: str, **fields: Any) -> dict[str, Any]:
    """ "h1=10.0.0.1/24" is an end at h1 with that address."""
    name, *addresses = text.split("=")
    return {"node": name, "addresses": addresses, **fields}


def link(number: int, a: str, b: str, /, **fields: Any) -> dict[str, Any]:
    ends = {side: end(text, **fields.pop(side, {})) for side, text in (("a", a), ("b", b))}
    return {"id": f"l{number}", **ends, **fields}


def build(nodes: list[Any], links: list[Any] | None = None, **fields: Any) -> Topology:
    all_nodes = [
        node(name_or_fields) if isinstance(name_or_fields, str) else name_or_fields for name_or_fields in nodes
    ]
    return Topology.model_validate({"nodes": all_nodes, "links": links or [], **fields})


def bgp(r1: dict[str, Any] | None, r2: dict[str, Any] | None, **r1_fields: Any) -> Topology:
    """Two routers, 10.9.0.1 and 10.9.0.2, with a network behind each."""
    return build(
        ["h1", node("r1", bgp=r1, **r1_fields), node("r2", bgp=r2), "h2"],
        [
            link(1, "h1=10.1.0.9/24", "r1=10.1.0.1/24"),
            link(2, "r1=10.9.0.1/24", "r2=10.9.0.2/24"),
            link(3, "r2=10.2.0.1/24", "h2=10.2.0.9/24"),
        ],
    )


def with_flow(topology: Topology, source: str = "h1", destination: str = "h2") -> Topology:
    """The topology with one flow."""
    return topology.model_copy(update={"flows": (Flow(id="f", source=source, destination=destination),)})


def peer(address: str, remote_as: int) -> list[dict[str, Any]]:
    return [{"address": address, "remote_as": remote_as}]


GOOD1 = {"asn": 1, "neighbors": peer("10.9.0.2", 2), "networks": ["10.1.0.0/24"]}
GOOD2 = {"asn": 2, "neighbors": peer("10.9.0.1", 1), "networks": ["10.2.0.0/24"]}


def titles(problems: list[Problem]) -> list[tuple[str, Severity, str, str]]:
    return [(problem.kind, problem.severity, problem.node, problem.field) for problem in problems]


def errors(topology: Topology) -> list[str]:
    return [str(problem) for problem in check(topology) if problem.severity is Severity.ERROR]


def complaints(topology: Topology) -> list[str]:
    return [str(problem) for problem in check(topology) if problem.severity is not Severity.NOTE]

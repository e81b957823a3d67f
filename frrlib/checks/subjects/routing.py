"""Settings that all routing protocols share: interfaces, redistribution, router IDs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from frrlib.addressing.domains import Domain
from frrlib.checks.facts import Facts, has_own_lines, router_id
from frrlib.checks.fix import Fix, nodes_fix, protocol_fix
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.checks.subjects.structure import DUPLICATE_INTERFACE
from frrlib.edits.routing_presets import limited_to, ospf_everywhere, timers
from frrlib.model.nodes import Router
from frrlib.model.problem import REFUSED_LINE, Problem
from frrlib.model.protocols.common import IGPS, VERSION_OF
from frrlib.model.sealed import unseal

SUBJECT = CheckSubject()
#: The largest metrics that FRR accepts. Metrics of RIP are hops, and 16 is unreachable (RFC 2453, 3.6). External LSAs
#: of OSPF have 24 bits for it, all of which set mean unreachable (RFC 2328, appendix B). Those of IS-IS have 24 bits.
_LARGEST_METRICS = {
    "rip": 16, "ripng": 16, "ospf": 16_777_214, "ospf6": 16_777_214, "isis": 16_777_215,
}  # fmt: skip
#: Protocols to the sources that they cannot redistribute: themselves, and those of the other address family.
_UNSUPPORTED_SOURCES = {
    "ospf": ("ospf", "ospf6", "ripng"),
    "ospf6": ("ospf6", "ospf", "rip"),
    "isis": ("isis",),
    "rip": ("rip", "ripng", "ospf6"),
    "ripng": ("ripng", "rip", "ospf"),
}
_WITHOUT_SETTINGS = ("connected", "kernel")
SUBJECT.kind(
    REFUSED_LINE,
    "FRR refuses a line of a router's configuration.",
    "FRR would start without the line. A lab does so only if the topology intends it, and then warns.",
    "Correct the line as the message of FRR says. Your own lines are on the router's page frr.conf.",
    runs=True,
)
_LABELS = {"ospf": "OSPF", "ospf6": "OSPFv3", "isis": "IS-IS", "rip": "RIP", "ripng": "RIPng"}
NO_ROUTES = SUBJECT.kind(
    "no-routes",
    "A router with an adjacent router runs no routing daemon, or none for one of the IP versions.",
    "It has routes only to its own networks, so it drops packets for networks behind the other router.",
    "Configure OSPF, BGP or static routes. A preset in the menu configures all routers.",
)
UNREADABLE_SEAL = SUBJECT.kind(
    "unreadable-seal",
    "The settings of a sealed router cannot be read.",
    "A lab would have this router without its settings. The text was changed, or another program wrote it.",
    "Take the router from the file of the exercise again.",
)
NO_INTERFACE = SUBJECT.kind(
    "no-interface",
    "A setting names an interface that the router does not have.",
    "The setting has no effect, or FRR refuses it.",
    "Choose one of the router's interfaces.",
)
FOREIGN_SOURCE = SUBJECT.kind(
    "foreign-source",
    "A protocol redistributes routes of a source that it does not support.",
    "FRR refuses the line.",
    "Choose another source.",
)
NO_SOURCE = SUBJECT.kind(
    "no-source",
    "A protocol redistributes routes of a protocol that does not run on this router.",
    "The source has no routes.",
    "Run that protocol, or remove the source.",
)
LARGE_METRIC = SUBJECT.kind(
    "large-metric",
    "A protocol announces redistributed routes with a metric beyond its largest one.",
    "FRR refuses the line.",
    "Enter a smaller metric, or none for the default.",
)
DUPLICATE_SOURCE = SUBJECT.kind(
    "duplicate-source",
    "A source is listed twice.",
    "The second entry replaces the first.",
    "Remove one of them.",
)
NO_ROUTE_MAP = SUBJECT.kind(
    "no-route-map",
    "A route map is referenced but not defined.",
    "FRR then announces no routes.",
    "Define it, or refer to another route map.",
    runs=True,
)
NO_ROUTER_ID = SUBJECT.kind(
    "no-router-id",
    "A daemon needs a router ID (or system ID), and the router has no IPv4 address from which to derive it.",
    "The daemon does not start the protocol.",
    "Set an ID, or give the router a loopback address.",
)
DUPLICATE_ROUTER_ID = SUBJECT.kind(
    "duplicate-router-id",
    "Two routers have the same router ID (or system ID).",
    "They overwrite each other's link states, and routes flap.",
    "Leave the field empty for an automatic ID, or set another one.",
    runs=True,
)


@SUBJECT.rule(NO_ROUTES)
def routers_without_routes(facts: Facts) -> Iterator[Problem]:
    """A router next to another router has a routing protocol or static routes."""
    for domain in facts.domains:
        routers = [place.node for place in domain.ends if isinstance(place.node, Router)]
        for router in routers:
            if not router.runs_frr and any(neighbor.name != router.name for neighbor in routers):
                message = (
                    "runs no routing daemon and has only routes to its own networks, but another router is next to it"
                )
                yield warning(NO_ROUTES, router.name, "", message, "configure OSPF, BGP or static routes")
            else:
                yield from _check_families(router, _versions(domain), routers)


def _versions(domain: Domain) -> set[int]:
    """The IP versions of the addresses of a net."""
    return {address.version for place in domain.ends for address in place.end.addresses}


def _check_families(router: Router, versions: set[int], routers: list[Router]) -> Iterator[Problem]:
    """A router has routes of each IP version that its neighbors route by an interior protocol, if it has any routes. A
    static route that drops packets leads nowhere."""
    if has_own_lines(router) or router.vrfs or router.bgp:
        return
    for version in sorted(versions):
        others = [other for other in routers if other.name != router.name and _igps(other, version)]
        forwarding = (route for route in router.static_routes if not isinstance(route.via, str))
        routed = _igps(router, version) or any(route.prefix.version == version for route in forwarding)
        if others and not routed and (_igps(router, 10 - version) or router.static_routes):
            protocol = _LABELS[_igps(others[0], version)[0]]
            message = f"has no IPv{version} routes: it does not run {protocol}, which {others[0].name} runs"
            yield warning(NO_ROUTES, router.name, "", message, f"run {protocol} on {router.name}")


def _igps(router: Router, version: int) -> list[str]:
    """The interior protocols of a router that route an IP version."""
    names = [name for name in IGPS if VERSION_OF.get(name, version) == version and getattr(router, name)]
    if router.isis and not (router.isis.ipv4 if version == 4 else router.isis.ipv6):
        names.remove("isis")
    return names


@SUBJECT.rule(UNREADABLE_SEAL)
def seals(facts: Facts) -> Iterator[Problem]:
    """The settings of sealed routers can be read."""
    for router in facts.routers():
        try:
            unseal(router)
        except ValueError as fault:
            yield error(UNREADABLE_SEAL, router.name, "sealed", str(fault), "take it from the exercise's file again")


@SUBJECT.rule(NO_INTERFACE, DUPLICATE_INTERFACE)
def interfaces(facts: Facts) -> Iterator[Problem]:
    """Interfaces in settings exist, belong to the table of the setting, and are listed once."""
    for router in facts.routers():
        links = facts.interface_names(router.name)
        for field, rows in _interface_fields(router):
            valid_names = links if field == "bfd.peers" else ["lo", *links]
            for name in dict.fromkeys(rows):
                if name not in valid_names:
                    remedy = f"choose one of {', '.join(valid_names)}" if valid_names else "link the router"
                    message = f"{router.name} has no interface {name}"
                    yield error(NO_INTERFACE, router.name, field, message, remedy)
                elif rows.count(name) > 1 and not field.startswith("bfd"):
                    message = f"{name} is listed twice"
                    yield error(DUPLICATE_INTERFACE, router.name, field, message, "remove one of them")


def _interface_fields(router: Router) -> Iterator[tuple[str, list[str]]]:
    """Every field with names of interfaces, and the names."""
    for protocol in ("ospf", "ospf6", "isis", "rip", "ripng", "pim"):
        if settings := getattr(router, protocol):
            yield f"{protocol}.interfaces", [row.interface for row in settings.interfaces]
    if router.ldp:
        yield "ldp.interfaces", list(router.ldp.interfaces)
    if router.bfd:
        yield "bfd.peers", [peer.interface for peer in router.bfd.peers if peer.interface]
    for vrf in router.vrfs:
        if vrf.ospf:
            yield f"vrfs.{vrf.name}.ospf.interfaces", [row.interface for row in vrf.ospf.interfaces]


@SUBJECT.rule(LARGE_METRIC)
def redistributed_metrics(facts: Facts) -> Iterator[Problem]:
    """The metrics of redistributed routes fit into the messages of the protocol."""
    for router in facts.routers():
        for protocol, largest in _LARGEST_METRICS.items():
            settings = getattr(router, protocol)
            for row in settings.redistribute if settings else ():
                if row.metric is not None and row.metric > largest:
                    message = f"the metric {row.metric} of {row.source} is above {largest}, the largest of {protocol}"
                    remedy = f"enter a metric up to {largest}, or none for the default"
                    yield error(LARGE_METRIC, router.name, f"{protocol}.redistribute", message, remedy)


@SUBJECT.rule(FOREIGN_SOURCE, DUPLICATE_SOURCE, NO_ROUTE_MAP, NO_SOURCE)
def redistributions(facts: Facts) -> Iterator[Problem]:
    """The sources of redistribution are supported by the protocol, and run on the router."""
    for router in facts.routers():
        maps = {row.name for row in router.route_maps}
        for protocol, foreign in _UNSUPPORTED_SOURCES.items():
            settings = getattr(router, protocol)
            field, sources = f"{protocol}.redistribute", set[str]()
            for row in settings.redistribute if settings else ():
                source = "static_routes" if row.source == "static" else row.source
                if row.source in foreign:
                    message = f"{protocol} cannot redistribute routes of {row.source}"
                    remedy = f"choose a source other than {', '.join(foreign)}"
                    yield error(FOREIGN_SOURCE, router.name, field, message, remedy)
                elif row.source not in _WITHOUT_SETTINGS and not getattr(router, source) and not has_own_lines(router):
                    message = f"there are no {row.source} routes to redistribute"
                    yield warning(NO_SOURCE, router.name, field, message, f"remove {row.source}, or configure it")
                if row.source in sources:
                    message = f"{row.source} is listed twice"
                    yield error(DUPLICATE_SOURCE, router.name, field, message, "remove one of them")
                sources.add(row.source)
                if row.route_map and row.route_map not in maps and f"route-map {row.route_map} " not in router.frr_conf:
                    message = f"the route map {row.route_map} is not defined, so no routes are announced"
                    remedy = "define it, or choose a route map of this router"
                    yield error(NO_ROUTE_MAP, router.name, field, message, remedy)


@SUBJECT.rule(NO_ROUTER_ID, DUPLICATE_ROUTER_ID)
def router_ids(facts: Facts) -> Iterator[Problem]:
    """Every router has a unique router ID, entered or derived from an IPv4 address."""
    for protocol in ("ospf", "ospf6", "bgp"):
        owners: dict[object, str] = {}
        for router in facts.routers():
            settings = getattr(router, protocol)
            if settings is None:
                continue
            identity = router_id(facts, router, settings.router_id)
            field = f"{protocol}.router_id"
            if identity is None:
                message = "there is no IPv4 address from which to derive one"
                yield error(NO_ROUTER_ID, router.name, field, message, "enter a router ID")
            elif owners.setdefault(identity, router.name) != router.name:
                message = f"{owners[identity]} also has the router ID {identity}"
                remedy = "enter another one, or give the router a loopback address"
                yield error(DUPLICATE_ROUTER_ID, router.name, field, message, remedy)


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(NO_ROUTES)
def _run_protocol_of_neighbors(facts: Facts, problem: Problem) -> Fix | None:
    """Run what the routers next to it run with equal settings; OSPF on all routers without daemons if they run none."""
    router = next(router for router in facts.routers() if router.name == problem.node)
    neighbors: dict[str, set[int]] = {}
    for domain in facts.domains:
        names = {place.node.name for place in domain.ends if isinstance(place.node, Router)}
        for name in names - {router.name} if router.name in names else ():
            neighbors.setdefault(name, set()).update(_versions(domain))
    others = [other for other in facts.routers() if other.name in neighbors]
    if not any(other.runs_frr for other in (router, *others)):
        return _run_ospf_without_daemons(facts)
    by_version = {
        version: {
            name: _settings_of_neighbor(getattr(other, name))
            for other in others if version in neighbors[other.name] for name in _igps(other, version)
        }
        for version in (4, 6) if not _igps(router, version)
    }  # fmt: skip
    protocols = {name: settings for offered in by_version.values() for name, settings in offered.items()}
    if not protocols or any(len(offered) > 1 for offered in by_version.values()):
        return None
    label = f"run {' and '.join(_LABELS[name] for name in protocols)} on {router.name}"
    return nodes_fix(label, facts.topology, [router.name], lambda node: node.model_copy(update=protocols))


def _settings_of_neighbor(settings: Any) -> Any:
    """New settings of a protocol with those values of a neighbor that neighbors must agree on."""
    shared = ("area", "level", "ipv4", "ipv6", *timers(type(settings), is_lab=True))
    values = {name: getattr(settings, name) for name in shared if name in type(settings).model_fields}
    return type(settings)(**values)


def _run_ospf_without_daemons(facts: Facts) -> Fix | None:
    names = [router.name for router in facts.routers() if not router.runs_frr]
    label = f"run OSPF on {' and '.join(names) if len(names) < 3 else f'all {len(names)} routers without daemons'}"
    topology = limited_to(facts.topology, ospf_everywhere(facts.topology), names)
    return Fix(label, topology)


@SUBJECT.fix(DUPLICATE_ROUTER_ID)
def _use_automatic_router_id(facts: Facts, problem: Problem) -> Fix | None:
    field = problem.field.rpartition(".")[2]
    usual = "" if field == "system_id" else None
    return protocol_fix(facts, problem, "use an automatic router ID", lambda settings: {field: usual})


@SUBJECT.fix(LARGE_METRIC)
def _use_default_metrics(facts: Facts, problem: Problem) -> Fix | None:
    largest = _LARGEST_METRICS[problem.field.partition(".")[0]]

    def change(settings: Any) -> dict[str, Any]:
        rows = settings.redistribute
        return {
            "redistribute": tuple(
                row.model_copy(update={"metric": None}) if (row.metric or 0) > largest else row for row in rows
            )
        }

    return protocol_fix(facts, problem, "use the default metric", change)


@SUBJECT.fix(DUPLICATE_SOURCE)
def _remove_repeated_sources(facts: Facts, problem: Problem) -> Fix | None:
    def change(settings: Any) -> dict[str, Any]:
        return {"redistribute": tuple({row.source: row for row in reversed(settings.redistribute)}.values())[::-1]}

    return protocol_fix(facts, problem, "remove the repeated sources", change)

"""LDP, and the routing tables of VRFs."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from frrlib.checks.facts import Facts, router_id
from frrlib.checks.fix import Fix, nodes_fix, timer_fixer
from frrlib.checks.kinds import CheckSubject, error, warning
from frrlib.checks.subjects.routing import NO_INTERFACE, NO_ROUTER_ID
from frrlib.interpretation.interpretation import vrfs_without_device
from frrlib.model.nodes import Router
from frrlib.model.problem import Problem
from frrlib.model.protocols.vrf import Vrf, unused_table

SUBJECT = CheckSubject()
#: Numbers of the kernel's own routing tables.
_KERNEL_TABLES = {253: "default", 254: "main", 255: "local"}
LDP_ADDRESS = SUBJECT.kind(
    "ldp-address",
    "The router ID of LDP is not an address of the router.",
    "Other routers connect to it to establish sessions.",
    "Use a loopback address.",
)
LDP_LOOPBACK = SUBJECT.kind(
    "ldp-loopback",
    "The router ID of LDP is the address of a link.",
    "All sessions end when that link goes down.",
    "Use a loopback address.",
)
LDP_ALONE = SUBJECT.kind(
    "ldp-alone",
    "LDP runs without an interior routing protocol.",
    "LDP assigns labels to routes, and the router has none.",
    "Run OSPF or IS-IS as well.",
)
LDP_TIMERS = SUBJECT.kind(
    "ldp-timers",
    "The hold time of LDP is not longer than its hello interval.",
    "Sessions flap, because neighbors expire before the next hello.",
    "Set a hold time of three hello intervals.",
)
VRF_NAME = SUBJECT.kind(
    "vrf-name",
    "A VRF has the name of another VRF or of an interface.",
    "A VRF is a network device, so its name must be unique.",
    "Choose another name.",
)
VRF_TABLE = SUBJECT.kind(
    "vrf-table",
    "Two VRFs have the same routing table, or one uses a table of the kernel.",
    "Their routes would be mixed.",
    "Give the VRF its own table, such as 10.",
)
VRF_INTERFACE = SUBJECT.kind(
    "vrf-interface",
    "An interface is in two VRFs, or the OSPF of a VRF lists an interface that is not in the VRF.",
    "An interface has one routing table.",
    "Remove it from one of them.",
)


VRF_WITHOUT_DEVICE = SUBJECT.kind(
    "vrf-without-device",
    "Lines of a router's configuration name a VRF that the router does not have.",
    "A VRF is a device of the kernel. Without it, FRR accepts the lines, but they have no effect.",
    "Add the VRF with its interfaces.",
)


@SUBJECT.rule(NO_ROUTER_ID, LDP_ALONE, LDP_TIMERS, LDP_ADDRESS, LDP_LOOPBACK)
def ldp(facts: Facts) -> Iterator[Problem]:
    """The router ID of LDP is a loopback address, and an interior protocol provides the routes that get labels."""
    for router in facts.routers():
        if router.ldp is None:
            continue
        identity = router_id(facts, router, router.ldp.router_id)
        own_addresses = [address.ip for address in facts.all_addresses(router)]
        if identity is None:
            message = "there is no IPv4 address from which to derive one"
            yield error(NO_ROUTER_ID, router.name, "ldp.router_id", message, "enter a router ID")
        elif identity not in own_addresses:
            message = f"{identity} is not an address of the router, but other routers connect to it"
            yield error(LDP_ADDRESS, router.name, "ldp.router_id", message, "use a loopback address")
        elif identity not in [address.ip for address in router.loopbacks]:
            message = f"{identity} is not a loopback address, so sessions end when its link goes down"
            yield warning(LDP_LOOPBACK, router.name, "ldp.router_id", message, "use a loopback address")
        if not any((router.ospf, router.isis, router.rip, router.static_routes, router.frr_conf.strip())):
            message = "LDP assigns labels to the routes of an interior protocol, but none runs here"
            yield warning(LDP_ALONE, router.name, "ldp", message, "run OSPF or IS-IS")
        if router.ldp.hold_s <= router.ldp.hello_s:
            message = f"{router.ldp.hold_s} s is not longer than the hello interval of {router.ldp.hello_s} s"
            remedy = f"use a longer time, such as {3 * router.ldp.hello_s} s"
            yield error(LDP_TIMERS, router.name, "ldp.hold_s", message, remedy)


@SUBJECT.rule(VRF_NAME, VRF_TABLE, NO_INTERFACE, VRF_INTERFACE)
def vrfs(facts: Facts) -> Iterator[Problem]:
    """VRFs of a router differ in name and table, and no interface is in two of them."""
    for router in facts.routers():
        links = facts.interface_names(router.name)
        names, tables, vrf_of_interface = set[str](), dict[int, str](), dict[str, str]()
        for vrf in router.vrfs:
            if vrf.name in names or vrf.name in ("lo", "default", *links):
                message = f"{vrf.name} is also the name of another VRF or of an interface"
                yield error(VRF_NAME, router.name, "vrfs", message, "choose another name")
            names.add(vrf.name)
            if vrf.table in _KERNEL_TABLES:
                message = f"{vrf.name} has table {vrf.table}, which the kernel reserves ({_KERNEL_TABLES[vrf.table]})"
                yield error(VRF_TABLE, router.name, "vrfs", message, "choose another table, such as 10")
            elif tables.setdefault(vrf.table, vrf.name) != vrf.name:
                message = f"{vrf.name} and {tables[vrf.table]} both have table {vrf.table}"
                yield error(VRF_TABLE, router.name, "vrfs", message, "give each VRF its own table")
            for name in vrf.interfaces:
                if name not in links:
                    remedy = f"choose one of {', '.join(links)}" if links else "link the router"
                    message = f"{router.name} has no interface {name}"
                    yield error(NO_INTERFACE, router.name, "vrfs", message, remedy)
                elif vrf_of_interface.setdefault(name, vrf.name) != vrf.name:
                    message = f"{name} is in both {vrf_of_interface[name]} and {vrf.name}"
                    yield error(VRF_INTERFACE, router.name, "vrfs", message, "remove it from one of them")
            rows = vrf.ospf.interfaces if vrf.ospf else ()
            for row in rows:
                if row.interface in links and row.interface not in vrf.interfaces:
                    message = f"the OSPF of {vrf.name} lists {row.interface}, which is not in {vrf.name}"
                    yield error(VRF_INTERFACE, router.name, "vrfs", message, f"choose an interface of {vrf.name}")


@SUBJECT.rule(VRF_WITHOUT_DEVICE)
def vrfs_of_lines(facts: Facts) -> Iterator[Problem]:
    """The VRFs that custom lines name exist."""
    for router in facts.routers():
        for name in vrfs_without_device(router):
            message = f"lines of {router.name} name the VRF {name}, which it does not have, so they have no effect"
            yield warning(VRF_WITHOUT_DEVICE, router.name, "vrfs", message, f"add the VRF {name}")


# --- fixes -----------------------------------------------------------------------------------------------------------


SUBJECT.fix(LDP_TIMERS)(timer_fixer("hold_s", "hello_s", 3))


@SUBJECT.fix(VRF_WITHOUT_DEVICE)
def _add_vrf(facts: Facts, problem: Problem) -> Fix | None:
    """Add the VRF with the interfaces that the lines name."""
    router = facts.nodes.get(problem.node)
    if not isinstance(router, Router):
        return None
    links = facts.interface_names(router.name)
    named = vrfs_without_device(router)
    name = next((name for name in named if f" {name}, " in problem.message), None)
    if name is None:
        return None

    def changed(node: Router) -> Router | None:
        members = tuple(interface for interface in named[name] if interface in links)
        try:
            vrf = Vrf(name=name, table=unused_table(node.vrfs), interfaces=members)
        except ValidationError:
            return None
        return node.model_copy(update={"vrfs": (*node.vrfs, vrf)})

    return nodes_fix(f"add the VRF {name}", facts.topology, [router.name], changed)

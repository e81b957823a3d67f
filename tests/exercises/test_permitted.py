"""Only routing, addresses and default routes of a student's topology count; everything else is the exercise's own."""

from __future__ import annotations

from ipaddress import IPv4Interface, ip_address

import pytest

from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.exercise import load
from frrlib.exercises.permitted import permitted
from frrlib.exercises.unused_parts import unused_parts
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, PrivateDirectory, Router
from frrlib.model.permissions import requested_permissions
from frrlib.model.routing import Bgp, StaticRoute
from frrlib.model.topology import KernelParameter, Topology
from frrlib.model.traffic.waiting_kinds import Command
from tests.exercises.samples import SHIPPED, two_as

START = Topology(
    title="start",
    nodes=(Host(name="h1"), Router(name="r1"), Router(name="r2")),
    links=(
        Link(id="l1", a=End(node="h1"), b=End(node="r1")),
        Link(id="l2", a=End(node="r1"), b=End(node="r2"), a_to_b=Shape(rate_mbit=10)),
        Link(id="l3", a=End(node="r1"), b=End(node="r2")),
    ),
)
#: A direction with a queueing discipline of the student's own.
SLOW = Shape(qdiscs=("root handle 1: netem delay 10ms",))


def changed(topology: Topology, node: str, **fields: object) -> Topology:
    """The topology with some fields of a node changed."""
    nodes = tuple(each.model_copy(update=fields) if each.name == node else each for each in topology.nodes)
    return topology.model_copy(update={"nodes": nodes})


def test_routing_and_addresses_count() -> None:
    ends = (End(node="r2", addresses=(IPv4Interface("10.0.0.2/30"),), ospf_cost=7), End(node="r1"))
    links = (START.links[0], Link(id="other", a=ends[0], b=ends[1]), START.links[2])
    route = StaticRoute(prefix="10.0.0.0/8", via="10.0.0.2")  # type: ignore[arg-type]
    own = changed(START.model_copy(update={"links": links}), "r1", bgp=Bgp(asn=1), static_routes=(route,))
    own = changed(own, "h1", default_route=ip_address("10.0.0.1"))
    result = permitted(START, own)
    router, host = result.node("r1"), result.node("h1")
    assert isinstance(router, Router) and isinstance(host, Host)
    assert (router.bgp, router.static_routes) == (Bgp(asn=1), (route,))
    assert str(host.default_route) == "10.0.0.1"
    link = result.links[1]
    assert (link.id, link.a.node, link.a.addresses, link.b.addresses) == ("l2", "r1", (), ends[0].addresses)
    assert (link.b.ospf_cost, link.a_to_b.rate_mbit) == (7, 10)


def test_nothing_else_counts() -> None:
    own = changed(START, "h1", start_command="rm -rf ~", stop_command="x", cpu_percent=50.0,
                  private_directories=(PrivateDirectory(path="/etc", persistent="/home"),),
                  external_interfaces=("eth0",))  # fmt: skip
    own = changed(own, "r1", start_command=":(){ :|:& };:")
    own = own.model_copy(
        update={
            "title": "mine", "shown_folders": ("~",), "copied_folders": ("/",), "kernel_modules": ("tcp_evil.c",),
            "kernel_parameters": (KernelParameter(name="tcp_bbr3.beta", value=1),), "intended_problems": ("x",),
            "links": tuple(link.model_copy(update={"a_to_b": SLOW}) for link in START.links),
        }
    )  # fmt: skip
    assert requested_permissions(own) != ()
    assert permitted(START, own) == START
    assert unused_parts(START, own) == (
        "1 start command of h1 was not run", "1 stop command of h1 was not run",
        "changed settings of h1 were not used (external interfaces, private directories, cpu percent)",
        "1 start command of r1 was not run",
        "changed values of the link between h1 and r1 were not used (qdiscs)",
        "changed values of the link between r1 and r2 were not used (rate mbit, qdiscs)",
        "changed values of the link between r1 and r2 were not used (qdiscs)",
        "1 folder was not shown to the lab", "1 folder was not copied into the lab",
        "1 kernel module was not compiled and not loaded", "1 kernel parameter was not set",
    )  # fmt: skip


def test_parts_that_do_not_count_are_named() -> None:
    submitted = changed(START, "r1", start_command="a\n\n b\n", x=5.0, label="mine", bgp=Bgp(asn=1))
    assert unused_parts(START, submitted) == ("2 start commands of r1 were not run",)
    assert unused_parts(changed(START, "r1", start_command="a"), changed(START, "r1", start_command="a")) == ()
    locked = ("changed settings of r1 were not used, because it is locked",)
    assert unused_parts(START, changed(START, "r1", bgp=Bgp(asn=1)), ("r1",)) == locked
    flow = Flow(id="f1", source="h1", destination="r1", traffic=Command(command="x", server="y"))
    bulk = Flow(id="f2", source="h1", destination="r1")
    with_flows = START.model_copy(update={"flows": (bulk,)})
    submitted = START.model_copy(update={"flows": (flow, bulk.model_copy(update={"congestion_control": "bbr"}))})
    assert unused_parts(with_flows, submitted) == ("2 commands of flows were not run", "1 changed flow was not used")
    assert unused_parts(with_flows, submitted, (), ("congestion-control",)) == ("2 commands of flows were not run",)
    hosts = tuple(Host(name=f"h{number}", cpu_percent=5.0) for number in range(50))
    start = Topology(nodes=tuple(Host(name=host.name) for host in hosts))
    clauses = unused_parts(start, Topology(nodes=hosts))
    assert (len(clauses), clauses[-1]) == (31, "20 more parts were not used")


@pytest.mark.parametrize("name", sorted(path.parent.name for path in SHIPPED.glob("*/exercise.toml")))
def test_every_part_of_a_reference_counts(name: str) -> None:
    student = load(SHIPPED / name).of_student("7")
    assert student.unused_parts(student.start()) == ()
    for chapter in student.exercise.content.chapters if student.exercise.has_solution else ():
        reference = student.reference(chapter)
        assert student.unused_parts(reference) == ()


def test_locked_nodes_keep_settings_and_addresses() -> None:
    start = two_as().of_student("1").start()
    links = tuple(
        link.model_copy(update={side: end.model_copy(update={"addresses": (IPv4Interface("9.9.9.9/8"),)})})
        for link in start.links
        for side, end in (("b" if link.b.node == "h3" else "a", link.b if link.b.node == "h3" else link.a),)
    )
    own = changed(start.model_copy(update={"links": links}), "h1", default_route=ip_address("9.9.9.9"))
    result = permitted(start, own, ("h1", "h3", "r1", "r2"))
    assert result == start
    assert permitted(start, own) != start


@pytest.mark.parametrize(
    ("own", "reason"),
    [
        (START.model_copy(update={"nodes": START.nodes[1:]}), "the host h1 is missing"),
        (START.model_copy(update={"nodes": (*START.nodes, Host(name="h2"))}), "the node h2 was added"),
        (START.model_copy(update={"nodes": (*START.nodes, Router(name="r1"))}), "two nodes have one name"),
        (START.model_copy(update={"nodes": (Router(name="h1"), *START.nodes[1:])}), "the host h1 is missing"),
        (START.model_copy(update={"links": START.links[:2]}), "a link between r1 and r2 is missing"),
        (
            START.model_copy(update={"links": (*START.links, Link(id="l9", a=End(node="h1"), b=End(node="r2")))}),
            "a link between h1 and r2 was added",
        ),
    ],
)
def test_another_network_is_refused(own: Topology, reason: str) -> None:
    with pytest.raises(ExerciseError, match=reason):
        permitted(START, own)

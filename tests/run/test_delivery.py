"""A flow that delivers nothing fails its run, unless a fault explains it or somebody said so."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.formats import mn
from frrlib.model.faults import Fault
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology, Wait
from frrlib.model.traffic.kinds import ConstantRate
from frrlib.network.network import Network, end
from frrlib.run.delivery import explained_failure, undelivered_flows
from frrlib.run.run import RunSettings
from frrlib.run.run import run as run_lab
from frrlib.wire.plan import FlowPlan
from tests.cli.commands import invoke
from tests.examples.data import EXAMPLES

NOTHING = {"end": {"sum_sent": {"bytes": 10}, "sum_received": {"bytes": 0}}}


def plan(name: str = "f", start_s: float = 2.0, duration_s: float = 3.0) -> FlowPlan:
    return FlowPlan(name, "h1", "h2", "10.0.0.2", 5201, 40001, "cubic", start_s, duration_s)


@pytest.mark.parametrize(
    ("report", "is_nothing"),
    [
        (NOTHING, True),
        ({"end": {"sum_received": {"bytes": 1}}}, False),
        ({"kind": "ping", "end": {}, "sent": 3, "received": 0}, True),
        ({"kind": "ping", "end": {}, "sent": 3, "received": 1}, False),
        ({"kind": "request-response", "end": {}, "requests": 4, "failed": 4}, True),
        ({"kind": "web-page", "end": {}, "loads": 4, "failed": 3}, False),
        ({"kind": "command", "end": {}, "status": 0}, False),
        ({"end": {"sum_received": None}}, False),
    ],
)
def test_reports_of_all_kinds_contain_the_delivered_amount(report: dict[str, object], is_nothing: bool) -> None:
    assert bool(undelivered_flows([plan()], {"f": report})) is is_nothing


def test_a_fault_before_the_flows_end_explains_it() -> None:
    cut, late = Fault(kind="link-down", target="l1", time_s=4.9), Fault(kind="link-down", target="l1", time_s=5.0)
    assert undelivered_flows([plan()], {"f": NOTHING}, [cut]) == []
    assert undelivered_flows([plan()], {"f": NOTHING}, [late]) != []
    assert undelivered_flows([plan("f"), plan("g")], {"f": NOTHING, "g": NOTHING}, [], ["f"]) == [
        "flow g delivered nothing: no data of h1 arrived at h2"
    ]


@pytest.mark.lab
def test_a_run_names_the_flow_that_delivered_nothing(tmp_path: Path) -> None:
    # Frames to an address that no interface has, so that h2's kernel drops them.
    elsewhere = "ip neighbor replace 10.0.0.2 lladdr 02:00:00:00:00:99 dev h1-eth0 nud permanent"
    hosts = (Host(name="h1", start_command=elsewhere), Host(name="h2"))
    flows = tuple(
        Flow(id=name, source="h1", destination="h2", duration_s=0.5, traffic=ConstantRate()) for name in ("one", "two")
    )
    links = (Link(id="l1", a=End(node="h1", addresses=("10.0.0.1/24",)), b=End(node="h2", addresses=("10.0.0.2/24",))),)
    topology = Topology(nodes=hosts, links=links, flows=flows, wait=Wait(ping_count=0))
    settings = RunSettings(place="namespace", sample_hz=10, silent_flows=("two",))
    outcome = run_lab(topology, mn.dumps(topology), tmp_path / "out", settings, figure=False)
    assert outcome.failures == ["flow one delivered nothing: no data of h1 arrived at h2"]


def test_a_line_that_frr_refuses_is_wrong_input_before_anything_starts(tmp_path: Path) -> None:
    topology = mn.load(EXAMPLES / "two-as-no-delay.mn").topology
    wrong = [node.model_copy(update={"frr_conf": "router ospfff"}) if node.name == "r1" else node
             for node in topology.nodes]  # fmt: skip
    file = tmp_path / "wrong.mn"
    mn.save(topology.model_copy(update={"nodes": tuple(wrong)}), file)
    done = invoke("run", file, "--place", "namespace", "--out", tmp_path / "out", "--trust")
    assert done.exit_code == 2, done.output
    assert "router ospfff" in done.output
    assert not (tmp_path / "out").exists()


def test_the_cause_that_the_checks_know_follows_the_failure() -> None:
    network = Network("without routes")
    for host, router, subnet in (("h1", "r1", "10.1.0"), ("h2", "r2", "10.2.0")):
        network.host(host)
        network.router(router)
        network.link(end(host, f"{subnet}.10/24"), end(router, f"{subnet}.1/24"))
    network.link(end("r1", "10.0.0.1/24"), end("r2", "10.0.0.2/24"))
    network.flow("f1", "h1", "h2")
    network.flow("f2", "h1", "r1")
    missing = explained_failure(network.topology, "h1", "h2", "no ping came back")
    assert missing.startswith(
        "no ping came back. `miniedit-frr check` names the cause: r1: will have no route to 10.2.0.0"
    )
    assert explained_failure(network.topology, "h1", "r1", "no ping came back") == "no ping came back"

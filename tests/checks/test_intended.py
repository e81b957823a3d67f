"""Errors that a topology intends, as an exercise does: warnings for everybody, and a lab that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.checks.check import RUNNABLE, check, with_intended_errors
from frrlib.checks.explanations import REASONS
from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Wait, end
from frrlib.results.statistics.summary import load_summary
from tests.cli.commands import command_output, invoke


def exercise() -> Topology:
    """h1 - r1 - r2, where r1 and r2 have different hello intervals, and a flow from h1 to h2, both at r1."""
    net = Network("Timers", wait=Wait(timeout_s=20))
    for name, hello_s in (("r1", 5), ("r2", 7)):
        net.router(name, ospf={"hello_s": hello_s, "dead_s": 40})
    net.host("h1")
    net.host("h2")
    net.link("r1", "r2")
    for host in ("h1", "h2"):
        net.link(host, end("r1"), both=Shape(rate_mbit=10, delay_ms=5))
    net.flow("f", "h1", "h2", duration_s=2)
    return net.topology


def severities(topology: Topology) -> dict[str, str]:
    return {problem.kind: problem.severity.value for problem in check(topology)}


def test_intended_errors_are_warnings() -> None:
    topology = exercise()
    assert severities(topology)["ospf-mismatch"] == "error"
    intended = with_intended_errors(topology)
    assert intended.intended_problems == ("ospf-mismatch",)
    assert severities(intended)["ospf-mismatch"] == "warning"
    assert with_intended_errors(intended) == intended
    assert mn.loads(mn.dumps(intended)).topology == intended


def test_errors_with_which_no_lab_runs_stay_errors() -> None:
    topology = exercise().model_copy(update={"intended_problems": ("duplicate-name", "ospf-mismatch")})
    twice = topology.model_copy(update={"nodes": (*topology.nodes, topology.nodes[0])})
    assert severities(twice)["duplicate-name"] == "error"
    unintended = twice.model_copy(update={"intended_problems": ()})
    assert "duplicate-name" not in with_intended_errors(unintended).intended_problems


def test_each_such_kind_has_an_explanation() -> None:
    assert REASONS.keys() >= RUNNABLE
    assert len(RUNNABLE) > 15


def unannounced_network() -> Topology:
    """r1 - r2, two AS; r1 announces a network that it does not have."""
    net = Network("Network")
    neighbors = [{"address": f"192.0.2.{number}", "remote_as": 65000 + number} for number in (1, 2)]
    net.router("r1", bgp={"asn": 65001, "neighbors": neighbors[1:], "networks": ["198.51.100.0/24"]})
    net.router("r2", bgp={"asn": 65002, "neighbors": neighbors[:1]})
    net.link(end("r1", "192.0.2.1/30"), end("r2", "192.0.2.2/30"))
    return net.topology


def loopback_without_source() -> Topology:
    """r1 - r2 with OSPF and an internal session between their loopback addresses, without update sources."""
    net = Network("Session")
    for number, other in ((1, 2), (2, 1)):
        neighbor = {"address": f"192.0.2.{other}", "remote_as": 65001}
        bgp = {"asn": 65001, "neighbors": [neighbor]}
        net.router(f"r{number}", loopbacks=[f"192.0.2.{number}/32"], ospf={}, bgp=bgp)
    net.link("r1", "r2")
    return net.topology


@pytest.mark.parametrize(
    ("topology", "kind"), [(unannounced_network(), "unknown-network"), (loopback_without_source(), "wrong-source")]
)
def test_a_mistake_with_which_frr_starts_can_be_intended(topology: Topology, kind: str) -> None:
    """FRR accepts these lines, so a student's network with them gets a lab."""
    assert severities(topology)[kind] == "error"
    intended = with_intended_errors(topology)
    assert intended.intended_problems == (kind,)
    assert severities(intended)[kind] == "warning"


@pytest.mark.parametrize("name", ["A", "-x", "a b", "", "x" * 61])
def test_only_names_of_kinds_are_accepted(name: str) -> None:
    text = mn.dumps(with_intended_errors(exercise())).replace('"ospf-mismatch"', f'"{name}"')
    with pytest.raises(TopologyError, match="intended_problems"):
        mn.loads(text)


@pytest.mark.lab
def test_a_run_warns_of_the_mistake_and_measures_the_flow(virtual_time: None, tmp_path: Path) -> None:
    file = tmp_path / "timers.mn"
    file.write_text(mn.dumps(exercise()))
    refused = invoke("run", file, "--virtual-time", "--trust", "--out", tmp_path / "refused")
    assert refused.exit_code == 2
    assert "run and start accept it with --all-the-same" in refused.output
    out = tmp_path / "out"
    printed = command_output("run", file, "--virtual-time", "--trust", "--out", out, "--all-the-same")
    assert "the hello interval is 7 s here, but 5 s at r1 (r1-eth0): they form no adjacency" in printed
    assert load_summary(out).flows[0].goodput_mbit == pytest.approx(9.5, rel=0.1)
    assert "O>*" not in (out / "logs/r1.routes.txt").read_text()
    assert mn.load(out / "topology.mn").topology.intended_problems == ("ospf-mismatch",)

"""OSPF and IS-IS over links whose MTU is small or differs, compared with FRR itself."""

from __future__ import annotations

import pytest

from frrlib.checks.check import check
from frrlib.expect.expectation import lab_clock
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from frrlib.network import Network, end

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]


def _ospf_pairs() -> Topology:
    """Links with MTUs of 1400 and 1500 bytes; `mtu_ignore` at no end, at the smaller one, and at the larger one."""
    network = Network("MTU")
    for number, ignoring in enumerate(("", "small", "large")):
        for kind in ("small", "large"):
            name = f"{kind}{number}"
            rows = [{"interface": f"{name}-eth0", "mtu_ignore": kind == ignoring}]
            network.router(name, ospf={"interfaces": rows})
        network.link(
            end(f"small{number}", f"10.0.{number}.1/24", mtu_bytes=1400), end(f"large{number}", f"10.0.{number}.2/24")
        )
    return network.topology


def test_only_the_end_with_the_smaller_mtu_has_to_ignore_it() -> None:
    topology = _ospf_pairs()
    named = {problem.node for problem in check(topology) if problem.kind == "ospf-mismatch"}
    intended = topology.model_copy(update={"intended_problems": ("ospf-mismatch",)})
    with Lab(intended, place="labkernel", virtual_time=True) as lab:
        lab_clock.get().sleep(60)
        states = {number: lab[f"small{number}"].vtysh("show ip ospf neighbor") for number in range(3)}
    assert {f"large{number}" for number, text in states.items() if "Full" not in text} == named == {"large0", "large2"}


def test_a_hello_interval_of_a_line_sets_the_dead_interval() -> None:
    network = Network("Hello")
    network.router("r1", ospf={}, frr_conf="interface r1-eth0\n ip ospf hello-interval 3\n")
    network.router("r2", ospf={})
    network.link(end("r1", "10.0.0.1/24"), end("r2", "10.0.0.2/24"))
    dead = next(problem.message for problem in check(network.topology) if "dead interval" in problem.message)
    with Lab(network.topology, place="labkernel", virtual_time=True) as lab:
        text = lab["r1"].vtysh("show ip ospf interface r1-eth0")
    assert "Hello 3s, Dead 12s" in text and "12 s" in dead


def test_isis_runs_over_a_small_mtu_with_small_link_states() -> None:
    network = Network("LSP")
    for name in ("r1", "r2"):
        network.router(name, isis={"lsp_mtu_bytes": 1300})
    network.link(end("r1", "10.0.0.1/24", mtu_bytes=1400), end("r2", "10.0.0.2/24", mtu_bytes=1400))
    assert check(network.topology) == []
    with Lab(network.topology, place="labkernel", virtual_time=True) as lab:
        lab.wait_converged(timeout_s=60)
        assert "Up" in lab["r1"].vtysh("show isis neighbor")

"""Flows of our own senders with killed processes: the flow fails at once, and the others continue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from frrlib import wire
from frrlib.wire.plan import FlowPlan
from tests.agent.harness import RequestRefused, RunningAgent
from tests.agent.plans import two_as

pytestmark = pytest.mark.lab

ADDRESS = "10.1.0.1"
_LASTS_S = 2.0


@pytest.fixture(scope="module")
def lab() -> Iterator[RunningAgent]:
    """h1 - r1 - r2 - h2, on the running kernel."""
    with RunningAgent() as inside:
        inside.do(wire.Build(two_as()))
        yield inside


def plan(name: str, number: int, kind: str, transport: str, **settings: Any) -> FlowPlan:
    return FlowPlan(
        name, "h1", "r1", ADDRESS, 5201 + number, 40_001 + number, "", 0.0, _LASTS_S, kind=kind, transport=transport,
        settings=settings,
    )  # fmt: skip


def command(line: str) -> FlowPlan:
    return plan("c", 0, "command", "", command=line, server="", reads="nothing", pattern="")


ECHO = plan("p", 1, "ping", "icmp", interval_ms=100.0, payload_bytes=56)


def test_an_end_that_is_killed_fails_its_flow_alone(lab: RunningAgent) -> None:
    result = lab.do(wire.RunFlows((command("kill -9 $PPID"), ECHO)))
    assert result["failures"] == {"c": "h1: flow c: its process was killed by signal 9"}
    assert result["flows"]["p"]["received"] == _LASTS_S / 0.1


def test_a_node_whose_sender_is_killed_fails_all_its_flows_at_once(lab: RunningAgent) -> None:
    result = lab.do(wire.RunFlows((command("kill -9 $(ps -o ppid= -p $PPID); sleep 60"), ECHO)))
    assert set(result["failures"]) == {"c", "p"}
    assert all("the process that sends has ended" in reason for reason in result["failures"].values())


def test_a_failing_command_is_reported_with_its_output(lab: RunningAgent) -> None:
    result = lab.do(wire.RunFlows((command("echo no luck; exit 3"),)))
    assert result["failures"] == {"c": "h1: flow c: the command ended with status 3: no luck"}


def test_a_port_in_use_is_reported_before_any_flow_starts(lab: RunningAgent) -> None:
    rate = plan("a", 0, "constant-rate", "udp", rate_mbit=1.0, payload_bytes=100)
    with pytest.raises(RequestRefused, match=r"flow [ab]: .*Address already in use"):
        lab.do(wire.RunFlows((rate, plan("b", 0, "constant-rate", "udp", rate_mbit=1.0, payload_bytes=100))))
    assert lab.do(wire.RunFlows((rate,)))["failures"] == {}


def test_a_receiver_ends_without_the_senders_reset(lab: RunningAgent) -> None:
    bulk = replace(plan("b", 2, "bulk", "tcp", rate_mbit=None, notsent_lowat_bytes=None), tool="own")
    nowhere = f"blackhole {ADDRESS}"
    cut = command(f"sleep 1; ip route add {nowhere}; sleep 2; ip route del {nowhere}")
    result = lab.do(wire.RunFlows((bulk, replace(cut, duration_s=4.0))))
    assert result["failures"] == {}
    sums = result["flows"]["b"]["end"]
    assert sums["sum_sent"]["bytes"] >= sums["sum_received"]["bytes"] > 0

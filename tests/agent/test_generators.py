"""Flows of our own senders whose processes somebody kills: the flow has failed at once, and the others go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from frrlib import wire
from frrlib.wire.plan import FlowPlan
from tests.agent.harness import Inside, Refused
from tests.agent.plans import two_as

pytestmark = pytest.mark.lab

ADDRESS = "10.1.0.1"
_LASTS_S = 2.0


@pytest.fixture(scope="module")
def lab() -> Iterator[Inside]:
    """h1 - r1 - r2 - h2, on the kernel that runs here."""
    with Inside() as inside:
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


def test_an_end_that_is_killed_fails_its_flow_alone(lab: Inside) -> None:
    result = lab.do(wire.RunFlows((command("kill -9 $PPID"), ECHO)))
    assert result["failures"] == {"c": "h1: flow c: its process was killed by signal 9"}
    assert result["flows"]["p"]["received"] == _LASTS_S / 0.1


def test_a_node_whose_sender_is_killed_fails_all_its_flows_at_once(lab: Inside) -> None:
    result = lab.do(wire.RunFlows((command("kill -9 $(ps -o ppid= -p $PPID); sleep 60"), ECHO)))
    assert set(result["failures"]) == {"c", "p"}
    assert all("the process that sends has ended" in why for why in result["failures"].values())


def test_a_command_that_fails_says_what_it_said(lab: Inside) -> None:
    result = lab.do(wire.RunFlows((command("echo no luck; exit 3"),)))
    assert result["failures"] == {"c": "h1: flow c: the command ended with status 3: no luck"}


def test_a_port_that_is_taken_is_told_before_anything_starts(lab: Inside) -> None:
    rate = plan("a", 0, "constant-rate", "udp", rate_mbit=1.0, payload_bytes=100)
    with pytest.raises(Refused, match=r"flow [ab]: .*Address already in use"):
        lab.do(wire.RunFlows((rate, plan("b", 0, "constant-rate", "udp", rate_mbit=1.0, payload_bytes=100))))
    assert lab.do(wire.RunFlows((rate,)))["failures"] == {}


def test_a_receiver_ends_though_the_senders_reset_never_comes(lab: Inside) -> None:
    bulk = replace(plan("b", 2, "bulk", "tcp", rate_mbit=None, notsent_lowat_bytes=None), tool="own")
    nowhere = f"blackhole {ADDRESS}"
    cut = command(f"sleep 1; ip route add {nowhere}; sleep 2; ip route del {nowhere}")
    result = lab.do(wire.RunFlows((bulk, replace(cut, duration_s=4.0))))
    assert result["failures"] == {}
    sums = result["flows"]["b"]["end"]
    assert sums["sum_sent"]["bytes"] >= sums["sum_received"]["bytes"] > 0

"""The start of many routers in a lab kernel: timers are patient meanwhile, and have the requested values afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from frrlib import wire
from frrlib.agent.frr.startup import LABKERNEL
from frrlib.edits.generators import grid
from frrlib.edits.routing_presets import lab_timers_everywhere, ospf_everywhere
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology

pytestmark = pytest.mark.lab

FEWEST = LABKERNEL.fewest
#: Two corners of the grid. The first one logs the commands that its daemons execute.
LOGGING, CORNER = "r1", f"r{FEWEST}"


def _topology() -> Topology:
    topology = lab_timers_everywhere(ospf_everywhere(grid(4, FEWEST // 4)))
    nodes = [
        node.model_copy(update={"frr_conf": "log commands\n"}) if node.name == LOGGING else node
        for node in topology.nodes
    ]
    return topology.model_copy(update={"nodes": tuple(nodes)})


@pytest.fixture(scope="module")
def started() -> Iterator[tuple[Lab, list[wire.Message]]]:
    messages: list[wire.Message] = []
    with Lab(_topology(), place="labkernel", listener=messages.append) as lab:
        lab.wait_routes(120)
        yield lab, messages


def test_the_patient_start_is_reported(started: tuple[Lab, list[wire.Message]]) -> None:
    steps = [message for message in started[1] if isinstance(message, wire.StepEvent) and message.name == "neighbours"]
    assert [step.state for step in steps] == ["start", "done"]
    assert f"{FEWEST} routers" in steps[0].text
    assert "timers of the topology" in steps[1].text


def test_dead_intervals_are_long_during_the_start_and_restored_afterwards(
    started: tuple[Lab, list[wire.Message]],
) -> None:
    """The log of a daemon contains all executed commands."""
    log = started[0][LOGGING].run("cat", "/var/log/frr/ospfd.log")
    commands = [line.rpartition("# ")[2] for line in log.splitlines() if "dead-interval" in line]
    assert commands == [*["ip ospf dead-interval 44"] * 2, *["ip ospf dead-interval 4"] * 2]


@pytest.mark.parametrize("router", [LOGGING, CORNER])
def test_daemons_have_the_requested_timers(router: str, started: tuple[Lab, list[wire.Message]]) -> None:
    node = started[0][router]
    interfaces = json.loads(node.vtysh("show ip ospf interface json"))["interfaces"].values()
    linked = [interface for interface in interfaces if interface["networkType"] == "POINTOPOINT"]
    assert len(linked) == 2  # the router is at a corner
    assert {interface["timerDeadSecs"] for interface in linked} == {4}
    neighbors = json.loads(node.vtysh("show ip ospf neighbor json"))["neighbors"]
    dead = ("deadTimeMsecs", "routerDeadIntervalTimerDueMsec")  # the names in FRR 8 and in FRR 10
    dead_times_ms = [
        adjacency.get(dead[0], adjacency.get(dead[1]))
        for adjacencies in neighbors.values()
        for adjacency in adjacencies
    ]
    assert len(dead_times_ms) == 2 and max(dead_times_ms) <= 4000
    running = node.vtysh("show running-config").splitlines()
    assert running.count(" timers throttle spf 10 50 500") == 1
    assert running.count(" ip ospf dead-interval 4") == 2
    assert not [line for line in running if "dead-interval 44" in line]


def test_the_patient_timers_are_in_no_file_and_no_change(started: tuple[Lab, list[wire.Message]]) -> None:
    lab = started[0]
    assert "dead-interval 4\n" in lab[CORNER].run("cat", "/etc/frr/frr.conf")
    assert lab[CORNER].running_config().typed() == []

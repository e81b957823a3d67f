"""A start of many routers in a lab kernel: they are patient meanwhile, and have the drawn timers afterwards."""

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
#: Two corners of the grid; the first one logs the commands that its daemons take.
LOGGING, CORNER = "r1", f"r{FEWEST}"


def _drawing() -> Topology:
    topology = lab_timers_everywhere(ospf_everywhere(grid(4, FEWEST // 4)))
    nodes = [
        node.model_copy(update={"frr_conf": "log commands\n"}) if node.name == LOGGING else node
        for node in topology.nodes
    ]
    return topology.model_copy(update={"nodes": tuple(nodes)})


@pytest.fixture(scope="module")
def started() -> Iterator[tuple[Lab, list[wire.Message]]]:
    heard: list[wire.Message] = []
    with Lab(_drawing(), place="labkernel", listener=heard.append) as lab:
        lab.wait_routes(120)
        yield lab, heard


def test_it_is_told(started: tuple[Lab, list[wire.Message]]) -> None:
    steps = [each for each in started[1] if isinstance(each, wire.StepEvent) and each.name == "neighbours"]
    assert [each.state for each in steps] == ["start", "done"]
    assert f"{FEWEST} routers" in steps[0].text
    assert "drawn timers" in steps[1].text


def test_they_were_patient_and_are_no_more(started: tuple[Lab, list[wire.Message]]) -> None:
    """By the log of a daemon, which says what it took and from where."""
    log = started[0][LOGGING].run("cat", "/var/log/frr/ospfd.log")
    taken = [line.rpartition("# ")[2] for line in log.splitlines() if "dead-interval" in line]
    assert taken == [*["ip ospf dead-interval 44"] * 2, *["ip ospf dead-interval 4"] * 2]


@pytest.mark.parametrize("router", [LOGGING, CORNER])
def test_daemons_have_what_is_drawn(router: str, started: tuple[Lab, list[wire.Message]]) -> None:
    node = started[0][router]
    interfaces = json.loads(node.vtysh("show ip ospf interface json"))["interfaces"].values()
    linked = [each for each in interfaces if each["networkType"] == "POINTOPOINT"]
    assert len(linked) == 2  # it is a corner
    assert {each["timerDeadSecs"] for each in linked} == {4}
    neighbours = json.loads(node.vtysh("show ip ospf neighbor json"))["neighbors"]
    dead = ("deadTimeMsecs", "routerDeadIntervalTimerDueMsec")  # FRR 8's word, and FRR 10's
    left = [each.get(dead[0], each.get(dead[1])) for several in neighbours.values() for each in several]
    assert len(left) == 2 and max(left) <= 4000
    running = node.vtysh("show running-config").splitlines()
    assert running.count(" timers throttle spf 10 50 500") == 1
    assert running.count(" ip ospf dead-interval 4") == 2
    assert not [line for line in running if "dead-interval 44" in line]


def test_files_and_changes_know_nothing_of_it(started: tuple[Lab, list[wire.Message]]) -> None:
    lab = started[0]
    assert "dead-interval 4\n" in lab[CORNER].run("cat", "/etc/frr/frr.conf")
    assert lab[CORNER].running_config().typed() == []

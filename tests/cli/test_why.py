"""`miniedit-frr why` on a detached lab."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.network.network import Network, Ospf, end
from tests.cli.commands import command_output, detached_lab, invoke, process_output
from tests.waiting import wait_for


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A detached lab with a unique name: a host, and two routers with OSPF."""
    folder = tmp_path_factory.mktemp("why")
    net = Network("Two routers")
    net.host("h1")
    for name in ("r1", "r2"):
        net.router(name, ospf=Ospf(hello_s=1, dead_s=3))
    net.link(end("h1", "10.1.0.10/16"), end("r1", "10.1.0.1/16"))
    net.link(end("r1", "10.0.12.1/24"), end("r2", "10.0.12.2/24"))
    with detached_lab(net.topology, folder, "why-cli") as name:
        yield name, folder


@pytest.mark.lab
def test_a_route_and_a_neighbor_that_are_there_are_exit_status_0(lab: tuple[str, Path]) -> None:
    name, folder = lab
    assert process_output("why", name, "r2", "10.1.0.0/16", cwd=folder) == "✓ r2 has 10.1.0.0/16 by OSPF from r1.\n"
    text = command_output("why", name, "r1", "r2", "ospf")
    assert text == "✓ r1 and r2 are OSPF neighbors on r1-eth1 (Full).\n"
    text = command_output("why", name, "h1", "10.1.0.1")
    assert text == "✓ h1 receives replies from 10.1.0.1 (h1 → r1).\n"
    value = json.loads(command_output("why", name, "r1", "r2", "OSPF", "--json"))
    assert value["is_there"] and value["cause"] is None


@pytest.mark.lab
def test_a_mistake_is_printed_with_its_remedy_and_exit_status_1(lab: tuple[str, Path]) -> None:
    name, folder = lab
    lines = ["conf t", "interface r2-eth0", "ip ospf hello-interval 2"]
    process_output("vtysh", name, "r2", *(word for line in lines for word in ("-c", line)), cwd=folder)
    wait_for(lambda: "✗" in _output(name, "r1", "r2", "ospf"), "the loss of the neighbor")
    text = process_output("why", name, "r2", "10.1.0.99", cwd=folder, status=1)
    assert text.splitlines() == [
        "· r1 has 10.1.0.0/16 on r1-eth0.",
        "· r2 does not have 10.1.0.0/16.",
        "✗ The hello intervals differ: r1-eth1 of r1 has 1 s, r2-eth0 of r2 has 2 s.",
        "  Set one value at both ends, such as in vtysh of r2: `interface r2-eth0`, `ip ospf hello-interval 1`.",
    ]
    value = json.loads(command_output("why", name, "r2", "10.1.0.0/16", "--json", status=1))
    assert not value["is_there"]
    assert value["cause"] == value["steps"][-1]
    assert (value["cause"]["node"], value["cause"]["interface"]) == ("r1", "r1-eth1")


def _output(*words: str) -> str:
    return str(invoke("why", *words).output)


@pytest.mark.lab
def test_wrong_questions_are_refused(lab: tuple[str, Path]) -> None:
    name, _ = lab
    assert "r9: is not in the topology" in command_output("why", name, "r9", "10.1.0.0/16", status=2)
    assert "h1: is not a router with FRR" in command_output("why", name, "h1", "10.1.0.0/16", status=2)
    assert "'10.1/99' is no prefix" in command_output("why", name, "r1", "10.1/99", status=2)
    assert "'eigrp' is no protocol" in command_output("why", name, "r1", "r2", "eigrp", status=2)
    assert "the question is incomplete" in command_output("why", "r1", status=2)
    assert "the question is incomplete" in command_output("why", "r1", "r2", status=2)

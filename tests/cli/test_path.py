"""`miniedit-frr path` on a detached lab."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.network.network import Network, end
from tests.cli.commands import command_output, detached_lab, process_output


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A detached lab with a unique name: two hosts, and between them two routers with static routes."""
    folder = tmp_path_factory.mktemp("paths")
    net = Network("Two routers")
    net.host("h1")
    net.host("h2")
    net.router("r1", frr_conf="ip route 10.3.0.0/24 10.2.0.2\n")
    net.router("r2", frr_conf="ip route 10.1.0.0/24 10.2.0.1\n")
    net.link(end("h1", "10.1.0.10/24"), end("r1", "10.1.0.1/24"))
    net.link(end("r1", "10.2.0.1/24"), end("r2", "10.2.0.2/24"))
    net.link(end("r2", "10.3.0.1/24"), end("h2", "10.3.0.10/24"))
    with detached_lab(net.topology, folder, "path-cli") as name:
        yield name, folder


@pytest.mark.lab
def test_a_path_is_printed_and_an_unreachable_destination_is_exit_status_1(lab: tuple[str, Path]) -> None:
    name, folder = lab
    text = process_output("path", name, "h1", "h2", cwd=folder)
    assert "there  h1 → r1 → r2 → h2" in text
    assert "back   h2 → r2 → r1 → h1" in text
    assert text.count("✓ traceroute agrees") == 2
    process_output("exec", name, "r2", "ip", "route", "add", "blackhole", "10.3.0.10", cwd=folder)
    text = process_output("path", name, "h1", "h2", cwd=folder, status=1)
    assert "✗ r2 has a blackhole route to 10.3.0.10/32" in text
    value = json.loads(command_output("path", name, "h1", "h2", "--json", "--no-trace", status=1))
    assert value["there"]["ways"] == [["h1", "r1", "r2"]]
    assert value["there"]["hops"] is None
    assert [stop["node"] for stop in value["back"]["stops"]] == ["h2", "r2", "r1", "h1"]


@pytest.mark.lab
def test_wrong_names_are_refused(lab: tuple[str, Path]) -> None:
    name, _ = lab
    assert "h9: is not in the topology" in command_output("path", name, "h9", "h2", status=2)
    assert "has no IPv6 address" in command_output("path", name, "-6", "h1", "h2", status=2)
    assert "r1: has no VRF red" in command_output("path", name, "--vrf", "red", "r1", "h2", status=2)
    assert "source or destination is missing" in command_output("path", "h1", status=2)

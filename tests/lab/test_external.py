"""Interfaces of the machine in a lab. Only root can lend them, and they come back however the lab ends."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from frrlib.errors import PlaceError
from frrlib.lab.lab import Lab
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

ROOT = Path(__file__).resolve().parents[2]
OPEN_VSWITCH = shutil.which("ovs-vsctl", path="/usr/bin")


def machine(*words: str) -> dict[str, Any]:
    """The result of the driver in a new network namespace."""
    argv = ["unshare", "--net", sys.executable, "-m", "tests.lab.external_driver", *words]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=ROOT, timeout=100)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.root
@pytest.mark.parametrize(
    "kind",
    [
        "host",
        pytest.param("switch", marks=pytest.mark.skipif(not OPEN_VSWITCH, reason="Open vSwitch is not installed")),
    ],
)
def test_a_node_reaches_the_world_by_a_lent_interface_which_comes_back(kind: str) -> None:
    assert machine("reached", kind) == {"received": 2, "during": False, "after": True}


@pytest.mark.root
def test_a_lent_interface_comes_back_when_the_program_is_killed() -> None:
    assert machine("killed", "host") == {"during": False, "after": True}


@pytest.mark.root
def test_interfaces_in_use_are_not_lent() -> None:
    outcome = machine("refused")
    in_use, missing, in_use_with_ipv6, of_bridge = outcome["messages"]
    assert "ext0 has the address 10.8.0.1" in in_use and "ip address flush dev ext0" in in_use
    assert "no interface nowhere0" in missing and "ext0" in missing
    assert "ext0 has the address 2001:db8::1" in in_use_with_ipv6
    assert "this machine's user0 uses ext0" in of_bridge and "remove ext0 from user0 first" in of_bridge
    assert outcome["after"]


def test_places_without_root_refuse_interfaces_of_the_machine() -> None:
    topology = Topology(nodes=(Host(name="h1", external_interfaces=("eth77",)),))
    for place in ("namespace", "labkernel"):
        with pytest.raises(PlaceError, match="the right to attach this machine's eth77") as caught:
            Lab(topology, place=place)
        assert "root" in caught.value.remedy


@pytest.mark.root
@pytest.mark.parametrize(
    "decoy",
    [
        "true",
        "ip link add ext0 type veth peer name evil",
        "ip link add ext0 type bridge; ip link property add dev kept altname far0; ip link set kept mtu 1300",
    ],
    ids=["renamed", "other end inside", "another kind"],
)
def test_the_lab_returns_the_same_interface_after_renaming_it(decoy: str) -> None:
    outcome = machine("swapped", decoy)
    assert (outcome["same"], outcome["after"]) == (True, True)

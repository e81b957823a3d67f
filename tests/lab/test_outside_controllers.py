"""Controllers outside of a lab: which are reachable, and from where. The controller is that of Open vSwitch."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_interface
from pathlib import Path

import pytest

from frrlib.errors import LabError, PlaceError, TopologyError
from frrlib.formats import mn, script
from frrlib.lab.controllers import outside_controllers
from frrlib.lab.lab import Lab
from frrlib.model import openflow
from frrlib.model.links import End, Link
from frrlib.model.nodes import Controller, Host, Switch
from frrlib.model.topology import Topology
from frrlib.run.run import RunSettings, run
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
TESTER = shutil.which("ovs-testcontroller", path="/usr/bin")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def two_hosts(*controllers: Controller) -> Topology:
    """h1 - s1 - h2."""
    switch = Switch(name="s1", controllers=tuple(controller.name for controller in controllers))
    links = tuple(
        Link(id=f"l{n}", a=End(node=f"h{n}", addresses=(ip_interface(f"10.0.0.{n}/24"),)), b=End(node="s1"))
        for n in (1, 2)
    )
    return Topology(nodes=(Host(name="h1"), Host(name="h2"), switch, *controllers), links=links)


def remote(port: int = 6653, address: str = "127.0.0.1", **fields: str) -> Controller:
    return Controller(name="c0", controller_type="remote", address=address, port=port, **fields)  # type: ignore[arg-type]


@contextmanager
def controller(port: int, folder: Path) -> Iterator[None]:
    """A controller of learning switches on this machine, outside of all labs."""
    assert TESTER
    argv = [TESTER, f"ptcp:{port}:127.0.0.1", f"--unixctl={folder}/ctl"]
    with (folder / "controller.log").open("wb") as log, subprocess.Popen(argv, stdout=log, stderr=log) as process:
        try:
            yield
        finally:
            process.terminate()


@pytest.mark.lab
@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_an_allowed_controller_installs_flows(place: str, tmp_path: Path) -> None:
    port = free_port()
    with controller(port, tmp_path):
        allowed = [f"127.0.0.1:{port}"]
        with Lab(two_hosts(remote(port)), place=place, allowed_controllers=allowed) as lab:
            wait_for(lambda: lab.ping("h1", "h2", 1)["received"], "flows of the controller")
            flows = lab["s1"].run("ovs-ofctl", "dump-flows", "s1")
            assert "dl_dst=" in flows or "nw_dst=10.0.0.2" in flows
            assert lab["s1"].run("ovs-vsctl", "get-fail-mode", "s1").strip() == "secure"


@pytest.mark.lab
@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
def test_a_controller_that_starts_later_is_found(tmp_path: Path) -> None:
    port = free_port()
    with Lab(two_hosts(remote(port)), place="namespace", allowed_controllers=[f"127.0.0.1:{port}"]) as lab:
        assert [warning.partition(":")[0] for warning in lab.warnings] == ["c0"]
        assert lab.ping("h1", "h2", 1)["received"] == 0
        with controller(port, tmp_path):
            wait_for(lambda: lab.ping("h1", "h2", 1)["received"], "flows of the controller")


@pytest.mark.lab
@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
def test_a_controller_without_permission_seems_silent_and_the_run_continues(tmp_path: Path) -> None:
    port = free_port()
    with controller(port, tmp_path):
        topology = two_hosts(remote(port))
        outcome = run(topology, mn.dumps(topology), tmp_path / "results", RunSettings(place="namespace"))
    assert outcome.failures == []
    (warning,) = outcome.warnings
    assert warning.startswith(f"c0: no controller answers at tcp:127.0.0.1:{port}")
    assert f"--allow-controller 127.0.0.1:{port}" in warning


@pytest.mark.lab
@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
def test_an_exported_script_reaches_an_allowed_controller(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "lab.py").write_text(script.dumps(two_hosts(remote(port))))

    def run_script(out: str, *argv: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "lab.py", "--place", "namespace", "--out", out, *argv]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env)

    with controller(port, tmp_path):
        without_option = run_script("unasked", "--json")
        allowed = run_script("allowed", "--json", "--allow-controller", f"127.0.0.1:{port}")
    assert (without_option.returncode, allowed.returncode) == (0, 0), allowed.stderr
    warnings = [json.loads(run.stdout)["warnings"] for run in (without_option, allowed)]
    assert [[warning.partition(":")[0] for warning in of_run] for of_run in warnings] == [["c0"], []]
    elsewhere = run_script("elsewhere", "--allow-controller", "127.0.0.1:1")
    assert elsewhere.returncode == 2
    assert f"allow 127.0.0.1:{port}" in " ".join(elsewhere.stderr.split())


@pytest.mark.parametrize(
    ("controllers", "expected"),
    [
        ((remote(),), {"127.0.0.1:6653": ("c0",)}),
        ((remote(address="198.51.100.7"),), {"198.51.100.7:6653": ("c0",)}),
        ((remote(address="2001:db8::7"),), {"[2001:db8::7]:6653": ("c0",)}),
        ((remote(address="10.0.0.2"),), {}),
        ((remote(address="nowhere"),), {}),
        ((remote(start_command="my-controller"),), {}),
        ((Controller(name="c0"),), {}),
        ((), {}),
    ],
    ids=["here", "another-machine", "ipv6", "a-host-of-the-lab", "no-address", "started-in-the-lab", "own", "none"],
)
def test_controllers_outside_of_the_lab_by_address(
    controllers: tuple[Controller, ...], expected: dict[str, tuple[str, ...]]
) -> None:
    assert openflow.outside(two_hosts(*controllers)) == expected


def test_a_controller_of_no_switch_is_ignored() -> None:
    assert openflow.outside(two_hosts().model_copy(update={"nodes": (*two_hosts().nodes, remote())})) == {}


@pytest.mark.parametrize(
    ("allowed", "kind", "words"),
    [
        (
            "127.0.0.1:6633",
            TopologyError,
            "outside of the lab has the address 127.0.0.1:6633; allow 127.0.0.1:6653",
        ),
        ("localhost:6653", TopologyError, "'localhost:6653' is not ADDRESS:PORT"),
    ],
)
def test_a_controller_that_cannot_be_allowed_is_reported(allowed: str, kind: type[LabError], words: str) -> None:
    with pytest.raises(kind) as caught:
        outside_controllers(two_hosts(remote()), [allowed])
    assert words in str(caught.value)


def test_outside_controllers_are_refused_in_virtual_time() -> None:
    with pytest.raises(PlaceError, match="run the lab in real time"):
        outside_controllers(two_hosts(remote()), ["127.0.0.1:6653"], virtual_time=True)
    assert outside_controllers(two_hosts(remote()), [], virtual_time=True) == ()

"""Settings of MiniEdit, exported to a script and run. MiniEdit's own scripts omit some of them."""

from __future__ import annotations

import json
import shutil
from ipaddress import ip_interface
from typing import Any

import pytest

from frrlib.errors import PlaceError
from frrlib.formats import script
from frrlib.lab.lab import Lab
from frrlib.model.flows import Flow, Wait
from frrlib.model.links import End, Link
from frrlib.model.nodes import Controller, Host, PrivateDirectory, Switch, VlanInterface
from frrlib.model.topology import OpenFlowVersions, Preferences, Topology
from frrlib.place.base import Abilities
from frrlib.place.namespace import Namespace

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

TESTER = shutil.which("ovs-testcontroller", path="/usr/bin")
PRINT_SETTINGS = "ovs-vsctl get bridge s1 protocols other-config:datapath-id > $LAB_WRITABLE/said"


def pair(*nodes: Any, **fields: Any) -> Topology:
    """h1 and h2 on s1."""
    links = tuple(
        Link(id=f"l{n}", a=End(node=f"h{n}", addresses=(ip_interface(f"10.0.0.{n}/24"),)), b=End(node="s1"))
        for n in (1, 2)
    )
    return Topology(nodes=nodes, links=links, **fields)


@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
def test_an_exported_script_applies_all_settings_in_the_lab(ordinary_user: Any) -> None:
    topology = pair(
        Host(
            name="h1",
            private_directories=(
                PrivateDirectory(path="/srv", persistent="/data/%(name)s"),
                PrivateDirectory(path="/mnt"),
            ),
            start_command="echo mine > /srv/file; echo gone > /mnt/file",
            congestion_control="reno",
            cores="0",
        ),
        Host(name="h2"),
        Switch(name="s1", controllers=("c0",), dpid="2a", stop_command=PRINT_SETTINGS),
        Controller(name="c0", controller_type="ovsc"),
        preferences=Preferences(openflow=OpenFlowVersions(of10=False, of13=True)),
        flows=(Flow(id="f", source="h1", destination="h2", duration_s=1, congestion_control="cubic"),),
        wait=Wait(ping_count=1),
    )
    home = ordinary_user.home
    (home / "lab.py").write_text(script.dumps(topology))
    done = ordinary_user.run(["/usr/bin/python3", "lab.py", "--place", "namespace", "--out", "out"])
    assert done.returncode == 0, done.stderr + done.stdout
    run = json.loads((home / "out" / "run.json").read_text())
    assert (run["status"], run["failures"]) == ("finished", [])
    files = home / "out" / "files"
    assert (files / "said").read_text().split("\n") == ["[OpenFlow13]", '"000000000000002a"', ""]
    assert {str(path.relative_to(files)) for path in files.rglob("file")} == {"kept/data/h1/file"}
    assert (home / "out" / "logs" / "ovs-vswitchd.log").exists()
    flow = json.loads((home / "out" / "summary.json").read_text())["flows"][0]
    assert flow["goodput_mbit"] > 0


def test_auto_chooses_a_place_with_all_abilities_and_gives_the_reason() -> None:
    limited = Host(name="h1", scheduler="cfs", cpu_percent=50, vlan_interfaces=())
    tagged = VlanInterface(address=ip_interface("10.9.0.1/24"), vlan_id=7)
    lab = Lab(pair(limited, Host(name="h2", vlan_interfaces=(tagged,)), Switch(name="s1")))
    if lab.place.name == "namespace":
        pytest.skip("this kernel can do it all without a lab kernel")
    assert lab.place.name == "labkernel"
    assert "lacks" in lab.place_reason and "share of the CPU" in lab.place_reason


def test_without_open_vswitch_a_plain_switch_is_a_bridge_and_others_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    poor = Abilities("namespace", True, kernel="1", device_types=frozenset({"veth", "bridge"}))
    monkeypatch.setattr(Namespace, "abilities", lambda *_: poor)
    lab = Lab(pair(Host(name="h1"), Host(name="h2"), Switch(name="s1")), place="namespace")
    assert "Open vSwitch is not installed, so s1 runs as a plain bridge" in lab.place_reason
    with lab:
        assert lab.ping("h1", "h2", 1)["received"] == 1
        assert '"bridge"' in lab["s1"].run("ip", "-d", "-j", "link", "show", "s1")
    nodes = (Host(name="h1"), Host(name="h2"), Switch(name="s1", controllers=("c0",)), Controller(name="c0"))
    with pytest.raises(PlaceError, match="lacks Open vSwitch"):
        Lab(pair(*nodes), place="namespace")

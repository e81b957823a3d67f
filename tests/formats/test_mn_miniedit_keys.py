"""Written files have every key of MiniEdit, and MiniEdit's own window saves them unchanged."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from ipaddress import ip_address, ip_interface
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats import mn
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Controller, Host, PrivateDirectory, Router, Switch, VlanInterface
from frrlib.model.routing import Bgp, Ospf
from frrlib.model.topology import Netflow, OpenFlowVersions, Preferences, Sflow, Topology
from tests.examples.data import ALL
from tests.random_edits import everything

ROOT = Path(__file__).resolve().parents[2]

#: Every key of a file of version 2, by where it is, with the types that MiniEdit puts there. A `[]` is each of a list.
KEYS: dict[str, tuple[type, ...]] = {
    "version": (str,),
    "application.ipBase": (str,),
    "application.terminalType": (str,),
    "application.startCLI": (str,),
    "application.switchType": (str,),
    "application.dpctl": (str,),
    **{f"application.openFlowVersions.ovsOf1{minor}": (str,) for minor in range(4)},
    **{f"application.sflow.sflow{word}": (str,) for word in ("Target", "Sampling", "Header", "Polling")},
    **{f"application.netflow.nflow{word}": (str,) for word in ("Target", "Timeout", "AddId")},
    "hosts[].number": (str,),
    "hosts[].x": (str,),
    "hosts[].y": (str,),
    "hosts[].opts.nodeNum": (int,),
    "hosts[].opts.hostname": (str,),
    "hosts[].opts.sched": (str,),
    "hosts[].opts.ip": (str,),
    "hosts[].opts.defaultRoute": (str,),
    "hosts[].opts.startCommand": (str,),
    "hosts[].opts.stopCommand": (str,),
    "hosts[].opts.cores": (str,),
    "hosts[].opts.cpu": (float,),
    "hosts[].opts.privateDirectory[]": (str,),
    "hosts[].opts.privateDirectory[][]": (str,),
    "hosts[].opts.externalInterfaces[]": (str,),
    "hosts[].opts.vlanInterfaces[][]": (str,),
    "switches[].number": (str,),
    "switches[].x": (str,),
    "switches[].y": (str,),
    "switches[].opts.nodeNum": (int,),
    "switches[].opts.hostname": (str,),
    "switches[].opts.switchType": (str,),
    "switches[].opts.controllers[]": (str,),
    "switches[].opts.dpid": (str,),
    "switches[].opts.dpctl": (str,),
    "switches[].opts.startCommand": (str,),
    "switches[].opts.stopCommand": (str,),
    "switches[].opts.externalInterfaces[]": (str,),
    "switches[].opts.switchIP": (str,),
    "switches[].opts.sflow": (str,),
    "switches[].opts.netflow": (str,),
    "controllers[].x": (str,),
    "controllers[].y": (str,),
    "controllers[].opts.hostname": (str,),
    "controllers[].opts.controllerType": (str,),
    "controllers[].opts.controllerProtocol": (str,),
    "controllers[].opts.remoteIP": (str,),
    "controllers[].opts.remotePort": (int,),
    "links[].src": (str,),
    "links[].dest": (str,),
    "links[].opts.bw": (int,),
    "links[].opts.delay": (str,),
    "links[].opts.loss": (int,),
    "links[].opts.max_queue_size": (int,),
    "links[].opts.jitter": (str,),
    "links[].opts.speedup": (int,),
}


def full() -> Topology:
    """A drawing in which every field that MiniEdit has says something, and every kind of node is there."""
    commands = {"start_command": "touch /tmp/x", "stop_command": "rm /tmp/x"}
    host = Host(
        name="h1", number=1, x=10.5, y=-3.0, default_route=ip_address("10.0.1.1"), scheduler="cfs", cpu_percent=29.0,
        cores="0,1", external_interfaces=("eth7",), **commands,
        private_directories=(PrivateDirectory(path="/var/run"), PrivateDirectory(path="/var/log", persistent="/tmp/l")),
        vlan_interfaces=(VlanInterface(address=ip_interface("10.0.2.1/24"), vlan_id=100),),
    )  # fmt: skip
    switch = Switch(
        name="s1", number=1, x=200.0, y=50.0, switch_type="user", dpid="00000000000000ab", dpctl_port="6634",
        sflow=True, netflow=True, controllers=("c0", "c1"), management_address="10.0.9.1",
        external_interfaces=("eth8",), **commands,
    )  # fmt: skip
    switches = [Switch(name=f"s{n}", number=n, switch_type=kind, x=100.0 * n)
              for n, kind in enumerate(("default", "ovs", "ivs", "userns"), start=2)]  # fmt: skip
    routers = (
        Router(name="r6", number=6, x=300.0, ospf=Ospf(), **commands),
        Router(name="r7", number=7, y=300.0, bgp=Bgp(asn=65_001)),
        Router(name="r8", number=8),
    )
    controllers = (
        Controller(name="c0", controller_type="remote", protocol="ssl", address="10.9.9.9", port=6653, x=400.0),
        Controller(name="c1", controller_type="inband", y=400.0),
        Controller(name="c2", controller_type="ovsc"),
        Controller(name="c3"),
    )
    shape = Shape(rate_mbit=10, delay_ms=5, jitter_ms=1, loss_percent=2, queue_packets=50)
    pairs = (("h1", "s1", shape), ("s1", "s9", Shape()), ("s9", "r6", Shape(rate_mbit=100)), ("h1", "r7", Shape()),
             ("r6", "r7", Shape(delay_ms=2.5)), ("r7", "r6", Shape()), ("s2", "s3", Shape()))  # fmt: skip
    return Topology(
        nodes=(host, switch, *switches, Bridge(name="s9", number=9, **commands), *routers, *controllers),
        links=tuple(
            Link(
                id=f"l{n}",
                a=End(node=a, addresses=(ip_interface("10.0.1.10/24"),) if n == 1 else ()),
                b=End(node=b),
                a_to_b=link_shape,
                b_to_a=link_shape,
                speedup_mbit=3 if n == 1 else None,
            )
            for n, (a, b, link_shape) in enumerate(pairs, start=1)
        ),
        preferences=Preferences(
            ip_base="192.168.0.0/16", terminal_type="gterm", start_cli=True, switch_type="user", dpctl="6640",
            openflow=OpenFlowVersions(of10=False, of11=True, of12=True, of13=True),
            sflow=Sflow(target="10.0.0.9:6343", sampling="100", header="64", polling="10"),
            netflow=Netflow(target="10.0.0.9:9996", active_timeout="60", add_id_to_interface=True),
        ),
    )  # fmt: skip


def plain(text: str) -> dict[str, Any]:
    """The part of a file that MiniEdit knows: all keys except our own one."""
    return {key: value for key, value in json.loads(text).items() if key != "miniedit_frr"}


def types_by_path(value: Any, path: str = "") -> dict[str, set[type]]:
    """The paths in a document and the types at their ends."""
    if isinstance(value, dict):
        inner = [types_by_path(item, f"{path}.{key}" if path else key) for key, item in value.items()]
    elif isinstance(value, list):
        inner = [types_by_path(item, f"{path}[]") for item in value]
    else:
        return {path: {type(value)}}
    merged: dict[str, set[type]] = {}
    for part in inner:
        for key, types in part.items():
            merged[key] = merged.get(key, set()) | types
    return merged


def miniedit_source() -> str:
    pytest.importorskip("mininet", reason="there is no MiniEdit here")
    from importlib.util import find_spec

    spec = find_spec("mininet.examples.miniedit")
    if spec is None or spec.origin is None:
        pytest.skip("there is no MiniEdit here")
    return Path(spec.origin).read_text(encoding="utf-8")


def test_every_key_has_the_type_that_miniedit_writes() -> None:
    assert types_by_path(plain(mn.dumps(full()))) == {path: set(types) for path, types in KEYS.items()}


def test_the_table_has_every_key_that_miniedit_reads() -> None:
    """The table is compared with the program's text: it has every key that the program reads from a file."""
    holders = (
        r"(?:opts|linkopts|\bhost|\bswitch|\bcontroller|\blink|loadedTopology|privateDir|appPrefs|"
        r"nflowValues|sflowValues|(?:host|switch)Opts\[\w+\]|\[.(?:openFlowVersions|sflow|netflow|application|opts).\])"
    )
    text = miniedit_source()
    read = set(re.findall(holders + r"""\[['"](\w+)['"]\]""", text))
    table_words = {word for path in KEYS for word in re.split(r"[.\[\]]+", path) if word}
    assert len(read) > 40
    of_canvas = {"type", "linkOpts"}  # keys of a link in MiniEdit's window, not in a file
    assert read - table_words - of_canvas == set()
    assert {word for path in KEYS if ".opts." in path for word in re.findall(r"opts\.(\w+)", path)} <= set(
        re.findall(r"""['"](\w+)['"]""", text)
    )


@pytest.mark.gui
def test_miniedits_own_window_saves_files_unchanged(tmp_path: Path, display: str) -> None:
    """Files are opened on MiniEdit's canvas and saved by MiniEdit: all nodes, links and keys are the same."""
    miniedit_source()
    by_name = {"full": full(), "everything": everything(), **{name: make() for name, make in ALL.items()}}
    files = []
    for name, topology in by_name.items():
        files.append(tmp_path / f"{name}.mn")
        mn.save(topology, files[-1])
    driver = ROOT / "tests" / "formats" / "miniedit_driver.py"
    done = subprocess.run([sys.executable, driver, *files], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    for path in files:
        original, saved = plain(path.read_text()), plain(path.with_name(f"{path.name}.back").read_text())
        for switch in original["switches"]:
            switch["opts"].setdefault("controllers", [])  # MiniEdit fills that in
        assert {key: _sorted(value) for key, value in saved.items()} == {k: _sorted(v) for k, v in original.items()}


def _sorted(value: Any) -> Any:
    return sorted(value, key=lambda element: json.dumps(element, sort_keys=True)) if isinstance(value, list) else value


def test_files_saved_by_miniedit_are_read_back() -> None:
    """All settings that MiniEdit supports are read back from its keys alone."""
    original, read_back = full(), mn.loads(json.dumps(plain(mn.dumps(full())))).topology
    assert read_back.preferences == original.preferences
    for node in original.nodes:
        read_node = read_back.node(node.name)
        assert read_node is not None
        lost = {"ospf": None, "bgp": None, "controllers": None}  # a router is MiniEdit's LegacyRouter, without FRR
        assert read_node == (node.model_copy(update=lost) if isinstance(node, Router) else node)
    assert [(link.a.node, link.b.node, link.a_to_b, link.speedup_mbit) for link in read_back.links] == [
        (link.a.node, link.b.node, link.a_to_b, link.speedup_mbit) for link in original.links
    ]
    assert read_back.links[0].a.addresses == original.links[0].a.addresses

"""The meaning of MiniEdit's keys, by examples known from MiniEdit, Mininet and tc."""

from __future__ import annotations

import json
from ipaddress import ip_address, ip_interface
from typing import Any

import pytest

from frrlib.formats import mn
from frrlib.formats.units import milliseconds, time_text
from frrlib.model.links import Shape
from frrlib.model.nodes import Bridge, Controller, Host, PrivateDirectory, Router, Switch, VlanInterface


def host(**opts: Any) -> dict[str, Any]:
    return {"number": "1", "x": "10.5", "y": "-3", "opts": {"hostname": "h1", "nodeNum": 1, **opts}}


def switch(**opts: Any) -> dict[str, Any]:
    return {
        "number": "1",
        "x": "0",
        "y": "0",
        "opts": {"hostname": "s1", "nodeNum": 1, "switchType": "default", **opts},
    }


def read(**document: Any) -> mn.LoadedFile:
    return mn.loads(json.dumps({"version": "2", "hosts": [], "switches": [], "links": [], **document}))


def test_a_host_with_everything() -> None:
    loaded = read(
        hosts=[
            host(
                ip="10.0.1.10/24", defaultRoute="10.0.1.1", sched="cfs", cpu=0.29, cores="0,1",
                startCommand="touch /tmp/x", stopCommand="true", externalInterfaces=["eth1"],
                privateDirectory=["/var/run", ["/var/log", "/tmp/logs"]], vlanInterfaces=[["10.0.2.1/24", "100"]],
            )
        ],
        switches=[switch()],
        links=[{"src": "h1", "dest": "s1", "opts": {}}],
    )  # fmt: skip
    assert loaded.warnings == ()
    assert loaded.topology.nodes[0] == Host(
        name="h1",
        number=1,
        x=10.5,
        y=-3,
        default_route=ip_address("10.0.1.1"),
        scheduler="cfs",
        cpu_percent=29,
        cores="0,1",
        start_command="touch /tmp/x",
        stop_command="true",
        external_interfaces=("eth1",),
        private_directories=(
            PrivateDirectory(path="/var/run"),
            PrivateDirectory(path="/var/log", persistent="/tmp/logs"),
        ),
        vlan_interfaces=(VlanInterface(address=ip_interface("10.0.2.1/24"), vlan_id=100),),
    )
    assert loaded.topology.links[0].a.addresses == (ip_interface("10.0.1.10/24"),)


def test_switches_routers_and_bridges_are_in_one_list() -> None:
    loaded = read(
        switches=[
            switch(dpid=102, switchIP="10.0.0.9", netflow="1", sflow="0", dpctl="6634", controllers=["c0"]),
            switch(hostname="r2", switchType="legacyRouter"),
            switch(hostname="r3", switchType="legacyRouter", controllers=[]),
            switch(hostname="s4", switchType="legacySwitch"),
        ],
        controllers=[
            {"x": "1", "y": "2", "opts": {"hostname": "c0", "controllerType": "remote", "remoteIP": "1.2.3.4",
             "remotePort": "6653", "controllerProtocol": "ssl"}}
        ],
    )  # fmt: skip
    s1, r2, r3, s4, c0 = loaded.topology.nodes
    assert isinstance(s1, Switch)
    assert (s1.dpid, s1.management_address, s1.netflow, s1.sflow, s1.dpctl_port) == (
        "102",
        "10.0.0.9",
        True,
        False,
        "6634",
    )
    assert isinstance(r2, Router)
    assert isinstance(r3, Router)
    assert (r2.controllers, r3.controllers, r2.runs_frr) == (None, (), False)
    assert isinstance(s4, Bridge)
    assert c0 == Controller(name="c0", x=1, y=2, controller_type="remote", address="1.2.3.4", port=6653, protocol="ssl")


def test_version_1_joins_every_switch_to_its_controller() -> None:
    loaded = read(
        version="1",
        switches=[{"number": "3", "x": "1", "y": "1", "opts": {}}],
        controllers={"c0": {"controllerType": "remote", "remoteIP": "10.9.9.9", "remotePort": 6633}},
    )
    s3, c0 = loaded.topology.nodes
    assert isinstance(s3, Switch)
    assert (s3.name, s3.controllers) == ("s3", ("c0",))
    assert isinstance(c0, Controller)
    assert (c0.x, c0.y, c0.address, c0.controller_type) == (30, 30, "10.9.9.9", "remote")
    assert json.loads(mn.dumps(loaded.topology))["version"] == "2"


@pytest.mark.parametrize(
    ("written", "delay_ms", "has_unit"),
    [("20ms", 20, True), ("5", 0.005, False), (5, 0.005, False), ("0", 0, True), ("", 0, True), ("1.5s", 1500, True),
     ("250us", 0.25, True), ("0.0ms", 0, True), ("25.36469667583559ms", 25.36469667583559, True), ("1e1MS", 10, True)],
)  # fmt: skip
def test_delays_are_parsed_as_by_tc(written: Any, delay_ms: float, has_unit: bool) -> None:
    assert milliseconds(written) == (delay_ms, has_unit)
    assert milliseconds(time_text(delay_ms)) == (delay_ms, True)


def test_options_of_a_link_apply_to_both_directions() -> None:
    opts = {"bw": "10", "delay": "20ms", "jitter": "2ms", "loss": "3", "max_queue_size": 50, "speedup": 1}
    link = read(hosts=[host()], switches=[switch()], links=[{"src": "h1", "dest": "s1", "opts": opts}]).topology.links[
        0
    ]
    assert link.a_to_b == link.b_to_a == Shape(rate_mbit=10, delay_ms=20, jitter_ms=2, loss_percent=3, queue_packets=50)
    assert link.speedup_mbit == 1


def test_a_second_node_of_a_name_is_renamed_and_links_keep_the_first() -> None:
    loaded = read(
        switches=[switch(), switch(), switch(hostname="s1_2")], hosts=[host()], links=[{"src": "h1", "dest": "s1"}]
    )
    names = [(node.name, node.label) for node in loaded.topology.nodes]
    assert names == [("h1", ""), ("s1", ""), ("s1_3", "s1"), ("s1_2", "")]
    assert loaded.topology.links[0].b.node == "s1"


def test_invalid_names_change_everywhere_and_become_labels() -> None:
    loaded = read(
        hosts=[host(hostname="h1 - 192.168.1.10"), host(hostname="h1_-_192,168,1,10"), host(hostname="présentateur")],
        switches=[switch(controllers=["my c0"])],
        controllers=[{"x": "0", "y": "0", "opts": {"hostname": "my c0"}}],
        links=[{"src": "h1_-_192,168,1,10", "dest": "h1 - 192.168.1.10"}],
    )
    nodes = loaded.topology.nodes
    assert [node.name for node in nodes] == ["h1-192_168_1_10", "h1-192_168_1_10_2", "presentateur", "s1", "my_c0"]
    assert nodes[2].label == "présentateur"
    assert isinstance(nodes[3], Switch)
    assert nodes[3].controllers == ("my_c0",)
    assert [end.node for end in loaded.topology.links[0].ends] == ["h1-192_168_1_10_2", "h1-192_168_1_10"]
    again = mn.loads(mn.dumps(loaded.topology))
    assert again.topology == loaded.topology
    assert not again.warnings


def test_the_address_of_a_host_without_a_link_is_kept() -> None:
    loaded = read(hosts=[host(ip="10.0.0.7/24")])
    assert [problem.kind for problem in loaded.warnings] == ["unconnected"]
    document = json.loads(mn.dumps(loaded.topology))
    assert document["hosts"][0]["opts"]["ip"] == "10.0.0.7/24"
    document["hosts"].append(host(hostname="h2"))
    document["links"] = [{"src": "h1", "dest": "h2", "opts": {}}]
    linked = mn.loads(json.dumps(document)).topology
    assert linked.links[0].a.addresses == (ip_interface("10.0.0.7/24"),)
    assert linked.nodes[0].foreign == ""

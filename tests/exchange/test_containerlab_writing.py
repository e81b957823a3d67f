"""Topologies are written for containerlab, and read back as they were."""

from __future__ import annotations

import re
from ipaddress import ip_interface
from pathlib import Path

import pytest
import yaml

from frrlib.errors import TopologyError
from frrlib.exchange import opening
from frrlib.exchange.containerlab import own_file, write
from frrlib.formats import mn
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Controller, Host, Router, Switch, VlanInterface
from frrlib.model.topology import Topology
from tests.cli.commands import invoke

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = ("two-as-bgp", "vrf", "queues", "ospf-reroute", "isis", "static", "bgp-unnumbered")
TOPOLOGY = Topology(
    title="all kinds",
    nodes=(
        Host(
            name="h1", x=80, y=80, start_command="ip route add 192.0.2.0/24 via 10.0.0.9\ntouch /tmp/x",
            vlan_interfaces=(VlanInterface(address=ip_interface("10.5.0.1/24"), vlan_id=5),), stop_command="true",
        ),
        Bridge(name="b1", x=200, y=80, stp=True), Switch(name="s1", x=300, y=80), Controller(name="c1"),
        Router(name="r1", x=400, y=80), Bridge(name="alone", x=1, y=1),
    ),
    links=(
        Link(id="first", a=End(node="h1", mac="02:00:00:00:00:01", mtu_bytes=1400), b=End(node="b1"),
             a_to_b=Shape(delay_ms=5, loss_percent=1), b_to_a=Shape(qdiscs=("root handle 1: netem delay 7ms",))),
        Link(id="l9", a=End(node="b1"), b=End(node="s1"), up=False),
        Link(id="l3", a=End(node="s1"), b=End(node="r1"), b_to_a=Shape(rate_mbit=8, queue_ms=50)),
    ),
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_written_example_is_read_as_it_was(name: str, tmp_path: Path) -> None:
    topology = mn.load(EXAMPLES / f"{name}.mn").topology
    written = write.write(topology, tmp_path, name)
    assert opening.load(written.file).topology == topology
    # Without the file beside it, the files of containerlab still have the nodes, the links, and all routing.
    own_file.own_file(written.file).unlink()
    plain = opening.load(written.file).topology
    assert [(node.kind, node.name, node.x, node.y) for node in plain.nodes] == [
        (node.kind, node.name, node.x, node.y) for node in topology.nodes
    ]
    again = write.write(plain, tmp_path / "again", name)
    for router in topology.routers:
        if router.runs_frr:
            texts = [(folder / router.name / "frr.conf").read_text() for folder in (tmp_path, again.file.parent)]
            assert sorted(set(lines_of(texts[0]))) == sorted(set(lines_of(texts[1])))
    first, second = (yaml.safe_load(file.read_text())["topology"] for file in (written.file, again.file))
    assert first["links"] == second["links"]
    for node in topology.hosts:
        commands = [part["nodes"][node.name]["exec"] for part in (first, second)]
        assert [line for line in commands[0] if line.startswith("ip ")] == [
            line for line in commands[1] if line.startswith("ip ")
        ]


def lines_of(text: str) -> list[str]:
    """The lines of a configuration; sections may have another order."""
    return [line for line in text.splitlines() if line.strip() not in ("!", "exit", "exit-address-family", "")]


def test_all_kinds_of_nodes_are_read_as_they_were(tmp_path: Path) -> None:
    written = write.write(TOPOLOGY, tmp_path)
    read = opening.load(written.file).topology
    without = TOPOLOGY.model_copy(update={"nodes": tuple(node for node in TOPOLOGY.nodes if node.name != "c1")})
    assert read == without
    notes = "\n".join(written.notes)
    assert (
        "c1: controllers are left out" in notes and "ovs-vsctl add-br s1" in notes and "h1: the stop command" in notes
    )


def test_commands_give_the_state_of_a_lab(tmp_path: Path) -> None:
    nodes = yaml.safe_load(write.write(TOPOLOGY, tmp_path).file.read_text())["topology"]["nodes"]
    host, router, bridge = (nodes[name]["exec"] for name in ("h1", "r1", "b1"))
    assert "ip link add link h1-eth0 name h1-eth0.5 type vlan id 5" in host
    assert "tc qdisc replace dev h1-eth0 root handle 1: netem limit 10000 delay 5ms loss random 1%" in host
    assert "sh -c 'ip route add 192.0.2.0/24 via 10.0.0.9\ntouch /tmp/x'" in host
    assert "ip link set dev h1-eth0 mtu 1400" in host and "sysctl -w net.ipv4.ip_forward=1" in router
    assert [line for line in bridge if "br0" in line] == [
        "ip link add br0 type bridge stp_state 1", "ip link set dev b1-eth1 master br0",
        "ip link set dev b1-eth2 master br0", "ip link set dev br0 up",
    ]  # fmt: skip
    assert any(re.fullmatch(r"tc qdisc replace dev r1-eth0 root handle 1: tbf rate 8mbit .*", line) for line in router)
    # 8 Mbit/s for 50 ms are 50 kB
    assert "tc qdisc replace dev r1-eth0 parent 1:1 handle 10: bfifo limit 50000b" in router
    assert nodes["s1"]["kind"] == "ovs-bridge" and nodes["alone"]["kind"] == "bridge"


def test_a_change_by_hand_counts_more_than_the_file_beside_it(tmp_path: Path) -> None:
    topology = mn.load(EXAMPLES / "two-as-bgp.mn").topology
    file = write.write(topology, tmp_path, "lab").file
    router = topology.routers[0].name
    config = tmp_path / router / "frr.conf"
    config.write_text(config.read_text() + "ip route 203.0.113.0/24 blackhole\n")
    loaded = opening.load(file)
    changed = loaded.topology.node(router)
    assert isinstance(changed, Router) and "203.0.113.0/24" in str(
        [str(route.prefix) for route in changed.static_routes]
    )
    assert any(problem.node == router and problem.kind == "left-over" for problem in loaded.warnings)
    file.write_text(file.read_text().replace("delay 20ms", "delay 33ms").replace("name: lab", "name: other"))
    loaded = opening.load(file)
    assert loaded.topology.flows == topology.flows
    assert any("was changed since" in problem.message for problem in loaded.warnings)
    own_file.own_file(file).write_text("[]")
    with pytest.raises(TopologyError, match=r"lab\.miniedit-frr\.json.*delete it"):
        opening.load(file)


def test_the_command_writes_a_folder_and_does_not_overwrite_it(tmp_path: Path) -> None:
    file, folder = EXAMPLES / "static.mn", tmp_path / "lab"
    outcome = invoke("export", file, "--to", "containerlab", "--out", folder)
    assert outcome.exit_code == 0 and "containerlab deploy -t" in outcome.stderr
    assert (folder / "static.clab.yml").is_file() and "ip route" in (folder / "r1" / "frr.conf").read_text()
    assert "--overwrite" in invoke("export", file, "--to", "containerlab", "--out", folder).stderr
    assert "--out" in invoke("export", file, "--to", "containerlab").stderr
    outcome = invoke("export", folder / "static.clab.yml", "--to", "mn", "--out", tmp_path / "back.mn")
    assert outcome.exit_code == 0 and mn.load(tmp_path / "back.mn").topology == mn.load(file).topology


def test_a_name_that_containerlab_refuses_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match="_h: is no name of a node of containerlab; rename it"):
        write.write(Topology(nodes=(Host(name="_h"),)), tmp_path)

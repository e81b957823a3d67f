"""Files of containerlab are read with their inheritance, configurations and commands. Expected values are by hand."""

from __future__ import annotations

from ipaddress import ip_address, ip_interface
from pathlib import Path

import pytest

from frrlib.exchange import opening
from frrlib.formats import mn
from frrlib.formats.mn import LoadedFile
from frrlib.model.links import End, Shape
from frrlib.model.nodes import Bridge, Host, Router, Switch, VlanInterface
from frrlib.model.permissions import requested_permissions
from frrlib.model.routing import StaticRoute
from miniedit_frr.document.document import Document
from tests.cli.commands import invoke

LAB = """\
name: campus
mgmt: {network: fixed, ipv4-subnet: 172.100.100.0/24}
topology:
  defaults:
    kind: linux
    env: {REGION: ${REGION:=north}}
  kinds:
    linux: {image: alpine:3}
  groups:
    routers:
      image: quay.io/frrouting/frr:10.2.1
      binds: [daemons:/etc/frr/daemons]
  nodes:
    r1:
      group: routers
      binds:
        - __clabNodeName__/frr.conf:/etc/frr/frr.conf:ro
      labels: {graph-posX: 100, graph-posY: 200}
    r2:
      group: routers
      binds: [r2:/etc/frr]
      exec:
        - ip address add 10.0.12.2/24 dev eth1
        - ip addr add 2.2.2.2/32 dev lo
        - ip route add 192.0.2.0/24 via 10.0.12.1 dev eth1
        - sysctl -w net.ipv4.ip_forward=1
        - vtysh -c "conf t" -c "router ospf" -c "ospf router-id 2.2.2.2" -c "end"
        - tc qdisc add dev eth1 root netem delay 20ms 2ms loss 1%
    pc-1:
      exec:
        - bash -c "ip link set dev eth1 up && ip -4 a add 10.1.0.2/24 dev eth1"
        - ip route replace default via 10.1.0.1
        - ip link add link eth1 name eth1.30 type vlan id 30
        - ip addr add 10.30.0.2/24 dev eth1.30
        - ip link set eth1.30 up
        - sysctl -w net.ipv4.tcp_congestion_control=bbr
        - sysctl -w net.ipv4.tcp_ecn=1
        - touch /tmp/ready
        - ip link set dev eth1 mtu 1400
    sw:
      exec: [ip link add br0 type bridge, ip link set eth1 master br0, ip link set eth2 master br0, ip link set br0 up]
    br-1: {kind: bridge}
    ovs.1: {kind: ovs-bridge}
  links:
    - endpoints: ["r1:eth1", "r2:eth1"]
      mtu: 9000
    - type: veth
      endpoints:
        - {node: r1, interface: eth2, mac: "02:00:00:00:00:0A", ipv4: 10.1.0.1/24}
        - {node: sw, interface: eth1}
    - endpoints: [sw:eth2, "pc-1:eth1"]
    - endpoints: [r2:eth3, br-1:r2p3]
    - endpoints: [br-1:up, ovs.1:down]
    - endpoints: [r2:eth9, host:uplink]
"""
CONFIG = """\
frr defaults traditional
hostname r1
service integrated-vtysh-config
interface eth1
 ip address 10.0.12.1/24
 ip ospf cost 7
exit
router ospf
 ospf router-id 1.1.1.1
 network 10.0.0.0/8 area 0
exit
ip route 198.51.100.0/24 10.0.12.2
"""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The file of a lab, with the files that its nodes mount."""
    (tmp_path / "daemons").write_text("ospfd=yes\nbfdd=yes # sessions\nbgpd=no\nldpd=yes\n")
    for name in ("r1", "r2"):
        (tmp_path / name).mkdir()
    (tmp_path / "r1" / "frr.conf").write_text(CONFIG)
    (tmp_path / "r2" / "frr.conf").write_text("router ospf\n network 10.0.0.0/8 area 0\n")
    file = tmp_path / "campus.clab.yml"
    file.write_text(LAB)
    return file


@pytest.fixture
def loaded(lab: Path) -> LoadedFile:
    """The lab as it is read."""
    return opening.load(lab)


def end_at(loaded: LoadedFile, node: str, interface: str) -> End:
    """An end of a link."""
    return next(end for _, end in loaded.topology.ends_at(node) if end.interface == interface)


def test_nodes_have_their_kinds_names_and_positions(loaded: LoadedFile) -> None:
    nodes = {node.name: type(node) for node in loaded.topology.nodes}
    assert nodes == {"r1": Router, "r2": Router, "pc-1": Host, "sw": Bridge, "br-1": Bridge, "ovs_1": Switch}
    assert loaded.topology.title == "campus"
    r1 = loaded.topology.node("r1")
    assert r1 is not None and (r1.x, r1.y) == (100, 200)


def test_links_keep_interfaces_mtu_and_hardware_addresses(loaded: LoadedFile) -> None:
    ends = [[f"{end.node}:{end.interface}" for end in link.ends] for link in loaded.topology.links]
    assert ends == [
        ["r1:eth1", "r2:eth1"], ["r1:eth2", "sw:eth1"], ["sw:eth2", "pc-1:eth1"], ["r2:eth3", "br-1:r2p3"],
        ["br-1:up", "ovs_1:down"],
    ]  # fmt: skip
    assert loaded.topology.links[0].a.mtu_bytes == loaded.topology.links[0].b.mtu_bytes == 9000
    assert end_at(loaded, "r1", "eth2").mac == "02:00:00:00:00:0a"
    assert end_at(loaded, "r1", "eth2").addresses == (ip_interface("10.1.0.1/24"),)


def test_configurations_become_settings(loaded: LoadedFile) -> None:
    r1, r2 = loaded.topology.node("r1"), loaded.topology.node("r2")
    assert isinstance(r1, Router) and isinstance(r2, Router)
    assert end_at(loaded, "r1", "eth1").addresses == (ip_interface("10.0.12.1/24"),)
    assert StaticRoute.model_validate({"prefix": "198.51.100.0/24", "via": "10.0.12.2"}) in r1.static_routes
    assert "network 10.0.0.0/8 area 0" in r1.frr_conf and "hostname" not in r1.frr_conf
    assert r1.daemons == r2.daemons == ("bfdd",)  # ospfd runs for its lines
    assert "ospf router-id 2.2.2.2" in r2.frr_conf


def test_commands_become_fields(loaded: LoadedFile) -> None:
    r2, host = loaded.topology.node("r2"), loaded.topology.node("pc-1")
    assert isinstance(r2, Router) and isinstance(host, Host)
    assert r2.loopbacks == (ip_interface("2.2.2.2/32"),) and r2.start_command == ""
    assert r2.static_routes == (StaticRoute.model_validate({"prefix": "192.0.2.0/24", "via": "10.0.12.1"}),)
    assert end_at(loaded, "r2", "eth1").addresses == (ip_interface("10.0.12.2/24"),)
    assert loaded.topology.links[0].b_to_a == Shape(delay_ms=20, jitter_ms=2, loss_percent=1)
    assert loaded.topology.links[0].a_to_b == Shape()
    assert host.default_route == ip_address("10.1.0.1")
    assert host.vlan_interfaces == (VlanInterface(address=ip_interface("10.30.0.2/24"), vlan_id=30),)
    assert (host.congestion_control, host.tcp.ecn) == ("bbr", "on")
    assert end_at(loaded, "pc-1", "eth1").mtu_bytes == 1400
    assert end_at(loaded, "pc-1", "eth1").addresses == (ip_interface("10.1.0.2/24"),)


def test_other_commands_run_at_the_start_after_permission(loaded: LoadedFile) -> None:
    assert requested_permissions(loaded.topology) == ("pc-1 runs when the lab begins: touch /tmp/ready",)


def test_values_without_an_equivalent_are_listed_with_their_places(loaded: LoadedFile) -> None:
    remarks = {(problem.node, problem.field): problem.message for problem in loaded.warnings}
    lines = LAB.splitlines()
    link_line = next(number for number, line in enumerate(lines, 1) if "host:uplink" in line)
    command_line = next(number for number, line in enumerate(lines, 1) if "touch" in line)
    assert remarks["r2", "links[5]"].startswith(f"line {link_line}: the link to host:uplink")
    assert remarks["pc-1", "exec"].startswith(f"line {command_line}: ")
    assert "'REGION'" in remarks["r1", "env"] and "ovs.1" in remarks["ovs_1", "name"]
    assert {problem.kind for problem in loaded.warnings} == {"containerlab-option"}


def test_a_file_saved_from_it_keeps_remarks_and_values(loaded: LoadedFile) -> None:
    again = mn.loads(mn.dumps(loaded.topology))
    assert again.topology == loaded.topology
    assert {str(problem) for problem in again.warnings} == {str(problem) for problem in loaded.warnings}
    r1 = again.topology.node("r1")
    assert r1 is not None and '"image":"quay.io/frrouting/frr:10.2.1"' in r1.foreign and "north" in r1.foreign


def test_the_window_opens_it_without_a_file_to_save_to(lab: Path) -> None:
    document = Document()
    document.open(lab)
    assert len(document.topology.nodes) == 6 and document.path is None and document.is_saved
    assert document.warnings


def test_commands_accept_such_a_file_but_do_not_overwrite_it(lab: Path) -> None:
    outcome = invoke("check", lab, "--json")
    assert "containerlab-option" in outcome.stdout
    assert "file of containerlab" in invoke("check", lab, "--fix").stderr
    assert "file of containerlab" in invoke("routing", "clear", lab).stderr
    assert lab.read_text() == LAB
    assert '"pc-1"' in invoke("export", lab, "--to", "script").stdout


def test_a_node_that_forwards_is_a_router(tmp_path: Path) -> None:
    file = tmp_path / "lab.yaml"
    file.write_text("topology:\n  nodes:\n    a: {kind: linux, sysctls: {net.ipv4.ip_forward: 1}}\n    b:\n")
    topology = opening.load(file).topology
    assert [node.kind for node in topology.nodes] == ["router", "host"]


def test_a_configuration_of_another_system_is_not_read_as_that_of_frr(tmp_path: Path) -> None:
    text = "topology:\n  nodes:\n    a: {kind: nokia_srlinux, startup-config: a.cfg}\n    b: {startup-config: b.cfg}\n"
    for name in ("a", "b"):
        (tmp_path / f"{name}.cfg").write_text("router ospf\n", encoding="utf-8")
    (tmp_path / "two.clab.yml").write_text(text, encoding="utf-8")
    loaded = opening.load(tmp_path / "two.clab.yml")
    routers = {router.name: router.frr_conf for router in loaded.topology.routers}
    assert routers == {"a": "", "b": "router ospf\nexit\n!\n"}
    assert any("'nokia_srlinux' is not supported" in warning.message for warning in loaded.warnings)


def test_files_of_frr_that_all_nodes_mount_make_no_routers_of_hosts(tmp_path: Path) -> None:
    (tmp_path / "daemons").write_text("ospfd=yes\n", encoding="utf-8")
    (tmp_path / "r.conf").write_text("router ospf\n", encoding="utf-8")
    (tmp_path / "lab.clab.yml").write_text(
        "topology:\n"
        "  defaults: {kind: linux, image: 'tools:1', binds: [daemons:/etc/frr/daemons]}\n"
        "  nodes:\n"
        "    r: {binds: [r.conf:/etc/frr/frr.conf]}\n"
        "    own: {binds: [daemons:/etc/frr/daemons]}\n"
        '    typed: {exec: [\'vtysh -c "conf t" -c "router ospf"\']}\n'
        "    pc: {binds: [a.txt:/a.txt], exec: [ip route add default via 10.0.0.1]}\n"
    )
    loaded = opening.load(tmp_path / "lab.clab.yml")
    topology = loaded.topology
    assert [warning.field for warning in loaded.warnings if warning.node == "pc"] == ["binds[0]"]
    assert {node.name: type(node) for node in topology.nodes} == {
        "r": Router, "own": Router, "typed": Router, "pc": Host,
    }  # fmt: skip


def test_all_remarks_on_a_configuration_are_listed(tmp_path: Path) -> None:
    (tmp_path / "r.conf").write_text("frr defaults datacenter\nhostname other\nlog file a\nrouter bgp 1\n")
    text = "topology:\n  nodes:\n    r: {kind: linux, binds: [r.conf:/etc/frr/frr.conf]}\n"
    (tmp_path / "lab.clab.yml").write_text(text, encoding="utf-8")
    loaded = opening.load(tmp_path / "lab.clab.yml")
    remarks = {warning.field: warning.message for warning in loaded.warnings}
    assert remarks["frr.conf"].startswith("its configuration has the hostname other")
    assert remarks["frr.conf (2)"].startswith("`frr defaults datacenter` is read")
    assert "`log file a`" in remarks["frr.conf (3)"]
    assert mn.loads(mn.dumps(loaded.topology)).topology == loaded.topology

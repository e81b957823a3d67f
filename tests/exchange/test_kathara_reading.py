"""Labs of Kathara are read with their scripts, configurations and collision domains. Expected values are by hand."""

from __future__ import annotations

from ipaddress import ip_address, ip_interface
from pathlib import Path

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.exchange import opening
from frrlib.formats import mn
from frrlib.formats.mn import LoadedFile
from frrlib.model.links import End, Shape
from frrlib.model.nodes import Bridge, Host, Router
from frrlib.model.permissions import requested_permissions
from frrlib.model.routing import StaticRoute
from miniedit_frr.document.document import Document
from tests.cli.commands import invoke

LAB_CONF = """\
LAB_NAME="campus"
LAB_AUTHOR='somebody'

# routers
r1[0]="A"
r1[1]="B/02:00:00:00:00:01"
r1[image]="kathara/frr" # newest
r1[mem]=128m
r2[0]=A
r2[1]="C"
old[0]="C"
old[1]="STUB"
pc[0]="B"
pc[bridged]=true
pc[sysctl]="net.ipv4.tcp_ecn=1"
pc[exec]="touch /tmp/ready"
web[0]="C"
sw[0]="D"
sw[1]="E"
pc2[0]="D"
fwd[0]="E"
fwd[1]="STUB"
"""
FILES = {
    "r1.startup": "ip address add 10.0.1.1/24 dev eth0\nip link set up dev eth1\nsystemctl start frr\n",
    "r1/etc/frr/daemons": "ospfd=yes\nbgpd=no\nbfdd=yes\n",
    "r1/etc/frr/vtysh.conf": "service integrated-vtysh-config\n",
    "r1/etc/frr/frr.conf": (
        "interface eth1\n ip address 10.0.2.1/24\n ospf cost 7\nrouter ospf\n network 10.0.0.0/8 area 0\n"
    ),
    "r2.startup": (
        "#!/bin/bash\n"
        "ifconfig eth0 10.0.1.2 netmask 255.255.255.0 up   # to r1\n"
        "ifconfig eth1 10.0.3.2/24 mtu 1400\n"
        "route add -net 10.0.2.0 netmask 255.255.255.0 gw 10.0.1.1 dev eth0\n"
        "ip addr add 2.2.2.2/32 dev lo; tc qdisc add dev eth0 root handle 1: netem delay 10ms\n"
        "tc qdisc add dev eth0 parent 1:1 handle 2: tbf rate 2mbit burst 3028b limit 30280b\n"
        "for name in a b; do\n  touch /tmp/$name\ndone\n"
        "systemctl start apache2\n"
    ),
    "old.startup": "ifconfig eth0 10.0.3.3/24\nifconfig eth1 10.9.0.1/24\n/etc/init.d/quagga start\n",
    "old/etc/quagga/daemons": "zebra=yes\nbgpd=yes\n",
    "old/etc/quagga/bgpd.conf": (
        "hostname old\nrouter bgp 3\n neighbor 10.0.3.2 remote-as 2\n network 10.9.0.0/24\ndebug bgp\n"
    ),
    "old/root/notes.txt": "for people",
    "pc.startup": "ip address add 10.0.2.5/24 dev eth0\nroute add default gw 10.0.2.1\n",
    "shared.startup": "echo 0 > /proc/sys/net/ipv4/tcp_sack\n",
    "web.shutdown": "rm /tmp/x\n",
    "sw.startup": "ip link add br0 type bridge\nip link set eth0 master br0\nip link set dev eth1 master br0\n"
    "ip link set up dev br0\nbrctl setageing br0 600\n",
    "fwd.startup": "ip addr add 10.4.0.1/24 dev eth0\nip addr add 10.9.0.2/24 dev eth1\n",
    "lab.dep": "r2: r1\n",
}


def written(folder: Path, conf: str = LAB_CONF, files: dict[str, str] = FILES) -> Path:
    """A folder with the files of a lab; returns its `lab.conf`."""
    for name, text in {"lab.conf": conf, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "lab.conf"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `lab.conf` of a lab with all kinds of devices."""
    return written(tmp_path_factory.mktemp("labs") / "campus-lab")


@pytest.fixture(scope="module")
def loaded(lab: Path) -> LoadedFile:
    """The lab as it is read."""
    return opening.load(lab)


def end_at(loaded: LoadedFile, node: str, interface: str) -> End:
    """An end of a link."""
    return next(end for _, end in loaded.topology.ends_at(node) if end.interface == interface)


def test_devices_have_their_kinds(loaded: LoadedFile) -> None:
    nodes = {node.name: type(node) for node in loaded.topology.nodes}
    assert nodes == {
        "r1": Router, "r2": Router, "old": Router, "pc": Host, "web": Host, "sw": Bridge, "pc2": Host, "fwd": Router,
        "C": Bridge,  # a collision domain of three devices; STUB has two, A and B too
    }  # fmt: skip
    assert loaded.topology.title == "campus"


def test_collision_domains_are_links_and_bridges(loaded: LoadedFile) -> None:
    ends = {frozenset(f"{end.node}:{end.interface}" for end in link.ends) for link in loaded.topology.links}
    assert ends == {
        frozenset(pair) for pair in (
            ("r1:eth0", "r2:eth0"), ("r1:eth1", "pc:eth0"), ("r2:eth1", "C:"), ("old:eth0", "C:"), ("web:eth0", "C:"),
            ("sw:eth0", "pc2:eth0"), ("sw:eth1", "fwd:eth0"), ("old:eth1", "fwd:eth1"),
        )
    }  # fmt: skip
    assert end_at(loaded, "r1", "eth1").mac == "02:00:00:00:00:01"


def test_startup_commands_become_fields(loaded: LoadedFile) -> None:
    r2, pc = loaded.topology.node("r2"), loaded.topology.node("pc")
    assert isinstance(r2, Router) and isinstance(pc, Host)
    assert end_at(loaded, "r2", "eth0").addresses == (ip_interface("10.0.1.2/24"),)
    assert (end_at(loaded, "r2", "eth1").addresses, end_at(loaded, "r2", "eth1").mtu_bytes) == (
        (ip_interface("10.0.3.2/24"),), 1400,
    )  # fmt: skip
    assert r2.loopbacks == (ip_interface("2.2.2.2/32"),)
    assert r2.static_routes == (StaticRoute.model_validate({"prefix": "10.0.2.0/24", "via": "10.0.1.1"}),)
    link = next(link for link in loaded.topology.links if link.a.node == "r1" and link.b.node == "r2")
    # 3028 bytes are two frames of 1514 bytes, and the limit is as stated.
    assert link.b_to_a == Shape(delay_ms=10, rate_mbit=2, burst_frames=2, queue_bytes=30_280)
    assert (pc.default_route, pc.tcp.ecn, pc.tcp.sack) == (ip_address("10.0.2.1"), "on", False)


def test_configurations_are_typed_text_and_settings(loaded: LoadedFile) -> None:
    r1, old = loaded.topology.node("r1"), loaded.topology.node("old")
    assert isinstance(r1, Router) and isinstance(old, Router) and r1.daemons == ("bfdd",)
    assert "network 10.0.0.0/8 area 0" in r1.frr_conf and end_at(loaded, "r1", "eth1").ospf_cost in (7, None)
    assert end_at(loaded, "r1", "eth1").ospf_cost == 7 or "ip ospf cost 7" in r1.frr_conf
    assert {end_at(loaded, "r1", name).addresses for name in ("eth0", "eth1")} == {
        (ip_interface("10.0.1.1/24"),), (ip_interface("10.0.2.1/24"),),
    }  # fmt: skip
    # Quagga exchanges routes without policies (RFC 8212 is younger).
    assert " no bgp ebgp-requires-policy\n" in old.frr_conf and "debug" not in old.frr_conf


def test_other_commands_run_after_permission_only(loaded: LoadedFile) -> None:
    nodes = {request.split()[0] for request in requested_permissions(loaded.topology)}
    assert nodes == {"r1", "r2", "old", "fwd", "pc", "web"}  # the shared script has a field at hosts only
    r2, pc, web = (loaded.topology.node(name) for name in ("r2", "pc", "web"))
    assert r2 is not None and pc is not None and web is not None
    assert "done" in r2.start_command and "apache2" not in r2.start_command
    assert pc.start_command == "touch /tmp/ready" and web.stop_command == "rm /tmp/x"


def test_whatever_has_no_equivalent_is_listed_with_file_and_line(loaded: LoadedFile) -> None:
    remarks = {(problem.node, problem.field): problem.message for problem in loaded.warnings}
    assert remarks["r1", "lab.conf mem"].startswith("line 8: '128m'")
    assert remarks["pc", "lab.conf bridged"] == "line 14: leads out of the lab, and is left out"
    assert remarks["r2", "r2.startup apache2"].startswith("line 10: 'systemctl start apache2' is left out")
    assert remarks["r2", "r2.startup"].startswith("line 7: ") and remarks["pc", "lab.conf"].startswith("line 16: ")
    assert remarks["old", "old/"].endswith("root/notes.txt")
    assert remarks["old", "old/etc/quagga/bgpd.conf debug"].startswith("line 5: ")
    assert remarks["sw", "sw.startup"].endswith("'brctl setageing br0 600'")
    assert remarks["web", "default route"].startswith("lab.conf line 17") and ("", "lab.dep") in remarks
    assert {problem.kind for problem in loaded.warnings} == {"kathara-option"}


def test_a_saved_file_keeps_topology_and_remarks(loaded: LoadedFile) -> None:
    again = mn.loads(mn.dumps(loaded.topology))
    assert again.topology == loaded.topology
    of_nodes = {str(problem) for problem in loaded.warnings if problem.node}
    assert {str(problem) for problem in again.warnings} == of_nodes


def test_the_folder_opens_in_the_window_and_in_commands(lab: Path) -> None:
    document = Document()
    document.open(lab)
    assert len(document.topology.nodes) == 9 and document.path is None and document.warnings
    before = lab.read_text()
    assert "kathara-option" in invoke("check", lab.parent, "--json").stdout
    assert "is a file of Kathara, which is not overwritten" in invoke("check", lab.parent, "--fix").stderr
    assert opening.name_of(lab.parent) == "campus-lab" and lab.read_text() == before
    assert addressed(document.topology).node("pc") is not None


def test_names_of_devices_and_domains_do_not_collide(tmp_path: Path) -> None:
    conf = 'a[0]="a"\nb[0]="a"\nc[0]="a"\nlo[0]="a"\nd.1[0]="x"\nd.1[1]="x"\n'
    topology = opening.load(written(tmp_path, conf, {})).topology
    assert [node.name for node in topology.nodes] == ["a", "b", "c", "lo_2", "d_1", "net_a", "x"]
    assert len(topology.links) == 6


def test_a_route_through_a_link_local_address_keeps_its_interface(tmp_path: Path) -> None:
    files = {
        "lab.conf": 'r1[0]="A"\nr1[1]="B"\nr2[0]="B"\nr2[1]="C"\npc[0]="A"\n',
        "r1.startup": "ip address add 2001:db8:1::1/64 dev eth0\nip address add 2001:db8:2::1/64 dev eth1\n"
        "ip route add 2001:db8:3::/64 via fe80::200:ff:fe00:b2 dev eth1\nip route add default via fe80::9\n",
        "r2.startup": "ip address add 2001:db8:2::2/64 dev eth0\nip address add 2001:db8:3::1/64 dev eth1\n",
        "pc.startup": "ip address add 2001:db8:1::2/64 dev eth0\nip -6 route add default via fe80::1 dev eth0\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    topology = opening.load(tmp_path).topology
    r1, pc = topology.node("r1"), topology.node("pc")
    assert isinstance(r1, Router) and isinstance(pc, Host)
    assert (r1.static_routes, r1.start_command) == ((), "ip route add default via fe80::9")
    assert r1.frr_conf == "ipv6 route 2001:db8:3::/64 fe80::200:ff:fe00:b2 eth1\n!\n"
    assert (pc.default_route, pc.start_command) == (None, "ip -6 route add default via fe80::1 dev eth0")


def test_debug_lines_of_quagga_are_left_out_of_files_for_frr(tmp_path: Path) -> None:
    lines = "router bgp 1\n neighbor 10.0.0.2 remote-as 2\ndebug bgp\ndebug bgp fsm\ndebug bgp keepalives\n"
    for name, text in {"lab.conf": 'r1[0]="A"\nr2[0]="A"\n', "r1/etc/frr/frr.conf": lines}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    loaded = opening.load(tmp_path)
    r1 = loaded.topology.node("r1")
    assert isinstance(r1, Router)
    assert [line for line in r1.frr_conf.splitlines() if "debug" in line] == ["debug bgp keepalives"]
    assert any(warning.message == "line 3: debug lines of Quagga are left out" for warning in loaded.warnings)

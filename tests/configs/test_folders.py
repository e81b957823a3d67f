"""Import and export of folders of configurations."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.conf.changes import difference
from frrlib.configs.adoption import full_text
from frrlib.configs.folders import export_folder, import_configs, read_folder
from frrlib.errors import TopologyError
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.network.network import Network, end
from tests.configs.topologies import two_routers


def two_plain_routers() -> Topology:
    """Two routers without any settings."""
    network = Network("two")
    network.router("r1")
    network.router("r2")
    network.link(end("r1", interface="r1-eth0"), end("r2", interface="r2-eth0"))
    return network.topology


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_conf", ".conf")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_the_three_layouts(tmp_path: Path) -> None:
    write(
        tmp_path,
        r1__zebra_conf="hostname r1\ninterface r1-eth0\n ip address 10.1.0.1/24\n",
        r1__ospfd_conf="interface r1-eth0\n ip ospf cost 5\nexit\nrouter ospf\n network 10.1.0.0/24 area 0\n",
        r2__frr_conf="hostname r2\nrouter rip\n version 2\n",
        r2__vtysh_conf="service integrated-vtysh-config\n",
        r3_conf="router bgp 1\n",
        notes="nothing of FRR",
    )  # fmt: skip
    texts = read_folder(tmp_path)
    assert list(texts) == ["r1", "r2", "r3"]
    assert difference(
        texts["r1"],
        "hostname r1\ninterface r1-eth0\n ip address 10.1.0.1/24\n ip ospf cost 5\nexit\n"
        "router ospf\n network 10.1.0.0/24 area 0\n",
    ) == []  # fmt: skip


def test_addresses_and_settings_become_fields_and_other_lines_stay_text(tmp_path: Path) -> None:
    text = (
        "hostname edge\nlog file x.log\ninterface lo\n ip address 1.1.1.1/32\nexit\ninterface r1-eth0\n"
        " ip address 10.1.0.1/24\n ipv6 address 2001:db8::1/64\nexit\ninterface r1-eth7\n ip address 10.7.0.1/24\n"
        "ip route 10.9.0.0/16 10.1.0.2\nrouter ospf\n network 10.1.0.0/24 area 0\n"
    )
    imported = import_configs(two_plain_routers(), read_folder(write(tmp_path, r1_conf=text, r5_conf="router rip\n")))
    router = imported.topology.node("r1")
    assert isinstance(router, Router)
    assert [str(loopback) for loopback in router.loopbacks] == ["1.1.1.1/32"]
    assert [str(address) for address in imported.topology.links[0].a.addresses] == ["10.1.0.1/24", "2001:db8::1/64"]
    assert [str(route.prefix) for route in router.static_routes] == ["10.9.0.0/16"]
    assert "network 10.1.0.0/24 area 0" in router.frr_conf
    assert not any(word in router.frr_conf for word in ("hostname", "log file", "ip route", "10.1.0.1"))
    assert (imported.configured, imported.missing, imported.without) == (("r1",), ("r5",), ("r2",))
    for word in ("edge", "r1-eth7", "`log file x.log`"):
        assert any(word in note for note in imported.notes)
    added = import_configs(two_plain_routers(), {"r5": "router rip\n"}, add=True)
    assert isinstance(added.topology.node("r5"), Router)
    assert added.missing == ()


def test_exported_configurations_are_imported_unchanged(tmp_path: Path) -> None:
    before = two_routers("route-map M permit 10\n set metric 5\n")
    assert export_folder(before, tmp_path) == ("r1", "r2")
    assert "ospfd=yes" in (tmp_path / "r1" / "daemons").read_text()
    after = import_configs(before, read_folder(tmp_path)).topology
    for name in ("r1", "r2"):
        assert difference(full_text(before, name), full_text(after, name)) == []


@pytest.mark.parametrize("content", ["nothing", "absent", "binary"])
def test_unreadable_files_are_reported(tmp_path: Path, content: str) -> None:
    if content == "binary":
        (tmp_path / "r1.conf").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TopologyError):
        read_folder(tmp_path / "absent" if content == "absent" else tmp_path)


VRF_TEXT = """frr defaults datacenter
password secret
vrf blue
 ip route 10.9.0.0/16 10.1.0.2
exit-vrf
interface r1-eth0 vrf blue
 ip address 10.1.0.1/24
exit
router bgp 65001
exit
router bgp 65001 vrf red
exit
ip route 10.8.0.0/16 10.1.0.2 nexthop-vrf bl\u00fce
"""


def test_vrfs_of_a_configuration_become_vrfs_of_the_router() -> None:
    imported = import_configs(two_plain_routers(), {"r1": VRF_TEXT})
    router = imported.topology.node("r1")
    assert isinstance(router, Router)
    assert [(vrf.name, vrf.table, vrf.interfaces) for vrf in router.vrfs] == [
        ("blue", 100, ("r1-eth0",)),
        ("red", 101, ()),
    ]
    assert [str(address) for address in imported.topology.links[0].a.addresses] == ["10.1.0.1/24"]
    assert "vrf blue\n ip route 10.9.0.0/16 10.1.0.2\n" in router.frr_conf
    notes = "\n".join(imported.notes)
    assert (
        "r1: lines left out, since a lab has its own logs and terminals: `password`" in notes and "secret" not in notes
    )
    assert "VRF blue was added with table 100 and r1-eth0" in notes
    assert "VRF red was added with table 101 and no interface" in notes
    assert "bl\\xfce is no name for a VRF" in notes
    assert "r1: its configuration has no address on lo, so it gets 10.255.0.1/32 there, also as its router ID" in notes


def test_a_vrf_that_is_imported_again_keeps_its_table_and_interfaces() -> None:
    once = import_configs(two_plain_routers(), {"r1": VRF_TEXT}).topology
    again = import_configs(once, {"r1": "router ospf vrf blue\nexit\n"})
    router = again.topology.node("r1")
    assert isinstance(router, Router)
    assert [(vrf.name, vrf.table, vrf.interfaces) for vrf in router.vrfs] == [("blue", 100, ("r1-eth0",))]
    assert not any("VRF" in note for note in again.notes)

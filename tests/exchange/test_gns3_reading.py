"""Projects of GNS3 are read with the files of their nodes. Expected values are by hand, from GNS3's units."""

from __future__ import annotations

import json
import zipfile
from ipaddress import ip_address, ip_interface
from pathlib import Path

import pytest

from frrlib.configs.adoption import full_text
from frrlib.exchange import opening
from frrlib.formats import mn
from frrlib.formats.mn import LoadedFile
from frrlib.model.links import End, Link
from frrlib.model.nodes import Bridge, Host, Router
from frrlib.model.permissions import requested_permissions
from miniedit_frr.document.document import Document
from tests.cli.commands import invoke
from tests.exchange.gns3_project import FILES, IDS, NODES, project, write_files


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a project, with the files of its nodes."""
    folder = tmp_path_factory.mktemp("gns3")
    write_files(folder)
    (folder / "office.gns3").write_text(json.dumps(project()))
    return folder / "office.gns3"


@pytest.fixture(scope="module")
def loaded(file: Path) -> LoadedFile:
    """The project as it is read."""
    return opening.load(file)


def end_at(loaded: LoadedFile, node: str, interface: str) -> End:
    """An end of a link."""
    return next(end for _, end in loaded.topology.ends_at(node) if end.interface == interface)


def link_at(loaded: LoadedFile, node: str, interface: str) -> Link:
    """The link at an interface."""
    return next(link for link, end in loaded.topology.ends_at(node) if end.interface == interface)


def remarks_on(loaded: LoadedFile, owner: str) -> dict[str, str]:
    """The remarks on a node or link by option."""
    return {problem.field: problem.message for problem in loaded.warnings if problem.node == owner}


def test_nodes_have_their_kinds_labels_and_places(loaded: LoadedFile) -> None:
    topology = loaded.topology
    kinds = {node.name: type(node) for node in topology.nodes}
    hosts = {"PC1": Host, "server": Host, "Cisco": Host}
    assert kinds == {"frr-1": Router, "gw": Router, "Switch_1": Bridge, "NAT1": Bridge, **hosts}
    frr, pc = topology.node("frr-1"), topology.node("PC1")
    assert frr is not None and pc is not None and pc.label == "the PC" and not frr.label
    assert (pc.x - frr.x, pc.y - frr.y) == (100, 0) and min(node.x for node in topology.nodes) > 0
    rectangle, note = topology.annotations
    # The symbol's center is 30 px right of and 20 px below its corner; the rectangle's corner is 100 px left of it.
    assert (frr.x - rectangle.x, frr.y - rectangle.y) == (130, -30)
    assert (rectangle.kind, rectangle.line, rectangle.fill) == ("rectangle", "#62a0ea", "")
    assert (note.kind, note.text) == ("note", "AS 65001")
    assert topology.title == "office"


def test_files_of_nodes_are_settings(loaded: LoadedFile) -> None:
    frr, server, pc = (loaded.topology.node(name) for name in ("frr-1", "server", "PC1"))
    assert isinstance(frr, Router) and isinstance(server, Host) and isinstance(pc, Host)
    lines = {line.strip() for line in full_text(loaded.topology, "frr-1").splitlines()}
    assert {"ospf router-id 1.1.1.1", "ip ospf cost 7"} <= lines and "bfdd" in frr.daemons
    assert end_at(loaded, "frr-1", "eth0").addresses == (ip_interface("10.0.1.1/24"),)
    assert end_at(loaded, "PC1", "eth0").addresses == (ip_interface("10.0.1.10/24"),)
    assert pc.default_route == server.default_route == ip_address("10.0.1.1")
    end = end_at(loaded, "server", "eth0")
    assert (end.addresses, end.mtu_bytes) == ((ip_interface("10.0.1.20/24"),), 1400)
    assert server.start_command == "touch /tmp/up\ntouch /tmp/started"
    [permission] = requested_permissions(loaded.topology)
    assert "touch /tmp/up" in permission and not Path("/tmp/started").exists()
    gateway = loaded.topology.node("gw")
    assert isinstance(gateway, Router) and [str(route.prefix) for route in gateway.static_routes] == ["10.9.0.0/16"]


def test_filters_are_values_of_both_directions(loaded: LoadedFile) -> None:
    link = link_at(loaded, "frr-1", "eth0")
    assert link.a_to_b == link.b_to_a and (link.a_to_b.delay_ms, link.a_to_b.jitter_ms) == (25, 4)
    assert link.a_to_b.loss_percent == 3 and link.a_to_b.impairments.corrupt_percent == 2 and link.up
    dropping = link_at(loaded, "PC1", "eth0")
    assert (
        dropping.a_to_b.loss_percent == 25 and "at random" in remarks_on(loaded, dropping.id)["filters.frequency_drop"]
    )
    assert not link_at(loaded, "frr-1", "eth1").up
    assert "'icmp'" in remarks_on(loaded, link_at(loaded, "server", "eth0").id)["filters.bpf"]


def test_everything_without_an_equivalent_is_listed(loaded: LoadedFile) -> None:
    assert {problem.kind for problem in loaded.warnings} == {"gns3-option"}
    expected = {
        ("Cisco", "node_type"): "topology.nodes[4]: Dynamips (Cisco IOS) cannot be converted",
        ("NAT1", "node_type"): "leads nowhere",
        ("Switch_1", "ports_mapping"): "VLANs 1, 20 are one network",
        ("server", "etc/network/interfaces eth1"): "line 11: no addresses come from dhcp",
        ("PC1", "startup.vpc"): "line 3: 'ip dhcp'",
        ("frr-1", "ldpd"): "MPLS",
        ("", "topology.drawings[2]"): "no text",
    }
    for (owner, option), words in expected.items():
        assert words in remarks_on(loaded, owner)[option]
    again = mn.loads(mn.dumps(loaded.topology))
    assert again.topology == loaded.topology
    assert ("Cisco", "node_type") in {(problem.node, problem.field) for problem in again.warnings}


def test_an_exported_project_is_read_from_its_archive(loaded: LoadedFile, tmp_path: Path) -> None:
    packed = tmp_path / "office.gns3project"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("project.gns3", json.dumps(project()))
        for name, content in FILES.items():
            archive.writestr(f"project-files/{name.format(**IDS)}", content)
    assert opening.load(packed).topology == loaded.topology
    assert [path.name for path in tmp_path.iterdir()] == [packed.name]


def test_commands_and_the_window_open_projects_and_do_not_overwrite_them(file: Path) -> None:
    before = file.read_text()
    outcome = invoke("check", file)
    assert outcome.exit_code == 0 and "gns3-option" in outcome.stdout, outcome.output
    assert "file of GNS3" in invoke("routing", "clear", file).stderr and file.read_text() == before
    document = Document()
    document.open(file)
    assert document.path is None and document.is_saved and len(document.topology.nodes) == len(NODES)

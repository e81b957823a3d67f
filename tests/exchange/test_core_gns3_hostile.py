"""Hostile files of CORE and GNS3 are rejected with file, place, error and remedy, within limits."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from frrlib.errors import TopologyError
from frrlib.exchange import opening
from tests.exchange.gns3_project import IDS, LINKS, project

#: Entities that would expand to 10^9 letters, and one that would read a file of the machine.
LAUGHS = "<!DOCTYPE s [<!ENTITY a0 'lol'>" + "".join(
    f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10)
) + "]><scenario>&a9;</scenario>"  # fmt: skip
OUTER = "<!DOCTYPE s [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><scenario><devices>&x;</devices></scenario>"
DEVICES = '<devices><device id="1" name="a" type="PC"/><device id="2" name="b" type="PC"/></devices>'


def scenario(inner: str, devices: str = DEVICES) -> str:
    """A scenario of CORE with two devices."""
    return f"<scenario>\n{devices}\n<links>\n{inner}\n</links></scenario>"


XML = {
    "laughs": (LAUGHS, "line 1: x.xml: has a document type or entities; remove <!DOCTYPE"),
    "outer": (OUTER, "has a document type or entities"),
    "outer dtd": ("<!DOCTYPE s SYSTEM 'http://127.0.0.1/s.dtd'><scenario/>", "has a document type or entities"),
    "undeclared": ("<scenario>&x;</scenario>", "line 1: x.xml: is not XML: undefined entity"),
    "no xml": ("<scenario>\n<devices>", "line 2: x.xml: is not XML: no element found; close each element"),
    "deep": ("<scenario>" * 40, "is nested more than 32 deep"),
    "many": (f"<scenario>{'<a/>' * 50_001}</scenario>", "has more than 50000 elements"),
    "empty": (" \n", "is an empty file"),
    "encoding": ("<?xml version='1.0' encoding='klingon'?><scenario/>", "is not XML"),
    "other": ("<topology><network/></topology>", "has the element <topology> without <networks>"),
    "control": (scenario("", '<devices><device id="1" name="a&#x9b;2J"/></devices>'), "has the character U+009B"),
    "id": (scenario("", '<devices><device id="x"/></devices>'), "line 2: x.xml.devices/device[1]: has id='x'; a"),
    "same id": (scenario("", DEVICES.replace('"2"', '"1"')), "devices/device[2]: has the id 1 of another node"),
    "no node": (scenario('<link node1="1" node2="9"/>'), "line 4: x.xml.links/link[1]: refers to the node '9'; the id"),
    "address": (
        scenario('<link node1="1" node2="2"><iface1 id="0" ip4="10.0.0.300" ip4_mask="24"/></link>'),
        "links/link[1]/iface1: has ip4='10.0.0.300' with the mask '24'; an address with its length",
    ),
    "mac": (scenario('<link node1="1" node2="2"><iface1 id="0" mac="x"/></link>'), "has mac='x'; a hardware address"),
    "number": (
        scenario('<link node1="1" node2="2"><options delay="fast"/></link>'), "options: has delay='fast'; a number",
    ),
    "infinite": (scenario('<link node1="1" node2="2"><options delay="1e999"/></link>'), "has delay='1e999'"),
    "range": (scenario('<link node1="1" node2="2"><options loss="101"/></link>'), "link[1]/options: "),
    "service": (
        f"<scenario>{DEVICES}<service_configurations><service name='a' node='7'/></service_configurations></scenario>",
        "service_configurations/service[1]: refers to the node '7'; the id of a device",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", XML)
def test_a_hostile_scenario_is_refused(name: str, tmp_path: Path) -> None:
    text, message = XML[name]
    with pytest.raises(TopologyError) as caught:
        opening.loads(text.encode(), tmp_path / "x.xml")
    assert message in str(caught.value) and "x.xml" in str(caught.value)
    assert str(caught.value).isprintable()


def test_large_and_former_files_of_core_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match="larger than 8 MiB"):
        opening.loads(b" " * (8 * 2**20 + 1), tmp_path / "x.xml")
    with pytest.raises(TopologyError, match=r"x\.imn: is a file of CORE's former window.*save it as \.xml"):
        opening.loads(b"node n1 {}", tmp_path / "x.imn")


BAD_LINK = {"nodes": [{"node_id": IDS["PC1"]}, {"node_id": "x"}]}
JSON = {
    "no json": ("{", "is not a project of GNS3"),
    "no topology": ("{}", "has no topology, so it is no project of GNS3; open a .gns3 file"),
    "list": ("[]", "is a list, not an object"),
    "old": ('{"topology": {"servers": []}}', "is a project of GNS3 1; open it in GNS3 2"),
    "nodes": ('{"topology": {"nodes": {}}}', "topology.nodes: is an object, not a list"),
    "node": ('{"topology": {"nodes": [1]}}', "topology.nodes[0]: is a number, not an object"),
    "no id": ('{"topology": {"nodes": [{"name": "a"}]}}', "topology.nodes[0]: has no node_id"),
    "one end": ('{"topology": {"links": [{"nodes": []}]}}', "topology.links[0]: has 0 ends; a link has two"),
    "missing": (json.dumps({"topology": {"links": [BAD_LINK]}}), "topology.links[0].nodes[0]: refers to the node"),
    "filter": (
        json.dumps(project([(*LINKS[0][:2], {"delay": ["x"]})])),
        "filters.delay: 'x' is not a number; a filter",
    ),
    "range": (json.dumps(project([(*LINKS[0][:2], {"packet_loss": [400]})])), "topology.links[0].filters: "),
    "filters": (json.dumps(project([(*LINKS[0][:2], [1])])), "topology.links[0].filters: is not an object"),
    "port": (json.dumps(project([(("PC1", -1, 0), ("NAT1", 0, 0), {})])), "adapter_number: is -1, not a number from 0"),
    "control": (json.dumps(project()).replace("Cisco", "a\\u001b[2J"), "has the character U+001B in its name; remove"),
    "deep": ('{"a":' * 200 + "1" + "}" * 200, "is nested"),
}


@pytest.mark.parametrize("name", JSON)
def test_a_hostile_project_is_refused(name: str, tmp_path: Path) -> None:
    text, message = JSON[name]
    with pytest.raises(TopologyError) as caught:
        opening.loads(text.encode(), tmp_path / "x.gns3")
    assert message in str(caught.value) and "x.gns3" in str(caught.value)
    assert str(caught.value).isprintable()


def packed(entries: dict[str, str | bytes]) -> bytes:
    """An archive with these files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return data.getvalue()


def test_archives_cannot_fill_the_memory_or_leave_their_folder(tmp_path: Path) -> None:
    path = tmp_path / "x.gns3project"
    whole = packed({"project.gns3": "{}"})
    start = whole.index(b"project.gns3") + len(b"project.gns3")
    damaged = whole[:start] + b"\xff" + whole[start + 1 :]
    refused = {
        "leads out of the project; remove this entry": packed({"project.gns3": "{}", "../evil": ""}),
        "has the entry '/etc/passwd', which": packed({"/etc/passwd": ""}),
        "has the entry 'C:": packed({"C:\\a": ""}),
        "has no project.gns3; export the project again": packed({"a": ""}),
        "is no archive of GNS3": b"PK\x03\x04 nothing",
        "is longer than 16777216 bytes": packed({"project.gns3": b" " * (2**24 + 1)}),
        "has a project.gns3 that cannot be unpacked": damaged,
    }
    for message, data in refused.items():
        with pytest.raises(TopologyError) as caught:
            opening.loads(data, path)
        assert message in str(caught.value) and "x.gns3project" in str(caught.value)
    bomb = packed({
        "project.gns3": json.dumps(project()),
        f"project-files/vpcs/{IDS['PC1']}/startup.vpc": b"#" * 5_000_000,
    })  # fmt: skip
    loaded = opening.loads(bomb, path)
    reasons = {problem.message for problem in loaded.warnings if problem.node == "PC1"}
    assert "a file of the node is longer than 1000000 bytes" in reasons
    assert list(tmp_path.iterdir()) == []


def test_files_outside_of_a_project_are_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    (folder / "project-files" / "vpcs" / IDS["PC1"]).mkdir(parents=True)
    secret = tmp_path / "secret"
    secret.write_text("ip 10.9.9.9/24 10.9.9.1\n")
    (folder / "project-files" / "vpcs" / IDS["PC1"] / "startup.vpc").symlink_to(secret)
    content = project()
    content["topology"]["nodes"][3]["node_id"] = "../../.."
    content["topology"]["links"] = []
    loaded = opening.loads(json.dumps(content).encode(), folder / "x.gns3")
    assert "10.9.9.9" not in mn_text(loaded.topology) and "10.9.9.1" not in mn_text(loaded.topology)
    reasons = [problem.message for problem in loaded.warnings if problem.node == "PC1"]
    assert any("outside of the folder" in reason for reason in reasons)


def mn_text(topology: object) -> str:
    """All values of a topology as text."""
    return str(topology)

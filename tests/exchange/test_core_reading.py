"""Scenarios of CORE are read with links, services and drawings. Expected values are by hand, from CORE's units."""

from __future__ import annotations

from ipaddress import ip_address, ip_interface, ip_network
from pathlib import Path

import pytest

from frrlib.configs.adoption import full_text
from frrlib.exchange import opening
from frrlib.formats import mn
from frrlib.formats.mn import LoadedFile
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Host, Router
from frrlib.model.permissions import requested_permissions
from frrlib.model.routing import StaticRoute
from miniedit_frr.document.document import Document
from tests.cli.commands import invoke

SCENARIO = """\
<?xml version='1.0' encoding='UTF-8'?>
<scenario name="/home/core/ring.xml">
  <networks>
    <network id="4" name="sw" type="SWITCH"><position x="300.0" y="100.0"/></network>
    <network id="5" name="radio" model="basic_range" type="WIRELESS_LAN"><position x="300.0" y="300.0"/></network>
    <network id="6" name="interface of the lab" type="RJ45"><position x="500.0" y="300.0"/></network>
  </networks>
  <devices>
    <device id="1" name="r1" type="router"><position x="100.0" y="100.0"/>
      <services><service name="FRRzebra"/><service name="FRROSPFv2"/><service name="FRROSPFv3"/>
        <service name="IPForward"/></services>
    </device>
    <device id="2" name="r2" type="router"><position x="200.0" y="100.0"/>
      <services><service name="zebra"/><service name="BGP"/><service name="StaticRoute"/>
        <service name="SSH"/></services>
    </device>
    <device id="3" name="pc 1" type="PC"><position x="400.0" y="100.0"/>
      <services><service name="DefaultRoute"/><service name="UserDefined"/></services>
    </device>
    <device id="7" name="m1" type="mdr" class="docker" image="ubuntu"><position x="200.0" y="300.0"/></device>
  </devices>
  <links>
    <link node1="1" node2="2">
      <iface1 id="0" name="eth0" mac="00:00:00:AA:00:01" ip4="10.0.0.1" ip4_mask="24" ip6="2001:0::1" ip6_mask="64"/>
      <iface2 id="0" name="eth0" mac="00:00:00:aa:00:02" ip4="10.0.0.2" ip4_mask="24"/>
      <options delay="20000" bandwidth="10000000" loss="1.5" dup="2" jitter="3000" unidirectional="1" buffer="50"/>
    </link>
    <link node1="2" node2="1">
      <iface1 id="0" name="eth0" ip4="10.0.0.2" ip4_mask="24"/><iface2 id="0" name="eth0" ip4="10.0.0.1" ip4_mask="24"/>
      <options delay="0" bandwidth="2500000" loss="0.0" dup="0" jitter="0" unidirectional="1" burst="9"/>
    </link>
    <link node1="4" node2="3">
      <iface2 id="0" name="eth0" ip4="10.0.1.20" ip4_mask="24"/>
      <options delay="0" bandwidth="0" loss="0.0" dup="0" jitter="0" unidirectional="0" buffer="7"/>
    </link>
    <link node1="1" node2="4"><iface1 id="1" name="eth1" ip4="10.0.1.1" ip4_mask="24"/></link>
    <link node1="5" node2="7"><iface2 id="0" name="eth0" ip4="10.0.2.7" ip4_mask="32" ip6="a::7" ip6_mask="128"/></link>
    <link node1="1" node2="6"><iface1 id="2" name="eth2" ip4="10.0.3.1" ip4_mask="24"/></link>
  </links>
  <mobility_configurations>
    <mobility_configuration node="5" model="basic_range">
      <configuration name="range" value="275"/><configuration name="bandwidth" value="54000000"/>
      <configuration name="delay" value="5000"/><configuration name="error" value="3"/>
    </mobility_configuration>
  </mobility_configurations>
  <service_configurations>
    <service name="zebra" node="2"><files><file name="/usr/local/etc/quagga/Quagga.conf"><![CDATA[
interface eth0
  ip address 10.0.0.2
!
router bgp 65002
  neighbor 10.0.0.1 remote-as 65001
!
router ospf6
  instance-id 65
  router-id 2.2.2.2
  interface eth0 area 0.0.0.0
!
]]></file></files></service>
    <service name="StaticRoute" node="2"><files><file name="staticroute.sh"><![CDATA[#!/bin/sh
# a route
ip route add 192.0.2.0/24 via 10.0.0.1
]]></file></files></service>
    <service name="UserDefined" node="3">
      <startups><startup>sh start.sh</startup><startup>sh other.sh</startup></startups>
      <files><file name="start.sh">#!/bin/sh
touch /tmp/ready
</file><file name="other.sh">file:///home/core/other.sh</file></files>
    </service>
  </service_configurations>
  <session_hooks><hook name="boot.sh" state="4">touch /tmp/machine</hook></session_hooks>
  <session_metadata><configuration name="shapes" value="[{&quot;type&quot;: &quot;oval&quot;, &quot;iconcoords&quot;:
    [10, 20, 110, 80], &quot;label&quot;: &quot;AS 1&quot;, &quot;color&quot;: &quot;#ebebde&quot;, &quot;border&quot;:
    &quot;&quot;, &quot;width&quot;: 0}, {&quot;type&quot;: &quot;star&quot;}]"/></session_metadata>
</scenario>
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> LoadedFile:
    """The scenario as it is read."""
    file = tmp_path_factory.mktemp("core") / "ring.xml"
    file.write_text(SCENARIO)
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


def test_devices_and_networks_have_their_kinds_and_places(loaded: LoadedFile) -> None:
    topology = loaded.topology
    kinds = {node.name: type(node) for node in topology.nodes}
    names = {"sw": Bridge, "radio": Bridge, "interface_of_th": Bridge}
    assert kinds == {"r1": Router, "r2": Router, "pc_1": Host, "m1": Router} | names
    assert topology.title == "ring"
    assert {(node.x, node.y) for node in topology.nodes} >= {(100.0, 100.0), (400.0, 100.0), (300.0, 300.0)}
    assert len(topology.links) == 5
    [shape] = topology.annotations
    assert (shape.kind, shape.text, shape.fill, shape.line) == ("ellipse", "AS 1", "#ebebde", "")
    assert (shape.x, shape.y, shape.width, shape.height) == (10, 20, 100, 60)


def test_options_of_a_link_are_values_of_its_directions(loaded: LoadedFile) -> None:
    link = link_at(loaded, "r1", "eth0")
    assert (link.a.node, link.b.node) == ("r1", "r2")
    shape = link.a_to_b
    assert (shape.rate_mbit, shape.delay_ms, shape.jitter_ms, shape.loss_percent) == (10.0, 20.0, 3.0, 1.5)
    assert shape.queue_packets == 50 and shape.impairments.duplicate_percent == 2
    assert link.b_to_a == Shape(rate_mbit=2.5)
    assert "which has no equivalent" in remarks_on(loaded, link.id)["burst"]
    assert "which needs a bandwidth" in remarks_on(loaded, link_at(loaded, "pc_1", "eth0").id)["buffer"]
    assert end_at(loaded, "r1", "eth0").mac == "00:00:00:aa:00:01"
    addresses = (ip_interface("10.0.0.1/24"), ip_interface("2001::1/64"))
    assert end_at(loaded, "r1", "eth0").addresses == addresses


def test_a_wireless_network_shapes_the_packets_to_its_stations(loaded: LoadedFile) -> None:
    link = link_at(loaded, "m1", "eth0")
    to_station = link.a_to_b if link.b.node == "m1" else link.b_to_a
    from_station = link.b_to_a if link.b.node == "m1" else link.a_to_b
    assert to_station == Shape(rate_mbit=54.0, delay_ms=5.0, loss_percent=3.0) and from_station.is_plain
    assert "all its stations reach each other" in remarks_on(loaded, "radio")["type"]


def test_services_without_files_get_the_lines_that_core_writes(loaded: LoadedFile) -> None:
    text = full_text(loaded.topology, "r1")
    lines = {line.strip() for line in text.splitlines()}
    assert {"ospf router-id 10.0.0.1", "ip ospf hello-interval 2", "ip ospf dead-interval 6"} <= lines
    assert {"ip ospf network point-to-point", "ospf6 router-id 10.0.0.1"} <= lines
    r1 = loaded.topology.node("r1")
    assert isinstance(r1, Router) and r1.runs_frr
    sections = {part.split("\n")[0]: part for part in text.split("\ninterface ")[1:]}
    assert "point-to-point" not in sections["eth1"] and "hello-interval 2" in sections["eth1"]
    assert "hello-interval" not in sections.get("eth2", "")  # CORE leaves interfaces to the machine alone


def test_scenarios_of_core_6_keep_the_usual_timers_of_ospf(tmp_path: Path) -> None:
    devices = "".join(f'<device id="{n}" name="r{n}" type="router"/>' for n in (1, 2))
    ends = "".join(f'<interface_{word} id="0" ip4="10.0.0.{n}" ip4_mask="24"/>' for n, word in ((1, "one"), (2, "two")))
    file = tmp_path / "old.xml"
    file.write_text(
        f'<scenario><devices>{devices}</devices><links><link node_one="1" node_two="2">{ends}'
        '<options per="2" unidirectional="0"/></link></links></scenario>'
    )
    topology = opening.load(file).topology
    text = full_text(topology, "r1")
    assert "network 10.0.0.0/24 area 0" in text or "ip ospf area 0" in text, text
    assert "hello-interval" not in text and "point-to-point" not in text
    assert topology.links[0].a_to_b == topology.links[0].b_to_a == Shape(loss_percent=2)


def test_given_files_are_configurations_in_the_words_of_frr(loaded: LoadedFile) -> None:
    text = full_text(loaded.topology, "r2")
    lines = [line.strip() for line in text.splitlines()]
    assert "router bgp 65002" in lines and "neighbor 10.0.0.1 remote-as 65001" in lines
    assert "no bgp ebgp-requires-policy" in lines  # Quagga has no such rule
    assert "ospf6 router-id 2.2.2.2" in lines and any(line.startswith("ipv6 ospf6 area") for line in lines)
    assert not any("instance-id" in line or line == "ip address 10.0.0.2" for line in lines)
    assert "instance-id 65" in remarks_on(loaded, "r2")["OSPFv3MDR"]


def test_scripts_become_routes_and_start_commands(loaded: LoadedFile) -> None:
    r2, host = loaded.topology.node("r2"), loaded.topology.node("pc_1")
    assert isinstance(r2, Router) and isinstance(host, Host)
    assert r2.static_routes == (StaticRoute(prefix=ip_network("192.0.2.0/24"), via=ip_address("10.0.0.1")),)
    assert host.default_route == ip_address("10.0.1.1")
    assert host.start_command == "touch /tmp/ready" and requested_permissions(loaded.topology)
    assert "outside of the scenario" in remarks_on(loaded, "pc_1")["other.sh"]
    assert not Path("/tmp/machine").exists() and not Path("/tmp/ready").exists()


def test_everything_without_an_equivalent_is_listed(loaded: LoadedFile) -> None:
    assert {problem.kind for problem in loaded.warnings} == {"core-option"}
    line = next(number for number, text in enumerate(SCENARIO.splitlines(), 1) if "SSH" in text)
    assert f"line {line}: the service SSH is not started" in remarks_on(loaded, "r2")["SSH"]
    assert {"image", "OSPFv3MDR"} <= remarks_on(loaded, "m1").keys()
    assert "leads nowhere" in remarks_on(loaded, "interface_of_th")["type"]
    assert "boot.sh" in remarks_on(loaded, "")["session_hooks"]
    again = mn.loads(mn.dumps(loaded.topology))
    assert again.topology == loaded.topology
    kept = {(problem.node, problem.field) for problem in again.warnings}
    assert {("radio", "type"), ("r2", "SSH")} <= kept


def test_commands_open_scenarios_and_do_not_overwrite_them(tmp_path: Path) -> None:
    file = tmp_path / "ring.xml"
    file.write_text(SCENARIO)
    outcome = invoke("check", file)
    assert outcome.exit_code == 0 and "core-option" in outcome.stdout, outcome.output
    assert "file of CORE" in invoke("routing", "clear", file).stderr
    assert file.read_text() == SCENARIO
    document = Document()
    document.open(file)
    assert document.path is None and document.is_saved and document.warnings


def test_mobile_devices_exchange_routes_of_ipv4(tmp_path: Path) -> None:
    devices = "".join(
        f'<device id="{n}" name="m{n}" type="mdr"><services><service name="zebra"/><service name="OSPFv3MDR"/>'
        "</services></device>" for n in (1, 2)
    )  # fmt: skip
    links = "".join(
        f'<link node1="{n}" node2="9"><iface1 id="0" name="eth0" ip4="10.0.0.{n}" ip4_mask="32" ip6="2001::{n}" '
        'ip6_mask="128"/></link>' for n in (1, 2)
    )  # fmt: skip
    file = tmp_path / "mobile.xml"
    file.write_text(
        '<scenario><networks><network id="9" name="air" type="WIRELESS_LAN"/></networks>'
        f"<devices>{devices}</devices><links>{links}</links></scenario>"
    )
    text = full_text(opening.load(file).topology, "m1")
    # CORE's OSPFv3MDR writes instance 65, which is the one of IPv4 (RFC 5838, section 2.1).
    for line in ("ip ospf network point-to-multipoint", "ip ospf hello-interval 2", "ospf router-id 10.0.0.1",
                 "ipv6 ospf6 area 0.0.0.0", "ipv6 ospf6 hello-interval 2"):  # fmt: skip
        assert line in text
    assert "network 10.0.0.1/32 area 0" in text or "ip ospf area 0" in text

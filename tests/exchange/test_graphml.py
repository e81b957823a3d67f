"""Graphs in GraphML become networks. The graph is compared with networkx, distances with published ones."""

from __future__ import annotations

import math
from pathlib import Path

import networkx
import pytest

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import check
from frrlib.errors import TopologyError
from frrlib.exchange import opening
from frrlib.exchange.graphml.geography import APART_PX, distance_km, fiber_delay_ms, projected
from frrlib.exchange.graphml.read import line_rate_mbit
from frrlib.formats import mn
from frrlib.model.links import End, Shape
from frrlib.model.nodes import Bridge, Router
from frrlib.model.problem import Severity
from frrlib.render.tc import differences, queue_qdiscs
from tests.cli.commands import invoke

BERLIN, LONDON, TOKYO = (13.405, 52.52), (-0.1278, 51.5074), (139.6917, 35.6895)
GRAPH = """\
<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="label" attr.type="string" for="node" id="d0" />
  <key attr.name="Longitude" attr.type="double" for="node" id="d1" />
  <key attr.name="Latitude" attr.type="double" for="node" id="d2" />
  <key attr.name="hyperedge" attr.type="int" for="node" id="d3" />
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d4"><default>1000000.0</default></key>
  <key attr.name="LinkLabel" attr.type="string" for="edge" id="d5" />
  <key attr.name="Network" attr.type="string" for="graph" id="d6" />
  <graph edgedefault="undirected">
    <data key="d6">Three cities</data>
    <node id="0"><data key="d0">Berlin</data><data key="d1">13.405</data><data key="d2">52.52</data></node>
    <node id="1"><data key="d0">London &amp; more</data><data key="d1">-0.13</data><data key="d2">51.51</data></node>
    <node id="2"><data key="d0">Tokyo</data><data key="d1">139.6917</data><data key="d2">35.6895</data></node>
    <node id="3"><data key="d0">None</data><data key="d3">1</data></node>
    <node id="4"><data key="d0">Berlin</data><data key="d1">13.405</data><data key="d2">52.52</data></node>
    <node id="5"><data key="d0">7</data><data key="d1">0</data><data key="d2">200</data></node>
    <edge source="0" target="1"><data key="d4">10000000000.0</data></edge>
    <edge source="0" target="1"><data key="d4">155000000</data></edge>
    <edge source="1" target="2"><data key="d4">-5</data></edge>
    <edge source="2" target="2" />
    <edge source="3" target="0" />
    <edge source="3" target="2" />
    <edge source="4" target="3" />
  </graph>
</graphml>
"""


def refusal(text: str | bytes) -> str:
    """The message with which a file is refused."""
    with pytest.raises(TopologyError) as caught:
        opening.loads(text if isinstance(text, bytes) else text.encode(), Path("x.graphml"))
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_nodes_and_edges_are_those_of_networkx(tmp_path: Path) -> None:
    file = tmp_path / "cities.graphml"
    file.write_text(GRAPH)
    loaded = opening.load(file)
    topology = loaded.topology
    graph = networkx.read_graphml(file)
    names = dict(zip(graph.nodes, [node.name for node in topology.nodes], strict=True))
    assert names == {"0": "Berlin", "1": "London_more", "2": "Tokyo", "3": "r3", "4": "Berlin_2", "5": "r7"}
    edges = sorted(sorted((names[a], names[b])) for a, b in graph.edges() if a != b)
    assert sorted(sorted(end.node for end in link.ends) for link in topology.links) == edges
    assert [type(node) for node in topology.nodes] == [Router] * 3 + [Bridge] + [Router] * 2
    assert topology.title == "Three cities" and topology.nodes[1].label == "London & more"
    assert [link.a_to_b.rate_mbit for link in topology.links] == [10_000, 155, None, 1, 1, 1]
    assert all(link.a_to_b == link.b_to_a for link in topology.links)
    assert [link.a_to_b.delay_ms > 0 for link in topology.links] == [True, True, True, False, False, False]
    assert all(router.ospf is not None and router.ospf.area == "0" for router in topology.routers)
    remarks = {(problem.node, problem.field): problem.message for problem in loaded.warnings}
    assert remarks["l3", "LinkSpeedRaw"].startswith("line 20: '-5' is no rate")
    assert remarks["r7", "Longitude"].startswith("line 17: ") and remarks["Tokyo", "edge"].startswith("line 21: ")
    assert "area 0" in remarks["", "OSPF"] and "2 parts" in remarks["", "edge"]
    assert not [problem for problem in check(topology) if problem.severity is Severity.ERROR]
    assert mn.loads(mn.dumps(topology)).topology == topology
    assert "graphml-value" in invoke("check", file).stdout and "cities.graphml" in invoke("check", file).stdout


def test_directed_edges_in_opposite_directions_are_one_link() -> None:
    text = GRAPH.replace('"undirected"', '"directed"').replace('target="1"><data key="d4">155', 'target="9">155')
    text = text.replace('source="0" target="9"', 'source="1" target="0"').replace("155000000</data>", "")
    links = opening.loads(text.encode(), Path("x.graphml")).topology.links
    assert (links[0].a_to_b.rate_mbit, links[0].b_to_a.rate_mbit, len(links)) == (10_000, 1, 5)


def test_distances_are_those_of_great_circles() -> None:
    # One minute of arc is a nautical mile, 1.852 km; the others are published distances of the cities.
    assert distance_km((0, 0), (1 / 60, 0)) == pytest.approx(1.852, rel=0.002)
    assert distance_km((0, 0), (180, 0)) == pytest.approx(math.pi * 6371.0088)
    assert distance_km(BERLIN, LONDON) == pytest.approx(930, rel=0.01)
    assert distance_km(LONDON, TOKYO) == pytest.approx(9560, rel=0.01)
    # ITU-T G.114: 5 microseconds for each kilometer of fiber.
    assert fiber_delay_ms(LONDON, TOKYO) == pytest.approx(9560 * 0.005, rel=0.01)


def test_positions_follow_the_map_without_overlaps() -> None:
    places = {"Berlin": BERLIN, "London": LONDON, "Tokyo": TOKYO, **{f"b{n}": BERLIN for n in range(40)}}
    spots = projected(places)
    assert spots["London"][0] < spots["Berlin"][0] < spots["Tokyo"][0] and spots["Tokyo"][1] > spots["London"][1]
    ordered = list(spots.values())
    apart = [
        max(abs(a[0] - b[0]), abs(a[1] - b[1])) for index, a in enumerate(ordered) for b in ordered[:index]
    ]  # fmt: skip
    assert min(apart) >= APART_PX
    # The map is cut in the Atlantic, not in the Pacific.
    pacific = projected({"Sydney": (151.2, -33.9), "Seattle": (-122.3, 47.6), "Tokyo": TOKYO})
    assert pacific["Tokyo"][0] < pacific["Sydney"][0] < pacific["Seattle"][0]


def test_labels_of_lines_are_rates() -> None:
    labels = {"OC-192c": 9953.28, "oc3": 155.52, "STM-16": 2488.32, "T1": 1.544, "E3": 34.368, "Lit Fibre": None}
    assert {label: line_rate_mbit(label) for label in labels} == pytest.approx(labels)


def test_a_large_graph_gets_addresses_for_all_links() -> None:
    size = 27
    nodes = "".join(
        f'<node id="{x}.{y}"><data key="d1">{x}</data><data key="d2">{y}</data></node>'
        for x in range(size) for y in range(size)
    )  # fmt: skip
    edges = "".join(
        f'<edge source="{x}.{y}" target="{x + 1}.{y}"/>' for x in range(size - 1) for y in range(size)
    )  # fmt: skip
    head, _, rest = GRAPH.partition("    <node")
    text = f"{head}{nodes}{edges}{rest[rest.index('  </graph>') :]}"
    topology = addressed(opening.loads(text.encode(), Path("x.graphml")).topology)
    networks = {end.addresses[0].network for link in topology.links for end in link.ends}
    assert len(topology.nodes) == size * size and len(networks) == len(topology.links) == size * (size - 1)


HEAD = '<graphml><graph edgedefault="undirected">'
REFUSED = {
    "empty": ("", "x.graphml: is an empty file; a GraphML file begins with <graphml>"),
    "no XML": ("graph [\n", "line 1: x.graphml: is not XML: syntax error; a GraphML"),
    "other XML": ("<gexf/>", "line 1: x.graphml: begins with <gexf>; a GraphML file begins"),
    "cut": (f"{HEAD}\n<node id='0'/>", "line 2: x.graphml: is not XML: no element found"),
    "entities": (
        '<!DOCTYPE a [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>\n<graphml>&c;</graphml>',
        "line 1: x.graphml: has a document type (<!DOCTYPE), which is not read; delete the declaration",
    ),
    "external": ('<!DOCTYPE a SYSTEM "file:///etc/passwd">\n<graphml/>', "has a document type"),
    "undefined entity": ("<graphml>&a;</graphml>", "line 1: x.graphml: is not XML: undefined entity"),
    "deep": ("<graphml>" + "<a>" * 100_000, "is nested more than 16 deep"),
    "no nodes": (f"{HEAD}</graph></graphml>", "x.graphml: has no nodes; as in <graph"),
    "no ID": (f"{HEAD}\n<node/></graph></graphml>", 'line 2: x.graphml: has a node without an ID; as in <node id="0">'),
    "twice": (f"{HEAD}<node id='0'/>\n<node id='0'/>", "line 2: x.graphml: has the node '0' twice, first in line 1"),
    "half an edge": (f"{HEAD}<node id='0'/><edge source='0'/>", "has an edge without a source or a target; as in"),
    "missing node": (
        f"{HEAD}<node id='0'/>\n<edge source='0' target='1'/></graph></graphml>",
        "line 2: x.graphml: has an edge to the node '1', which is missing; add the node",
    ),
    "many nodes": (HEAD + "".join(f"<node id='{n}'/>" for n in range(3001)), "has more than 3000 nodes"),
    "long": (f"{HEAD}<data key='d'>{'x' * 20_000}</data>", "has a value of more than 10000 characters; shorten it"),
    "nested graphs": (f"{HEAD}<node id='0'><graph>", "has a graph within a graph"),
    "zero byte": (f"{HEAD}\0", "is not XML: not well-formed"),
    "encoding": (
        "<?xml version='1.0' encoding='none'?><graphml/>",
        "is not text: unknown encoding: none; write it in UTF-8",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_file_is_refused(name: str) -> None:
    text, message = REFUSED[name]
    assert message in refusal(text)


def test_a_large_file_is_refused_unparsed() -> None:
    assert "larger than 8 MiB" in refusal(b"<" * (8 * 2**20 + 1))


def test_the_bucket_of_an_oc_192_is_read_back_as_tc_prints_it() -> None:
    shape = Shape(rate_mbit=line_rate_mbit("OC-192"))
    requested = queue_qdiscs(End(node="a", interface="eth0"), shape, Shape())[:1]
    # One millisecond at 9953.28 Mbit/s is 1244160 bytes, 1215 times 1024. tc prints this, and the rate in byte/s.
    printed = {"dev": "eth0", "handle": "1:", "kind": "tbf", "options": {"rate": 1_244_160_000, "burst": "1215Kb/1"}}
    assert not differences(requested, [printed])
    assert differences(requested, [{**printed, "options": {"rate": 1_244_160_000, "burst": "1015Kb/1"}}])

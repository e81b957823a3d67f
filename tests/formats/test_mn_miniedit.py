"""MiniEdit's own reading function accepts written files, with a fake canvas."""

from __future__ import annotations

import importlib
import io
import warnings
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings

from frrlib.formats import mn
from frrlib.model.links import End, Link
from frrlib.model.nodes import Controller, Host, Router, Switch
from frrlib.model.topology import Topology
from tests.example_counts import examples
from tests.examples.data import ALL
from tests.strategies.topologies import topologies


class Pairs(dict[str, Any]):
    """A dict whose items can be added up, as in the Python that MiniEdit was written for."""

    def items(self) -> Any:
        return list(super().items())


class Stub:
    """An object with every method, none of which does anything."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **options: (0.0, 0.0)


class Canvas(Stub):
    """The part of a window that MiniEdit's reading function uses: nodes by name, and links."""

    def __init__(self) -> None:
        self.canvas, self.appPrefs = Stub(), Pairs()
        self.nodes: dict[str, tuple[str, Stub]] = {}
        self.links: list[tuple[str, str, str, Any]] = []
        self.hostOpts: dict[str, Any] = {}
        self.switchOpts: dict[str, Any] = {}
        self.controllers: dict[str, Any] = {}
        self.widgetToItem: dict[Stub, str] = {}
        methods = {"convertJsonUnicode": self._prepare, "addNode": self._draw, "addLink": self._join}
        self.__dict__.update(methods, findWidgetByName=self._find)

    def _prepare(self, document: Any) -> Any:
        return {**document, "application": Pairs(document["application"])}

    def _draw(self, kind: str, number: Any, x: float, y: float, name: str) -> None:
        widget = Stub()
        self.nodes.setdefault(name, (kind, widget))
        self.widgetToItem[widget] = name

    def _find(self, name: str) -> Stub | None:
        return self.nodes[name][1] if name in self.nodes else None

    def _join(self, source: Stub, dest: Stub, linktype: str = "data", linkopts: Any = None) -> None:
        self.links.append((linktype, self.widgetToItem[source], self.widgetToItem[dest], linkopts))


def opened(text: str) -> Canvas:
    """A canvas after MiniEdit's own function has opened the text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = importlib.import_module("mininet.examples.miniedit")
        except ImportError:
            pytest.skip("there is no MiniEdit here")
    canvas = Canvas()
    with mock.patch.object(module.tkFileDialog, "askopenfile", return_value=io.StringIO(text)):
        module.MiniEdit.loadTopology(canvas)
    return canvas


@pytest.mark.parametrize("name", ALL)
def test_the_examples_open(name: str) -> None:
    topology = ALL[name]()
    canvas = opened(mn.dumps(topology))
    as_miniedit = {"host": "Host", "bridge": "LegacySwitch", "router": "LegacyRouter"}
    kinds = {node.name: as_miniedit[node.kind] for node in topology.nodes}
    assert {name: kind for name, (kind, _) in canvas.nodes.items()} == kinds
    assert [link[1:3] for link in canvas.links] == [(link.a.node, link.b.node) for link in topology.links]


def test_miniedit_opens_what_its_window_refuses_to_draw() -> None:
    """Links between hosts, parallel links, and what is not there: links to nowhere, missing controllers."""
    pairs = [("h1", "h2"), ("h1", "h2"), ("r1", "gone"), ("r1", "r1"), ("s1", "r1")]
    topology = Topology(
        nodes=(
            Host(name="h1"),
            Host(name="h2"),
            Router(name="r1", controllers=("gone",)),
            Switch(name="s1", controllers=("c0", "gone")),
            Controller(name="c0"),
        ),
        links=tuple(Link(id=f"l{i}", a=End(node=a), b=End(node=b)) for i, (a, b) in enumerate(pairs)),
    )
    canvas = opened(mn.dumps(topology))
    assert [link[:3] for link in canvas.links] == [
        ("control", "s1", "c0"),
        ("data", "h1", "h2"),
        ("data", "h1", "h2"),
        ("data", "r1", "r1"),
        ("data", "s1", "r1"),
    ]


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(topology=topologies())
def test_every_topology_opens(topology: Topology) -> None:
    canvas = opened(mn.dumps(topology))
    assert set(canvas.nodes) == {node.name for node in topology.nodes}
    names = {node.name for node in topology.nodes}
    complete_links = [link for link in topology.links if {end.node for end in link.ends} <= names]
    opened_links = [link for link in canvas.links if link[0] == "data"]
    assert [link[1:3] for link in opened_links] == [(link.a.node, link.b.node) for link in complete_links]
    for (_, _, _, opts), link in zip(opened_links, complete_links, strict=True):
        if not link.foreign:
            assert all(isinstance(opts.get(key, 0), int) for key in ("bw", "loss", "max_queue_size", "speedup"))
            assert set(opts) <= {"bw", "delay", "loss", "max_queue_size", "jitter", "speedup"}

"""What is written opens in MiniEdit: its own reading function runs on it, with a canvas that only keeps books."""

from __future__ import annotations

import importlib
import io
import warnings
from typing import Any
from unittest.mock import MagicMock

import pytest
from hypothesis import HealthCheck, given, settings

from frrlib.formats import mn
from frrlib.model.links import End, Link
from frrlib.model.nodes import Controller, Host, Router, Switch
from frrlib.model.topology import Topology
from tests.examples_data import ALL
from tests.strategies import topologies


class Pairs(dict[str, Any]):
    """A dict whose items can be added up, as in the Python that MiniEdit was written for."""

    def items(self) -> Any:
        return list(super().items())


class Canvas:
    """What MiniEdit's reading function needs of a window: nodes by name, links, and their places."""

    def __init__(self, module: Any) -> None:
        self.canvas, self.nodes, self.links = MagicMock(), {}, []
        self.canvas.coords.side_effect = lambda item: (0.0, 0.0)
        self.hostOpts: dict[str, Any] = {}
        self.switchOpts: dict[str, Any] = {}
        self.controllers: dict[str, Any] = {}
        self.appPrefs: Any = Pairs()
        self.sflowDefaults, self.nflowDefaults = module.MiniEdit.__dict__.get("x"), None
        self.widgetToItem: dict[Any, int] = {}
        for name in ("do_controllerPopup", "do_hostPopup", "do_legacyRouterPopup", "do_legacySwitchPopup"):
            setattr(self, name, None)
        self.do_switchPopup = None

    def newTopology(self) -> None:
        """Nothing is drawn yet."""

    def convertJsonUnicode(self, value: Any) -> Any:
        return {**value, "application": Pairs(value["application"])}

    def addNode(self, kind: str, number: Any, x: float, y: float, name: str) -> None:
        assert isinstance(x, float)
        widget = MagicMock()
        self.nodes.setdefault(name, (kind, widget))
        self.widgetToItem[widget] = len(self.widgetToItem)

    def findWidgetByName(self, name: str) -> Any:
        return self.nodes[name][1] if name in self.nodes else None

    def addLink(self, source: Any, dest: Any, linktype: str = "data", linkopts: Any = None) -> None:
        names = {widget: name for name, (_, widget) in self.nodes.items()}
        self.links.append((linktype, names[source], names[dest], linkopts))

    def createControlLinkBindings(self) -> None:
        """No mouse here."""

    createDataLinkBindings = createControlLinkBindings


def opened(text: str, monkeypatch: pytest.MonkeyPatch) -> Canvas:
    """A canvas after MiniEdit's own function has opened the text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = importlib.import_module("mininet.examples.miniedit")
        except ImportError:
            pytest.skip("there is no MiniEdit here")
    monkeypatch.setattr(module.tkFileDialog, "askopenfile", lambda **_: io.StringIO(text))
    canvas = Canvas(module)
    module.MiniEdit.loadTopology(canvas)
    return canvas


@pytest.mark.parametrize("name", ALL)
def test_the_examples_open(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    topology = ALL[name]()
    canvas = opened(mn.dumps(topology), monkeypatch)
    kinds = {node.name: "Host" if isinstance(node, Host) else "LegacyRouter" for node in topology.nodes}
    assert {name: kind for name, (kind, _) in canvas.nodes.items()} == kinds
    assert [link[1:3] for link in canvas.links] == [(link.a.node, link.b.node) for link in topology.links]


def test_what_miniedit_refuses_to_draw_it_opens_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
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
    canvas = opened(mn.dumps(topology), monkeypatch)
    assert [link[:3] for link in canvas.links] == [
        ("control", "s1", "c0"),
        ("data", "h1", "h2"),
        ("data", "h1", "h2"),
        ("data", "r1", "r1"),
        ("data", "s1", "r1"),
    ]


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(topology=topologies())
def test_every_drawing_opens(topology: Topology, monkeypatch: pytest.MonkeyPatch) -> None:
    canvas = opened(mn.dumps(topology), monkeypatch)
    assert set(canvas.nodes) == {node.name for node in topology.nodes}
    for _, _, _, opts in canvas.links:
        assert all(isinstance((opts or {}).get(key, 0), int) for key in ("bw", "loss", "max_queue_size", "speedup"))

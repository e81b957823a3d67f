"""Every kind of node and every place is in each table with such keys. mypy does not check the keys of a table."""

from __future__ import annotations

import typing

import pytest

from frrlib.agent.probes import walk
from frrlib.edits import new_names
from frrlib.edits.changes import TOOLS
from frrlib.lab import needs
from frrlib.model.nodes import ADDRESSED, SWITCHING, Node
from frrlib.network import network
from frrlib.picture import icons
from frrlib.picture.theme import THEMES
from frrlib.place.choice import all_places
from frrlib.places import PlaceName
from frrlib.variation import field_paths
from miniedit_frr.dialogs import subjects
from miniedit_frr.dialogs.forms.node import FORMS
from miniedit_frr.lab_control import context_menus
from miniedit_frr.tools import pointer
from miniedit_frr.tools.place import PlaceTool
from tests.edits import topologies
from tests.window.topologies import EVERY_KIND

CLASSES = typing.get_args(typing.get_args(Node)[0])
KINDS = [each.model_fields["kind"].default for each in CLASSES]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_node_is_in_every_table(kind: str) -> None:
    """Two tables are exceptions: a kind in neither of them has no addresses and does not forward."""
    assert kind in FORMS
    assert kind in subjects._NAMES
    assert kind in new_names.LETTERS
    assert kind in network._KINDS
    assert kind in field_paths._NODES
    assert kind in TOOLS
    assert kind in icons.NAMES
    assert kind in {node.kind for node in EVERY_KIND.nodes}
    if kind in SWITCHING:
        assert kind in walk._SWITCHING
        assert kind in context_menus._BRIDGE_COMMANDS
        assert kind not in ADDRESSED


def test_every_tool_has_its_icon_and_colors() -> None:
    places = {tool.icon for tool in pointer.TOOLS if isinstance(tool, PlaceTool)}
    assert places == {*TOOLS} == {*topologies.ALL}
    assert {*TOOLS} <= {*icons.NAMES}
    for theme in THEMES.values():
        assert {*TOOLS} <= {*theme.icons}


def test_every_selectable_place_exists() -> None:
    assert [place.name for place in all_places()] == [name for name in PlaceName if name is not PlaceName.AUTO]
    assert {*needs._CARRIED_MBIT} == {*PlaceName} - {PlaceName.AUTO}
    assert all(name.about for name in PlaceName)

"""The nodes named in a failure, which the canvas marks and the window of the failure can show."""

from __future__ import annotations

import pytest

from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from miniedit_frr.session.run import nodes_named_in

_DRAWN = Topology(nodes=(Router(name="r1"), Router(name="r2")))


@pytest.mark.parametrize(
    ("reason", "nodes"),
    [
        ("r1: bgpd refused line 3", ["r1"]),
        ("r1, Lines of your own: FRR does not take line 3; r2: as well", ["r1", "r2"]),
        ("BGP of r1: r2", []), ("h9, Default route: is missing", []), ("", []),
    ],
)  # fmt: skip
def test_names_of_nodes_are_found_before_a_colon_or_a_field(reason: str, nodes: list[str]) -> None:
    assert nodes_named_in(reason, _DRAWN) == nodes

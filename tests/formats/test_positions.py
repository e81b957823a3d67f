"""Positions are limited, so that every picture can be painted."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from frrlib.formats import mn
from frrlib.model.annotations import FAR_PX
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology


@pytest.mark.parametrize("far", [1e308, -1e308, FAR_PX * 1.1])
def test_a_node_far_away_is_moved_with_a_warning(far: float) -> None:
    document = json.loads(mn.dumps(Topology(nodes=(Host(name="h1", x=10, y=20),))))
    document["hosts"][0]["x"] = str(far)
    loaded = mn.loads(json.dumps(document))
    (host,) = loaded.topology.nodes
    assert (host.x, host.y) == (0.0, 20.0)
    assert ["is not between -1e+06 and 1e+06" in str(warning) for warning in loaded.warnings] == [True]


def test_the_model_rejects_nodes_far_away() -> None:
    assert Host(name="h1", x=FAR_PX).x == FAR_PX
    with pytest.raises(ValidationError):
        Host(name="h1", x=FAR_PX + 1)

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
def test_a_file_with_a_node_far_away_opens_with_it_at_hand_and_says_so(far: float) -> None:
    said = json.loads(mn.dumps(Topology(nodes=(Host(name="h1", x=10, y=20),))))
    said["hosts"][0]["x"] = str(far)
    loaded = mn.loads(json.dumps(said))
    (host,) = loaded.topology.nodes
    assert (host.x, host.y) == (0.0, 20.0)
    assert ["is not between -1e+06 and 1e+06" in str(warning) for warning in loaded.warnings] == [True]


def test_the_model_has_no_node_far_away() -> None:
    assert Host(name="h1", x=FAR_PX).x == FAR_PX
    with pytest.raises(ValidationError):
        Host(name="h1", x=FAR_PX + 1)

"""Legends are placed in the corner of the canvas in which they hide the fewest nodes."""

from __future__ import annotations

import pytest

from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from miniedit_frr.live_plots.load_legend import LoadLegend
from miniedit_frr.routing_view.legend import RoutingLegend
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui]


@pytest.mark.parametrize(("is_low", "anchors"), [(True, ("nw", "ne")), (False, ("sw", "se"))])
def test_a_legend_is_placed_in_the_corner_with_the_fewest_nodes(
    user: User, is_low: bool, anchors: tuple[str, str]
) -> None:
    view = user.editor.view
    wide, high = view.winfo_width(), view.winfo_height()
    places = [view.to_world(x, high - 60 if is_low else 60) for x in (60, wide - 60)]
    hosts = tuple(Host(name=f"h{number}", x=x, y=y) for number, (x, y) in enumerate(places))
    user.document.apply("Draw", Topology(nodes=hosts))
    user.editor.window.update()
    routing, load = RoutingLegend(view, view.theme), LoadLegend(view, view.theme)
    routing.show({"OSPF": (2, 3, "coming")})
    assert routing.frame is not None
    places_of_legends = [routing.frame.place_info()["anchor"]]
    routing.show({})  # both legends side by side would be wider than the canvas
    load.show(True)
    assert load.frame is not None
    places_of_legends.append(load.frame.place_info()["anchor"])
    load.show(False)
    assert places_of_legends == [*anchors]

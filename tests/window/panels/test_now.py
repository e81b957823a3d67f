"""The panel with a running lab's state: of the selection, of the object under the pointer, and of the whole lab."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from frrlib.picture.scene import Key
from miniedit_frr.session import requests
from tests.window.hands_on_labs import Runner

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(180)]


def _lines(runner: Runner) -> dict[str, Any]:
    """The lines of the panel, by subject."""
    return {line.name.strip(): line for line in runner.lab_controller.now_view.panel.lines}


def _title(runner: Runner) -> str:
    return str(runner.lab_controller.now_view.panel.title)


def _link(runner: Runner) -> Any:
    return next(
        candidate for candidate in runner.topology.links if {candidate.a.node, candidate.b.node} == {"r1", "r2"}
    )


def test_the_panel_shows_the_state_of_a_running_lab(runner: Runner) -> None:
    panel = runner.lab_controller.now_view.panel
    assert not panel.winfo_manager()
    runner.run()
    runner.converge()
    assert panel.winfo_ismapped()
    runner.wait(lambda: _title(runner) == "The lab now" and "4 of 4 up" in _lines(runner)["Nodes"].text)
    runner.wait(lambda: _lines(runner)["BGP"].text == "2 of 2 neighbors up")

    # 1428 bytes of ping and 28 of headers in a frame of 14 more, a hundred times a second, there and back
    runner.lab_controller.session.ask(
        partial(requests.execute, node="h1", argv=("ping", "-q", "-i", "0.01", "-s", "1428", "-w", "60", "h2"))
    )
    link = _link(runner)
    runner.view.select([Key("link", link.id)])
    title = f"{link.a.node} → {link.b.node}"
    runner.wait(lambda: _title(runner) == "r1 to r2 now" and "bit/s" in _lines(runner)[title].text)
    runner.wait(lambda: len(_lines(runner)[title].curve) > 2)
    assert _lines(runner)["State"].text == "up"
    assert _lines(runner)["BGP r1 → r2"].text.startswith("Established for")

    runner.view.select([Key("node", "r1")])
    runner.wait(lambda: _title(runner) == "r1 now" and "↑" in _lines(runner)["to r2"].text)
    runner.wait(lambda: "BGP" in _lines(runner)["Routes"].text)
    kernel = runner.execute("r1", "ip", "-j", "route").stdout
    learnt = [route for route in json.loads(kernel) if route["protocol"] == "bgp"]
    assert {route["dst"] for route in learnt} <= set(_lines(runner))

    # a node under the pointer takes precedence over the selection
    x, y = runner.view.to_widget(runner.at("h2"))
    runner.view.event_generate("<Motion>", x=x, y=y, warp=True)
    runner.wait(lambda: _title(runner) == "h2 now")
    x, y = runner.view.to_widget((20, 20))
    runner.view.event_generate("<Motion>", x=x, y=y, warp=True)
    runner.wait(lambda: _title(runner) == "r1 now")

    runner.lab_controller.actions.set_link(link.id, up=False)
    runner.view.select([Key("link", link.id)])
    runner.wait(lambda: _lines(runner)["State"].grade == "down")
    runner.lab_controller.stop()
    runner.wait(lambda: not panel.winfo_manager())

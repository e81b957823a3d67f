"""Live plots in the panel, in a window, and of finished runs; the samples arrive as events of a session."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from frrlib.network.network import Network, Shape
from miniedit_frr.live.messages import Incident
from miniedit_frr.runs.list_panel import RunRow
from miniedit_frr.session.events import FlowProgress, SampleBatch
from tests.live.replay import DATA, batches
from tests.window.canvas.test_loads import LAB as LAB  # the fixture `lab` draws it
from tests.window.hands_on_window import User

pytestmark = pytest.mark.gui


def replay_run(user: User) -> Any:
    """Replay the stored run in a window, as if its lab ran there; returns the plots."""
    from frrlib.results.read import open_results

    live = user.editor.lab_controller.live
    live.begin(user.topology, True, "A run")
    for number, (table, rows) in enumerate(batches(open_results(DATA / "results-v2"))):
        user.editor.lab_controller.handle(SampleBatch(table, rows, 100.0))
        if number == 3:
            user.editor.window.update()
    user.editor.lab_controller.handle(FlowProgress("fills", "end", 5.4))
    user.editor.lab_controller.handle(Incident("fault", "l2", "link l2 down", 102.0))
    return live


def buttons(live: Any) -> dict[str, Any]:
    """The buttons of the panel by their texts."""
    children = [button for button in live.panel.bar.winfo_children() if button.winfo_class() == "TButton"]
    return {str(button.cget("text")): button for button in children}


def test_plots_open_in_the_panel_when_flows_run(lab: User) -> None:
    live = replay_run(lab)
    lab.wait(lambda: live.panel is not None and live.panel.plots.frames)
    assert lab.editor.bottom.tab(lab.editor.bottom.select(), "text") == "Live"
    assert live.window is None
    assert set(live.run.flows) == {"fills", "loses"}
    lab.editor.lab_controller.handle(Incident("fault", "l2", "rate=5", 103.0))
    assert [(marker.kind, marker.text) for marker in live.run.markers(-1, 10) if marker.kind != "flow"] == [
        ("fault", "link l2 down"), ("rate", "l2: rate=5"),
    ]  # fmt: skip
    assert [marker.text for marker in live.run.markers(5, 6)] == ["fills ends"]
    assert live.panel.plots.is_wide
    assert lab.editor.bottom.winfo_height() >= 250  # there is room to read the curves


def test_the_speedup_replaces_the_rate_of_a_queue(lab: User) -> None:
    """MiniEdit's speedup replaces the rate of a switch."""
    net = Network("A fast switch")
    net.host("h1")
    net.switch("s1")
    net.link("h1", "s1", both=Shape(rate_mbit=10))
    fast = net.topology.links[0].model_copy(update={"speedup_mbit": 50})
    live = lab.editor.lab_controller.live
    live.begin(net.topology.model_copy(update={"links": (fast,)}), True, "A run")
    (id_,) = (link.id for link in net.topology.links)
    assert {name: info.rate_mbit for name, info in live.run.infos.items()} == {
        f"{id_}:h1-s1": 10, f"{id_}:s1-h1": 50,
    }  # fmt: skip


def test_a_preference_sets_the_place_of_plots(lab: User) -> None:
    lab.editor.preferences.change(live_plots="no")
    live = replay_run(lab)
    lab.editor.window.update()
    assert (live.panel, live.window) == (None, None)
    lab.editor.preferences.change(live_plots="window")
    replay_run(lab)
    lab.wait(lambda: live.window is not None and live.window.panel.plots.frames)
    assert live.panel is None
    assert live.window.title() == "A run - Live Plots"


def test_plots_are_undocked_and_docked(lab: User) -> None:
    live = replay_run(lab)
    lab.wait(lambda: live.panel is not None)
    lab.press_key("<Control-Key-p>")
    lab.wait(lambda: live.window is not None and live.window.panel.plots.frames)
    assert live.panel is None
    first = live.window
    lab.press_key("<Control-Key-p>")
    assert live.window is first  # there is one
    live.window.panel.choose(("rtt", "jain"))
    live.window.panel.on_keys(live.window.panel.quantities)
    live.dock()
    lab.wait(lambda: live.panel is not None and live.panel.plots.frames)
    assert live.window is None
    assert live.panel.quantities == ("rtt", "jain")  # the choice stays, here and for the next time
    assert lab.editor.settings.plots == ("rtt", "jain")


def test_a_finished_run_stays_open_with_its_results(lab: User, tmp_path: Path) -> None:
    live = replay_run(lab)
    lab.wait(lambda: live.panel is not None and live.panel.plots.frames)
    live.show_results(tmp_path / "out")
    lab.editor.window.update()
    assert str(live.panel.pause_button.cget("state")) == "disabled"
    buttons(live)["Open Results"].invoke()
    assert f"{tmp_path / 'out'} no longer exists." in lab.editor.log.text.get("1.0", "end")
    frames = live.panel.plots.frames
    lab.editor.preferences.switch_theme()
    lab.wait(lambda: live.panel.plots.frames > frames)
    assert live.panel.plots.theme is lab.editor.theme
    live.begin(lab.topology, True, "The next")
    assert "Open Results" not in buttons(live)


def test_a_long_run_gets_its_thinned_samples_from_its_folder(lab: User, tmp_path: Path) -> None:
    shutil.copytree(DATA / "results-v2", tmp_path / "out")
    live = replay_run(lab)
    lab.wait(lambda: live.panel is not None)
    live.run.flows["fills"].sender.is_thinned = True
    thinned_run = live.run
    live.show_results(tmp_path / "out")
    lab.wait(lambda: live.run is not thinned_run)
    assert live.panel.run is live.run
    assert not live.run.is_thinned
    assert live.run.title == "A run"


def test_a_finished_run_is_shown_from_the_list(lab: User, tmp_path: Path) -> None:
    live = lab.editor.lab_controller.live
    lab.editor.lab_controller.runs.panel.on_interactive(RunRow("today", "Kept", "", "", str(DATA / "results-v2")))
    lab.wait(lambda: live.stored_windows and live.stored_windows[0].panel.plots.frames)
    (window,) = live.stored_windows
    assert window.title() == "Kept, today - Plots"
    assert set(window.panel.run.flows) == {"fills", "loses"}
    window.destroy()
    assert live.stored_windows == []
    live.show_stored(RunRow("", "", "", "", str(tmp_path / "nothing")))
    lab.wait(lambda: "does not exist" in lab.editor.log.text.get("1.0", "end"))

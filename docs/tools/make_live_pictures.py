"""Makes the pictures of live plots, docs/images/live-*.png, on a display of its own.

python docs/tools/make_live_pictures.py [FOLDER]

Needs Xvfb and a lab kernel (see `miniedit-frr places`), because the runs are in virtual time. Takes about two minutes.
Every picture shows flows while they send, or just after their end.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import example, screenshot, write_png  # noqa: E402
from make_running_pictures import EditorDriver, driven_editor, take_all, with_durations  # noqa: E402

from frrlib.picture.scene import Key  # noqa: E402
from miniedit_frr.live.quantities import USUAL  # noqa: E402
from miniedit_frr.runs.list_panel import RunRow  # noqa: E402
from miniedit_frr.runs.options import RunChoice  # noqa: E402

#: A time at which all six flows of the example send, in seconds since their start.
_ALL_SEND_S = 16.0
#: Duration of the flows in the picture of a link; longer than it takes to take the picture in virtual time.
_LONG_S = 60.0


def begin_run(driver: EditorDriver, below: Path) -> None:
    """Begin a run with flows in virtual time, its plots in the panel, and wait for the first samples.

    Virtual time keeps the load of the machine out of the curves.
    """
    driver.editor.panes.toggle("side")
    live = driver.lab.live
    driver.lab.run_dialogs.run(RunChoice(below / "out", virtual_time=True))
    driver.wait_until(lambda: live.panel is not None and live.run.newest_s > 0)
    driver.editor.view.fit()
    driver.editor.view.zoom_by(0.9)


def wait_for_time(driver: EditorDriver, time_s: float) -> None:
    """Wait until this time of the run."""
    driver.wait_until(lambda: driver.lab.live.run.newest_s > time_s or not driver.lab.is_alive)


def take_plots(driver: EditorDriver, folder: Path, name: str) -> None:
    """A picture of the window with the plots alone."""
    driver.wait(0.5)
    assert driver.lab.live.window is not None
    write_png(screenshot(driver.lab.live.window), folder / f"{name}.png")


def take_flows(folder: Path, below: Path, theme: str = "light") -> None:
    """The panel and the canvas at full load; the same in a window; values beside the pointer; a finished run."""
    end = "-dark" if theme == "dark" else ""
    with driven_editor(example("six-flows.mn"), folder, below, theme, "live") as driver:
        live = driver.lab.live
        begin_run(driver, below)
        wait_for_time(driver, _ALL_SEND_S)
        driver.take_picture(f"panel{end}")
        live.show_window()
        assert live.window is not None
        live.window.geometry("1080x760+100+20")
        live.window.panel.choose((*USUAL, "phases", "jain"))
        wait_for_time(driver, _ALL_SEND_S + 6)
        take_plots(driver, folder, f"live-window{end}")
        driver.wait_until(lambda: not driver.lab.is_alive)
        if theme == "light":
            live.window.destroy()
            driver.lab.live.show_stored(RunRow("", "Six flows", "", "", str(below / "out")))
            driver.wait_until(lambda: live.stored_windows)
            (window,) = live.stored_windows
            window.geometry("1080x620+100+20")
            window.panel.choose(("goodput", "cwnd", "rtt", "queue_ms"))
            driver.wait(1)
            window.panel.zoom(11.0, 17.0)
            driver.wait(1)
            plots = window.panel.plots
            x = round(plots.x_of(plots.panels[0], 14.3))
            window.panel.widget.event_generate("<Motion>", x=x, y=200)
            driver.wait(0.5)
            write_png(screenshot(window), folder / "live-zoomed.png")


def take_dark_flows(folder: Path, below: Path) -> None:
    """The same in the dark theme."""
    take_flows(folder, below, "dark")


def take_link_state(folder: Path, below: Path) -> None:
    """The side panel for the bottleneck, while a flow fills it."""
    topology = with_durations(example("two-as-bgp.mn"), _LONG_S)
    with driven_editor(topology, folder, below, series="live") as driver:
        driver.lab.run_dialogs.run(RunChoice(below / "out", virtual_time=True))
        wait_for_time(driver, 8.0)
        driver.editor.view.select({Key("link", "l2")})
        driver.take_picture("now")


if __name__ == "__main__":
    take_all(take_flows, take_dark_flows, take_link_state)

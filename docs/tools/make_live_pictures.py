"""Makes the pictures of live plots, docs/images/live-*.png, on a display of its own.

python docs/tools/make_live_pictures.py [FOLDER]

Needs Xvfb and a lab kernel (see `miniedit-frr places`), as most runs are in virtual time. Takes about two minutes.
Every picture is of flows that were under way when it was taken, or had just ended.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_running_screenshots import Stage, stage, take_all  # noqa: E402
from make_screenshots import example, grab, write_png  # noqa: E402

from frrlib.picture.scene import Key  # noqa: E402
from miniedit_frr.live.quantities import USUAL  # noqa: E402
from miniedit_frr.runs.list_panel import RunRow  # noqa: E402
from miniedit_frr.runs.options import RunChoice  # noqa: E402

#: When all six flows of the example send, in seconds since their start.
_ALL_SEND_S = 16.0


def set_out(there: Stage, below: Path, *, virtual_time: bool = False) -> None:
    """Begin a run with flows, its plots in the panel, and wait for the first samples."""
    there.editor.panes.toggle("side")
    live = there.lab_controller.live
    there.lab_controller.run_dialogs.run(RunChoice(below / "out", virtual_time=virtual_time))
    there.until(lambda: live.panel is not None and live.run.newest_s > 0)
    there.editor.view.fit()
    there.editor.view.zoom_by(0.9)


def until(there: Stage, time_s: float) -> None:
    """Let the flows come so far."""
    there.until(lambda: there.lab_controller.live.run.newest_s > time_s or not there.lab_controller.is_alive)


def take_of(there: Stage, folder: Path, name: str) -> None:
    """A picture of the window with the plots alone."""
    there.rest(0.5)
    assert there.lab_controller.live.window is not None
    write_png(grab(there.lab_controller.live.window), folder / f"{name}.png")


def of_flows(folder: Path, below: Path, theme: str = "light") -> None:
    """The panel and the canvas at full load; the same in a window; values beside the pointer; a finished run."""
    end = "-dark" if theme == "dark" else ""
    with stage(example("six-flows.mn"), folder, below, theme, "live") as there:
        live = there.lab_controller.live
        set_out(there, below, virtual_time=True)  # what else the machine does is not in the pictures
        until(there, _ALL_SEND_S)
        there.take(f"panel{end}")
        live.show_window()
        assert live.window is not None
        live.window.geometry("1080x760+100+20")
        live.window.panel.choose((*USUAL, "phases", "jain"))
        until(there, _ALL_SEND_S + 6)
        take_of(there, folder, f"live-window{end}")
        there.until(lambda: not there.lab_controller.is_alive)
        if theme == "light":
            live.window.destroy()
            there.lab_controller.live.show_stored(RunRow("", "Six flows", "", "", str(below / "out")))
            there.until(lambda: live.stored_windows)
            (window,) = live.stored_windows
            window.geometry("1080x620+100+20")
            window.panel.choose(("goodput", "cwnd", "rtt", "queue_ms"))
            there.rest(1)
            window.panel.zoom(11.0, 17.0)
            there.rest(1)
            plots = window.panel.plots
            x = round(plots.x_of(plots.panels[0], 14.3))
            window.panel.widget.event_generate("<Motion>", x=x, y=200)
            there.rest(0.5)
            write_png(grab(window), folder / "live-zoomed.png")


def of_flows_in_the_dark(folder: Path, below: Path) -> None:
    """The same in dark."""
    of_flows(folder, below, "dark")


def of_now(folder: Path, below: Path) -> None:
    """The side panel, about the bottleneck while a flow fills it."""
    with stage(example("two-as-bgp.mn"), folder, below, series="live") as there:
        there.lab_controller.run_into(below / "out")
        until(there, 8.0)
        there.editor.view.select({Key("link", "l2")})
        there.take("now")


if __name__ == "__main__":
    take_all(of_flows, of_flows_in_the_dark, of_now)

"""Plots in a real window without a lab: rows are added at once, and events of the toolkit control the panel."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from frrlib.picture.theme import DARK, LIGHT, THEMES
from frrlib.results.palette import BLUE, VERMILION
from miniedit_frr.live import stored
from miniedit_frr.live.quantities import QUANTITIES
from miniedit_frr.live.samples import LiveRun, Marker
from miniedit_frr.live_plots.looks import phase_color
from tests import keyboard
from tests.live.replay import DATA, replay_run
from tests.results.conftest import make, two_flows  # noqa: F401  (fixtures)
from tests.waiting import pause, wait_for

pytestmark = pytest.mark.gui
KEYS = ("goodput", "cwnd", "rtt", "queue_kb")


class Watcher:
    """A user who views plots."""

    def __init__(self, window: Any, panel: Any) -> None:
        self.window, self.panel, self.plots = window, panel, panel.plots

    def wait(self, until: Callable[[], object]) -> None:
        wait_for(until, "the panel", self.window.update)

    def pause(self, seconds: float) -> None:
        """Let the window work for a while."""
        pause(seconds, self.window.update)

    def frame(self) -> None:
        """Wait until something was drawn anew."""
        frame_count = self.plots.frames
        self.panel.again()
        self.wait(lambda: self.plots.frames > frame_count)
        self.window.update()

    def pixels(self) -> np.ndarray:
        """The figure's picture, (row, column, RGB)."""
        return np.asarray(self.plots.figure.canvas.buffer_rgba())[:, :, :3]

    def shows(self, colour: str, key: str) -> int:
        """How many pixels of a panel have a colour."""
        rgb = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])
        left, top, right, bottom = (round(edge) for edge in self.plots.box(self.of(key)))
        part = self.pixels()[top:bottom, left:right].astype(int)
        return int((np.abs(part - rgb).max(axis=2) < 24).sum())

    def of(self, key: str) -> Any:
        return next(panel for panel in self.plots.panels if panel.quantity.key == key)

    def at(self, key: str, time_s: float) -> tuple[int, int]:
        """The pixel in the middle of a panel at a time."""
        _, top, _, bottom = self.plots.box(self.of(key))
        return round(self.plots.x_of(self.of(key), time_s)), round((top + bottom) / 2)

    def event(self, name: str, at: tuple[int, int], **options: Any) -> None:
        self.panel.widget.event_generate(name, x=at[0], y=at[1], **options)
        self.window.update()

    def drag(self, begin: tuple[int, int], end: tuple[int, int]) -> None:
        self.event("<ButtonPress-1>", begin)
        self.event("<B1-Motion>", end, state=0x100)
        self.event("<ButtonRelease-1>", end, state=0x100)

    def words(self) -> list[str]:
        """The texts above the picture, from top to bottom."""
        widget = self.panel.widget
        items = [item for item in widget.find_withtag("overlay") if widget.type(item) == "text"]
        return [widget.itemcget(item, "text") for item in sorted(items, key=lambda item: widget.coords(item)[1])]


@pytest.fixture(scope="module")
def window(display: str) -> Iterator[Any]:
    """A window in which each test creates a panel."""
    import ttkbootstrap as ttk

    root = ttk.Window("plots", LIGHT.base)
    yield root
    root.destroy()


@pytest.fixture
def watcher(window: Any) -> Iterator[Watcher]:
    """A user who views the stored run."""
    yield from watch(window, stored.run_of(DATA / "results-v2"))


def watch(window: Any, run: LiveRun, ui: float = 1.0, **options: Any) -> Iterator[Watcher]:
    from miniedit_frr.live_plots.panel import PlotPanel

    raised: list[BaseException] = []
    window.report_callback_exception = lambda kind, error, trace: raised.append(error)
    window.geometry("1000x760+0+0")
    window.event_generate("<Motion>", warp=True, x=1270, y=890)  # the real pointer must not rest on a plot
    panel = PlotPanel(window, ui, LIGHT, KEYS, **options)
    panel.pack(fill="both", expand=True)
    panel.show(run)
    watcher = Watcher(window, panel)
    try:
        watcher.wait(lambda: panel.plots.frames and panel.widget.winfo_width() > 600)
        watcher.frame()
        yield watcher
    finally:
        panel.destroy()
        window.update()
    assert not raised, raised


def test_curves_have_their_colors_and_panels(watcher: Watcher) -> None:
    assert watcher.shows(VERMILION, "cwnd") > 100
    assert watcher.shows(BLUE, "cwnd") > 100
    # the congestion window of the flow that fills its queue is 82 packets at the end
    panel = watcher.of("cwnd")
    _, top, _, bottom = watcher.plots.box(panel)
    x, _ = watcher.at("cwnd", 5.0)
    y = bottom - 82 / panel.axes.get_ylim()[1] * (bottom - top)
    pixels_near = watcher.pixels()[round(y) - 3 : round(y) + 4, x].astype(int)
    assert (np.abs(pixels_near - np.array([0xD5, 0x5E, 0x00])).max(axis=1) < 60).any()


def test_the_legend_switches_a_flow_off_and_on(watcher: Watcher) -> None:
    blue_pixels = watcher.shows(BLUE, "cwnd")
    switch = watcher.panel.legend.switches["flow:loses"]
    switch.invoke()
    watcher.frame()
    assert watcher.shows(BLUE, "cwnd") == 0
    assert {line.subject for line in watcher.of("rtt").lines} == {"fills"}
    assert watcher.shows(VERMILION, "cwnd") > 100
    switch.invoke()
    watcher.frame()
    assert watcher.shows(BLUE, "cwnd") == blue_pixels


def test_the_values_at_the_pointer_are_shown(watcher: Watcher) -> None:
    watcher.event("<Motion>", watcher.at("rtt", 3.0))
    run = watcher.panel.run
    rows = run.flows["fills"].sender.columns_between(0.0, watcher.panel.overlay.time_s)
    last = np.flatnonzero(rows["time_s"] <= watcher.panel.overlay.time_s)[-1]
    words = watcher.words()
    assert watcher.panel.overlay.time_s == pytest.approx(3.0, abs=0.01)
    assert f"{rows['cwnd_packets'][last]:.3g} · {rows['ssthresh_packets'][last]:.3g}" in words
    assert any(word.startswith(f"{rows['srtt_ms'][last]:.3g}"[:4]) for word in words)
    assert f"{watcher.panel.overlay.time_s:.2f} s" in words
    lines = [item for item in watcher.panel.widget.find_withtag("overlay") if watcher.panel.widget.type(item) == "line"]
    assert len(lines) == len(KEYS)  # in every panel at the same time
    frame_count = watcher.plots.frames
    watcher.event("<Leave>", (0, 0))
    assert watcher.panel.overlay.time_s is None
    assert watcher.plots.frames == frame_count  # nothing was drawn for that


def test_events_are_described_at_their_marks(watcher: Watcher) -> None:
    watcher.panel.run.mark(Marker(2.0, "fault", "link l2 down"))
    watcher.frame()
    watcher.event("<Motion>", watcher.at("goodput", 2.0))
    assert "2.00 s: link l2 down" in watcher.words()
    watcher.event("<Motion>", watcher.at("goodput", 3.0))
    assert not any("link l2" in word for word in watcher.words())


def test_all_panels_zoom_together_and_escape_shows_all(watcher: Watcher) -> None:
    whole_view = watcher.plots.view
    watcher.drag(watcher.at("cwnd", 1.0), watcher.at("cwnd", 2.0))
    watcher.frame()
    for panel in watcher.plots.panels:
        assert panel.axes.get_xlim() == pytest.approx((1.0, 2.0), abs=0.02)
    times = watcher.of("queue_kb").lines[0].data[0]
    assert times[0] <= 1.03
    assert times[-1] >= 1.97
    watcher.event("<Button-4>", watcher.at("rtt", 1.5))
    watcher.frame()
    from_s, to_s = watcher.plots.panels[0].axes.get_xlim()
    assert to_s - from_s == pytest.approx(1 / 1.3, rel=0.05)
    assert from_s < 1.5 < to_s
    watcher.event("<Shift-ButtonPress-1>", watcher.at("rtt", 1.5))
    watcher.event("<B1-Motion>", watcher.at("rtt", 1.3), state=0x101)
    watcher.event("<ButtonRelease-1>", watcher.at("rtt", 1.3), state=0x101)
    watcher.frame()
    assert watcher.plots.view.from_s == pytest.approx(from_s + 0.2, abs=0.02)
    keyboard.press(watcher.panel.widget, "<Escape>")
    watcher.frame()
    assert watcher.plots.view == whole_view


def test_escape_cancels_a_drag(watcher: Watcher) -> None:
    watcher.event("<ButtonPress-1>", watcher.at("cwnd", 1.0))
    watcher.event("<B1-Motion>", watcher.at("cwnd", 2.0), state=0x100)
    keyboard.press(watcher.panel.widget, "<Escape>")
    watcher.event("<ButtonRelease-1>", watcher.at("cwnd", 2.0), state=0x100)
    assert watcher.panel.zoomed is None


def test_quantities_and_the_theme_can_be_changed(watcher: Watcher) -> None:
    choices: list[tuple[str, ...]] = []
    watcher.panel.on_keys = choices.append
    menu = watcher.panel.choice.nametowidget(watcher.panel.choice.cget("menu"))
    titles = [menu.entrycget(index, "label") for index in range(menu.index("end") + 1)]
    assert len(titles) == len(QUANTITIES)
    menu.invoke(titles.index("Phases of BBR"))
    menu.invoke(titles.index("Congestion window (packets)"))
    watcher.frame()
    assert [panel.quantity.key for panel in watcher.plots.panels] == ["goodput", "rtt", "queue_kb", "phases"]
    assert choices[-1] == ("goodput", "rtt", "queue_kb", "phases")
    assert watcher.shows(phase_color(2, LIGHT), "phases") > 1000
    for name in ("dark", "light"):
        theme = THEMES[name]
        watcher.panel.set_theme(theme)
        watcher.frame()
        corner = "#" + "".join(f"{channel:02x}" for channel in watcher.pixels()[2, 2])
        assert corner == theme.canvas
        if theme is DARK:  # black would not be seen
            assert watcher.shows("#dfe5ea", "queue_kb") > 100


def test_every_quantity_can_be_shown(watcher: Watcher) -> None:
    watcher.panel.choose([quantity.key for quantity in QUANTITIES])
    watcher.frame()
    assert len(watcher.plots.panels) == len(QUANTITIES)


def test_plots_are_saved_as_png_svg_and_pdf(watcher: Watcher, tmp_path: Path) -> None:
    for name in ("plots.png", "plots.svg", "plots.pdf"):
        watcher.panel.save_into(tmp_path / name)
    with Image.open(tmp_path / "plots.png") as picture:
        assert picture.width == 1200
        assert picture.convert("RGB").getcolors(1 << 20)
    svg = (tmp_path / "plots.svg").read_text()
    assert "fills (CUBIC)" in svg
    assert "Congestion window (packets)" in svg
    assert (tmp_path / "plots.pdf").read_bytes().startswith(b"%PDF")
    messages: list[str] = []
    watcher.panel._say = messages.append
    watcher.panel.save_into(tmp_path / "plots.nonsense")
    watcher.panel.save_into(tmp_path / "nowhere" / "plots.png")
    assert len(messages) == 2
    assert all("could not be saved" in message for message in messages)


# --- while it goes on -------------------------------------------------------------------------------------------------


@pytest.fixture
def live(window: Any, two_flows: Path) -> Iterator[Watcher]:  # noqa: F811
    """A user who views a run in progress, with the samples of its first 3 s."""
    run, _ = replay_run(two_flows, is_over=False)
    going_on = LiveRun([flow.info for flow in run.flows.values()], run.infos)
    add_samples(going_on, 0, 300)
    yield from watch(window, going_on)


def add_samples(run: LiveRun, begin: int, end: int) -> None:
    """Samples of a flow that delivers a megabyte a second, one each 10 ms."""
    from frrlib import wire

    rows = []
    for index in range(begin, end):
        at_s = index / 100
        for side in ("sender", "receiver"):
            sample = {
                "time_s": at_s, "flow": "first", "side": side, "cwnd_packets": 30 + index % 7, "srtt_ms": 40.0,
                "min_rtt_ms": 20.0, "bytes_received": 10_000 * index, "congestion_control": "bbr",
            }  # fmt: skip
            rows.append([sample.get(name) for name in wire.TABLES["tcp"]])
    run.take("tcp", rows)


def test_frames_are_drawn_only_after_changes(live: Watcher) -> None:
    live.wait(lambda: True)
    frames, redraws = live.plots.frames, live.plots.redraws
    live.pause(0.5)
    assert live.plots.frames == frames  # nothing came
    for begin in range(300, 400, 10):
        add_samples(live.panel.run, begin, begin + 10)
        frame_count = live.plots.frames
        live.wait(lambda frame_count=frame_count: live.plots.frames > frame_count)
    assert live.plots.frames >= frames + 10
    assert live.plots.redraws <= redraws + 1  # scales were kept
    assert live.of("cwnd").lines[0].data[0][-1] == pytest.approx(3.99)


def test_pause_freezes_and_resume_catches_up(live: Watcher) -> None:
    live.panel.pause_button.invoke()
    live.frame()
    paused_pixels, view = live.pixels().copy(), live.plots.view
    add_samples(live.panel.run, 300, 380)
    live.pause(0.4)
    assert np.array_equal(live.pixels(), paused_pixels)
    assert "measured until 3.8 s" in str(live.panel.said.cget("text")) or live.panel.run.newest_s == 3.79
    keyboard.press(live.panel.widget, "<Key-space>")
    live.wait(lambda: live.of("cwnd").lines[0].data[0][-1] > 3.7)
    assert not np.array_equal(live.pixels(), paused_pixels)
    assert live.plots.view == view  # all of a run of 9 s was looked at from the beginning


def test_the_view_follows_the_chosen_span(live: Watcher) -> None:
    live.panel.follow("10 s")
    add_samples(live.panel.run, 300, 1200)
    live.frame()
    from_s, to_s = live.plots.view.from_s, live.plots.view.to_s
    assert to_s - from_s == pytest.approx(10.0)
    assert from_s < 11.99 < to_s
    add_samples(live.panel.run, 1200, 1210)
    live.frame()
    assert live.plots.view.from_s == from_s  # it is moved on by steps
    live.panel.follow("All")
    live.frame()
    assert live.plots.view.from_s == 0.0
    assert live.plots.view.to_s > 12.0


def test_a_zoom_stays_in_the_past_while_samples_arrive(live: Watcher) -> None:
    live.panel.zoom(0.5, 1.5)
    live.frame()
    frames = live.plots.frames
    add_samples(live.panel.run, 300, 350)
    live.pause(0.3)
    assert live.plots.frames == frames  # the view does not change any more
    assert live.plots.view.from_s == 0.5


def test_a_hidden_panel_draws_nothing(live: Watcher) -> None:
    live.panel.pack_forget()
    live.window.update()
    frames = live.plots.frames
    add_samples(live.panel.run, 300, 350)
    live.pause(0.4)
    assert live.plots.frames == frames
    live.panel.pack(fill="both", expand=True)
    live.wait(lambda: live.plots.frames > frames)


def test_texts_grow_with_the_screens_scaling(window: Any) -> None:
    scaling = window.tk.call("tk", "scaling")
    window.tk.call("tk", "scaling", 2 * 96 / 72)
    try:
        for watcher in watch(window, stored.run_of(DATA / "results-v2"), ui=2.0):
            assert watcher.plots.figure.dpi == pytest.approx(2 * 96, rel=0.01)
            left, _, right, _ = watcher.plots.box(watcher.plots.panels[0])
            assert (left, 1000 - right) == pytest.approx((92, 300), abs=2)  # room for numbers, and for values
    finally:
        window.tk.call("tk", "scaling", scaling)


def test_plots_are_side_by_side_in_a_low_panel(window: Any) -> None:
    run = stored.run_of(DATA / "results-v2")
    for watcher in watch(window, run, is_docked=True):
        watcher.window.geometry("1000x260")
        watcher.wait(lambda: watcher.plots.is_wide)  # noqa: B023
        watcher.frame()
        boxes = [watcher.plots.box(panel) for panel in watcher.plots.panels]
        assert len({round(top) for _, top, _, _ in boxes}) == 1
        assert all(first[2] < second[0] for first, second in pairwise(boxes))
        watcher.event("<Leave>", (0, 0))  # the window came under the pointer
        assert watcher.words() == []
        watcher.event("<Motion>", watcher.at("cwnd", 3.0))
        assert watcher.words()
        watcher.drag(watcher.at("rtt", 1.0), watcher.at("rtt", 2.0))
        assert watcher.panel.zoomed == pytest.approx((1.0, 2.0), abs=0.1)
        with pytest.raises(tk.TclError):
            watcher.panel.save_button.pack_info()

"""Every kind of figure: the contents of its axes, and its files."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Ellipse, Rectangle

from frrlib.plots import figures
from frrlib.plots.overlay import band
from frrlib.plots.page import WIDTHS_INCHES
from frrlib.plots.scatter import ellipse_of
from frrlib.results.layout import ResultsError
from frrlib.results.read import open_results
from frrlib.results.records import Results
from miniedit_frr.user.paths import program_argv
from tests.results.conftest import Make, receiver, sender
from tests.results.test_comparison import a_run, with_topology

STORED = Path(__file__).parents[1] / "data"


#: Figures that need data that few runs have, see `test_paper_figures.py`.
SPECIAL = {"phases", "inflight", "sequence"}


@pytest.fixture
def stored() -> Results:
    """The stored run of format 3: BBR and CUBIC, under which a link fails after 3 s."""
    return open_results(STORED / "results-v3")


@pytest.fixture
def cells(make: Make) -> list[Results]:
    """Two delays by two queues; the goodput in Mbit/s is the delay in units of 10 ms, plus the queue in hundreds."""
    return [
        with_topology(a_run(make, f"d{delay}-q{queue}", delay / 10 + queue / 100), delay, queue)
        for delay in (10, 20)
        for queue in (100, 200)
    ]


def runs_of(kind: str, stored: Results, cells: list[Results], captured: Results) -> list[Results]:
    """The runs that a kind of figure can show."""
    several = kind in ("overlay", "bar", "scatter") or figures.KINDS[kind].least > 1
    return cells if several else [captured if kind == "sequence" else stored]


def labels(panel: Axes) -> list[str]:
    """The labels in the legend of a panel."""
    legend = panel.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


@pytest.mark.parametrize("kind", figures.KINDS)
def test_every_kind_has_room_in_a_column(kind: str, stored: Results, cells: list[Results], captured: Results) -> None:
    runs = runs_of(kind, stored, cells, captured)
    fig = figures.make(kind, runs, size="column")
    fig.canvas.draw()
    assert fig.axes[0].get_window_extent().width > 0.4 * fig.bbox.width
    if kind != "timeline":
        assert fig.get_figwidth() == WIDTHS_INCHES["column"]


@pytest.mark.parametrize(
    "kind", [name for name, kind in figures.KINDS.items() if kind.least == 1 and name not in SPECIAL]
)
def test_a_dollar_in_a_name_does_not_begin_a_formula(kind: str, make: Make, tmp_path: Path) -> None:
    odd = r"$\frac{1}{$ a $b$ [x] _ ^"
    flow = {"id": odd, "duration_s": 3.0, "congestion_control": odd, "source": odd, "destination": odd}
    rows = [sender(t / 10, odd, 10, 40, 40, 0, odd) for t in range(40)]
    rows += [receiver(t / 10, odd, 1e5 * t) for t in range(40)]
    queue = [(t / 10, f"l1:{odd}", 1000, 62_500 * t, 0) for t in range(40)]
    events = [(0.0, None, "flow", odd, "start", ""), (1.0, None, "fault", odd, "link-down", odd)]
    folder = make(rows, queue, events, name="odd $1$", flows=[flow], title=odd)
    figures.make(kind, [open_results(folder)]).savefig(tmp_path / "x.png")


def test_settings_of_the_current_folder_pass_no_text_to_latex(
    two_flows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\n")
    (tmp_path / "latex").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n")
    (tmp_path / "latex").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for name in ("series", "cdf"):
        argv = [*program_argv(), "plot", str(two_flows), "--kind", name, "--out", str(tmp_path / f"{name}.png")]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert not (tmp_path / "started").exists()


def test_a_distribution_counts_samples(two_flows: Path) -> None:
    (panel,) = figures.make("cdf", [open_results(two_flows)], "rtt").axes
    second = next(line for line in panel.get_lines() if "CUBIC" in str(line.get_label()))
    xs, ys = (np.asarray(coordinates) for coordinates in second.get_data())
    # from 40 ms to 440 ms by 1 ms a sample: a quarter is at most 140 ms
    assert ys[np.searchsorted(xs, 140.0)] == pytest.approx(0.25, abs=0.005)
    assert ys[-1] == 1.0 and (np.diff(ys) > 0).all()
    assert panel.get_xlabel().endswith("(ms)")


def test_waiting_times_are_a_distribution(make: Make) -> None:
    folder = make(flows=[{"id": "page", "kind": "web-page"}])
    lines = "".join(f"{n},page,request,{n},9,{duration},\n" for n, duration in enumerate((10, 20, 30, "", 40)))
    (folder / "samples/app.csv").write_text("time_s,flow,what,number,size_bytes,duration_ms,outcome\n" + lines)
    (panel,) = figures.make("cdf", [open_results(folder)], "waited").axes
    (line,) = panel.get_lines()
    assert np.asarray(line.get_data()).tolist() == [[10.0, 20.0, 30.0, 40.0], [0.25, 0.5, 0.75, 1.0]]


def test_a_box_has_numpys_quartiles(two_flows: Path) -> None:
    (panel,) = figures.make("box", [open_results(two_flows)], "rtt").axes
    values = 40.0 + np.arange(401)
    boxes = [patch for patch in panel.patches if patch.get_path().vertices is not None]
    corners = np.asarray(boxes[1].get_path().vertices)[:, 1]
    assert (np.nanmin(corners[:4]), np.nanmax(corners[:4])) == pytest.approx(np.quantile(values, [0.25, 0.75]), abs=0.5)


def test_bars_are_as_high_as_the_goodput(cells: list[Results]) -> None:
    (panel,) = figures.make("bar", cells).axes
    heights = [patch.get_height() for patch in panel.patches if isinstance(patch, Rectangle)]
    assert heights == pytest.approx([2.0, 3.0, 3.0, 4.0], rel=0.01)
    assert panel.get_ylabel() == "Goodput, Mbit/s"
    again = figures.make("bar", cells * 3).axes[0]
    assert "n = 3" in again.get_title(loc="left")


def test_a_map_has_the_means_in_its_cells(cells: list[Results]) -> None:
    panel = figures.make("heat", cells, "goodput_mbit", across="delay").axes[0]
    cells_of_map = np.asarray(panel.images[0].get_array())
    assert cells_of_map == pytest.approx(np.array([[2.0, 3.0], [3.0, 4.0]]), rel=0.01)
    assert [text.get_text() for text in panel.get_xticklabels()] == ["10", "20"]
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("delay (ms)", "queue (packets)")
    with pytest.raises(ResultsError, match=r"no field that differs .* has the name rate.*delay"):
        figures.make("heat", cells, across="rate")
    with pytest.raises(ResultsError, match="differ in 1"):
        figures.make("heat", cells[:2])


def test_each_congestion_control_has_a_map_of_its_own(make: Make) -> None:
    runs = [
        with_topology(a_run(make, f"{control}-{delay}-{queue}", mbit), delay, queue, control)
        for control, mbit in (("cubic", 2), ("bbr", 8))
        for delay in (10, 20)
        for queue in (100, 200)
    ]
    fig = figures.make("heat", runs, across="delay", up="queue")
    assert [panel.get_title(loc="left") for panel in fig.axes[:2]] == [
        "congestion control bbr",
        "congestion control cubic",
    ]
    means = [float(np.mean(np.asarray(panel.images[0].get_array()))) for panel in fig.axes[:2]]
    assert means == pytest.approx([8, 2], rel=0.01)
    assert fig.axes[0].images[0].get_clim() == fig.axes[1].images[0].get_clim()  # one colour, one number
    # Other differences are averaged, and named.
    mixed = figures.make("heat", [*runs, with_topology(a_run(make, "more", 5), 10, 100, "reno")], across="delay",
                         up="congestion_control")  # fmt: skip
    assert mixed.get_supxlabel() == "each cell is the mean over queue 100, 200 packets"


def test_an_ellipse_contains_one_standard_deviation() -> None:
    random = np.random.default_rng(3)
    points = random.multivariate_normal([50.0, 8.0], [[90.0, -20.0], [-20.0, 9.0]], 40_000)
    width, height, angle = ellipse_of(points[:, 0], points[:, 1])
    patch = Ellipse((50.0, 8.0), width, height, angle=angle)
    inside = patch.get_path().transformed(patch.get_patch_transform()).contains_points(points)
    # of a normal distribution in the plane, 1 - exp(-1/2) lies within
    assert inside.mean() == pytest.approx(1 - np.exp(-0.5), abs=0.01)
    assert ellipse_of(points[:1, 0], points[:1, 1]) == (0.0, 0.0, 0.0)


def test_better_is_to_the_right_in_a_scatter(stored: Results) -> None:
    (panel,) = figures.make("scatter", [stored]).axes
    leftmost, rightmost = panel.get_xlim()
    assert leftmost > rightmost == 0.0
    assert sorted(labels(panel)) == ["BBR", "CUBIC"]


def test_shares_are_a_hundred_per_cent(stored: Results) -> None:
    parts, jain = figures.make("shares", [stored]).axes
    tops = np.asarray(parts.patches[-1].get_data().values)
    sent = tops > 1
    assert sent.any() and tops[sent] == pytest.approx(np.full(sent.sum(), 100.0), abs=0.01)
    assert jain.get_ylim()[1] <= 1.05


def test_an_overlay_names_the_differences_of_the_runs(cells: list[Results]) -> None:
    fig = figures.make("overlay", cells[:2])
    (legend,) = fig.legends
    assert [text.get_text() for text in legend.get_texts()] == ["queue 100 packets", "queue 200 packets"]
    goodput = fig.axes[0]
    assert [np.median(line.get_ydata()) for line in goodput.get_lines()] == pytest.approx([2.0, 3.0], rel=0.01)
    # repetitions have one colour and one name; where there is nothing else, each its own
    again = figures.make("overlay", [*cells[:2], *cells[:2]])
    assert [text.get_text() for text in again.legends[0].get_texts()][:2] == ["queue 100 packets", "queue 200 packets"]
    assert len({line.get_color() for line in again.axes[0].get_lines()}) == 2
    same = figures.make("overlay", [cells[0], cells[0]])
    assert [text.get_text() for text in same.legends[0].get_texts()] == [cells[0].folder.name] * 2


def test_routing_and_transport_share_one_axis(stored: Results) -> None:
    fig = figures.make("routing", [stored])
    goodput, window, rtt, queue, lanes = fig.axes
    assert [panel.get_ylabel() for panel in (goodput, window, rtt, queue)] == [
        "Throughput, Mbit/s", "cwnd, packets", "RTT, ms", "Queue, kB",
    ]  # fmt: skip
    assert len({panel.get_xlim() for panel in fig.axes}) == 1
    assert [text.get_text() for text in lanes.get_yticklabels()] == [f"r{n}" for n in range(1, 7)]
    assert {"detected", "SPF", "routes change"} <= set(labels(lanes))
    fault_s = next(event.time_s for event in stored.events if event.kind == "fault")
    for panel in fig.axes:
        assert any(np.asarray(line.get_xdata())[0] == pytest.approx(fault_s) for line in panel.get_lines())
    # the lanes show the kernels' events of routes
    shown_times = {
        x for line in lanes.get_lines() if line.get_marker() == "d" for x in np.asarray(line.get_xdata()).tolist()
    }
    event_times = {event.time_s for event in stored.events if event.kind == "route"}
    assert shown_times and shown_times <= event_times


def test_a_part_of_the_time_axis_has_its_own_scale(two_flows: Path) -> None:
    fig = figures.make("series", [open_results(two_flows)], from_s=5.0, to_s=6.0)
    assert all(panel.get_xlim() == (5.0, 6.0) for panel in fig.axes)
    # CUBIC's RTT has come to 140 ms by then, and goes to 440 ms later
    assert 140 <= fig.axes[2].get_ylim()[1] < 200


def test_many_flows_are_drawn_by_kind(make: Make) -> None:
    rows = []
    for kind in ("web", "bulk"):
        for number in range(1, 9):
            for t in range(51):
                rows.append(sender(t / 10, f"{kind}.{number}", 10, 30, 20, 0, "cubic"))
                rows.append(receiver(t / 10, f"{kind}.{number}", 12_500 * t))
    fig = figures.make("series", [open_results(make(rows))])
    (legend,) = fig.legends
    assert [text.get_text() for text in legend.get_texts()] == ["8 × web (CUBIC)", "8 × bulk (CUBIC)", "all flows"]
    web_lines = [line for line in fig.axes[0].get_lines() if "web" in str(line.get_label())]
    assert len(web_lines) == 1 and np.median(web_lines[0].get_ydata()) == pytest.approx(8.0, rel=0.01)
    assert len(fig.axes[1].get_lines()) == 16


def test_a_color_of_the_topology_is_used(make: Make) -> None:
    rows = [receiver(t / 10, flow, 1e5 * t) for t in range(51) for flow in ("a", "b")]
    folder = make(rows, flows=[{"id": "a", "colour": "#123456"}, {"id": "b"}])
    lines = figures.make("series", [open_results(folder)]).axes[0].get_lines()
    colours = {str(line.get_label()): line.get_color() for line in lines}
    assert colours["a"] == "#123456" and colours["b"] not in ("#123456", "")


@pytest.mark.parametrize("several", [1, 3])
def test_the_rate_is_labeled_each_link_if_several_are_equal(make: Make, several: int) -> None:
    queue = [(t / 10, f"l{n}:a-b", 9000, 0, 0) for t in range(20) for n in range(several)]
    queues = {f"l{n}:a-b": {"rate_mbit": 10.0} for n in range(several)}
    rows = [receiver(t / 10, "f", 1e5 * t) for t in range(20)]
    goodput = figures.make("series", [open_results(make(rows, queue, queues=queues))]).axes[0]
    (label,) = [text for text in labels(goodput) if "link" in text]
    assert label == ("link 10 Mbit/s" if several == 1 else "each link 10 Mbit/s")


def test_pings_beside_the_flows_are_drawn(stored: Results) -> None:
    rtt = figures.make("series", [stored]).axes[2]
    (ping,) = [line for line in rtt.get_lines() if line.get_label() == "ping"]
    assert np.asarray(ping.get_ydata()).tolist() == [18.5, 19.5, 20.5, 21.5, 23.5, 24.5, 25.5, 26.5, 27.5]


def test_unsupported_combinations_are_refused(stored: Results) -> None:
    for kind, runs, of, words in (
        ("series", [stored, stored], "", "one run, but 2 are selected"),
        ("heat", [stored], "", "several runs"),
        ("cdf", [stored], "weather", "rtt, queueing, goodput"),
        ("scatter", [stored], "rtt", "cannot show rtt"),
    ):
        with pytest.raises(ResultsError, match=words):
            figures.make(kind, runs, of)


def test_files_for_papers(stored: Results) -> None:
    settings_before = dict(mpl.rcParams)
    fig = figures.make("cdf", [stored])
    pdf, svg = figures.figure_bytes(fig, "pdf"), figures.figure_bytes(fig, "svg")
    # TrueType within the PDF, no Type 3; texts of the SVG are texts
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf
    assert re.search(rb"<text[^>]*>[^<]*share of samples", svg)
    assert figures.figure_bytes(figures.make("cdf", [stored]), "svg") == svg
    with pytest.raises(ValueError, match="png, svg, pdf"):
        figures.figure_bytes(fig, "gif")
    assert dict(mpl.rcParams) == settings_before


def test_aligned_flows_begin_at_their_own_starts(two_flows: Path) -> None:
    run = open_results(two_flows)
    goodput, window, rtt, queue = figures.make("series", [run], align="start").axes[:4]
    low, high = goodput.get_xlim()
    assert (low, high) == pytest.approx((-0.04, 4.04))  # both sent for 4 s, one of them from 5 s on
    for panel in (window, rtt, queue):
        first, second = (
            line for line in panel.get_lines() if str(line.get_label()) in ("first (BBR)", "second (CUBIC)")
        )
        for curve in (first, second):
            xs = np.asarray(curve.get_xdata())
            assert xs[0] == pytest.approx(0.0, abs=0.05) and xs[-1] == pytest.approx(4.0, abs=0.15)
    # 100 kB waited 7 s after the start of all: 2 s after the second flow's
    xs, held = (np.asarray(coordinates) for coordinates in second.get_data())
    assert xs[np.argmax(held)] == pytest.approx(2.0) and held.max() == 100.0
    assert not [line for line in goodput.get_lines() if line.get_label() in ("all flows", "_fault")]
    assert "each flow" in figures.make("overlay", [run, run], align="start").axes[2].get_xlabel()


def test_aligned_runs_begin_at_the_starts_of_their_flows(two_flows: Path) -> None:
    run = open_results(two_flows)
    goodput, _, queue = figures.make("overlay", [run], align="start").axes
    assert goodput.get_xlim()[1] == pytest.approx(4.04)
    ends = [(line.get_xdata()[0], line.get_xdata()[-1]) for line in queue.get_lines()]
    assert ends == [pytest.approx((0.0, 4.0), abs=0.15)] * 2


def test_only_figures_over_time_can_be_aligned(stored: Results) -> None:
    with pytest.raises(ResultsError, match="series, overlay"):
        figures.make("cdf", [stored], align="start")


@pytest.mark.parametrize("kind", figures.KINDS)
def test_a_slide_is_16_to_9_with_large_letters(
    kind: str, stored: Results, cells: list[Results], captured: Results
) -> None:
    runs = runs_of(kind, stored, cells, captured)
    fig = figures.make(kind, runs, size="slide")
    usual = figures.make(kind, runs, size="screen")
    assert fig.get_size_inches() == pytest.approx((40 / 3, 7.5), abs=1e-3)
    assert fig.axes[0].yaxis.label.get_fontsize() == pytest.approx(1.6 * usual.axes[0].yaxis.label.get_fontsize())
    fig.canvas.draw()
    assert fig.axes[0].get_window_extent().width > 0.5 * fig.bbox.width
    letters = [label.get_fontsize() for label in fig.axes[0].get_xticklabels() if label.get_visible()]
    assert min(letters, default=12.0) >= 11.9


def test_repetitions_are_a_mean_in_a_band(make: Make) -> None:
    runs = [
        with_topology(a_run(make, f"{mbit}-{delay}", mbit), delay, 100)
        for delay in (10, 20)
        for mbit in (4.0, 5.0, 9.0)
    ]
    fig = figures.make("overlay", runs)
    goodput = fig.axes[0]
    assert len(goodput.get_lines()) == len(goodput.collections) == 2  # one for each delay
    (line, _), (area, _) = goodput.get_lines(), goodput.collections
    middle = np.asarray(line.get_ydata())[100:400]
    assert middle == pytest.approx(np.full(middle.size, 6.0), rel=0.02)
    edges = np.asarray(area.get_paths()[0].vertices)[:, 1]
    assert (edges.min(), edges.max()) == pytest.approx((4.0, 9.0), rel=0.02)
    (legend,) = fig.legends
    assert "all repetitions, around their mean" in [text.get_text() for text in legend.get_texts()]
    assert not figures.make("overlay", runs[::3]).axes[0].collections  # one of each


def test_a_band_ends_with_its_repetitions() -> None:
    short, long = (np.array([0.0, 2.0]), np.array([1.0, 1.0])), (np.array([0.0, 4.0]), np.array([3.0, 3.0]))
    times, least, mean, most = band([short, long, (np.zeros(0), np.zeros(0))])
    early = times <= 2.0
    for values, together, alone in ((least, 1.0, 3.0), (mean, 2.0, 3.0), (most, 3.0, 3.0)):
        assert set(values[early]) == {together} and set(values[~early]) == {alone}
    assert band([])[0].size == 0


def test_bars_of_flows_differ_without_colors(make: Make) -> None:
    rows = [row for t in range(21) for flow in ("a", "cubic") for row in (
        sender(t / 10, flow, 10, 40, 40, 0, "bbr" if flow == "a" else "cubic"), receiver(t / 10, flow, 1e5 * t),
    )]  # fmt: skip
    runs = [with_topology(make(rows, name=f"d{delay}"), delay, 100) for delay in (10, 20)]
    (panel,) = figures.make("bar", runs).axes
    legend = panel.get_legend()
    assert legend is not None and labels(panel) == ["a (BBR)", "CUBIC"]
    assert len({str(patch.get_hatch()) for patch in legend.get_patches()}) == 2
    of_flows = [patch.get_hatch() for patch in panel.patches if isinstance(patch, Rectangle)]
    assert of_flows[0] == of_flows[1] != of_flows[2] == of_flows[3]


def test_flows_are_labeled_with_their_control_if_all_runs_agree(two_flows: Path, make: Make) -> None:
    run = open_results(two_flows)
    labels = [text.get_text() for text in figures.make("overlay", [run, run]).legends[0].get_texts()]
    assert labels[-2:] == ["flow first (BBR)", "flow second (CUBIC)"]
    rows = [row for t in range(21) for flow in ("first", "second") for row in (
        sender(t / 10, flow, 10, 40, 40, 0, "reno"), receiver(t / 10, flow, 1e5 * t),
    )]  # fmt: skip
    different = open_results(make(rows, name="other"))
    labels = [text.get_text() for text in figures.make("overlay", [run, different]).legends[0].get_texts()]
    assert labels[-2:] == ["flow first", "flow second"]

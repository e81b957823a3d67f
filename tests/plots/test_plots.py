"""Figures of runs: the contents of their axes."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from frrlib.plots.figures import make as make_figure
from frrlib.plots.page import Size
from frrlib.plots.run import draw, figure, save_figure
from frrlib.results import layout
from frrlib.results.binning import PIXELS, binned_mbit, thinned
from frrlib.results.flow_names import named_flow
from frrlib.results.layout import QueueInfo
from frrlib.results.palette import CONTROL_COLORS, curve_styles
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.wire.events import TABLES
from tests.results.conftest import Make, receiver, sender


def lines(panel: Axes, label: str) -> list[Line2D]:
    """The lines of a panel that have a label."""
    return [line for line in panel.get_lines() if line.get_label() == label]


def line(panel: Axes, label: str) -> tuple[np.ndarray, np.ndarray]:
    """The data of the one line of a panel that has a label."""
    (single,) = lines(panel, label)
    return np.asarray(single.get_xdata()), np.asarray(single.get_ydata())


def test_four_panels_with_units_over_one_time(two_flows: Path) -> None:
    panels = figure(open_results(two_flows)).axes[:4]
    assert [panel.get_ylabel() for panel in panels] == ["Throughput, Mbit/s", "cwnd, packets", "RTT, ms", "Queue, kB"]
    (delay,) = panels[3].child_axes
    assert delay.get_ylabel() == "queueing delay, ms"
    for panel, word in zip(panels, ("Throughput", "cwnd", "RTT", "Queue"), strict=True):
        assert panel.get_title(loc="left").startswith(word)
    assert panels[3].get_xlabel().endswith("(s)")
    assert len({panel.get_xlim() for panel in panels}) == 1
    low, high = panels[0].get_xlim()
    assert low <= 0 and high >= 9


def test_lines_show_the_measured_values(two_flows: Path) -> None:
    goodput, window, rtt, queue = figure(open_results(two_flows)).axes[:4]
    times, rates = line(goodput, "first (BBR)")
    # bins of 0.2 s, as four round trips of 40 ms take longer than 0.1 s
    assert times[0] == pytest.approx(0.1) and times[-1] == pytest.approx(3.9)
    assert rates[:5] == pytest.approx(np.full(5, 2.0), rel=1e-3)
    assert rates[5:] == pytest.approx(np.full(15, 8.0))
    times, cwnd = line(window, "second (CUBIC)")
    assert (times[0], times[-1], cwnd[0], cwnd[-1]) == pytest.approx((5.0, 9.0, 100, 500))
    assert line(rtt, "first (BBR)")[1].max() == 90.0
    times, backlog = line(queue, "l1:r1-r2")
    assert times[np.argmax(backlog)] == pytest.approx(7.0) and backlog.max() == 100.0
    assert line(queue, "_drops")[0].tolist() == [7.0]


def test_reference_lines_are_at_their_values(two_flows: Path) -> None:
    goodput, _, rtt, queue = figure(open_results(two_flows)).axes[:4]
    link, payload = (np.asarray(reference.get_ydata()).tolist() for reference in lines(goodput, "_reference"))
    assert link == [10.0, 10.0] and payload == pytest.approx([10 * 1448 / 1514] * 2)
    assert line(rtt, "_reference")[1].tolist() == [40.2, 40.2]
    assert line(queue, "_reference")[1].tolist() == [100.0, 100.0]
    for panel in (goodput, rtt, queue):
        (fault,) = lines(panel, "_fault")
        assert np.asarray(fault.get_xdata())[0] == pytest.approx(6.5)  # the lab's 106.5 s, from 100 s on


def test_a_limit_far_above_the_queue_does_not_flatten_it(two_flows: Path) -> None:
    fig = figure(open_results(two_flows), {"l1:r1-r2": QueueInfo(rate_mbit=10.0, limit_bytes=9e6)})
    queue = fig.axes[3]
    assert queue.get_ylim()[1] < 200
    legend = queue.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["limit 9000 kB, outside of this scale"]


@pytest.mark.parametrize("size", ["screen", "page", "column", "slide"])
def test_texts_do_not_overlap_data(two_flows: Path, size: Size) -> None:
    fig = make_figure("series", [open_results(two_flows)], size=size)
    fig.canvas.draw()
    for panel in fig.axes[:4]:
        words: list[Any] = [text for text in panel.texts if "l1 down" not in text.get_text()]
        words += [panel.get_legend()] if panel.get_legend() is not None else []
        title = next(text for text in panel.findobj(Text) if text.get_text() == panel.get_title(loc="left"))
        area = panel.get_window_extent()
        for word in words:
            box = word.get_window_extent()
            assert box.y0 >= area.y1 - 1 or box.x0 >= area.x1
            assert not box.overlaps(title.get_window_extent())


def test_words_around_the_panels(two_flows: Path) -> None:
    fig = figure(open_results(two_flows))
    (legend,) = fig.legends
    assert legend.get_title().get_text() == "One after the other"
    assert [text.get_text() for text in legend.get_texts()] == ["first (BBR)", "second (CUBIC)"]
    assert "namespace" in fig.get_supxlabel() and "kernel 6.1.0" in fig.get_supxlabel()


def test_the_sum_is_drawn_only_for_overlapping_flows(make: Make, two_flows: Path) -> None:
    assert not lines(figure(open_results(two_flows)).axes[0], "all flows")
    rows = [receiver(i / 10, flow, 1e5 * i) for i in range(51) for flow in ("a", "b")]
    _, rates = line(figure(open_results(make(rows, name="both"))).axes[0], "all flows")
    assert rates == pytest.approx(np.full(rates.size, 16.0), rel=0.01)


def some_flows(make: Make, count: int, controls: tuple[str, ...]) -> Path:
    """A run of flows that share 12 Mbit/s evenly."""
    rows = []
    for number in range(count):
        flow, control = f"flow.{number}", controls[number % len(controls)]
        for i in range(0, 200):
            rows.append(sender(i / 10, flow, 10 + i % 20, 20 + i % 7, 20, 0, control))
            rows.append(receiver(i / 10, flow, 150_000 / count * i))
    return make(rows, name=f"{count}-{len(controls)}")


@pytest.mark.parametrize("count", [1, 2, 6, 12])
@pytest.mark.parametrize("controls", [("bbr",), ("bbr", "cubic")])
def test_every_flow_has_its_own_style_and_a_place_in_the_legend(
    make: Make, count: int, controls: tuple[str, ...]
) -> None:
    fig = figure(open_results(some_flows(make, count, controls)))
    flow_lines = [line for line in fig.axes[1].get_lines() if not str(line.get_label()).startswith("_")]
    expected = curve_styles([controls[number % len(controls)] for number in range(count)])
    assert [line.get_color() for line in flow_lines] == [look.colour for look in expected]
    assert len(set(expected)) == count
    (legend,) = fig.legends
    assert len(legend.get_texts()) == count + (count > 1)
    fig.canvas.draw()
    # what is outside the panels lies on none of them, and on the page
    box = legend.get_window_extent()
    assert box.y0 >= fig.axes[0].title.get_window_extent().y1 - 2
    assert box.y1 <= fig.bbox.y1 and box.x0 >= 0 and box.x1 <= fig.bbox.x1


def test_no_queue_no_flow_no_samples(make: Make, tmp_path: Path) -> None:
    without_queue = figure(open_results(some_flows(make, 2, ("bbr",))))
    assert "no queue was sampled" in [text.get_text() for text in without_queue.axes[3].texts]
    empty = figure(open_results(make(name="empty", title="Nothing")))
    assert empty.get_suptitle() == "Nothing"
    queue_only = make(queue=[(i, "l1:a-b", i, i, 0) for i in range(5)], name="queue-only")
    assert line(figure(open_results(queue_only)).axes[3], "l1:a-b")[0].tolist() == [0, 1, 2, 3, 4]
    for number, folder in enumerate(tmp_path.iterdir()):
        (folder / "samples/queue.csv").unlink()
        (folder / "samples/tcp.csv").write_text(f"time_s,flow,side\n{number},f,sender\n")
        figure(open_results(folder)).canvas.draw()


def test_many_queues_are_chosen_by_their_backlog(make: Make) -> None:
    rows = [(t, f"l{n}:a-b", n * 10_000, t, 0) for t in range(20) for n in range(8)]
    panel = figure(open_results(make(queue=rows))).axes[3]
    line_labels = [str(line.get_label()) for line in panel.get_lines() if not str(line.get_label()).startswith("_")]
    assert line_labels == ["l2:a-b", "l3:a-b", "l4:a-b", "l5:a-b", "l6:a-b", "l7:a-b"]
    legend = panel.get_legend()
    # one is left out, and one that never held anything does not count
    assert legend is not None and legend.get_texts()[-1].get_text() == "1 more"


def test_the_status_of_a_run_is_shown(make: Make) -> None:
    for status, words in (("finished", ""), ("failed", "failed"), ("running", "killed")):
        footnote = figure(open_results(make(name=status, status=status))).get_supxlabel()
        assert words in footnote and ("this run" in footnote) == bool(words)


def test_an_algorithm_keeps_its_color() -> None:
    for controls in (["bbr"], ["cubic", "bbr"], ["reno", "bbr", "mine", "cubic"]):
        for control, look in zip(controls, curve_styles(controls), strict=True):
            if control in CONTROL_COLORS:
                assert look.colour == CONTROL_COLORS[control]
    for controls in (["bbr"] * 20, ["bbr", "cubic", "reno", "x"] * 5, ["x", "y"] * 8):
        assert len({(look.colour, look.line_style) for look in curve_styles(controls)}) == len(controls)
    assert curve_styles([]) == []


def test_algorithms_differ_without_colors() -> None:
    for controls in (["cubic", "bbr"], ["bbr", "cubic"], ["bbr", "bbr3", "reno"], ["mine", "other", "cubic", "vegas"]):
        assert len({look.line_style for look in curve_styles(controls)}) == len(controls)
    assert (
        curve_styles(["cubic", "bbr"])[1] == curve_styles(["bbr", "cubic"])[0]
    )  # and each has its own, whoever comes first
    assert len({look.line_style for look in curve_styles(["cubic"] * 4)}) == 4
    assert [look.line_style for look in (*curve_styles(["bbr"]), *curve_styles(["cubic"]))] == ["-", "-"]


@pytest.mark.parametrize(
    ("flow", "control", "named"),
    [
        ("f1", "cubic", "f1 (CUBIC)"), ("f1", "bbr2", "f1 (BBRv2)"), ("cubic", "cubic", "CUBIC"), ("BBR", "bbr", "BBR"),
        ("bbr-1", "bbr", "bbr-1"), ("CUBIC at h1", "cubic", "CUBIC at h1"), ("cubic", "reno", "cubic (Reno)"),
        ("f1", "mine", "f1 (mine)"), ("web", "", "web"),
    ],
)  # fmt: skip
def test_a_legend_has_the_papers_name_beside_the_flow(flow: str, control: str, named: str) -> None:
    assert named_flow(flow, control) == named


def test_a_late_flow_is_labeled_late(make: Make) -> None:
    rows = [receiver(begin + i / 10, flow, 1e5 * i) for i in range(51) for flow, begin in (("a", 0.1), ("b", 2.9))]
    events = [(start, None, "flow", flow, "start", "") for flow, start in (("a", 0.0), ("b", 2.0))]
    panel = figure(open_results(make(rows, events=events))).axes[0]
    labels = [str(curve.get_label()) for curve in panel.get_lines()]
    assert labels[:2] == ["a", "b, starts 0.9 s late"]


def test_thinning_loses_no_spike_and_keeps_order() -> None:
    times = np.arange(200_000) / 100
    values = np.sin(times / 50)
    values[123_456], values[77_777] = 9.0, -9.0
    thin_times, thin_values = thinned((times, values))
    assert thin_times.size <= 2 * PIXELS + 2
    assert (thin_values.max(), thin_values.min()) == (9.0, -9.0)
    assert all(a < b for a, b in pairwise(thin_times.tolist()))
    assert (thin_times[0], thin_times[-1]) == (times[0], times[-1])
    short = (times[:100], values[:100])
    assert thinned(short)[0] is short[0]


def test_bins_conserve_bytes() -> None:
    times = np.sort(np.random.default_rng(1).uniform(0, 10, 500))
    counts = np.cumsum(np.random.default_rng(2).integers(0, 5000, 500)).astype(float)
    middles, rates = binned_mbit((times, counts), 0.0, 10.0, 0.2)
    assert middles.size == 50
    assert rates.sum() * 0.2 / 8e-6 == pytest.approx(counts[-1] - counts[0])


@pytest.mark.parametrize("span", [(3.0, 3.01), (3.19, 3.2), (2.97, 9.04), (2.93, 9.07), (3.0, 9.1), (5.0, 5.0)])
def test_bins_do_not_extend_beyond_a_flow(span: tuple[float, float]) -> None:
    begin, end = span
    data = (np.array([0.0, begin, end, 20.0]), np.array([0.0, 0.0, (end - begin) * 125_000, (end - begin) * 125_000]))
    middles, rates = binned_mbit(data, begin, end, 0.2)
    assert rates == pytest.approx(np.full(rates.size, 1.0 if end > begin else 0.0))
    assert rates.size >= 1 and begin <= middles[0] <= middles[-1] <= end


APP, DATAGRAM = (",".join(TABLES[name]) for name in ("app", "datagram"))


def _only(folder: Path, table: str, heading: str, rows: str) -> Results:
    (folder / f"samples/{table}.csv").write_text(f"{heading}\n{rows}")
    return open_results(folder)


def test_pages_are_dots_and_failed_pages_are_crosses(make: Make) -> None:
    flows = [{"id": "web", "kind": "web-page", "congestion_control": "bbr"}, {"id": "bulk", "kind": "bulk"}]
    rows = "0.5,web,object,0,100,20,\n0.5,web,page,0,900,350,\n2,web,page,1,900,,timeout\n3,bulk,transfer,0,9,10,\n"
    results = _only(make(queue=[(0, "l1:r1-r2", 5000, 0, 0), (4, "l1:r1-r2", 0, 9, 0)], flows=flows), "app", APP, rows)
    waits, queue = figure(results).axes[:2]
    assert (waits.get_ylabel(), queue.get_ylabel()) == ("Waiting time, ms", "Queue, kB")
    assert waits.get_title(loc="left") == "Duration of each page, at its start (crosses: failed)"
    times, took = line(waits, "web (BBR)")
    assert (times.tolist(), took.tolist()) == ([0.5], [350.0])
    (cross,) = (curve for curve in waits.get_lines() if curve.get_marker() == "x")
    assert np.asarray(cross.get_xdata()).tolist() == [2.0]
    (legend,) = waits.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["web (BBR)"]
    assert figure(results).get_size_inches()[1] < 9 * 0.6


def test_a_run_of_datagrams_alone_has_a_figure(make: Make) -> None:
    rows = "".join(f"{second},udp,{second * 100},{second * 100},0,0,{second * 125_000},5,6,0\n" for second in range(5))
    flows = [{"id": "udp", "kind": "constant-rate", "transport": "udp", "duration_s": 4}]
    results = _only(make(queue=[(0, "l1:r1-r2", 0, 0, 0)], flows=flows), "datagram", DATAGRAM, rows)
    goodput, queue = figure(results).axes[:2]
    assert (goodput.get_ylabel(), queue.get_ylabel()) == ("Throughput, Mbit/s", "Queue, kB")
    assert line(goodput, "udp")[1] == pytest.approx(1.0)


def test_files_for_screen_and_print(two_flows: Path) -> None:
    png, pdf = save_figure(open_results(two_flows), two_flows)
    assert png.read_bytes().startswith(b"\x89PNG") and pdf.read_bytes().startswith(b"%PDF")
    assert not [path for path in two_flows.iterdir() if path.name.startswith(".")]


def test_figures_are_not_written_through_a_symbolic_link(two_flows: Path, tmp_path: Path) -> None:
    target = tmp_path / "other"
    target.write_text("mine")
    (two_flows / f".{layout.FIGURES[0]}.new").symlink_to(target)
    save_figure(open_results(two_flows), two_flows)
    assert target.read_text() == "mine"


def test_a_windows_figure_can_be_drawn_into(two_flows: Path) -> None:
    fig = Figure()
    assert list(draw(fig, open_results(two_flows))) == fig.axes[:4]


def test_the_global_state_of_matplotlib_is_unchanged() -> None:
    code = (
        "import sys, matplotlib\n"
        "settings = lambda: {key: matplotlib.rcParams[key] for key in matplotlib.rcParams if key != 'backend'}\n"
        "before = settings()\n"
        "import frrlib.plots.run\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "assert settings() == before\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_reading_needs_no_matplotlib() -> None:
    code = (
        "import sys, frrlib.results.writer, frrlib.results.statistics.summary, frrlib.results.statistics.table\n"
        "assert not {'matplotlib', 'pandas', 'tkinter', 'mininet'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])

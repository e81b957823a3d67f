"""Lines over a varied field: drawn values, intervals, panels, legends and axes."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from frrlib.plots import figures
from frrlib.plots.figures import LineOptions
from frrlib.results.layout import ResultsError
from frrlib.results.palette import CONTROL_COLORS
from frrlib.results.read import open_results
from frrlib.results.records import Results
from tests.plots.sweep_runs import (
    CONTROLS,
    DELAYS_MS,
    QUEUES,
    REPETITIONS,
    STUDENT_T,
    goodput_mbit,
    renamed,
    rtt_ms,
    sweep_runs,
    topology_text,
    write_run,
)
from tests.results.conftest import Make, make_below

HALF_MBIT = STUDENT_T * 0.2 / 3**0.5


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> list[Results]:
    """Two congestion controls, three delays, two queues, three repetitions."""
    return list(sweep_runs(make_below(tmp_path_factory.mktemp("sweep"))))


def draw(runs: list[Results], size: str = "page", **options: object) -> Figure:
    return figures.make("line", runs, size=size, lines=LineOptions(**options))  # type: ignore[arg-type]


def curves(panel: Axes) -> list[ErrorbarContainer]:
    return [container for container in panel.containers if isinstance(container, ErrorbarContainer)]


def bars(curve: ErrorbarContainer) -> np.ndarray:
    """The lower and the upper end of each error bar of a curve."""
    (collection,) = curve.lines[2]
    return np.array([[segment[0][1], segment[1][1]] for segment in collection.get_segments()])


def legend_words(fig: Figure) -> list[str]:
    return [text.get_text() for legend in fig.legends for text in legend.get_texts()]


def mean_mbit(control: str, delay: float, queue: float) -> float:
    return sum(goodput_mbit(control, delay, queue, repetition) for repetition in REPETITIONS) / len(REPETITIONS)


def test_lines_are_means_with_students_intervals(sweep: list[Results]) -> None:
    panels = draw(sweep, x="delay", facets=("queue",)).axes
    assert [panel.get_title(loc="left").split("\n")[-1] for panel in panels] == [
        "queue 50 packets", "queue 200 packets",
    ]  # fmt: skip
    for panel, queue in zip(panels, QUEUES, strict=True):
        drawn = {curve.get_label(): curve for curve in curves(panel)}
        assert set(drawn) == {"BBR", "CUBIC"}
        for control in CONTROLS:
            curve = drawn[control.upper()]
            xs, ys = (np.asarray(part, dtype=float) for part in curve.lines[0].get_data())
            expected = np.array([mean_mbit(control, delay, queue) for delay in DELAYS_MS])
            assert xs.tolist() == list(DELAYS_MS)
            assert ys == pytest.approx(expected, rel=1e-6)
            ends = np.column_stack((expected - HALF_MBIT, expected + HALF_MBIT))
            assert bars(curve) == pytest.approx(ends, rel=1e-4)
            assert to_hex(curve.lines[0].get_color()).upper() == CONTROL_COLORS[control]
    assert panels[0].get_ylim() == panels[1].get_ylim()
    bottom, top = panels[0].get_ylim()
    assert bottom == 0 and top == pytest.approx(1.08 * (mean_mbit("bbr", 10, 200) + HALF_MBIT), rel=1e-4)
    assert panels[0].get_xlabel() == "delay (ms)" and panels[0].get_ylabel() == "Goodput (Mbit/s)"


def test_a_second_field_has_line_styles_and_a_third_has_markers(make: Make) -> None:
    runs = [
        open_results(
            write_run(make, f"{delay}-{queue}-{rate}", topology_text(delay, queue, "bbr", rate), [
                ("f", "bbr", rate / 10 + delay / 100 + queue / 1000, 50, 20),
            ])
        )
        for delay in (10, 20) for queue in (50, 200) for rate in (10, 30)
    ]  # fmt: skip
    fig = draw(runs, x="delay", line_style="queue", marker="rate")
    (panel,) = fig.axes
    looks = {}
    for curve in curves(panel):
        line = curve.lines[0]
        first = float(np.asarray(line.get_ydata())[0])
        values = {(q, r): r / 10 + 0.1 + q / 1000 for q in (50, 200) for r in (10, 30)}
        (value,) = [key for key, mbit in values.items() if first == pytest.approx(mbit, rel=1e-4)]
        looks[value] = line.get_linestyle(), line.get_marker(), line.get_color()
    assert len(looks) == 4 and len({color for _, _, color in looks.values()}) == 1
    assert looks[50, 10][0] == looks[50, 30][0] != looks[200, 10][0] == looks[200, 30][0]
    assert looks[50, 10][1] == looks[200, 10][1] != looks[50, 30][1] == looks[200, 30][1]
    # Words of all lines are not repeated, and one congestion control for all is not in the legend.
    assert legend_words(fig) == ["queue (packets)", "50", "200", "rate (Mbit/s)", "10", "30"]
    assert fig.get_supxlabel() == "BBR; one run for each point"
    # The next fields that differ are chosen without options.
    assert legend_words(draw(runs, x="delay")) in (legend_words(fig), legend_words(fig)[3:] + legend_words(fig)[:3])


def test_a_logarithmic_axis_has_the_swept_values(sweep: list[Results]) -> None:
    (panel, *_) = draw(sweep, x="delay", facets=("queue",), log_x=True, log_y=True).axes
    assert (panel.get_xscale(), panel.get_yscale()) == ("log", "log")
    assert panel.get_xticks().tolist() == list(DELAYS_MS)
    panel.figure.canvas.draw()
    assert [text.get_text() for text in panel.get_xticklabels()] == ["10", "20", "80"]
    low, high = panel.get_xlim()
    assert 0 < low < 10 and high > 80


def test_a_logarithmic_axis_refuses_zero(make: Make) -> None:
    runs = [
        open_results(write_run(make, f"d{delay}", topology_text(delay, 100, "bbr"), [("f", "bbr", 4.0, 60, 60)]))
        for delay in (10, 20)
    ]
    with pytest.raises(ResultsError, match="cannot show the value 0 of queueing_ms"):
        draw(runs, x="delay", y=("queueing_ms",), log_y=True)
    assert draw(runs, x="delay", y=("queueing_ms",)).axes[0].get_ylim()[1] > 0


def test_several_statistics_have_panels_of_their_own(sweep: list[Results]) -> None:
    fig = draw(sweep, x="delay", y=("goodput_mbit", "rtt_p99_ms", "queueing_ms"), facets=("queue",))
    assert len(fig.axes) == 6
    labels = [panel.get_ylabel() for panel in fig.axes]
    assert labels == ["Goodput (Mbit/s)", "", "RTT, 99th percentile (ms)", "", "Queueing delay (ms)", ""]
    for panel, queue in zip(fig.axes[2:4], QUEUES, strict=True):
        for curve in curves(panel):
            assert np.asarray(curve.lines[0].get_ydata()) == pytest.approx([rtt_ms(d, queue) for d in DELAYS_MS])
    for panel, queue in zip(fig.axes[4:], QUEUES, strict=True):
        for curve in curves(panel):
            assert np.asarray(curve.lines[0].get_ydata()) == pytest.approx([queue / 10] * 3)
            assert bars(curve) == pytest.approx(np.full((3, 2), queue / 10))  # all repetitions are equal


def test_two_facets_are_columns_and_rows(make: Make) -> None:
    runs = [
        open_results(write_run(make, f"{delay}-{queue}-{rate}", topology_text(delay, queue, "cubic", rate), [
            ("f", "cubic", rate / 10, 50, 20),
        ]))
        for delay in (10, 20) for queue in (50, 200) for rate in (10, 30, 60)
    ]  # fmt: skip
    fig = draw(runs, x="delay", facets=("rate", "queue"))
    titles = [panel.get_title(loc="left").split("\n")[-1] for panel in fig.axes]
    assert titles == [f"rate {rate} Mbit/s, queue {queue} packets" for queue in (50, 200) for rate in (10, 30, 60)]
    for panel, rate in zip(fig.axes, (10, 30, 60) * 2, strict=True):
        (curve,) = curves(panel)
        assert np.asarray(curve.lines[0].get_ydata()) == pytest.approx([rate / 10] * 2)
    assert not fig.legends


def test_flows_of_one_run_have_a_line_for_each_congestion_control(make: Make) -> None:
    runs = [
        open_results(write_run(make, f"d{delay}", topology_text(delay, 100, "cubic"), [
            ("a", "bbr", 2.0 + delay / 10, 60, 40), ("b", "bbr", 1.0, 80, 40), ("c", "cubic", 4.0, 90, 40),
        ]))
        for delay in (10, 20)
    ]  # fmt: skip
    fig = draw(runs, x="delay", y=("goodput_mbit", "rtt_median_ms", "jain_index"))
    goodput, rtt, jain = fig.axes
    by_name = {curve.get_label(): np.asarray(curve.lines[0].get_ydata()) for curve in curves(goodput)}
    assert by_name["BBR"] == pytest.approx([4.0, 5.0]) and by_name["CUBIC"] == pytest.approx([4.0, 4.0])  # sums
    by_name = {curve.get_label(): np.asarray(curve.lines[0].get_ydata()) for curve in curves(rtt)}
    assert by_name["BBR"] == pytest.approx([70.0, 70.0]) and by_name["CUBIC"] == pytest.approx([90.0, 90.0])  # means
    (together,) = curves(jain)
    rates = np.array([[3.0, 1.0, 4.0], [4.0, 1.0, 4.0]])
    assert np.asarray(together.lines[0].get_ydata()) == pytest.approx(rates.sum(1) ** 2 / (3 * (rates**2).sum(1)))
    assert to_hex(together.lines[0].get_color()).upper() not in CONTROL_COLORS.values()


def test_words_are_at_equal_distances(sweep: list[Results]) -> None:
    (panel,) = draw(sweep, x="congestion_control", line_style="delay", marker="queue").axes
    panel.figure.canvas.draw()
    assert [text.get_text() for text in panel.get_xticklabels()] == ["bbr", "cubic"]
    assert panel.get_xticks().tolist() == [0.0, 1.0]


def test_a_bootstraps_interval_is_not_symmetrical(sweep: list[Results]) -> None:
    drawn = bars(curves(draw(sweep, x="delay", facets=("queue",), method="bootstrap").axes[0])[0])
    # No mean of samples with replacement is outside of the values.
    half = np.diff(drawn, axis=1) / 2
    assert (half > 0).all() and (half <= 0.2 + 1e-9).all()


def test_further_fields_are_averaged_and_named(make: Make) -> None:
    """Delay, queue, rate and loss differ. The fourth one is neither on the axis nor in the style of a line."""
    runs = [
        open_results(write_run(make, f"{delay}-{queue}-{rate}-{loss}", topology_text(delay, queue, "bbr", rate, loss), [
            ("f", "bbr", rate / 10 + loss, 50, 20),
        ]))
        for delay, queue, rate, loss in product((10, 20), (50, 200), (10, 30), (1, 2))
    ]  # fmt: skip
    fig = draw(runs, x="delay", line_style="queue", marker="rate")
    assert fig.get_supxlabel().endswith("n = 2; means and intervals are over loss 1, 2 %")
    drawn = {tuple(np.round(np.asarray(curve.lines[0].get_ydata(), dtype=float), 6)) for curve in curves(fig.axes[0])}
    assert drawn == {(2.5, 2.5), (4.5, 4.5)}
    # 12.706 is the bound of Student's distribution with one degree of freedom; 1 and 2 deviate by 0.707.
    half = 12.706 * 0.5**0.5 / 2**0.5
    for curve in curves(fig.axes[0]):
        mean = float(np.asarray(curve.lines[0].get_ydata())[0])
        assert bars(curve)[0] == pytest.approx([max(mean - half, 0), mean + half], rel=1e-4)  # no rate is negative


def test_a_field_that_changes_with_the_x_axis_has_no_style(make: Make) -> None:
    """The rate differs together with the delay, and either can be the x axis."""
    runs = [
        open_results(write_run(make, f"d{delay}", topology_text(delay, 100, "cubic", rate), [
            ("f", "cubic", rate / 2, 60, 20),
        ]))
        for delay, rate in ((10, 4), (20, 8), (40, 12))
    ]  # fmt: skip
    for x, expected in (("delay", [10, 20, 40]), ("rate", [4, 8, 12])):
        (panel,) = draw(runs, x=f"r1-r2.a_to_b.{x}").axes
        (curve,) = curves(panel)
        assert np.asarray(curve.lines[0].get_xdata()).tolist() == expected
        assert np.asarray(curve.lines[0].get_ydata()) == pytest.approx([2, 4, 6], rel=1e-6)


def test_unknown_and_unusable_fields_are_refused(sweep: list[Results]) -> None:
    for options, words in (
        ({"x": "rate"}, "has the name rate"),
        ({"y": ("speed",)}, "choose one of goodput_mbit"),
        ({"x": "delay", "facets": ("delay",)}, "is used twice"),
        ({"x": "delay", "facets": ("queue", "congestion_control", "delay")}, "can have 2 facets"),
        ({"x": "congestion_control", "log_x": True}, "cannot show the value bbr"),
        ({"y": ("completion_s",)}, "no run has a value of completion_s"),
    ):
        with pytest.raises(ResultsError, match=words):
            draw(sweep, **options)
    with pytest.raises(ResultsError, match="runs are equal"):
        draw([sweep[0], sweep[1]])


def test_a_dollar_in_the_title_does_not_begin_a_formula(sweep: list[Results], tmp_path: Path) -> None:
    fig = draw(renamed(sweep, r"$\frac{1}{$ a_b"), x="delay")
    fig.savefig(tmp_path / "x.png")
    assert fig.axes[0].get_title(loc="left").startswith(r"$\frac{1}{$ a_b")

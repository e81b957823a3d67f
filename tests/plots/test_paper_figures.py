"""Figures of papers: the states of BBR, and data in flight, from samples written by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from frrlib import wire
from frrlib.plots import figures
from frrlib.plots.paper import Paper
from frrlib.plots.phases import STATE_COLORS
from frrlib.results.layout import ResultsError
from frrlib.results.read import open_results
from frrlib.results.records import Results
from tests.results.conftest import Make

#: Samples of BBRv3: time, phase, phase within ProbeBW, pacing gain, packets in flight, long-term bound.
STATES = (
    (0.0, "startup", "", 2.77, 10, None), (0.5, "drain", "", 0.5, 60, None), (1.0, "probe_bw", "cruise", 1.0, 40, None),
    (2.0, "probe_bw", "up", 1.25, 50, None), (3.0, "probe_bw", "down", 0.9, 50, 44),
    (3.5, "probe_rtt", "", 1.0, 20, 44),
    (4.0, "probe_bw", "cruise", 1.0, 40, 44), (5.0, "probe_bw", "cruise", 1.0, 40, 44),
)  # fmt: skip


def bbr_run(folder: Path, samples: tuple[tuple[object, ...], ...], control: str) -> Results:
    """A run of a flow with these samples: 9.6 Mbit/s of payload, a minimum RTT of 40 ms, 1448 bytes a segment."""
    columns = ("time_s", "bbr_phase", "bbr_cycle_phase", "bbr_pacing_gain", "in_flight_packets",
               "bbr_inflight_longterm_packets")  # fmt: skip
    same = {"flow": "f", "side": "sender", "congestion_control": control, "bbr_bandwidth_mbit": 9.6,
            "bbr_min_rtt_ms": 40, "min_rtt_ms": 40, "delivery_rate_mbit": 9.5,
            "mss_bytes": 1448, "bbr_cwnd_gain": 2, "srtt_ms": 41, "cwnd_packets": 80}  # fmt: skip
    with (folder / "samples/tcp.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, wire.TABLES["tcp"], restval="")
        writer.writeheader()
        for sample in samples:
            writer.writerow(
                {**same, "bytes_acked": 1e6 * float(str(sample[0])), **dict(zip(columns, sample, strict=False))}
            )
    return open_results(folder)


def shaded(panel: Axes) -> dict[str, list[tuple[float, float]]]:
    """The start and the end of each colored span of a panel, by the name of the state."""
    spans = {}
    for name in STATE_COLORS:
        for bars in panel.collections:
            if isinstance(bars, PolyCollection) and bars.get_label() == f"_{name}":
                ends = [np.asarray(path.vertices)[:, 0] for path in bars.get_paths()]
                spans[name] = [(float(xs.min()), float(xs.max())) for xs in ends]
    return spans


def test_states_are_colored_at_their_times(make: Make) -> None:
    run = bbr_run(make(flows=[{"id": "f"}]), STATES, "bbr3")
    bandwidth, in_flight, rtt = figures.make("phases", [run]).axes
    for panel in (bandwidth, in_flight, rtt):
        assert shaded(panel) == {
            "startup": [(0.0, 0.5)], "drain": [(0.5, 1.0)], "cruise": [(1.0, 2.0), (4.0, 5.0)], "up": [(2.0, 3.0)],
            "down": [(3.0, 3.5)], "probe_rtt": [(3.5, 4.0)],
        }  # fmt: skip
    lines = {str(line.get_label()): np.asarray(line.get_ydata(), dtype=float) for line in in_flight.get_lines()}
    # 9.6 Mbit/s for 40 ms are 384 kbit, which is 48,000 bytes
    assert lines["BDP"] == pytest.approx(np.full(len(STATES), 48_000 / 1448))
    assert lines["in flight"].tolist() == [10, 60, 40, 50, 50, 20, 40, 40]
    assert np.isnan(lines["long-term bound"][:4]).all() and set(lines["long-term bound"][4:]) == {44.0}
    assert "short-term bound" not in lines


def test_the_gains_of_version_1_tell_its_states(make: Make) -> None:
    gains = (2.89, 0.35, 1.25, 0.75, 1.0, 1.0, 1.25)
    run = bbr_run(make(flows=[{"id": "f"}]), tuple((at, "", "", gain) for at, gain in enumerate(gains)), "bbr")
    assert shaded(figures.make("phases", [run]).axes[0]) == {
        "startup": [(0.0, 1.0)], "drain": [(1.0, 2.0)], "up": [(2.0, 3.0), (6.0, 6.0)], "down": [(3.0, 4.0)],
        "cruise": [(4.0, 6.0)],
    }  # fmt: skip


def test_a_run_without_bbr_has_no_states(two_flows: Path) -> None:
    with pytest.raises(ResultsError, match=r"no samples of BBR.*bbr3"):
        figures.make("phases", [open_results(two_flows)])


def test_the_pipe_is_marked_over_data_in_flight(make: Make) -> None:
    queue = [(at / 10, "l1:a-b", 20_000, 125_000 * at, 0) for at in range(50)]
    queues = {"l1:a-b": {"rate_mbit": 10.0, "limit_bytes": 75_700, "frame_bytes": 1514}}
    run = bbr_run(make(queue=queue, queues=queues, flows=[{"id": "f", "transport": "tcp"}]), STATES, "bbr3")
    rtt, rate = figures.make("inflight", [run]).axes
    for panel in (rtt, rate):
        cloud, product, full = panel.get_lines()[:3]
        # Packets in flight of 1448 bytes while the flow sent, the last sample included.
        assert np.asarray(cloud.get_xdata()) == pytest.approx(np.array([10, 60, 40, 50, 50, 20, 40, 40]) * 1.448)
        # 10 Mbit/s for 40 ms are 50 kB, of which 1448 of 1514 bytes are payload; the queue holds 50 full frames.
        assert np.asarray(product.get_xdata()) == pytest.approx(np.full(2, 50 * 1448 / 1514))
        assert np.asarray(full.get_xdata()) == pytest.approx(np.full(2, 50 * 1448 / 1514 + 50 * 1.448))
    assert np.asarray(rtt.get_lines()[0].get_ydata()).tolist() == [41.0] * 8


def test_a_run_without_tcp_has_no_data_in_flight(two_flows: Path) -> None:
    with pytest.raises(ResultsError, match="no samples of data in flight"):
        figures.make("inflight", [open_results(two_flows)])


@pytest.mark.parametrize("kind", ["phases", "inflight"])
def test_both_can_be_without_texts_around_them(kind: str, make: Make) -> None:
    run = bbr_run(make(flows=[{"id": "f"}]), STATES, "bbr3")
    whole = figures.make(kind, [run])
    assert whole.legends or [panel for panel in whole.axes if panel.get_legend()]
    fig = figures.make(kind, [run], paper=Paper(legend=False, title=False, footer=False))
    fig.canvas.draw()
    assert not fig.legends and not [panel for panel in fig.axes if panel.get_legend()]
    assert fig.get_supxlabel() == "" and fig.get_suptitle() == ""

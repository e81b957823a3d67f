"""Arrived bytes by acknowledgments, for a link of 10 Mbit/s that loses one segment."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frrlib.model.frames import FrameSizeRules
from frrlib.plots.run import figure
from frrlib.results.binning import binned_mbit
from frrlib.results.layout import FlowInfo, QueueInfo
from frrlib.results.read import open_results
from frrlib.results.series import FlowSamples, delivered, flow_samples
from frrlib.results.statistics.arrivals import arrived, arrived_mbit, has_acknowledged_bytes, payload_share
from tests.results.conftest import Make

#: Full frames of 1514 bytes at 10 Mbit/s, each with 1448 bytes of data: so many segments a second.
SEGMENTS_PER_S = 10e6 / 8 / 1514
LOST_S, REPAIRED_S, END_S = 2.0, 2.6, 5.0
HEADING = "time_s,flow,side,state,mss_bytes,srtt_ms,min_rtt_ms,bytes_acked,sacked_packets,bytes_received"
FLOW = {"id": "f", "address": "10.0.0.2", "duration_s": END_S}
QUEUES = {"l1:r1-r2": {"rate_mbit": 10.0, "limit_bytes": 100_000, "frame_bytes": 1514}}


def _row(time_s: float, side: str, in_order: int, sacked: int) -> str:
    counters = f"{1448 * in_order},{sacked}," if side == "sender" else f",,{1448 * in_order}"
    return f"{time_s:.2f},f,{side},ESTAB,1448,40,40,{counters}\n"


@pytest.fixture
def recovered(make: Make) -> Path:
    """A flow at the link's rate. Its segment of 2 s is lost and sent again at 2.6 s; the sender ends at 4.5 s."""
    rows = ""
    for i in range(round(100 * END_S) + 1):
        time_s = i / 100
        arrived = int(SEGMENTS_PER_S * time_s)
        in_order = int(SEGMENTS_PER_S * LOST_S) if LOST_S <= time_s < REPAIRED_S else arrived
        rows += _row(time_s, "sender", in_order, arrived - in_order) if time_s <= 4.5 else ""
        rows += _row(time_s, "receiver", in_order, 0)
    queue = [(i, "l1:r1-r2", 50_000, 1_250_000 * i, 0) for i in range(6)]
    folder = make(queue=queue, flows=[FLOW], queues=QUEUES, name="recovered")
    (folder / "samples/tcp.csv").write_text(f"{HEADING}\n{rows}")
    return folder


def test_the_repair_of_a_loss_does_not_exceed_the_rate_of_the_link(recovered: Path) -> None:
    (flow,) = flow_samples(open_results(recovered))
    assert has_acknowledged_bytes(flow)
    in_order = binned_mbit(delivered(flow), 0.0, END_S, 0.2)[1]
    assert in_order.max() > 2.9 * 9.564 and in_order.min() == 0  # three bins in one, and nothing before
    _, rates = arrived_mbit(flow, 0.0, END_S, 0.2)
    one_segment_mbit = 1448 * 8e-6 / 0.2
    assert rates == pytest.approx(np.full(rates.size, 10 * 1448 / 1514), abs=one_segment_mbit)


def test_the_figure_shows_the_throughput_of_the_link(recovered: Path) -> None:
    panel = figure(open_results(recovered)).axes[0]
    (plotted,) = (np.asarray(line.get_ydata()) for line in panel.get_lines() if line.get_label() == "f")
    link, payload = (line.get_ydata()[0] for line in panel.get_lines() if line.get_label() == "_reference")
    assert (link, payload) == pytest.approx((10.0, 9.564), abs=1e-3)
    assert plotted.max() < link and plotted == pytest.approx(np.full(plotted.size, payload), abs=0.1)
    legend = panel.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["link 10 Mbit/s", "payload 9.56 Mbit/s"]


def test_arrivals_after_the_senders_end_come_from_the_receiver(recovered: Path) -> None:
    (flow,) = flow_samples(open_results(recovered))
    times, counts = arrived(flow)
    assert times[-1] == END_S and counts[-1] == 1448 * int(SEGMENTS_PER_S * END_S)
    assert (np.diff(times) > 0).all() and (np.diff(counts) >= 0).all()


def test_without_selective_acknowledgments_delivered_bytes_are_used(two_flows: Path) -> None:
    for flow in flow_samples(open_results(two_flows)):
        assert not has_acknowledged_bytes(flow)
        for mine, theirs in zip(arrived(flow), delivered(flow), strict=True):
            assert mine.tolist() == theirs.tolist()


@pytest.mark.parametrize(
    ("frame_bytes", "segment_bytes", "address", "share"),
    [
        (1514, 1448, "10.0.0.2", 1448 / 1514),
        (0, 1448, "10.0.0.2", 1448 / 1514),  # not known: Ethernet's usual one
        (1514, 1460, "10.0.0.2", 1460 / 1514),  # no timestamps
        (1514, 1428, "2001:db8::2", 1428 / 1514),  # 20 bytes more of header
        (9014, 8948, "10.0.0.2", 8948 / 9014),
        (1514, 536, "10.0.0.2", 536 / 602),  # the frames are no longer than that
        (1514, None, "10.0.0.2", 1448 / 1514),
    ],
)
def test_the_payload_share_of_a_link(frame_bytes: int, segment_bytes: int | None, address: str, share: float) -> None:
    counters = np.full(3, np.nan if segment_bytes is None else segment_bytes)
    rows = {"time_s": np.arange(3.0), "mss_bytes": counters}
    flow = FlowSamples("f", "cubic", FlowInfo(id="f", address=address), rows, rows)
    assert payload_share(QueueInfo(frame_bytes=frame_bytes), [flow]) == pytest.approx(share)


def test_overhead_and_cells_reduce_the_payload_share() -> None:
    rows = {"time_s": np.arange(3.0), "mss_bytes": np.full(3, 1448.0)}
    flow = FlowSamples("f", "cubic", FlowInfo(id="f", address="10.0.0.2"), rows, rows)
    atm = FrameSizeRules(overhead_bytes=10, replaces_ethernet=True, link_layer="atm")
    info = QueueInfo.model_validate_json(QueueInfo(frame_bytes=1514, accounting=atm).model_dump_json())
    assert payload_share(info, [flow]) == pytest.approx(1448 / (32 * 53))
    assert pytest.approx(717.2, abs=0.05) == 840 * 1448 / (32 * 53)  # kbit/s, of 840


def test_datagrams_have_no_payload_share() -> None:
    flow = FlowSamples("f", "", FlowInfo(id="f", transport="udp"), {}, {})
    assert payload_share(QueueInfo(), [flow]) is None and payload_share(QueueInfo(), []) is None

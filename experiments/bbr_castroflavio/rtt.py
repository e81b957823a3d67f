"""RTTs like tshark's `tcp.analysis.ack_rtt`, from a capture at the sender."""

from __future__ import annotations

import numpy as np

from frrlib.results.packets.captures import ACK
from frrlib.results.packets.series import unwrapped
from frrlib.results.packets.views import CapturedFlow, captured_flows, captures
from frrlib.results.records import Results
from frrlib.results.series import Series
from miniedit_frr.experiments.measures import EMPTY_SERIES


def ack_rtt(results: Results) -> Series:
    """The time from the first transmission of the last packet that an acknowledgment covers to this ACK, in ms.

    Unlike TCP's own measurement, it ignores repairs: packets behind a lost packet are only acknowledged when the lost
    one has arrived, a round trip later. The first flow of the first capture is used; without one the series is empty.
    """
    if not captures(results):
        return EMPTY_SERIES
    views, _ = captured_flows(results)
    flow_ids = {flow.id for flow in results.info.flows}
    return next((captured_flow_rtt(view) for view in views if view.flow in flow_ids), EMPTY_SERIES)


def captured_flow_rtt(view: CapturedFlow) -> Series:
    """The RTTs of one captured flow, see `ack_rtt`."""
    data = view.data.select(view.data.payload_bytes > 0)
    acks = view.acks.select((view.acks.flags & ACK) != 0)
    if not len(data) or not len(acks):
        return EMPTY_SERIES
    starts = unwrapped(data.sequence)
    ends, first = np.unique(starts + data.payload_bytes, return_index=True)
    sent_s = data.time_s[first]
    numbers = np.maximum.accumulate(unwrapped(acks.acknowledgment, int(data.sequence[0])))
    is_new = np.diff(numbers, prepend=int(starts[0])) > 0
    last = np.searchsorted(ends, numbers[is_new], side="right") - 1
    times = acks.time_s[is_new][last >= 0]
    return times, (times - sent_s[last[last >= 0]]) * 1e3

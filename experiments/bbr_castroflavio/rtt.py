"""Round trips as tshark's `tcp.analysis.ack_rtt` has them, from a capture at the sender."""

from __future__ import annotations

import numpy as np

from experiments.measures import EMPTY_SERIES
from frrlib.results.packets.captures import ACK
from frrlib.results.packets.series import unwrapped
from frrlib.results.packets.views import CapturedFlow, captured_flows, captures
from frrlib.results.records import Results
from frrlib.results.series import Series


def ack_rtt(results: Results) -> Series:
    """From the first sending of the last packet that an acknowledgment covers to that acknowledgment, in ms.

    Unlike a measurement by TCP itself, it takes no heed of repairs: what arrived behind a packet that was lost is only
    acknowledged when that one has come, a round trip later. Of the first capture and its first flow; nothing where
    there is none.
    """
    if not captures(results):
        return EMPTY_SERIES
    views, _ = captured_flows(results)
    flow_ids = {flow.id for flow in results.info.flows}
    return next((captured_flow_rtt(view) for view in views if view.flow in flow_ids), EMPTY_SERIES)


def captured_flow_rtt(view: CapturedFlow) -> Series:
    """The same of one view of a flow."""
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

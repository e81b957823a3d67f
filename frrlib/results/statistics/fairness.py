"""The shares of flows over time, and the time until they are equal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from frrlib.results.records import Results
from frrlib.results.series import Floats, flow_samples, sending_span
from frrlib.results.statistics.arrivals import arrived

#: Shares are means over this time in seconds: over shorter times they show the sawtooth of a flow.
BIN_S = 0.5
#: The shares of flows are equal while each is within this part of its fair share ...
TOLERANCE = 0.25
#: ... and the flows have converged if that lasts for this time in seconds.
HOLD_S = 2.0


@dataclass(frozen=True, eq=False)
class Shares:
    """Goodputs of all flows in the same bins.

    Attributes:
        flows: ids of the flows that sent, in their order.
        times_s: the middle of each bin.
        bin_s: the length of a bin.
        rates_mbit: a row for each flow, a column for each bin.
        sending: whether a flow sent throughout the bin, in the same shape.
    """

    flows: tuple[str, ...]
    times_s: Floats
    bin_s: float
    rates_mbit: Floats
    sending: npt.NDArray[np.bool_]

    @property
    def parts(self) -> Floats:
        """Each flow's part of the sum, 0 to 1; 0 in bins in which nothing arrived."""
        total = self.rates_mbit.sum(axis=0)
        parts: Floats = np.divide(self.rates_mbit, total, out=np.zeros_like(self.rates_mbit), where=total > 0)
        return parts

    @property
    def jain(self) -> Floats:
        """Jain's index of the flows that sent throughout the bin; NaN for less than two, or if nothing arrived."""
        rates = np.where(self.sending, self.rates_mbit, 0.0)
        count, squares = self.sending.sum(axis=0), (rates * rates).sum(axis=0)
        is_known = (count > 1) & (squares > 0)
        index = np.full(rates.shape[1], math.nan)
        index[is_known] = rates.sum(axis=0)[is_known] ** 2 / (count[is_known] * squares[is_known])
        return index


def shares(results: Results, bin_s: float = BIN_S, *, greedy: bool = False) -> Shares:
    """The goodputs of all flows that sent, in bins from the first byte to the last.

    They are computed from acknowledged bytes (`arrivals.arrived`): the count of bytes in order stops while a hole is
    repaired, and then jumps above the link's rate.

    Args:
        bin_s: the length of a bin.
        greedy: whether to include only bulk flows, for which a fair share is defined.
    """
    eligible = [flow for flow in flow_samples(results) if not greedy or flow.planned.kind == "bulk"]
    flows = [(flow, span) for flow in eligible if (span := sending_span(flow))]
    if not flows:
        nothing: Any = np.zeros((0, 0))
        return Shares((), np.zeros(0), bin_s, nothing, nothing.astype(bool))
    begin_s = math.floor(min(span[0] for _, span in flows) / bin_s) * bin_s
    bins = max(1, math.ceil((max(span[1] for _, span in flows) - begin_s) / bin_s - 1e-9))
    edges = begin_s + np.arange(bins + 1) * bin_s
    rates = [np.diff(np.interp(edges, *arrived(flow))) * 8e-6 / bin_s for flow, _ in flows]
    # A flow that sent for half of the bin at either end counts as sending.
    sending = [(edges[:-1] >= span[0] - bin_s / 2) & (edges[1:] <= span[1] + bin_s / 2) for _, span in flows]
    ids = tuple(flow.id for flow, _ in flows)
    return Shares(ids, (edges[:-1] + edges[1:]) / 2, bin_s, np.array(rates), np.array(sending))


def convergence_s(flow_shares: Shares, tolerance: float = TOLERANCE, hold_s: float = HOLD_S) -> float | None:
    """The time until the shares of flows are equal, in seconds from the first bin in which all of them send.

    It ends with the first bin from which on, for `hold_s`, every flow's goodput stays within `tolerance` of the fair
    share, an equal part of the goodput of all in that bin. The measure is based on the delta-fair convergence time of
    Bansal et al. (SIGCOMM 2001; RFC 5166 uses it for two flows), without its condition that one flow begins with nearly
    the whole rate.

    Returns:
        The time in whole bins; None for less than two flows, or if they never converge.
    """
    together = flow_shares.sending.all(axis=0) if len(flow_shares.flows) > 1 else np.zeros(0, dtype=bool)
    if not together.any():
        return None
    rates = flow_shares.rates_mbit[:, together]
    fair = rates.mean(axis=0)
    even = (np.abs(rates - fair) <= tolerance * fair).all(axis=0) & (fair > 0)
    bins = max(1, round(hold_s / flow_shares.bin_s))
    for first in range(even.size - bins + 1):
        if even[first : first + bins].all():
            return first * flow_shares.bin_s
    return None

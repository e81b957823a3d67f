"""The shares of flows from bin to bin, and the time until they share evenly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from frrlib.results.records import Results
from frrlib.results.series import Floats, flow_samples, sending_span
from frrlib.results.statistics.arrivals import arrived

#: Shares are means over so many seconds: shorter ones show the sawtooth of one flow rather than how two get along.
BIN_S = 0.5
#: Flows share evenly while each is within this part of its fair share ...
TOLERANCE = 0.25
#: ... and have converged if that lasts for so many seconds.
HOLD_S = 2.0


@dataclass(frozen=True, eq=False)
class Shares:
    """Goodputs of all flows in the same bins.

    Attributes:
        flows: ids of those that sent, in their order.
        times_s: the middle of each bin.
        bin_s: how long a bin is.
        rates_mbit: a row for each flow, a column for each bin.
        sending: of the same shape: whether a flow sent throughout the bin.
    """

    flows: tuple[str, ...]
    times_s: Floats
    bin_s: float
    rates_mbit: Floats
    sending: npt.NDArray[np.bool_]

    @property
    def parts(self) -> Floats:
        """Each flow's part of the sum, 0 to 1; 0 where nothing was delivered."""
        total = self.rates_mbit.sum(axis=0)
        parts: Floats = np.divide(self.rates_mbit, total, out=np.zeros_like(self.rates_mbit), where=total > 0)
        return parts

    @property
    def jain(self) -> Floats:
        """Jain's index of the flows that sent throughout the bin; NaN where those are less than two, or got nothing."""
        rates = np.where(self.sending, self.rates_mbit, 0.0)
        count, squares = self.sending.sum(axis=0), (rates * rates).sum(axis=0)
        known = (count > 1) & (squares > 0)
        index = np.full(rates.shape[1], math.nan)
        index[known] = rates.sum(axis=0)[known] ** 2 / (count[known] * squares[known])
        return index


def shares(results: Results, bin_s: float = BIN_S, *, greedy: bool = False) -> Shares:
    """The goodputs of all flows that sent, in bins from the first byte to the last.

    Over a time as short as a bin they are made of acknowledged bytes (`arrivals.arrived`): those delivered in order
    stand still while a hole is repaired, and then jump above the link's rate.

    Args:
        bin_s: how long a bin is.
        greedy: whether only flows count that send as much as they may, of which a fair share can be asked.
    """
    wanted = [flow for flow in flow_samples(results) if not greedy or flow.planned.kind == "bulk"]
    flows = [(flow, span) for flow in wanted if (span := sending_span(flow))]
    if not flows:
        nothing: Any = np.zeros((0, 0))
        return Shares((), np.zeros(0), bin_s, nothing, nothing.astype(bool))
    begin_s = math.floor(min(span[0] for _, span in flows) / bin_s) * bin_s
    bins = max(1, math.ceil((max(span[1] for _, span in flows) - begin_s) / bin_s - 1e-9))
    edges = begin_s + np.arange(bins + 1) * bin_s
    rates = [np.diff(np.interp(edges, *arrived(flow))) * 8e-6 / bin_s for flow, _ in flows]
    # half a bin at either end is no reason to say that a flow did not send
    sending = [(edges[:-1] >= span[0] - bin_s / 2) & (edges[1:] <= span[1] + bin_s / 2) for _, span in flows]
    ids = tuple(flow.id for flow, _ in flows)
    return Shares(ids, (edges[:-1] + edges[1:]) / 2, bin_s, np.array(rates), np.array(sending))


def convergence_s(flow_shares: Shares, tolerance: float = TOLERANCE, hold_s: float = HOLD_S) -> float | None:
    """The time that flows took to share evenly, in seconds from the first bin in which all of them send.

    That is until the first bin from which on, for `hold_s`, every flow's goodput stays within `tolerance` of the fair
    share, an equal part of what all of them get in that bin. The measure goes back to the delta-fair convergence time
    of Bansal et al. (SIGCOMM 2001; RFC 5166 takes it up for two flows), without its condition that one flow begins
    with nearly everything.

    Returns:
        the time, in whole bins; None for less than two flows, or where it never happened.
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

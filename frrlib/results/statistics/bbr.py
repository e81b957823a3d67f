"""The phases of BBR over time, from the samples of a flow's sender."""

from __future__ import annotations

import math

import numpy as np

from frrlib import bbr
from frrlib.results.table_reader import Columns

#: Start and end in seconds from the start of all flows, and the phase, one of `bbr.PHASES`.
Span = tuple[float, float, str]


def phases(rows: Columns) -> list[Span]:
    """The phases of one connection, in order and without gaps; empty without BBR.

    Each lasts until the first sample of the next one, so a phase shorter than the time between two samples may be
    missing. Folders of earlier formats have only the gains, from which the phase follows.

    Args:
        rows: samples of one end of one flow (`series.FlowSamples.sender`), with ascending times.
    """
    return _spans(rows, _words(rows))


def states(rows: Columns) -> list[Span]:
    """The states of one connection, as `phases`, with ProbeBW divided into its phases: each is one of `bbr.STATES`.

    The kernel reports those of BBRv2 and BBRv3. Those of version 1 follow from its pacing gain.
    """
    words, cycles, gains = _words(rows), rows["bbr_cycle_phase"], rows["bbr_pacing_gain"]
    for at in np.flatnonzero((words == "probe_bw") | (cycles != "")):
        words[at] = cycles[at] or ("probe_bw" if math.isnan(gains[at]) else bbr.cycle_phase(float(gains[at])))
    return _spans(rows, words)


def _spans(rows: Columns, words: np.ndarray) -> list[Span]:
    known_rows = np.flatnonzero(words != "")
    if not known_rows.size:
        return []
    times, words = rows["time_s"][known_rows], words[known_rows]
    begins = np.flatnonzero(np.concatenate(([True], words[1:] != words[:-1])))
    ends = [*times[begins[1:]].tolist(), float(times[-1])]
    return [(float(times[at]), end_s, str(words[at])) for at, end_s in zip(begins, ends, strict=True)]


def _words(rows: Columns) -> np.ndarray:
    recorded = rows["bbr_phase"]
    pairs = zip(recorded.tolist(), rows["bbr_pacing_gain"].tolist(), rows["bbr_cwnd_gain"].tolist(), strict=True)
    return np.array(
        [word or ("" if math.isnan(pacing) else bbr.phase(pacing, window)) for word, pacing, window in pairs],
        dtype="U16",
    )

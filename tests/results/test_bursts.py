"""Rates over short times: bytes that arrive at once after the repair of a hole do not exceed the rate of the link."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frrlib.plots.scatter import clouds
from frrlib.results.flent_out import flent_data
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.statistics.fairness import shares
from frrlib.results.statistics.measures import samples
from frrlib.results.statistics.summary import summarize

RATE_MBIT = 20.0
COLUMNS = "time_s,flow,side,srtt_ms,min_rtt_ms,mss_bytes,bytes_acked,bytes_received,sacked_packets"


@pytest.fixture
def run(tmp_path: Path) -> Results:
    """A flow of 10 s at 20 Mbit/s whose data arrive at that rate, and in order only at every other second's end."""
    (tmp_path / "samples").mkdir()
    rows = []
    for i in range(1001):
        arrived = i * RATE_MBIT * 1250
        in_order = arrived if i % 200 < 100 else (i - i % 200 + 100) * RATE_MBIT * 1250
        sacked = (arrived - in_order) / 1000
        rows.append(f"{i / 100},f,sender,40,40,1000,{in_order},,{sacked}\n{i / 100},f,receiver,,,,,{in_order},\n")
    (tmp_path / "samples/tcp.csv").write_text(f"{COLUMNS}\n{''.join(rows)}")
    return open_results(tmp_path)


def test_no_rate_over_a_short_time_exceeds_that_of_the_link(run: Results) -> None:
    assert run.damage == ()
    assert clouds([run])[0].goodput_mbit == pytest.approx(np.full(10, RATE_MBIT))
    assert shares(run).rates_mbit[0] == pytest.approx(np.full(20, RATE_MBIT))
    assert samples([run], "goodput")[0].values.max() == pytest.approx(RATE_MBIT)
    rates = flent_data(run)["results"]["TCP upload::1"]
    assert max(rate for rate in rates if rate is not None) == pytest.approx(RATE_MBIT)
    assert summarize(run).flow("f").goodput_mbit == pytest.approx(RATE_MBIT, rel=0.01)

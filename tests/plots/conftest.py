"""Fixtures for figures: results folders of the tests of `frrlib.results`."""

from __future__ import annotations

import pytest

from frrlib.results.read import open_results
from frrlib.results.records import Results
from tests.results.captured import lost_packets, write_capture
from tests.results.conftest import Make, make, two_flows  # noqa: F401  (fixtures)


@pytest.fixture
def captured(make: Make) -> Results:  # noqa: F811
    """A run with the capture of a flow that lost packets, see `lost_packets`."""
    flow = {"id": "f", "port": 2000, "source_port": 1000, "congestion_control": "cubic"}
    files = {"h1:e": {"file": "captures/h1.pcap", "captured": 1, "dropped": 0}}
    folder = make(name="captured", format_version=3, flows=[flow], captures=files, zero_unix_s=0.0, title="A capture")
    (folder / "captures").mkdir()
    write_capture(folder / "captures/h1.pcap", lost_packets(1_000_000))
    return open_results(folder)

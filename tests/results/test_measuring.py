"""The phases of BBR over time, and the cost of measuring in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from frrlib.results.read import open_results
from frrlib.results.samplers import samplers_share, samplers_text
from frrlib.results.statistics.bbr import phases

TCP = "time_s,flow,side,bbr_pacing_gain,bbr_cwnd_gain"


def _folder(make: Callable[..., Path], header: str, rows: list[str]) -> Path:
    folder = make()
    (folder / "samples/tcp.csv").write_text("\n".join([header, *rows]) + "\n")
    return folder


def test_phases_are_computed_from_gains(make: Callable[..., Path]) -> None:
    gains = ["0,0", "2.89,2.89", "2.89,2.89", "0.34375,2.89", "1.25,2", "0.75,2", "1,2", "1,1", "1,1", "1.25,2"]
    rows = [f"{number / 10},f,sender,{gain}" for number, gain in enumerate(gains)]
    results = open_results(_folder(make, TCP, rows))
    assert phases(results.tcp) == [
        (0.0, 0.3, "startup"),
        (0.3, 0.4, "drain"),
        (0.4, 0.7, "probe_bw"),
        (0.7, 0.9, "probe_rtt"),
        (0.9, 0.9, "probe_bw"),
    ]


def test_phases_of_the_kernel_have_priority_over_gains(make: Callable[..., Path]) -> None:
    rows = [
        "0.1,f,sender,1,2,probe_rtt",
        "0.2,f,sender,1,2,probe_rtt",
        "0.3,f,sender,1,2,",
        "0.4,f,sender,1,2,probe_bw",
    ]
    results = open_results(_folder(make, f"{TCP},bbr_phase", rows))
    assert phases(results.tcp) == [(0.1, 0.3, "probe_rtt"), (0.3, 0.4, "probe_bw")]


def test_other_algorithms_have_no_phases(two_flows: Path) -> None:
    results = open_results(two_flows)
    cubic = {name: values[results.tcp["flow"] == "cubic"] for name, values in results.tcp.items()}
    assert phases(cubic) == []
    assert np.isnan(results.tcp["rto_ms"]).all() and not [
        warning for warning in results.warnings if "rto_ms" in warning
    ]


def test_the_cost_of_samplers_in_words() -> None:
    cost = {"cpu_s": 0.05, "busy_s": 0.06, "seconds": 10.0, "taken": 990, "left_out": 10}
    assert samplers_text({"h1": cost}) == (
        "0.5 % of a processor; 10 of 1000 samples were skipped, because the machine was too slow"
    )
    calm = {**cost, "left_out": 0}
    assert samplers_text({"h1": calm, "h2": calm}) == "1 % of a processor"
    guessed = {name: value for name, value in calm.items() if name != "cpu_s"}
    assert samplers_text({"h1": guessed}) == "at most 0.6 % of a processor"
    assert samplers_text({}) == samplers_text({"h1": {}}) == "" and samplers_share({}) is None

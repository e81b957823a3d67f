"""A lab that sends too much data: the results folder stays within its limits and readable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frrlib import wire
from frrlib.results import received
from frrlib.results.layout import table_path
from frrlib.results.read import open_results
from frrlib.results.writer import Writer


def _writer(out: Path, interruptions: list[int]) -> Writer:
    return Writer.create(out, "{}", {}, on_failure=lambda: interruptions.append(1))


def _samples(flow: str) -> wire.Samples:
    row = ["x" if name in wire.TEXT_COLUMNS else 1 for name in wire.TABLES["probe"]]
    row[1] = flow
    return wire.Samples("probe", [row])


@pytest.mark.parametrize(
    "message",
    [_samples("f" * 900), wire.FlowEvent("f", "start", 1.0, "x" * 900), wire.DaemonExit("r1", "bgpd", 1, "x" * 900, 1)],
)
def test_a_lab_that_sends_too_much_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: wire.Message
) -> None:
    monkeypatch.setattr(received, "MOST_BYTES", 100_000)
    ended: list[int] = []
    with _writer(tmp_path, ended) as writer:
        for _ in range(200):
            writer.add(message)
    assert ended == [1]
    assert sum(path.stat().st_size for path in tmp_path.rglob("*")) < 150_000
    failures = json.loads((tmp_path / "run.json").read_text())["failures"]
    assert len(failures) == 1 and "cannot be written any more: the lab has sent more than" in failures[0]
    assert "make room" not in failures[0]


def test_the_number_of_logs_of_died_daemons_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(received, "MOST_DEATHS", 20)
    ended: list[int] = []
    with _writer(tmp_path, ended) as writer:
        for number in range(100):
            writer.add(wire.DaemonExit(f"r{number}", "bgpd", 1, "its log", 1.0))
    assert ended == [1] and len(list((tmp_path / "logs").iterdir())) == 20


def test_steps_are_limited_and_cheap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(received, "MOST_STEPS", 3000)
    monkeypatch.setattr(received, "_WRITE_S", 1e9)
    written: list[int] = []
    with _writer(tmp_path, []) as writer:
        monkeypatch.setattr(writer, "_save", lambda save=writer._save: (written.append(1), save()))
        for number in range(4000):
            for state, time_s in (("start", -1e308), ("done", 1e308 if number % 2 else number)):
                writer.add(wire.StepEvent(f"s{number}", state, time_s))
    assert len(written) == 2 * 1000 + 1  # each of the first ones, and the end
    steps = open_results(tmp_path).info.steps
    assert len(steps) == 3000 and steps[0].seconds == 1e308 and steps[1].seconds is None
    assert table_path(tmp_path, "tcp").exists()

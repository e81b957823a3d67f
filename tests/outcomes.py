"""A pytest plugin that keeps the outcome of every test, one line of JSON each, for programs that run several pytests.

`pytest -p tests.outcomes --outcomes FILE` appends to FILE: `test` (its node id, or the file that could not be
collected), `status` ("passed", "failed", "skipped"), `seconds` of all its phases, and `reason`: for a failure the line
that failed and what it says, for a skip why. A test that a dying worker took with it has failed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

#: A reason is a line to be read at the end of a long output.
_REASON_CHARACTERS = 300


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--outcomes", metavar="FILE", help="append what became of every test, one line of JSON each")


def pytest_configure(config: pytest.Config) -> None:
    # workers tell the process that started them, and only that one writes
    if (path := config.getoption("--outcomes")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Outcomes(Path(path)))


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """One line that says where and how a test failed, or why it was skipped."""
    longrepr: Any = report.longrepr
    if report.skipped and isinstance(longrepr, tuple):
        place, text = "", str(longrepr[2]).removeprefix("Skipped: ")
    elif crash := getattr(longrepr, "reprcrash", None):
        place, text = f"{crash.path}:{crash.lineno}: ", str(crash.message)
    else:  # text: a file that could not be collected, or a worker that died
        place, text = "", next((line for line in reversed(str(longrepr).splitlines()) if line.strip()), "")
    place = place.removeprefix(f"{Path(__file__).parents[1]}/")
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return f"{place}{first}"[:_REASON_CHARACTERS]


def _worst(statuses: Sequence[str]) -> str:
    return next((status for status in ("failed", "skipped") if status in statuses), "passed")


class Outcomes:
    """Gathers the phases of a test (set-up, call, tear-down) and writes its line when the last one is over."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._phases: dict[str, list[pytest.TestReport]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called for every phase, in the process that started the workers."""
        self._phases.setdefault(report.nodeid, []).append(report)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Called when a test is over."""
        if reports := self._phases.pop(nodeid, []):
            self._write(nodeid, reports)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Called for every file; one that cannot be read, or skips itself as a whole, is told as if it were a test."""
        if not report.passed:
            self._write(report.nodeid, [report])

    def pytest_sessionfinish(self) -> None:
        """Tests whose worker died have no proper end."""
        while self._phases:
            self._write(*self._phases.popitem())

    def _write(self, test: str, reports: Sequence[pytest.TestReport | pytest.CollectReport]) -> None:
        status = _worst([report.outcome for report in reports])
        line = {
            "test": test,
            "status": status,
            "seconds": round(sum(getattr(report, "duration", 0.0) for report in reports), 3),
            "reason": next((reason_of(report) for report in reports if report.outcome == status), "")
            if status != "passed"
            else "",
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

"""Traces of rates in files that a person names: read as far as a bound."""

from __future__ import annotations

from pathlib import Path

from miniedit_frr.document.document import Document
from miniedit_frr.track.commands import PlanEdits
from tests.checks.problems import build, link


def test_a_file_too_large_for_a_trace_is_rejected() -> None:
    document = Document(build(["h1", "h2"], [link(1, "h1", "h2")]))
    reason = PlanEdits(document).plan_trace(Path("/dev/zero"), "l1", 0.0)
    assert "zero is too large for a trace" in reason

"""The kernel's counters of TCP against what nstat reads of them."""

from __future__ import annotations

import json
import subprocess
import threading
from types import SimpleNamespace
from typing import Any

from frrlib.agent.sampling import counters


def _nstat() -> dict[str, int]:
    argv = ["nstat", "-ajsz", "TcpExtTCPHystart*"]
    told = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)["kernel"]
    return {name.removeprefix("TcpExt"): number for name, number in told.items()}


def test_hystart_is_counted_as_nstat_does() -> None:
    here: Any = SimpleNamespace(thread=SimpleNamespace(tid=threading.get_native_id()))
    before, found, after = _nstat(), counters.hystart(here), _nstat()
    assert found and set(found) == set(before)
    assert all(before[name] <= found[name] <= after[name] for name in found)


def test_only_growth_counts() -> None:
    assert counters.growth({"a": 3, "b": 1}, {"a": 5, "b": 1, "c": 2}) == {"a": 2, "b": 0, "c": 2}

"""The kernel's counters of TCP, compared with nstat."""

from __future__ import annotations

import json
import subprocess
import threading
from types import SimpleNamespace
from typing import Any

from frrlib.agent.sampling import counters


def _nstat() -> dict[str, int]:
    argv = ["nstat", "-ajsz", "TcpExtTCPHystart*"]
    counters_of_nstat = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)["kernel"]
    return {name.removeprefix("TcpExt"): number for name, number in counters_of_nstat.items()}


def test_hystart_is_counted_as_nstat_does() -> None:
    node: Any = SimpleNamespace(thread=SimpleNamespace(tid=threading.get_native_id()))
    first, measured, last = _nstat(), counters.hystart(node), _nstat()
    assert measured and set(measured) == set(first)
    assert all(first[name] <= measured[name] <= last[name] for name in measured)


def test_growth_is_the_difference_of_counters() -> None:
    assert counters.growth({"a": 3, "b": 1}, {"a": 5, "b": 1, "c": 2}) == {"a": 2, "b": 0, "c": 2}

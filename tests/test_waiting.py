"""No test waits but by `tests.waiting`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests import waiting

TESTS = Path(__file__).parent
#: Modules that wait themselves, and programs that tests start.
OTHERS = {"waiting.py", "place.py", "external_driver.py", "standin.py"}


def _sleeps(source: str) -> list[str]:
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return [text for call in calls if (text := ast.unparse(call)).startswith(("time.sleep(", "sleep("))]


def test_tests_sleep_in_one_place() -> None:
    sleeps_by_file = {
        str(path.relative_to(TESTS)): _sleeps(path.read_text())
        for path in TESTS.rglob("*.py")
        if path.name not in OTHERS
    }
    assert {name: calls for name, calls in sleeps_by_file.items() if calls} == {}
    assert _sleeps("import time\ntime.sleep(3)") == ["time.sleep(3)"]


def test_what_comes_is_found_and_what_does_not_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE_S", 0.05)
    looks: list[int] = []
    assert waiting.wait_for(lambda: len(looks) == 3, "three looks", lambda: looks.append(1)) is True
    with pytest.raises(AssertionError, match=r"^waited in vain for a bus$"):
        waiting.wait_for(lambda: False, "a bus")
    with pytest.raises(AssertionError, match=r"^waited in vain for 3 looks$"):
        waiting.wait_for(lambda: None, lambda: f"{len(looks)} looks")
    assert waiting.comes(lambda: True) and not waiting.comes(lambda: False)


def test_expensive_looks_are_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look of 50 ms is followed by a pause of 200 ms, a very long one by half a second."""
    now_s, pauses_s, left = [0.0], [], [0.001, 0.05, 7.0]

    def look() -> bool:
        now_s[0] += left.pop(0) if left else 0.0
        return not left

    monkeypatch.setattr("time.monotonic", lambda: now_s[0])
    monkeypatch.setattr("time.sleep", pauses_s.append)
    assert waiting.wait_for(look, "three looks")
    assert pauses_s == [0.01, pytest.approx(0.2)]
    left[:] = [7.0, 0.0]
    assert waiting.wait_for(look, "two looks")
    assert pauses_s[2:] == [0.5]


def test_looks_are_rarer_after_a_long_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """10 ms, after half a second 2 % of the time that has been waited, and after 5 s a tenth of a second."""
    now_s, pauses_s = [0.0], []

    def wait(pause_s: float) -> None:
        pauses_s.append(pause_s)
        now_s[0] += pause_s

    monkeypatch.setattr("time.monotonic", lambda: now_s[0])
    monkeypatch.setattr("time.sleep", wait)
    assert waiting.wait_for(lambda: now_s[0] > 20, "20 seconds")
    assert pauses_s[:50] == [0.01] * 50
    assert pauses_s[100] == pytest.approx(0.02 * sum(pauses_s[:100]))
    assert pauses_s[-1] == 0.1 and len(pauses_s) < 350


def test_a_slow_machine_is_given_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = iter((0.0, 0.001, 0.0, 0.06, 0.0, 9.0))
    monkeypatch.setattr("time.perf_counter", lambda: next(begun))
    assert [waiting._slowness() for _ in range(3)] == [1.0, pytest.approx(3.0), 5.0]

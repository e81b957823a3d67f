"""When the window collects garbage: all of it while the pointer rests, and less while somebody works."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

from miniedit_frr.window.garbage import Collector


class Root:
    """A window with a timer that is rung by hand, and a pointer that is put somewhere."""

    def __init__(self) -> None:
        self.pointer, self.rings = (0, 0), [lambda: None]

    def after(self, pause_ms: int, what: Callable[[], None]) -> str:
        self.rings.append(what)
        return "timer"

    def after_cancel(self, timer: str) -> None:
        self.rings.clear()

    def winfo_pointerxy(self) -> tuple[int, int]:
        return self.pointer


@pytest.mark.parametrize(
    ("counts", "at_work", "at_rest"),
    [
        pytest.param((800, 3, 2), 0, 0, id="young"),
        pytest.param((800, 11, 2), 1, 1, id="middle"),
        pytest.param((800, 11, 12), 1, 2, id="all"),
        pytest.param((3, 2, 12), None, 2, id="all-alone"),
        pytest.param((800, 11, 41), 2, 2, id="overdue"),
        pytest.param((3, 2, 1), None, None, id="nothing"),
    ],
)
def test_everything_is_collected_while_the_pointer_rests(
    counts: tuple[int, int, int], at_work: int | None, at_rest: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[int] = []
    monkeypatch.setattr(gc, "get_count", lambda: counts)
    monkeypatch.setattr(gc, "get_threshold", lambda: (700, 10, 10))
    monkeypatch.setattr(gc, "collect", collected.append)
    root = Root()
    collector = Collector(root)  # type: ignore[arg-type]
    try:
        assert not gc.isenabled()
        for pointer, wanted in (((5, 5), at_work), ((9, 9), at_work), ((9, 9), at_rest)):
            root.pointer = pointer
            root.rings[-1]()
            assert collected == ([] if wanted is None else [wanted])
            collected.clear()
    finally:
        collector.close()
    assert gc.isenabled()

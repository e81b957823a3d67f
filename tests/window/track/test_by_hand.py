"""The scenario track by pointer and keys of a real screen, from the bar on it to the file on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.formats import mn
from frrlib.model.fault_words import words_of
from miniedit_frr.document.document import Document
from tests.desktop import Desktop
from tests.window.hands_on_track import Planner, Point
from tests.window.hands_on_window import User, editor_on
from tests.window.track.test_track import DOWN, F1, LAB, WAVE

pytestmark = [pytest.mark.gui, pytest.mark.timeout(120)]


def test_a_plan_is_dragged_undone_and_saved(hands: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", hands.display)
    document, file = Document(LAB), tmp_path / "plan.mn"
    document.save(file)
    with editor_on(document, tmp_path, "1300x860") as editor:

        def settle() -> None:
            for _ in range(2):
                editor.window.winfo_pointerxy()
                editor.window.update()

        hands.click(editor.view.winfo_rootx() + 30, editor.view.winfo_rooty() + 30)
        settle()
        hands.keys("shift+F8")
        User(editor).wait(lambda: editor.scenario.panel.winfo_ismapped())
        planner = Planner(User(editor))
        canvas = planner.canvas

        def drag(start: Point, end: Point) -> None:
            left, top = canvas.winfo_rootx(), canvas.winfo_rooty()
            hands.drag(*((left + x, top + y) for x, y in (start, end)))
            settle()

        drag(planner.body(DOWN), planner.later(planner.body(DOWN), 3))
        drag(planner.end(F1), planner.later(planner.end(F1), -5))
        start = planner.level(WAVE, "low")
        drag(start, (start[0], start[1] - 12))
        low = document.topology.faults[0].course.low  # type: ignore[union-attr]
        assert low > 5
        hands.keys("ctrl+z")
        settle()
        hands.keys("Right", "Right", "ctrl+s")
        User(editor).wait(lambda: document.is_saved and document.undo_label.startswith("Move"))
    saved = mn.load(file).topology
    assert saved.flows[0].duration_s == 15
    assert [f"{fault.time_s:g} {words_of(fault)}" for fault in saved.faults] == [
        "2.2 vary l2 rate=square:5:20:4s 12s", "6 vary l2 delay=ramp:10:60 8s", "7 link-down l3 2s", "9 kill r2 zebra",
    ]  # fmt: skip

"""The editor of lines in dialogs: wrapped lines have their number at their beginning."""

from __future__ import annotations

from typing import Any

import pytest
import ttkbootstrap as ttk

from miniedit_frr.dialogs.fields.lines import LinesInput
from tests.window.widgets import of_class

pytestmark = pytest.mark.gui
LONG = "parent 1:1 handle 10: tbf rate 80mbit buffer 1mbit limit 1000mbit"


@pytest.mark.parametrize(("width", "goes_on"), [(30, True), (LinesInput.WIDTH, False)])
def test_a_narrow_editor_wraps_long_lines(user: Any, width: int, goes_on: bool) -> None:
    window = ttk.Toplevel(user.editor.window)
    lines = LinesInput(window, None, 1.0, width=width)
    lines.widget.pack()
    lines.show(f"{LONG}\nroot")
    user.wait(lambda: lines.text.dlineinfo("2.0"))
    (margin,) = of_class(lines.widget, "Canvas")
    numbers = [(margin.itemcget(item, "text"), margin.coords(item)[1]) for item in margin.find_all()]
    tops = [lines.text.dlineinfo(f"{number}.0") for number in (1, 2)]
    assert [(text, round(y)) for text, y in numbers] == [
        (str(number), round(top[1] + top[3] / 2)) for number, top in enumerate(tops, start=1)
    ]
    assert (tops[1][1] - tops[0][1] >= 2 * tops[0][3]) == goes_on
    window.destroy()


def test_a_partly_visible_line_has_no_number(user: Any) -> None:
    window = ttk.Toplevel(user.editor.window)
    lines = LinesInput(window, None, 1.0, height=5)
    lines.widget.pack(fill="both", expand=True)
    lines.show("\n".join(f"line {number}" for number in range(1, 40)))
    (margin,) = of_class(lines.widget, "Canvas")
    for high in (200, 207, 213, 219):
        window.geometry(f"500x{high}")
        user.wait(lambda: lines.widget.winfo_height() == high)  # noqa: B023
        user.editor.window.update()
        text, line = lines.text, lines.text.dlineinfo("1.0")[3]
        visible = [box for number in range(1, 40) if (box := text.dlineinfo(f"{number}.0"))]
        complete = [box for box in visible if box[1] + line <= text.winfo_height()]
        assert len(margin.find_all()) == len(complete) in (len(visible), len(visible) - 1)
    window.destroy()

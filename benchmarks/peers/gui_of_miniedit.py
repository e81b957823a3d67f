"""MiniEdit's canvas on a drawing: what `canvas.py` runs beside ours.

    python benchmarks/peers/gui_of_miniedit.py FILE.mn NODE

Its window, its reading function, its handlers of the pointer. MiniEdit makes a widget of each node. Prints the times as
one line of JSON.
"""

from __future__ import annotations

import io
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

_FRAMES = 30


class _Pairs(dict[str, Any]):
    """A dict whose items can be added up, as in the Python that MiniEdit was written for."""

    def items(self) -> Any:
        return list(super().items())


def frame_ms(steps: int, step: Callable[[int], object], window: Any) -> float:
    """The median time of a step and its drawing; the display's answer comes when it has drawn."""
    times = []
    for index in range(steps):
        begun = time.perf_counter()
        step(index)
        window.update()
        window.winfo_pointerxy()
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def main() -> None:
    from mininet.examples import miniedit as peer

    path, name = Path(sys.argv[1]), sys.argv[2]
    editor = peer.MiniEdit(cheight=780, cwidth=1100)
    editor.appPrefs = _Pairs(editor.appPrefs)
    editor.convertJsonUnicode = lambda document: {**document, "application": _Pairs(document["application"])}
    editor.winfo_toplevel().geometry("1400x860+0+0")
    editor.update()
    begun = time.perf_counter()
    with mock.patch.object(peer.tkFileDialog, "askopenfile", return_value=io.StringIO(path.read_text())):
        editor.loadTopology()
    editor.updateScrollRegion()
    editor.update()
    editor.winfo_pointerxy()
    times = {"open": (time.perf_counter() - begun) * 1000}
    widget, canvas = editor.findWidgetByName(name), editor.canvas
    x, y = canvas.coords(editor.widgetToItem[widget])
    width, height = (float(number) for number in canvas.cget("scrollregion").split()[2:])
    canvas.xview_moveto((x - 500) / width)
    canvas.yview_moveto((y - 350) / height)
    editor.update()
    root_x, root_y = canvas.winfo_rootx() - canvas.canvasx(0), canvas.winfo_rooty() - canvas.canvasy(0)

    def drag(step: int) -> None:
        at = SimpleNamespace(x_root=root_x + x + 2 * step, y_root=root_y + y + 2 * step, widget=widget)
        editor.dragNodeAround(at)

    times["100 %: drag one node"] = frame_ms(_FRAMES, drag, editor)

    def pan(step: int) -> None:
        canvas.xview_scroll(1 if step % 2 else -1, "units")
        canvas.yview_scroll(1, "units")

    times["100 %: pan"] = frame_ms(_FRAMES, pan, editor)
    print(json.dumps(times))
    editor.winfo_toplevel().destroy()


if __name__ == "__main__":
    main()

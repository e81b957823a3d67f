"""CORE's canvas on a drawing: what `canvas.py --core` runs, in a Python that has CORE's packages.

    PYTHONPATH=CHECKOUT/daemon python benchmarks/peers/gui_of_core.py FILE.mn NODE

CORE's window is a client of a daemon. Here the daemon is left out and the window is handed a session as it would get it
from there; all that draws is CORE's own. Prints the times as one line of JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
import tkinter as tk
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

_FRAMES = 30


def session_of(path: Path) -> tuple[Any, dict[str, int]]:
    """The session with the file's content, including positions; and the nodes' numbers by their names."""
    from core.api.grpc.wrappers import Interface, Link, LinkOptions, Node, NodeType, Position, Session

    document = json.loads(path.read_text())
    session = Session(id=1)
    ids: dict[str, int] = {}
    for entry in document["hosts"] + document["switches"]:
        name, model = entry["opts"]["hostname"], "PC" if entry in document["hosts"] else "router"
        ids[name] = len(ids) + 1
        where = Position(x=float(entry["x"]), y=float(entry["y"]))
        node = Node(id=ids[name], name=name, type=NodeType.DEFAULT, model=model, position=where, canvas=1)
        session.nodes[node.id] = node
    used: dict[str, int] = {}
    for entry in document["links"]:
        ends = []
        for name in (entry["src"], entry["dest"]):
            number = used[name] = used.get(name, -1) + 1
            ends.append(Interface(id=number, name=f"eth{number}"))
        shape = LinkOptions(bandwidth=entry["opts"].get("bw", 0) * 1_000_000)
        pair = (ids[entry["src"]], ids[entry["dest"]])
        session.links.append(Link(*pair, iface1=ends[0], iface2=ends[1], options=shape))
    return session, ids


def frame_ms(steps: int, step: Callable[[int], object], window: tk.Misc) -> float:
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
    from core.gui import appconfig, images
    from core.gui.app import Application
    from core.gui.coreclient import CoreClient

    appconfig.check_directory()
    images.load_all()
    with mock.patch.object(CoreClient, "setup"), mock.patch.object(CoreClient, "edit_node"):
        app = Application(proxy=False)
        window = app.master
        window.geometry("1400x860+0+0")
        app.core.session, ids = session_of(Path(sys.argv[1]))
        window.update()
        begun = time.perf_counter()
        app.manager.join(app.core.session)
        canvas = app.manager.current()
        canvas.configure(scrollregion=canvas.bbox("all"))
        window.update()
        window.winfo_pointerxy()
        times = {"open": (time.perf_counter() - begun) * 1000}
        times |= {
            f"100 %: {action}": times_of_action
            for action, times_of_action in worked(app, canvas, ids[sys.argv[2]]).items()
        }
        canvas.zoom(mock.Mock(x=500, y=400, num=0), 0.22)
        canvas.xview_moveto(0)
        canvas.yview_moveto(0)
        window.update()
        times |= {
            f"whole: {action}": times_of_action
            for action, times_of_action in worked(app, canvas, ids[sys.argv[2]]).items()
        }
    print(json.dumps(times))


def worked(app: Any, canvas: Any, number: int) -> dict[str, float]:
    """The possible actions at the present zoom, and the time of a frame of each."""
    window, node = app.master, app.core.get_canvas_node(number)
    times = {"drag one node": frame_ms(_FRAMES, lambda step: node.motion(2, 2), window)}

    def select(step: int) -> None:
        for drawn_node in tuple(canvas.nodes):
            canvas.select_object(drawn_node, True)

    # A frame around everything selects; its effect on the enclosed nodes is this.
    every = []
    for _ in range(6):
        every.append(frame_ms(1, select, window))
        canvas.clear_selection()
        window.update()
    times["select all"] = statistics.median(every)

    def pan(step: int) -> None:
        canvas.xview_scroll(1 if step % 2 else -1, "units")
        canvas.yview_scroll(1 if step < _FRAMES / 2 else -1, "units")

    times["pan"] = frame_ms(_FRAMES, pan, window)
    event = mock.Mock(x=500, y=400, num=0)
    # In and out again, as the wheel does.
    times["zoom"] = frame_ms(12, lambda step: canvas.zoom(event, 1.1 if step < 6 else 0.9), window)
    return times


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home, mock.patch.dict("os.environ", HOME=home):
        main()

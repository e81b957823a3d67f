"""Peers' canvases on the same drawing as ours: MiniEdit's, and CORE's where it is at hand. Prints times and ratios.

    python benchmarks/peer_canvas.py [--nodes 1000] [--links 2000] [--core PYTHON CHECKOUT/daemon]

Needs a display and the Debian package `mininet`; for CORE a checkout whose protocol has been compiled
(`python -m grpc_tools.protoc -I proto --python_out=. --grpc_python_out=. proto/core/api/grpc/*.proto`), a
`core/constants.py` made from its template, and a Python that has grpcio and Pillow.

All run in the same minute, on the same display, so that the ratios mean something; the absolute numbers are of this
machine. MiniEdit makes a widget of each node and has no zoom. CORE's texts and icons keep their size in a zoom, and it
is not asked to show addresses.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from canvas import big

from frrlib.formats import mn
from frrlib.model.topology import Topology
from miniedit_frr.app import Editor
from miniedit_frr.canvas.scene import Key
from miniedit_frr.document import Document

_FRAMES = 30
Times = dict[str, float]


def _drawn(window: Any) -> Callable[[], object]:
    """Lets a window draw, and waits for the display: its answer comes after all that it was told before."""
    return lambda: (window.update(), window.winfo_pointerxy())


class _Pairs(dict[str, Any]):
    """A dict whose items can be added up, as in the Python that MiniEdit was written for."""

    def items(self) -> Any:
        return list(super().items())


def _frame_ms(steps: int, step: Callable[[int], object], update: Callable[[], object]) -> float:
    """The median time of a step and its drawing; `update` returns when the display has drawn it."""
    times = []
    for index in range(steps):
        begun = time.perf_counter()
        step(index)
        update()
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def miniedit(path: Path, names: list[str]) -> Times:
    """MiniEdit: its window, its reading function, its handlers of the pointer."""
    from mininet.examples import miniedit as peer

    editor = peer.MiniEdit(cheight=780, cwidth=1100)
    editor.appPrefs = _Pairs(editor.appPrefs)
    editor.convertJsonUnicode = lambda said: {**said, "application": _Pairs(said["application"])}
    editor.winfo_toplevel().geometry("1400x860+0+0")
    editor.update()
    begun = time.perf_counter()
    text = io.StringIO(path.read_text())
    with mock.patch.object(peer.tkFileDialog, "askopenfile", return_value=text):
        editor.loadTopology()
    editor.updateScrollRegion()
    update = _drawn(editor)
    update()
    times = {"open": (time.perf_counter() - begun) * 1000}

    def drag(name: str) -> Callable[[int], object]:
        widget = editor.findWidgetByName(name)
        x, y = editor.canvas.coords(editor.widgetToItem[widget])
        root = editor.canvas.winfo_rootx(), editor.canvas.winfo_rooty()
        return lambda step: editor.dragNodeAround(
            SimpleNamespace(x_root=root[0] + x + 2 * step, y_root=root[1] + y + 2 * step, widget=widget)
        )

    times["drag one node"] = _frame_ms(_FRAMES, drag(names[0]), update)

    def pan(step: int) -> None:
        editor.canvas.xview_scroll(1 if step % 2 else -1, "units")
        editor.canvas.yview_scroll(1, "units")

    times["pan"] = _frame_ms(_FRAMES, pan, update)
    editor.winfo_toplevel().destroy()
    return times


def ours(path: Path, names: list[str], memory: Path) -> Times:
    """The same in our window, at the same zoom of 100 %."""
    editor = Editor(Document(), memory)
    editor.window.geometry("1400x860+0+0")
    editor.window.update()
    begun = time.perf_counter()
    editor.document.open(path)
    view, update = editor.view, _drawn(editor.window)
    view.zoom_to(1)
    update()
    times = {"open": (time.perf_counter() - begun) * 1000}
    while editor.checker.is_busy:
        editor.window.update()
        time.sleep(0.02)
    view.reveal(Key("node", names[0]))
    update()
    one = frozenset(names[:1])
    times["drag one node"] = _frame_ms(_FRAMES, lambda step: view.preview_move(one, 2 * step, 2 * step), update)
    view.preview_end()
    times["pan"] = _frame_ms(_FRAMES, lambda step: view.pan(10 if step % 2 else -10, 10), update)
    times["zoom"] = _frame_ms(12, lambda step: view.zoom_by(1.1 if step < 6 else 1 / 1.1, 500, 400), update)
    editor.close()
    return times


def core(path: Path, names: list[str], python: str, daemon: str) -> Times:
    """CORE's window, in its own Python."""
    argv = [python, str(Path(__file__).with_name("peer_core.py")), str(path), names[0]]
    done = subprocess.run(argv, env={**os.environ, "PYTHONPATH": daemon}, stdout=subprocess.PIPE, text=True, check=True)
    times: Times = json.loads(done.stdout.splitlines()[-1])
    return times


def main() -> None:
    """Measure all, print all and the ratios to ours."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--links", type=int, default=2000)
    parser.add_argument("--core", nargs=2, metavar=("PYTHON", "DAEMON"), help="CORE's Python and sources")
    options = parser.parse_args()
    drawn: Topology = big(options.nodes, options.links)
    names = [next(node.name for node in drawn.nodes if (node.x, node.y) == (660.0, 110.0))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.mn"
        mn.save(drawn, path)
        our = ours(path, names, Path(folder) / "window.json")
        peers = {"MiniEdit": miniedit(path, names)}
        if options.core:
            peers["CORE"] = core(path, names, *options.core)
    print(f"{options.nodes} nodes, {options.links} links")
    print(f"{'':<16}{'ours':>12}" + "".join(f"{name:>12}{'ratio':>8}" for name in peers))
    for name, time_ms in our.items():
        line = f"{name:<16}{time_ms:>9.1f} ms"
        for times in peers.values():
            has = name in times
            line += f"{times[name]:>9.1f} ms{times[name] / time_ms:>8.1f}" if has else f"{'none':>12}{'':>8}"
        print(line)


if __name__ == "__main__":
    main()

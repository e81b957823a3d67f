"""How long a frame of the canvas takes on a drawing of 1,000 nodes and 2,000 links, beside MiniEdit's and CORE's.

    python benchmarks/canvas.py [--nodes 1000] [--links 2000] [--labels] [--core PYTHON CHECKOUT/daemon]

Needs a display, such as one of Xvfb. A frame is what the user waits for: the event and everything drawn, until the
display says that it has drawn. Each line is the median of its frames in ms, the worst one of ours, and the median of
the time that a processor works for us in a frame, which says more than the others where the machine is busy. The
work of the display itself is not counted.

MiniEdit needs the Debian package `mininet`; it has no zoom, no undo, and nothing that selects all. CORE needs a
checkout whose protocol has been compiled (`python -m grpc_tools.protoc -I proto --python_out=. --grpc_python_out=.
proto/core/api/grpc/*.proto`), a `core/constants.py` made from its template, and a Python that has grpcio and Pillow. It
has no undo; its texts and icons keep their size in a zoom, and it is not asked to show addresses. A peer that cannot be
run here has a column that says so.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from frrlib.edits.arrange import shift
from frrlib.formats import mn
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from miniedit_frr.app.app import Editor
from miniedit_frr.document.document import Document

_ACROSS = 40
_PATIENCE_S = 300


class Frame(NamedTuple):
    """How long a frame took, and how long a processor worked for it in its thread."""

    ms: float
    processor_ms: float


#: Frame by frame, by action.
Times = dict[str, list[Frame]]


def big(nodes: int, links: int) -> Topology:
    """A grid with every link of a row and a column, and shortcuts on top; every other link is shaped."""
    places = [{"x": index % _ACROSS * 110.0, "y": index // _ACROSS * 110.0} for index in range(nodes)]
    grid_nodes = [
        Router(name=f"r{index}", daemons=("zebra",), **at) if index % 3 else Host(name=f"h{index}", **at)
        for index, at in enumerate(places)
    ]
    pairs = [(index, index + 1) for index in range(nodes - 1) if (index + 1) % _ACROSS]
    pairs += [(index, index + _ACROSS) for index in range(nodes - _ACROSS)]
    pairs += [(index, (index + _ACROSS + 1) % nodes) for index in range(nodes)]
    shape = Shape(rate_mbit=10, delay_ms=5)
    return Topology(
        nodes=tuple(grid_nodes),
        links=tuple(
            Link(
                id=f"l{number}",
                a=End(node=grid_nodes[a].name),
                b=End(node=grid_nodes[b].name),
                a_to_b=shape if number % 2 else Shape(),
                b_to_a=shape if number % 2 else Shape(),
            )
            for number, (a, b) in enumerate(pairs[:links])
        ),
    )


class Watch:
    """Times a frame from the moment when it is made."""

    def __init__(self) -> None:
        self._start, self._worked = time.perf_counter(), time.thread_time()

    def frame(self) -> Frame:
        """The frame until now."""
        return Frame((time.perf_counter() - self._start) * 1000, (time.thread_time() - self._worked) * 1000)


def frames(editor: Editor, steps: Sequence[Callable[[], object]]) -> list[Frame]:
    """The time of each step with its drawing."""
    times = []
    for step in steps:
        watch = Watch()
        step()
        editor.window.update()
        editor.window.winfo_pointerxy()  # the display answers when it has drawn
        times.append(watch.frame())
    return times


def rest(editor: Editor) -> None:
    """Wait until nothing is checked any more."""
    end = time.perf_counter() + 0.3
    while time.perf_counter() < end or editor.checker.is_busy:
        editor.window.update()
        time.sleep(0.01)


def ours(path: Path, memory: Path, labels: bool) -> Times:
    """Open the file in a window, and work it: with the whole drawing in sight, and at 100 %."""
    times: Times = {}
    watch = Watch()
    editor = Editor(Document(), memory)
    editor.window.geometry("1400x860+0+0")
    editor.window.update()
    times["open an empty window"] = [watch.frame()]
    watch = Watch()
    editor.files.open(path)
    editor.window.update()
    editor.window.winfo_pointerxy()
    times["open"] = [watch.frame()]
    while editor.checker.is_busy:
        editor.window.update()
        time.sleep(0.02)
    times["open, with its problems"] = [watch.frame()]
    if labels:
        times["show interfaces and addresses"] = frames(
            editor, [lambda: editor.toggle_label("interfaces"), lambda: editor.toggle_label("addresses")]
        )
    for name, zoom in (("whole: ", editor.view.zoom), ("100 %: ", 1.0)):
        times |= {name + action: action_frames for action, action_frames in worked(editor, zoom).items()}
    editor.close()
    return times


def worked(editor: Editor, zoom: float) -> Times:
    """All that is done at one zoom, beginning in the drawing's middle."""
    view, document, names = editor.view, editor.document, [node.name for node in editor.document.topology.nodes]
    middle = names[len(names) // 2]
    view.zoom_to(zoom)
    if zoom < 1:
        view.fit()
    else:
        view.reveal(Key("node", middle))
    editor.window.update()
    half = names[: len(names) // 2]
    band = {*(Key("node", name) for name in half)}
    band |= {line.key for line in view.scene.connections if {line.a, line.b} <= {*half}}
    times: Times = {}
    for action, moved, selected in (
        ("drag one node", [middle], ()),
        ("drag half of the nodes", half, ()),
        ("drag half, selected", half, band),
    ):
        moved_names = frozenset(moved)
        view.select(selected)
        editor.window.update()
        steps = [
            lambda at=at, moved_names=moved_names: view.preview_move(moved_names, at, at) for at in range(1, 60, 2)
        ]
        times[action] = frames(editor, steps)  # type: ignore[arg-type]
        view.preview_end()
    for action, moved in (("one", [middle]), ("half", half), ("all", names)):
        document.apply("Move", shift(document.topology, moved, 30, 10))
        rest(editor)
        view.select({Key("node", middle)})
        editor.window.update()
        times[f"undo the move of {action}"] = frames(editor, [document.undo, document.redo] * 6)
        document.undo()
        rest(editor)
    view.select(())
    editor.window.update()
    for action, keys in (("all", view.scene.keys()), ("half", frozenset(band))):
        select, leave = [], []
        for _ in range(6):
            select += frames(editor, [lambda keys=keys: view.select(keys)])  # type: ignore[misc]
            leave += frames(editor, [lambda: view.select(())])
        times |= {f"select {action}": select, f"select nothing after {action}": leave}
    times["pan"] = frames(editor, [lambda at=at: view.pan(10 if at % 2 else -10, 10) for at in range(30)])  # type: ignore[misc]
    view.pan(0, -300)
    editor.window.update()
    zooms = [lambda: view.zoom_by(1.1, 500, 400)] * 6 + [lambda: view.zoom_by(1 / 1.1, 500, 400)] * 6
    times["zoom"] = frames(editor, zooms)
    return times


def peer(argv: Sequence[str], **env: str) -> Mapping[str, float] | str:
    """The times in ms that a peer's program reports; or why it cannot be run here."""
    try:
        done = subprocess.run(
            argv, env={**os.environ, **env}, capture_output=True, text=True, check=False, timeout=_PATIENCE_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    times: Mapping[str, float] = json.loads(done.stdout.splitlines()[-1])
    return times


def table(our: Times, peers: Mapping[str, Mapping[str, float] | str]) -> str:
    """The medians beside each other; "none" where a peer has no such thing, "not here" where it cannot be run."""
    lines = [
        f"{'ms a frame, median':<34}{'ours':>9}{'worst':>9}{'processor':>11}" + "".join(f"{name:>11}" for name in peers)
    ]
    for action, action_frames in our.items():
        ms, worked_ms = zip(*action_frames, strict=True)
        line = f"{action:<34}{statistics.median(ms):>9.1f}{max(ms):>9.1f}{statistics.median(worked_ms):>11.1f}"
        for times in peers.values():
            none = "not here" if isinstance(times, str) else "none"
            line += f"{times[action]:>11.1f}" if not isinstance(times, str) and action in times else f"{none:>11}"
        lines.append(line)
    lines += [f"{name} cannot be run here: {reason}" for name, reason in peers.items() if isinstance(reason, str)]
    return "\n".join(lines)


def main() -> None:
    """Measure all, one after the other on the same display, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--links", type=int, default=2000)
    parser.add_argument("--labels", action="store_true", help="show interfaces and addresses too")
    parser.add_argument("--core", nargs=2, metavar=("PYTHON", "DAEMON"), help="CORE's Python and sources")
    options = parser.parse_args()
    folder_of_benchmarks = Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.mn"
        topology = big(options.nodes, options.links)
        mn.save(topology, path)
        middle = topology.nodes[len(topology.nodes) // 2].name
        our = ours(path, Path(folder) / "window.json", options.labels)
        peers = {
            "MiniEdit": peer(
                [sys.executable, str(folder_of_benchmarks / "peers/gui_of_miniedit.py"), str(path), middle]
            )
        }
        peers["CORE"] = "name its Python and its sources with --core"
        if options.core:
            python, daemon = options.core
            peers["CORE"] = peer(
                [python, str(folder_of_benchmarks / "peers/gui_of_core.py"), str(path), middle], PYTHONPATH=daemon
            )
    print(f"{options.nodes} nodes, {options.links} links; load average {os.getloadavg()[0]:.1f}")
    print(table(our, peers))


if __name__ == "__main__":
    main()

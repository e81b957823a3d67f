"""How fast the canvas is: opens, drags and zooms a drawing of 1,000 nodes and 2,000 links, and prints the times.

    python benchmarks/canvas.py [--nodes 1000] [--links 2000] [--labels]

Needs a display, such as one of Xvfb. A frame is what the user waits for: the event and everything drawn.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from frrlib.formats import mn
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Router
from frrlib.model.topology import Topology
from miniedit_frr.app import Editor
from miniedit_frr.canvas.scene import Key
from miniedit_frr.document import Document

_ACROSS = 40


def big(nodes: int, links: int) -> Topology:
    """A grid with every link of a row and a column, and shortcuts on top; every other link is shaped."""
    places = [{"x": index % _ACROSS * 110.0, "y": index // _ACROSS * 110.0} for index in range(nodes)]
    drawn = [
        Router(name=f"r{index}", daemons=("zebra",), **at) if index % 3 else Host(name=f"h{index}", **at)
        for index, at in enumerate(places)
    ]
    pairs = [(index, index + 1) for index in range(nodes - 1) if (index + 1) % _ACROSS]
    pairs += [(index, index + _ACROSS) for index in range(nodes - _ACROSS)]
    pairs += [(index, (index + _ACROSS + 1) % nodes) for index in range(nodes)]
    shape = Shape(rate_mbit=10, delay_ms=5)
    return Topology(
        nodes=tuple(drawn),
        links=tuple(
            Link(
                id=f"l{number}",
                a=End(node=drawn[a].name),
                b=End(node=drawn[b].name),
                a_to_b=shape if number % 2 else Shape(),
                b_to_a=shape if number % 2 else Shape(),
            )
            for number, (a, b) in enumerate(pairs[:links])
        ),
    )


def frames(name: str, editor: Editor, steps: list[Callable[[], object]]) -> None:
    """Time each step with its drawing, and print the middle and the worst."""
    times_ms = []
    for step in steps:
        start = time.perf_counter()
        step()
        editor.window.update()
        editor.window.winfo_pointerxy()  # the display answers when it has drawn
        times_ms.append((time.perf_counter() - start) * 1000)
    print(f"{name:<42} median {statistics.median(times_ms):7.1f} ms   worst {max(times_ms):7.1f} ms")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--links", type=int, default=2000)
    parser.add_argument("--labels", action="store_true", help="show interfaces and addresses too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.mn"
        mn.save(big(options.nodes, options.links), path)
        measure(path, Path(folder) / "window.json", options.labels)


def measure(path: Path, memory: Path, labels: bool) -> None:
    """Open the file in a window, work it, print."""
    begun = time.perf_counter()
    editor = Editor(Document(), memory)
    editor.window.geometry("1400x860+0+0")
    editor.window.update()
    print(f"load average {os.getloadavg()[0]:.1f}\n{'an empty window':<42} {time.perf_counter() - begun:14.2f} s")
    begun = time.perf_counter()
    editor.files.open(path)
    editor.window.update()
    print(f"{'open the file, until it is drawn':<42} {time.perf_counter() - begun:14.2f} s")
    while editor.checker.is_busy:
        editor.window.update()
        time.sleep(0.02)
    print(f"{'until its problems are shown too':<42} {time.perf_counter() - begun:14.2f} s")
    if labels:
        frames("show interfaces and addresses", editor, [lambda: editor.switch_label("interfaces")] * 1)
        editor.switch_label("addresses")
    view = editor.view
    names = [node.name for node in editor.document.topology.nodes]
    one, half = frozenset(names[len(names) // 2 :][:1]), frozenset(names[: len(names) // 2])
    for zoom in (view.zoom, 1.0):
        view.zoom_to(zoom)
        view.reveal(Key("node", names[len(names) // 2]))
        editor.window.update()
        print(f"at a zoom of {zoom:.0%}")
        frames("  pan", editor, [lambda: view.pan(7, 5)] * 30)
        frames(
            "  zoom", editor, [lambda: view.zoom_by(1.1, 500, 400)] * 6 + [lambda: view.zoom_by(1 / 1.1, 500, 400)] * 6
        )
        for label, chosen in (("one node", one), (f"{len(half)} nodes", half)):
            steps = [lambda at=at, chosen=chosen: view.preview_move(chosen, at, at) for at in range(1, 60, 2)]
            frames(f"  drag {label}", editor, steps)  # type: ignore[arg-type]
            view.preview_end()
        frames(
            "  select all, select nothing", editor, [lambda: view.select(view.scene.keys()), lambda: view.select(())]
        )
    topology = editor.document.topology
    moved = topology.nodes[0].model_copy(update={"x": -50.0})
    after = topology.model_copy(update={"nodes": (moved, *topology.nodes[1:])})
    frames(
        "an edit of one node, and undo", editor, [lambda: editor.document.apply("Move", after), editor.document.undo]
    )
    editor.document.apply("Move", after)
    end = time.perf_counter() + 0.3
    while time.perf_counter() < end:
        editor.window.update()
    steps = [lambda at=at: view.preview_move(one, at, at) for at in range(1, 60, 2)]
    frames(f"drag one node while the check {'goes on' if editor.checker.is_busy else 'is over'}", editor, steps)  # type: ignore[arg-type]
    view.preview_end()
    editor.close()


if __name__ == "__main__":
    main()

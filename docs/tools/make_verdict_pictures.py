"""Makes the pictures of a doubtful run: docs/images/doubtful-figure.png and verdict-*.png.

python docs/tools/make_verdict_pictures.py [FOLDER]

Needs Xvfb and a place for labs. The run is a real one; its processors are kept busy meanwhile.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import example, write_png  # noqa: E402
from make_running_pictures import driven_editor, take_all  # noqa: E402
from PIL import Image  # noqa: E402

from frrlib.results.statistics.summary import load_summary  # noqa: E402
from frrlib.run.run import RunOutcome  # noqa: E402

EXAMPLE = "two-as-no-delay.mn"


@contextmanager
def busy() -> Iterator[None]:
    """Run two endless loops for each processor."""
    loop = [sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(loop) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for loop_process in loops:
            loop_process.kill()
            loop_process.wait()


def take_verdict(run: Path, folder: Path, below: Path, theme: str) -> None:
    """The run in the list of runs, and its verdict."""
    with driven_editor(example(EXAMPLE), folder, below / theme, theme, "verdict") as driver:
        runs = driver.lab.runs
        runs.begin()
        title = driver.editor.document.topology.title
        driver.editor.say(runs.add(title, "namespace", RunOutcome(run, summary=load_summary(run)), "finished"))
        runs.show_verdict(runs.rows[0])
        driver.take_picture("window" if theme == "light" else f"window-{theme}")
        driver.close_windows()


def take_doubtful_run(folder: Path, below: Path) -> None:
    """One run, its figure, and its verdict in the window."""
    os.chdir(below)  # for a short name of the folder in the pictures
    run = Path("results") / "two-as-no-delay"
    argv = [sys.executable, "-m", "miniedit_frr", "run", str(ROOT / "examples" / EXAMPLE), "--out", str(run)]
    with busy():
        subprocess.run(argv, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    write_png(Image.open(run / "figure.png"), folder / "doubtful-figure.png")
    for theme in ("light", "dark"):
        (below / theme).mkdir()
        take_verdict(run, folder, below, theme)
    os.chdir(ROOT)


if __name__ == "__main__":
    take_all(take_doubtful_run)

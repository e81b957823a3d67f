"""Makes the pictures of a run that is not to be trusted: docs/images/doubtful-figure.png and worth-*.png.

python docs/tools/make_worth_pictures.py [FOLDER]

Needs Xvfb and a place for labs. The run is a real one, on a machine whose processors are kept busy meanwhile.
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

from make_running_screenshots import stage, take_all  # noqa: E402
from make_screenshots import example, write_png  # noqa: E402
from PIL import Image  # noqa: E402

from frrlib.results.statistics.summary import load_summary  # noqa: E402
from frrlib.run.run import RunOutcome  # noqa: E402

EXAMPLE = "two-as-no-delay.mn"


@contextmanager
def busy() -> Iterator[None]:
    """All processors have twice as much to do as they can."""
    loop = [sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(loop) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


def show(run: Path, folder: Path, below: Path, theme: str) -> None:
    """The run in the list of runs, and what it is worth."""
    with stage(example(EXAMPLE), folder, below / theme, theme, "worth") as there:
        runs = there.lab_controller.runs
        runs.begin()
        title = there.editor.document.topology.title
        there.editor.say(runs.add(title, "namespace", RunOutcome(run, summary=load_summary(run)), "finished"))
        runs.show_verdict(runs.rows[0])
        there.take(theme)
        there.close_windows()


def of_a_busy_machine(folder: Path, below: Path) -> None:
    """One run, its figure, and its findings in the window."""
    os.chdir(below)  # so that the pictures have a folder's name that says something
    run = Path("results") / "two-as-no-delay"
    argv = [sys.executable, "-m", "miniedit_frr", "run", str(ROOT / "examples" / EXAMPLE), "--out", str(run)]
    with busy():
        subprocess.run(argv, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    write_png(Image.open(run / "figure.png"), folder / "doubtful-figure.png")
    for theme in ("light", "dark"):
        (below / theme).mkdir()
        show(run, folder, below, theme)
    os.chdir(ROOT)


if __name__ == "__main__":
    take_all(of_a_busy_machine)

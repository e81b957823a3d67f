"""Makes the pictures of the run browser, docs/images/runs*.png, on a display of its own.

python docs/make_run_browser_pictures.py [FOLDER] [RUNS]

Needs Xvfb. RUNS is a folder with runs; without it a few short ones are made first, for which a place for labs is needed
(see `miniedit-frr places`); that takes some two minutes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from make_running_screenshots import Stage, take_all  # noqa: E402
from make_screenshots import example  # noqa: E402

from frrlib.results.cards import save_notes  # noqa: E402
from frrlib.results.layout import find_results  # noqa: E402

_EXAMPLES = ("two-as-bgp.mn", "ospf-multihop.mn", "reroute.mn", "queues.mn")


def make_runs(below: Path) -> None:
    """Run some examples, one of which is cut off as a killed run is."""
    for name in _EXAMPLES:
        argv = [sys.executable, "-m", "miniedit_frr", "run", str(ROOT / "examples" / name), "--out",
                str(below / Path(name).stem)]  # fmt: skip
        subprocess.run(argv, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def cut_off(folder: Path) -> None:
    """Leave of a run what a kill leaves: no end, no summary, a torn table."""
    table = folder / "samples/tcp.csv"
    table.write_bytes(table.read_bytes()[:-7])
    for name in ("summary.json", "figure.pdf"):
        (folder / name).unlink(missing_ok=True)
    record = folder / "run.json"
    record.write_text(record.read_text().replace('"status": "finished"', '"status": "running"', 1))


def of_browser(folder: Path, below: Path, *, theme: str, runs: Path) -> None:
    """The browser with a few runs in somebody's folder ~/labs, one chosen and noted, then several compared."""
    shutil.copytree(runs, below / "labs")
    with home(below):
        show_browser(folder, below, theme)


@contextmanager
def home(folder: Path) -> Iterator[None]:
    """The user is at home there meanwhile: what is shown is nobody's own folder."""
    before = os.environ["HOME"]
    os.environ["HOME"] = str(folder)
    try:
        yield
    finally:
        os.environ["HOME"] = before


def show_browser(folder: Path, below: Path, theme: str) -> None:
    """Open the browser and take its pictures."""
    here = below / "labs"
    found = find_results(here)
    save_notes(next(each for each in found if each.name == "reroute"),
               "BBR waits out its timer after the outage, CUBIC is back 1.5 s sooner. #reroute #paper")  # fmt: skip
    cut_off(found[0])
    there = Stage(example("reroute.mn"), folder, below, theme, "runs")
    browsing = there.running.runs.browsing
    browsing.look_below(here)
    browsing.open()
    window = browsing.window
    assert window is not None
    window.geometry("+40+50")
    there.until(lambda: len(window.tree.get_children()) >= len(found))
    there.rest(15)  # small pictures of all of them are drawn meanwhile
    window.tree.selection_set(next(each for each in window.tree.get_children() if str(each).endswith("reroute")))
    end = "-dark" if theme == "dark" else ""
    there.take(f"browser{end}")
    if not end:
        same = [each for each in window.tree.get_children() if "sweep" in each or "as-bgp" in each or "hop" in each][:3]
        window.tree.selection_set(same)
        browsing._compare("cdf", same)
        before = len(there.editor.window.winfo_children())
        there.until(lambda: len(there.editor.window.winfo_children()) > before)
        there.take("compared")
    there.close_windows()
    there.editor.close()


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        if len(sys.argv) > 2:
            kept = Path(sys.argv[2]).resolve()
        else:
            make_runs(kept := Path(made))
        take_all(*(partial(of_browser, theme=theme, runs=kept) for theme in ("light", "dark")), framed=True)

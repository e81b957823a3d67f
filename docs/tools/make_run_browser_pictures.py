"""Makes the pictures of the run browser, docs/images/runs*.png, on a display of its own.

python docs/tools/make_run_browser_pictures.py [FOLDER] [RUNS]

Needs Xvfb. RUNS is a folder with runs as `make_runs` makes them; without it they are made first, for which a lab kernel
with virtual time is needed (see `miniedit-frr places`); that takes half a minute.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_running_screenshots import Stage, home, take_all  # noqa: E402
from make_screenshots import example  # noqa: E402

from frrlib.results.cards import save_notes  # noqa: E402
from frrlib.results.layout import find_results  # noqa: E402

_EXAMPLES = ("two-as-bgp.mn", "ospf-multihop.mn", "reroute.mn", "queues.mn")
#: What differs between the runs that are compared.
_QUEUES = "link:r1-r2.queue_bdp=0.5,1,4"


def make_runs(below: Path) -> None:
    """Run some examples, and one several times over queues that differ: in virtual time, so that no run is doubtful
    because this machine was busy."""
    for name in _EXAMPLES:
        _command("run", str(ROOT / "examples" / name), "--virtual-time", "--out", str(below / Path(name).stem))
    drawing = str(ROOT / "examples" / "bbr-against-cubic.mn")
    _command("sweep", drawing, "--set", _QUEUES, "--virtual-time", "--out", str(below / "sweep"))


def _command(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "miniedit_frr", *words], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


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


def show_browser(folder: Path, below: Path, theme: str) -> None:
    """Open the browser and take its pictures."""
    here = below / "labs"
    found = find_results(here)
    save_notes(next(each for each in found if each.name == "reroute"),
               "Six seconds in, the link fails. Which flow is back first, and why? #reroute #paper")  # fmt: skip
    cut_off(next(each for each in found if each.name == "ospf-multihop"))
    there = Stage(example("reroute.mn"), folder, below, theme, "runs")
    browsing = there.lab_controller.run_browser
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
        same = [each for each in window.tree.get_children() if "/sweep/" in each]
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
        take_all(*(partial(of_browser, theme=theme, runs=kept) for theme in ("light", "dark")))

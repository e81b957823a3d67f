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

from make_editor_pictures import example  # noqa: E402
from make_running_pictures import EditorDriver, home, take_all  # noqa: E402

from frrlib.results.cards import save_notes  # noqa: E402
from frrlib.results.layout import find_results  # noqa: E402

_EXAMPLES = ("two-as-bgp.mn", "ospf-multihop.mn", "reroute.mn", "queues.mn")
#: The values that differ between the compared runs.
_QUEUES = "link:r1-r2.queue_bdp=0.5,1,4"


def make_runs(below: Path) -> None:
    """Run some examples, and one several times with different queues. In virtual time no run is doubtful because this
    machine was busy."""
    for name in _EXAMPLES:
        _command("run", str(ROOT / "examples" / name), "--virtual-time", "--out", str(below / Path(name).stem))
    example_file = str(ROOT / "examples" / "bbr-against-cubic.mn")
    _command("sweep", example_file, "--set", _QUEUES, "--virtual-time", "--out", str(below / "sweep"))


def _command(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "miniedit_frr", *words], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def make_killed(folder: Path) -> None:
    """Make a run look killed: without end and summary, and with a torn table."""
    table = folder / "samples/tcp.csv"
    table.write_bytes(table.read_bytes()[:-7])
    for name in ("summary.json", "figure.pdf"):
        (folder / name).unlink(missing_ok=True)
    record = folder / "run.json"
    record.write_text(record.read_text().replace('"status": "finished"', '"status": "running"', 1))


def take_browser(folder: Path, below: Path, *, theme: str, runs: Path) -> None:
    """The browser with runs in ~/labs: one selected, with notes; then several compared."""
    shutil.copytree(runs, below / "labs")
    with home(below):
        open_browser(folder, below, theme)


def open_browser(folder: Path, below: Path, theme: str) -> None:
    """Open the browser and take its pictures."""
    labs = below / "labs"
    folders = find_results(labs)
    save_notes(next(run for run in folders if run.name == "reroute"),
               "Six seconds in, the link fails. Which flow is back first, and why? #reroute #paper")  # fmt: skip
    make_killed(next(run for run in folders if run.name == "ospf-multihop"))
    driver = EditorDriver(example("reroute.mn"), folder, below, theme, "runs")
    browser = driver.lab.run_browser
    browser.look_below(labs)
    browser.open()
    window = browser.window
    assert window is not None
    window.geometry("+40+50")
    driver.wait_until(lambda: len(window.tree.get_children()) >= len(folders))
    driver.wait_until(lambda: all(window.tree.item(item, "image") for item in window.tree.get_children()))  # thumbnails
    window.tree.selection_set(next(item for item in window.tree.get_children() if str(item).endswith("reroute")))
    end = "-dark" if theme == "dark" else ""
    driver.take_picture(f"browser{end}")
    if not end:
        sweep = [item for item in window.tree.get_children() if "/sweep/" in item]
        window.tree.selection_set(sweep)
        browser._compare("cdf", sweep)
        window_count = len(driver.editor.window.winfo_children())
        driver.wait_until(lambda: len(driver.editor.window.winfo_children()) > window_count)
        driver.take_picture("compared")
    driver.close_windows()
    driver.editor.close()


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        if len(sys.argv) > 2:
            runs_folder = Path(sys.argv[2]).resolve()
        else:
            make_runs(runs_folder := Path(temporary))
        take_all(*(partial(take_browser, theme=theme, runs=runs_folder) for theme in ("light", "dark")))

"""The run browser: its list and search, notes, figures of several runs, and reopened topologies."""

from __future__ import annotations

import os
import shutil
import tkinter as tk
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from frrlib.edits.changes import replace_link
from frrlib.formats import mn
from frrlib.results.read import open_results
from miniedit_frr.runs import figure_saver
from miniedit_frr.runs.browser_window import RunBrowser
from miniedit_frr.runs.collector import RunCollector, RunPictures
from miniedit_frr.runs.figure_window import FigureWindow
from miniedit_frr.runs.list_panel import RunRow
from tests.cli.commands import invoke
from tests.waiting import wait_for
from tests.window.hands_on_window import User
from tests.window.widgets import texts

pytestmark = [pytest.mark.gui]

STORED = Path(__file__).parents[2] / "data"
_PATIENCE_S = 60.0


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with a good run, a truncated one, and one in an old format."""
    below = tmp_path / "labs"
    shutil.copytree(STORED / "results-v3", below / "good")
    cut = Path(shutil.copytree(STORED / "results-v3", below / "deep" / "cut"))
    table = cut / "samples/tcp.csv"
    table.write_bytes(table.read_bytes()[:-7])
    (cut / "summary.json").unlink()
    shutil.copytree(STORED / "results-v1", below / "old")
    for folder in (below / "good", cut, below / "old"):
        Image.new("RGB", (800, 900), "white").save(folder / "figure.png")
    return below


@pytest.fixture
def browser(user: User, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunBrowser:
    """The browser that has listed these runs; its scaled figures are in a folder of the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    browsing = user.editor.lab_controller.run_browser
    monkeypatch.setattr(user.editor.lab_controller.runs, "base", lambda: runs)
    browsing.open()
    window = browsing.window
    assert window is not None
    until(user, lambda: len(window.tree.get_children()) == 3)
    return window


def until(user: User, condition: Callable[[], object]) -> None:
    """Let the window work until a condition is true."""
    wait_for(condition, lambda: user.editor.log.text.get("1.0", "end"), user.editor.window.update)


def row(window: RunBrowser, name: str) -> str:
    """The id of the row of a run's folder."""
    return next(str(item) for item in window.tree.get_children() if str(item).endswith(name))


def choose(user: User, window: RunBrowser, *names: str) -> None:
    window.tree.selection_set([row(window, name) for name in names])
    user.editor.window.update()


def compare(window: RunBrowser, title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose a figure of the selected runs in the menu of the button Compare."""
    menus: list[tk.Menu] = []
    with monkeypatch.context() as patches:
        patches.setattr(tk.Menu, "tk_popup", lambda menu, *_: menus.append(menu))
        window.buttons["compare"].invoke()
    menus[0].invoke(menus[0].index(title))


def test_all_runs_are_listed_with_their_problems(user: User, browser: RunBrowser) -> None:
    good, cut = (browser.tree.item(row(browser, name)) for name in ("good", "cut"))
    title, folder = (line.strip() for line in str(good["text"]).split("\n"))
    assert title.removesuffix("…") and "A link fails under BBR and CUBIC, briefly".startswith(title.removesuffix("…"))
    assert folder == "good"
    assert [str(value) for value in good["values"]][1] == "2 flows: bbr, cubic"
    assert str(good["values"][3]).startswith("finished") and "incomplete" in str(cut["values"][3])
    choose(user, browser, "cut")
    assert "tcp.csv ends in an incomplete line" in " ".join(texts(browser))
    choose(user, browser, "good")
    assert "incomplete line" not in " ".join(texts(browser))


def test_cut_cells_end_in_an_ellipsis(user: User, browser: RunBrowser) -> None:
    for wide, is_cut in ((260, True), (900, False)):
        browser.tree.column("#0", width=wide, stretch=False)
        browser.tree.column("outcome", width=wide // 4)
        browser.tree.event_generate("<ButtonRelease-1>")
        good = browser.tree.item(row(browser, "good"))
        title = str(good["text"]).split("\n")[0].strip()
        assert title.endswith("…") == (title != "A link fails under BBR and CUBIC, briefly") == is_cut
        assert str(good["values"][3]).endswith("…") == is_cut


def test_search_narrows_the_list_while_it_is_typed(user: User, browser: RunBrowser) -> None:
    browser.query.set("briefly r6")
    until(user, lambda: len(browser.tree.get_children()) == 2)
    assert str(browser.progress.cget("text")).startswith("2 of 3 runs")
    browser.query.set("no such thing")
    until(user, lambda: not browser.tree.get_children())
    browser.query.set("")
    until(user, lambda: len(browser.tree.get_children()) == 3)


def test_notes_are_kept_beside_the_run(user: User, browser: RunBrowser, runs: Path) -> None:
    choose(user, browser, "good")
    browser.notes.insert("1.0", "BBR waits #paper")
    choose(user, browser, "old")  # going on is enough
    assert (runs / "good/notes.txt").read_text() == "BBR waits #paper\n"
    assert browser.notes.get("1.0", "end").strip() == ""
    browser.query.set("#paper")
    until(user, lambda: len(browser.tree.get_children()) == 1)
    assert browser.notes.get("1.0", "end").strip() == "BBR waits #paper"
    browser.notes.insert("end", ", twice")
    browser.close()
    assert "twice" in (runs / "good/notes.txt").read_text()


def test_several_runs_are_beside_each_other(user: User, browser: RunBrowser) -> None:
    canvas = browser.canvas
    choose(user, browser, "good")
    until(user, lambda: [canvas.type(item) for item in canvas.find_all()] == ["image"])
    assert "real time" in str(browser.facts.cget("text"))
    choose(user, browser, "good", "old")
    until(user, lambda: [canvas.type(item) for item in canvas.find_all()] == ["image", "image"])
    left, right = (canvas.bbox(item) for item in canvas.find_all())
    assert left[2] <= right[0] and right[2] <= canvas.winfo_reqwidth()
    lines = dict(line.split(": ", 1) for line in str(browser.facts.cget("text")).split("\n"))
    goodput = browser.tree.item(row(browser, "good"))["values"][2]  # their values do not differ, so folders name them
    assert lines["good"].startswith(f"{float(goodput):.2f} Mbit/s, finished") and set(lines) == {"good", "old"}
    choose(user, browser, "good")
    assert len(canvas.find_all()) == 1


def test_runs_are_compared_while_the_window_stays_responsive(
    user: User, browser: RunBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(user, browser, "good", "old")
    assert str(browser.buttons["figure"].cget("state")) == "disabled"
    assert str(browser.buttons["compare"].cget("state")) == "normal"
    compare(browser, "Distribution of RTT", monkeypatch)
    assert str(browser.progress.cget("text")) == "drawing …"
    figures = user.editor.window.winfo_children
    until(user, lambda: any(isinstance(child, FigureWindow) for child in figures()))
    (figure,) = [child for child in figures() if isinstance(child, FigureWindow)]
    assert "2 runs" in figure.title()


def test_flows_are_compared_from_their_own_starts(
    user: User, browser: RunBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(
        user.editor.lab_controller.run_browser, "_run", lambda command, *arguments: commands.append(command)
    )
    choose(user, browser, "good", "old")
    compare(browser, "Overlaid Runs, Aligned at Flow Starts", monkeypatch)
    (command,) = commands
    at = command.index("--kind")
    assert command[at : at + 4] == ["--kind", "overlay", "--align", "start"]


def test_each_comparison_has_a_file_of_its_own(
    user: User, browser: RunBrowser, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two figures of one kind are drawn at once; each window shows its own runs, and both files stay."""
    figures = user.editor.window.winfo_children
    for names in (("good", "old"), ("good", "cut")):
        choose(user, browser, *names)
        compare(browser, "Distribution of RTT", monkeypatch)
    until(user, lambda: sum(isinstance(child, FigureWindow) for child in figures()) == 2)
    files = sorted((tmp_path / "cache" / "miniedit-frr" / "figures").glob("compared-cdf-*.png"))
    assert len({file.read_bytes() for file in files}) == len(files) == 2
    # a run that was written again gives a new file, so that the picture of the old one stays
    os.utime(runs / "good/run.json", ns=(1, 1))
    choose(user, browser, "good", "old")
    compare(browser, "Distribution of RTT", monkeypatch)
    until(user, lambda: sum(isinstance(child, FigureWindow) for child in figures()) == 3)
    assert len(list(files[0].parent.glob("compared-cdf-*.png"))) == 3


def test_a_compared_figure_is_saved_with_the_options_of_its_kind(
    user: User, browser: RunBrowser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The saved figure is the one of the command line, with the same runs, kind and alignment."""
    choose(user, browser, "good", "old")
    compare(browser, "Overlaid Runs, Aligned at Flow Starts", monkeypatch)
    figures = user.editor.window.winfo_children
    until(user, lambda: any(isinstance(child, FigureWindow) for child in figures()))
    (figure,) = [child for child in figures() if isinstance(child, FigureWindow)]
    monkeypatch.setattr(figure_saver.filedialog, "asksaveasfilename", lambda **_: str(tmp_path / "saved.svg"))
    figure.buttons["save"].invoke()
    until(user, (tmp_path / "saved.svg").exists)
    folders = [item for name in ("good", "old") for item in browser.tree.get_children() if item.endswith(name)]
    order = [str(item) for item in browser.tree.selection()]
    assert sorted(order) == sorted(folders)
    done = invoke("plot", *order, "--kind", "overlay", "--align", "start", "--out", tmp_path / "expected.svg")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "saved.svg").read_text() == (tmp_path / "expected.svg").read_text()


def test_old_figures_of_several_runs_leave_the_cache(
    user: User, browser: RunBrowser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache" / "miniedit-frr" / "figures"
    cache.mkdir(parents=True, exist_ok=True)
    for number in range(60):
        (cache / f"compared-cdf-{number}.png").touch()
        os.utime(cache / f"compared-cdf-{number}.png", (number, number))
    others = {path for path in cache.iterdir() if not path.name.startswith("compared-")}
    choose(user, browser, "good", "old")
    compare(browser, "Distribution of RTT", monkeypatch)
    kept = {path for path in cache.iterdir() if path.name.startswith("compared-")}
    assert cache / "compared-cdf-10.png" not in kept and cache / "compared-cdf-11.png" in kept
    assert others <= set(cache.iterdir())


def test_an_impossible_figure_is_reported(user: User, browser: RunBrowser, monkeypatch: pytest.MonkeyPatch) -> None:
    choose(user, browser, "good")
    compare(browser, "Map over Two Fields", monkeypatch)
    until(user, lambda: "needs several runs" in str(browser.progress.cget("text")))


def test_an_opened_run_does_not_overwrite_its_copy(user: User, browser: RunBrowser, runs: Path) -> None:
    choose(user, browser, "good")
    browser.buttons["drawing"].invoke()
    assert {node.name for node in user.document.topology.nodes} == {"h1", "h2", *(f"r{n}" for n in range(1, 7))}
    assert user.document.path is None


def test_a_replay_is_written(
    user: User, browser: RunBrowser, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.html"
    monkeypatch.setattr("miniedit_frr.runs.browser.filedialog.asksaveasfilename", lambda **options: str(page))
    choose(user, browser, "good")
    browser.buttons["replay"].invoke()
    until(user, lambda: page.is_file())
    title = open_results(runs / "good").info.title
    assert f"<h1>{title}</h1>" in page.read_text()


def test_forgetting_a_run_keeps_its_folder(user: User, browser: RunBrowser, runs: Path) -> None:
    choose(user, browser, "old")
    browser.buttons["forget"].invoke()
    assert len(browser.tree.get_children()) == 2 and (runs / "old/run.json").is_file()


def test_scaled_figures_are_cached(runs: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"

    def gather() -> list[RunPictures]:
        gathering, pictures = RunCollector([runs / "good"], [], cache, (150, 44), (320, 330)), []
        while not getattr(news := gathering.news.get(timeout=_PATIENCE_S), "is_over", False):
            pictures += [news] if isinstance(news, RunPictures) else []
        return pictures

    (first,) = gather()
    assert first.small.width <= 150 and first.small.height <= 44 and first.large.height <= 330
    times_of_files = {path: path.stat().st_mtime_ns for path in cache.iterdir()}
    (again,) = gather()
    assert again.large.tobytes() == first.large.tobytes()
    assert {path: path.stat().st_mtime_ns for path in cache.iterdir()} == times_of_files
    # a missing figure is drawn
    (runs / "good/figure.png").unlink()
    (redrawn,) = gather()
    assert redrawn.large.tobytes() != first.large.tobytes() and len(redrawn.large.getcolors(1 << 20) or ()) > 10


def test_runs_of_one_title_show_what_differs(user: User, browser: RunBrowser, runs: Path) -> None:
    """A second run of the same topology at another rate: the list names the rate of each instead of the folder."""
    faster = Path(shutil.copytree(runs / "good", runs / "faster"))
    topology = mn.load(faster / "topology.mn").topology
    shaped = next(link for link in topology.links if link.a_to_b.rate_mbit)
    rate_mbit = shaped.a_to_b.rate_mbit
    both = {side: shaped.a_to_b.model_copy(update={"rate_mbit": 77.0}) for side in ("a_to_b", "b_to_a")}
    (faster / "topology.mn").write_text(mn.dumps(replace_link(topology, shaped.id, shaped.model_copy(update=both))))
    for name in ("deep", "old"):
        shutil.rmtree(runs / name)
    user.editor.lab_controller.run_browser.again()

    def names() -> set[str]:
        return {str(browser.tree.item(item)["text"]).split("\n")[1].strip() for item in browser.tree.get_children()}

    until(user, lambda: names() == {f"rate {rate_mbit:g} Mbit/s", "rate 77 Mbit/s"})


def test_runs_in_other_folders_are_counted(
    user: User, browser: RunBrowser, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "elsewhere" not in browser.progress.cget("text")
    browsing = user.editor.lab_controller.run_browser
    entry = RunRow("", "another", "", "finished", str(runs / "good"))
    monkeypatch.setattr(user.editor.lab_controller.runs, "rows", [entry])
    browsing.look_below(runs / "deep")
    until(user, lambda: browser.progress.cget("text").startswith("2 runs, below"))
    assert browser.progress.cget("text").endswith("; 1 of them elsewhere")

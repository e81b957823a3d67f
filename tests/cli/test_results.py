"""Commands that read results folders: figures, statistics, reports, and files of flent."""

from __future__ import annotations

import base64
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from frrlib.formats import mn
from frrlib.results.cards import save_notes
from frrlib.results.read import open_results
from frrlib.results.statistics.summary import summarize
from frrlib.variation.assignment import Setting
from frrlib.variation.points import Point, vary
from tests.examples.data import two_as_bgp
from tests.plots.sweep_runs import topology_text

from .commands import invoke

DATA = Path(__file__).parents[1] / "data"
RUN = DATA / "results-v3"


@pytest.mark.parametrize(
    ("ending", "begins"), [("png", b"\x89PNG"), ("pdf", b"%PDF-1"), ("svg", b"<?xml"), ("SVG", b"<?xml")]
)
def test_a_figure_in_a_file(tmp_path: Path, ending: str, begins: bytes) -> None:
    file = tmp_path / f"figure.{ending}"
    result = invoke("plot", RUN, "--kind", "cdf", "--of", "queueing", "--out", file)
    assert result.exit_code == 0, result.output
    assert file.read_bytes().startswith(begins)
    refused = invoke("plot", RUN, "--out", file)
    assert refused.exit_code == 2 and "--overwrite" in refused.output


def test_the_default_figure_of_several_runs_is_an_overlay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        shutil.copytree(RUN, tmp_path / "runs" / name)
    result = invoke("plot", "runs")
    assert result.exit_code == 0 and "overlay.png" in result.output
    assert (tmp_path / "overlay.png").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--kind", "cake"], "choose one of series, overlay, routing"),
        (["--out", "figure.gif"], ".png, .svg, .pdf"),
        (["--kind", "heat"], "needs several runs"),
        (["--kind", "box", "--of", "colour"], "choose one of rtt, queueing"),
        (["--kind", "cdf", "--x", "delay"], "are for --kind line"),
        (["--kind", "line", "--x", "delay"], "needs several runs"),
        (["--width", "wide"], "column, page, slide, screen, or a number of inches"),
        (["--width", "0.1"], "from 1 to 50"),
    ],
)
def test_an_invalid_figure_is_refused_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = invoke("plot", RUN, *words)
    assert result.exit_code == 2 and message in result.output
    assert list(tmp_path.iterdir()) == []


def test_lines_of_a_sweep_for_a_paper(tmp_path: Path) -> None:
    for delay_ms in (10, 20):
        folder = Path(shutil.copytree(RUN, tmp_path / "runs" / f"d{delay_ms}"))
        (folder / "topology.mn").write_text(topology_text(delay_ms, 100, "cubic"))
    file = tmp_path / "goodput.pdf"
    words = ["--x", "delay", "--y", "goodput_mbit", "--y", "rtt_p95_ms", "--log", "x", "--no-title"]
    size = ["--style", "acm", "--width", "4", "--height", "3.5"]
    result = invoke("plot", tmp_path / "runs", "--kind", "line", *words, *size, "--out", file)
    assert result.exit_code == 0, result.output
    assert b"/MediaBox [ 0 0 288 252 ]" in file.read_bytes()  # 72 points for each inch
    refused = invoke("plot", tmp_path / "runs", "--kind", "line", "--y", "speed", "--out", tmp_path / "x.png")
    assert refused.exit_code == 2 and "choose one of goodput_mbit" in refused.output


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    for command in ("plot", "stats", "report"):
        result = invoke(command, tmp_path)
        assert result.exit_code == 2 and "contains no results at any depth" in result.output


def test_a_truncated_run_is_drawn_with_a_warning(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(RUN, tmp_path / "run"))
    table = folder / "samples/tcp.csv"
    table.write_bytes(table.read_bytes()[: -table.stat().st_size // 2])
    result = invoke("plot", folder, "--out", tmp_path / "half.png")
    assert result.exit_code == 0 and "tcp.csv ends in an incomplete line" in result.output
    assert (tmp_path / "half.png").is_file()


def test_numbers_for_people_and_programs(tmp_path: Path) -> None:
    summary = summarize(open_results(RUN))
    printed = invoke("stats", RUN)
    assert printed.exit_code == 0
    for flow in summary.flows:
        (row,) = [line.split() for line in printed.output.splitlines() if line.split()[:1] == [flow.flow]]
        assert row[2] == f"{flow.goodput_mbit:.2f}"
    (statistics,) = json.loads(invoke("stats", RUN, "--json").output)
    assert [flow["goodput_mbit"] for flow in statistics["flows"]] == [flow.goodput_mbit for flow in summary.flows]
    assert invoke("stats", RUN, "--csv", tmp_path / "flows.csv").exit_code == 0
    assert pd.read_csv(tmp_path / "flows.csv")["flow"].tolist() == ["bbr", "cubic"]


class Page(HTMLParser):
    """An HTML page: its unclosed tags, its texts, its pictures, and the external resources that it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.pictures: list[bytes] = []
        self.elsewhere: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "href") and value:
                kind, _, data = value.partition(",")
                if kind == "data:image/svg+xml;base64":
                    self.pictures.append(base64.b64decode(data))
                else:
                    self.elsewhere.append(value)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_report_is_one_file_that_needs_nothing_else(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(RUN, tmp_path / "run"))
    save_notes(folder, "BBR <waits> & waits")
    result = invoke("report", folder, "--out", tmp_path / "report.html")
    assert result.exit_code == 0, result.output
    page = Page((tmp_path / "report.html").read_text())
    assert page.open == [] and page.elsewhere == []
    # routing and transport, shares, a distribution, and the topology
    assert len(page.pictures) == 4
    for picture in page.pictures:
        assert ElementTree.fromstring(picture).tag.endswith("svg")
    text = " ".join(page.texts)
    for words in ("A link fails under BBR and CUBIC, briefly", "BBR <waits> & waits", "This run is", "6.1.176",
                  "Measured and configured values", "Flows of"):  # fmt: skip
        assert words in text
    assert invoke("report", folder, "--out", tmp_path / "report.html").exit_code == 2


def test_a_report_on_several_runs_compares_them(tmp_path: Path) -> None:
    for name, rate in (("one", 10), ("two", 20)):
        folder = Path(shutil.copytree(DATA / "results-v1", tmp_path / name))
        topology = vary(two_as_bgp(), Point(settings=(Setting(path="link:r1-r2.rate", text=str(rate)),))).topology
        (folder / "topology.mn").write_text(mn.dumps(topology))
    result = invoke(
        "report", tmp_path / "one", tmp_path / "two", "--out", tmp_path / "both.html", "--title", "Two controls"
    )
    assert result.exit_code == 0, result.output
    text = (tmp_path / "both.html").read_text()
    page = Page(text)
    assert "<title>Two controls</title>" in text and re.search("<h2>2. two</h2>", text)
    # bars, scatter, distribution and overlay of both, then the topology, series, shares and a distribution of each
    assert len(page.pictures) == 4 + 2 * 4
    assert "rate Mbit/s" in page.texts


def test_flent_files_are_exported_and_imported(tmp_path: Path) -> None:
    file = tmp_path / "run.flent.gz"
    assert invoke("export-flent", RUN, file).exit_code == 0 and file.is_file()
    assert "--overwrite" in invoke("export-flent", RUN, file).output
    assert invoke("export-flent", RUN, tmp_path / "run.json").exit_code == 2
    assert invoke("import-flent", file, tmp_path / "back").exit_code == 0
    assert invoke("stats", tmp_path / "back").exit_code == 0
    refused = invoke("import-flent", RUN / "run.json", tmp_path / "none")
    assert refused.exit_code == 2 and "not a results file of flent" in refused.output

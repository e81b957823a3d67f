"""The report and the pages of experiments: their contents; they load no other files, and are reproducible."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from frrlib.results.layout import ResultsError
from miniedit_frr.experiments import contents, pages, report
from miniedit_frr.experiments.catalogue import experiments
from miniedit_frr.experiments.contents import elapsed_text, experiment_results, small_png
from miniedit_frr.experiments.expectations import expectations
from tests.experiments.small import SMALL, STORED, stored_runs

ROOT = Path(__file__).parents[2]


def sampled() -> dict[str, str]:
    """The mean RTT of each sender of the stored run, in ms with two decimals."""
    rtts: dict[str, list[float]] = {}
    with (STORED / "samples" / "tcp.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["side"] == "sender" and row["srtt_ms"]:
                rtts.setdefault(row["flow"], []).append(float(row["srtt_ms"]))
    return {flow: f"{sum(values) / len(values):.2f}" for flow, values in rtts.items()}


class Page(HTMLParser):
    """The words, internal links and pictures of a page. Elements that load other files fail the test."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words, self.ids, self.links, self.pictures, self.open = "", set[str](), set[str](), 0, list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        if tag not in ("meta", "img", "br", "hr"):
            self.open.append(tag)
        self.ids.add(values.get("id") or "")
        if tag == "a" and (values.get("href") or "").startswith("#"):
            self.links.add((values["href"] or "")[1:])
        assert tag not in ("script", "link", "iframe")
        if tag == "img":
            self.pictures += 1
            assert (values.get("src") or "").startswith("data:image/") and values.get("alt")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one experiment, one case of which was run."""
    monkeypatch.setattr(contents, "experiments", lambda: {SMALL.name: SMALL})
    return stored_runs(tmp_path / "out")


def test_a_report_is_complete_and_self_contained(folder: Path) -> None:
    file = report.write(folder)
    assert file == folder / "report.html"
    text = file.read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == [] and page.pictures == 2 and page.links <= page.ids
    for flow, mean in sampled().items():
        assert f"{flow}: {mean}" in page.words
    for words in (
        "1 ✗ failed", "1 ○ not run", "of 2 statements", "~50 (average case and worst case)", "40 to 55",
        "the kernel has no bbr2", "The buffer is <large>.", "RTT of both flows over time.", "A. Uthor",
        "miniedit-frr experiment run CF5 --virtual-time", "Linux 6.1.176", "not run: it was not run",
    ):  # fmt: skip
        assert words in re.sub(r"\s+", " ", page.words), words
    assert "a=1" not in page.words and 'href="https://example.org/a?b=1&amp;c=2"' in text


def test_existing_verdicts_and_figures_are_shown_unchanged(folder: Path) -> None:
    from miniedit_frr.experiments.verdict import judge, save_verdicts

    results = experiment_results(folder)[0]
    save_verdicts(judge(SMALL, results.runs), results.runs.folder)
    (results.runs.folder / "figures").mkdir()
    Image.new("RGB", (40, 30), "red").save(results.runs.folder / "figures" / "figure-1.png")
    reloaded = experiment_results(folder)[0]
    assert [verdict.outcome for verdict in reloaded.verdicts] == ["fail", "not run"]
    with Image.open(io.BytesIO(reloaded.figure_png(SMALL.pictures[0]))) as image:
        assert image.size == (40, 30) and image.convert("RGB").getpixel((3, 3)) == (255, 0, 0)


def test_shortened_runs_are_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "experiments", lambda: {SMALL.name: SMALL})
    page = Page(report.write(stored_runs(tmp_path / "quick", quick=True)).read_text())
    assert "shortened runs for a class" in page.words and "--quick" in page.words


def test_a_folder_without_experiments_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="contains no experiment"):
        report.write(tmp_path)


def test_pages_repeat_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    to = tmp_path / "pages"
    written = pages.write(folder, to)
    assert {path.relative_to(to).as_posix() for path in written} == {
        "CF5.md", "README.md", "images/CF5_figure-1.png", "images/CF5_lab.png",
    }  # fmt: skip
    contents_of_files = {path: path.read_bytes() for path in written}
    (to / "images" / "CF5_old.png").write_bytes(b"a figure that is drawn no more")
    assert pages.write(folder, to) == written
    assert {path: path.read_bytes() for path in written} == contents_of_files
    assert not (to / "images" / "CF5_old.png").exists()


def test_a_page_has_its_verdicts_in_a_table(folder: Path, tmp_path: Path) -> None:
    pages.write(folder, tmp_path)
    text, index = ((tmp_path / name).read_text() for name in ("CF5.md", "README.md"))
    rows = [line for line in text.splitlines() if line.startswith("| **CF5.")]
    assert [line.count(" | ") for line in rows] == [4, 4]
    means = sampled()
    assert float(means["bbr"]) < 55 < float(means["cubic"])
    assert f"| bbr: {means['bbr']}<br>cubic: **{means['cubic']}** | 40 to 55 | ✗ failed |" in rows[0] and rows[
        1
    ].endswith("| ○ not run |")
    assert "| [CF5](CF5.md) | Two flows share a bottleneck |  | 1 | 1 |" in index
    for name in re.findall(r"\]\(([^)#:]+)\)", text + index):
        assert name == "../experiments.md" or (tmp_path / name).exists()


def test_scaled_pictures_keep_their_colors() -> None:
    big = io.BytesIO()
    image = Image.new("RGBA", (600, 300), (0, 0, 0, 0))
    image.paste((0, 114, 178, 255), (0, 0, 300, 300))
    image.save(big, format="png")
    with Image.open(io.BytesIO(small_png(big.getvalue(), 200))) as scaled:
        assert scaled.size == (200, 100)
        assert scaled.convert("RGB").getpixel((20, 50)) == (0, 114, 178)
        assert scaled.convert("RGB").getpixel((180, 50)) == (255, 255, 255)


def test_elapsed_times_as_text() -> None:
    assert [elapsed_text(s) for s in (0.2, 59.4, 61, 3599.7, 4000)] == [
        "0 s",
        "59 s",
        "1 min 1 s",
        "1 h 0 min",
        "1 h 6 min",
    ]


def test_the_documents_have_a_page_for_every_experiment() -> None:
    """A new experiment needs new pages: run docs/tools/make_experiment_pages.py."""
    folder = ROOT / "docs" / "experiments"
    index = (folder / "README.md").read_text(encoding="utf-8")
    for name, experiment in experiments().items():
        page = (folder / f"{name}.md").read_text(encoding="utf-8")
        assert f"[{name}]({name}.md)" in index
        for check in experiment.checks:
            assert f"**{check.id}**" in page and f"**{check.id}**" in index
        for picture in experiment.pictures:
            assert f"images/{name}_{picture.name}.png" in page
    ids = {line.split("**")[1] for line in index.splitlines() if line.startswith("| **")}
    assert ids <= expectations().keys()

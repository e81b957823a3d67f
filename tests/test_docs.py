"""Every target of a link in the documents exists, the pictures among them are small, and no figure is left out."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from frrlib.plots import figures
from miniedit_frr.runs import browser
from tests.cli.commands import command_output

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
#: A clone and a page shall load quickly. Windows in a palette of 256 colours are well below.
_LARGEST_BYTES = 130_000
_LONGEST_HEADING = 80


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    inside = [target for target in targets if target and not re.match(r"[a-z]+:", target)]
    assert [target for target in inside if not (document.parent / target).exists()] == []


def test_every_picture_is_shown_by_a_page() -> None:
    pages = "".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    pictures = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".png", ".gif", ".svg")]
    assert [str(path.relative_to(ROOT)) for path in pictures if f"/{path.name})" not in pages] == []


def test_the_tests_against_each_kind_of_loss_exist() -> None:
    table = (ROOT / "docs" / "files.md").read_text(encoding="utf-8").partition("## What can be lost")[2]
    names = set(re.findall(r"`((?:\w+/)*test_\w+\.py)`", table.partition("\n## ")[0]))
    assert len(names) > 5
    assert {name for name in names if not (ROOT / "tests" / name).exists()} == set()


def test_pictures_are_small() -> None:
    pictures = {path.name: path.stat().st_size for path in (ROOT / "docs").rglob("images/*.png")}
    assert {name: size for name, size in pictures.items() if size > _LARGEST_BYTES} == {}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_heading_is_a_short_line_of_its_own(document: Path) -> None:
    """A paragraph that is filled anew swallows the heading above it where no blank line is between them."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    lines = [*text.splitlines(), ""]
    headings = [(line, after) for line, after in pairwise(lines) if re.match(r"#{1,6} ", line)]
    assert [line for line, after in headings if after.strip() or len(line) > _LONGEST_HEADING] == []


def test_every_kind_of_figure_is_told_of_and_offered() -> None:
    """In the documentation, the command line's help and the window, which shows runs and their timelines by itself."""
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / "docs" / "results.md").read_text(), re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
    assert {*figures.KINDS} <= told
    assert len(figures.KINDS) == 15 and "# fifteen kinds of figures" in (ROOT / "README.md").read_text()
    help_words = {*re.findall(r"\w+", command_output("plot", "--help"))}
    assert {*figures.KINDS} <= help_words
    offered = {browser._WITH_OPTIONS.get(kind, (kind,))[0] for kind in browser.KINDS}
    assert {*figures.KINDS} - offered == {"series", "timeline"}


def test_every_kind_of_figure_is_on_the_sheet() -> None:
    script = (ROOT / "docs" / "tools" / "make_figures.py").read_text(encoding="utf-8")
    assert re.findall(r'^    "(\w+)": Picture\(', script, re.MULTILINE) == list(figures.KINDS)


def test_the_index_lists_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert {page for page in pages if f"]({page})" not in index} == set()

"""Figures for papers: sizes in inches, style sheets, fonts in files, PGF, and figures without legend, title, footer."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from frrlib.plots import figures
from frrlib.plots.figures import LineOptions, Paper
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.statistics.latex import escaped
from tests.plots.sweep_runs import renamed, topology_text, write_run
from tests.plots.test_figures import SPECIAL
from tests.results.conftest import make_below

_LINES = LineOptions(x="delay", facets=("queue",))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Results]:
    """Two congestion controls, two delays, two queues."""
    make = make_below(tmp_path_factory.mktemp("runs"))
    return [
        open_results(write_run(make, f"{control}-{delay}-{queue}", topology_text(delay, queue, control), [
            ("f", control, 5.0 + delay / 10, 90, 60),
        ]))
        for control, delay, queue in product(("bbr", "cubic"), (10, 20), (50, 100))
    ]  # fmt: skip


def words(fig: Figure) -> set[str]:
    return {text.get_text() for text in fig.findobj(Text) if isinstance(text, Text)}


@pytest.mark.parametrize(
    ("size", "sheet", "width", "height", "expected_width"),
    [
        ("column", "ieee", None, None, 3.5), ("page", "ieee", None, None, 7.16),
        ("column", "acm", None, None, 3.33), ("page", "acm", None, None, 7.0),
        ("slide", "slides", None, None, 13.333), ("column", "", 3.0, 3.6, 3.0), ("page", "ieee", 6.5, 4.0, 6.5),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["line", "box"])
def test_figures_have_the_size_of_the_paper(
    runs: list[Results], kind: str, size: str, sheet: str, width: float | None, height: float | None,
    expected_width: float,
) -> None:  # fmt: skip
    paper = Paper(sheet, width, height)
    fig = figures.make(kind, runs, size=size, paper=paper, lines=_LINES if kind == "line" else None)  # type: ignore[arg-type]
    assert fig.get_figwidth() == pytest.approx(expected_width, abs=1e-3)
    if height is not None:
        assert fig.get_figheight() == pytest.approx(height)
    pdf = figures.figure_bytes(fig, "pdf", sheet=figures.SHEETS[sheet].style if sheet else "")
    (box,) = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    assert float(box[0]) == pytest.approx(72 * expected_width, abs=0.1)
    assert float(box[1]) == pytest.approx(72 * fig.get_figheight(), abs=0.1)


@pytest.mark.parametrize("sheet", ["ieee", "acm"])
def test_a_sheets_letters_are_serifs_of_7_to_9_points_and_embedded(runs: list[Results], sheet: str) -> None:
    fig = figures.make("line", runs, size="column", lines=_LINES, paper=Paper(sheet))
    pdf = figures.figure_bytes(fig, "pdf", sheet=sheet)
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf and b"DejaVu" not in pdf
    sizes = {text.get_fontsize() for text in fig.findobj(Text) if isinstance(text, Text) and text.get_text()}
    assert min(sizes) >= 6.5 and max(sizes) <= 9
    svg = figures.figure_bytes(fig, "svg", sheet=sheet).decode()
    assert re.search(r"<text[^>]*>[^<]*Goodput", svg) and "serif" in svg
    # Another figure has the project's own style again.
    own = figures.figure_bytes(figures.make("line", runs, lines=_LINES), "pdf")
    assert b"DejaVu" in own


def test_legend_title_and_footer_can_be_left_out(runs: list[Results]) -> None:
    def made(**options: bool) -> Figure:
        fig = figures.make("line", runs, lines=_LINES, paper=Paper(**options))  # type: ignore[arg-type]
        fig.canvas.draw()
        return fig

    everything = {"BBR", "A sweep\nqueue 50 packets", "one run for each point"}
    assert everything <= words(made())
    assert words(made(legend=False)) & everything == everything - {"BBR"}
    assert not made(legend=False).legends
    assert words(made(footer=False)) & everything == everything - {"one run for each point"}
    without_title = words(made(title=False))
    # The titles distinguish the panels, so that only the common line is left out.
    assert "queue 50 packets" in without_title and not [word for word in without_title if "A sweep" in word]
    sizes = [
        {text.get_fontsize() for text in fig.findobj(Text) if isinstance(text, Text) and "packets" in text.get_text()}
        for fig in (made(), made(title=False))
    ]
    assert sizes[0] == sizes[1]
    (single,) = figures.make("line", runs, lines=LineOptions(x="delay"), paper=Paper(title=False)).axes
    assert single.get_title(loc="left") == ""


@pytest.mark.parametrize(
    "kind", [name for name, kind in figures.KINDS.items() if kind.least == 1 and name not in SPECIAL]
)
def test_other_kinds_can_be_without_them(kind: str, runs: list[Results]) -> None:
    several = runs[:4] if figures.KINDS[kind].most is None else runs[:1]
    fig = figures.make(kind, several, paper=Paper(legend=False, title=False, footer=False))
    fig.canvas.draw()
    assert not fig.legends and not [panel for panel in fig.axes if panel.get_legend()]
    assert fig.get_supxlabel() == "" and "A sweep" not in words(fig)


HOSTILE = r"\input{/etc/passwd} $x$ 50% a_b #1 & {^} ~"


def test_a_pgf_file_has_escaped_texts_and_needs_no_latex(
    runs: list[Results], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a program was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    fig = figures.make("line", renamed(runs, HOSTILE), size="page", lines=_LINES)
    pgf = figures.figure_bytes(fig, "pgf").decode()
    assert pgf == figures.figure_bytes(fig, "pgf").decode()
    assert r"\input{/etc" not in pgf.partition(r"\begingroup")[2]
    assert r"\textbackslash{}input\{/etc/passwd\} \$x\$ 50\% a\_b \#1 \& \{\textasciicircum{}\} " in pgf
    (width,) = re.findall(r"\\pgfpathrectangle\{\\pgfpointorigin\}\{\\pgfqpoint\{([\d.]+)in\}", pgf)
    assert float(width) == pytest.approx(7.16)
    assert "Goodput (Mbit/s)" in pgf and "queue 50 packets" in pgf
    assert pgf.count(r"\begin{pgfscope}") == pgf.count(r"\end{pgfscope}")


def test_only_what_can_be_printed_is_in_a_pgf_file() -> None:
    assert escaped("a\x00\n\x1bb") == "ab"
    assert escaped("^^5cinput") == r"\textasciicircum{}\textasciicircum{}5cinput"
    assert escaped("plain words, 3.5 (ms)") == "plain words, 3.5 (ms)"


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdflatex with the package pgf")
def test_latex_typesets_a_pgf_file(runs: list[Results], tmp_path: Path) -> None:
    # Some installations lack the font of a dollar.
    fig = figures.make("line", renamed(runs, HOSTILE.replace("$", "")), lines=_LINES, paper=Paper("ieee"))
    (tmp_path / "figure.pgf").write_bytes(figures.figure_bytes(fig, "pgf", sheet="ieee"))
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{pgf}\\begin{document}\\input{figure.pgf}\\end{document}\n"
    )
    argv = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF")


def test_a_color_map_cannot_be_a_pgf_file(runs: list[Results]) -> None:
    fig = figures.make("heat", runs, across="delay", up="queue")
    with pytest.raises(ValueError, match="choose PDF"):
        figures.figure_bytes(fig, "pgf")

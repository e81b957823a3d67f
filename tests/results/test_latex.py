"""Texts and tables for LaTeX: every character is escaped, and a LaTeX program compiles them."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import chain
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from frrlib.plots.pgf import pgf_bytes
from frrlib.results.statistics.latex import escaped, latex_table
from frrlib.results.statistics.table import TextTable

#: All of ASCII, accented letters, Greek, punctuation, currencies, letterlike symbols, arrows, formulas, Chinese, emoji.
CHARACTERS = [
    chr(code)
    for code in chain(range(0x80), range(0xA0, 0x250), range(0x370, 0x400), range(0x2000, 0x2070),
                      range(0x20A0, 0x20C0), range(0x2100, 0x2270), (0x4E2D, 0x1F600))
]  # fmt: skip
#: The grammar of an escaped text: plain characters, an escaped special one, a command with an empty argument or a
#: formula of one symbol, and a character in braces, which forms no ligature and
#: is no argument of a command before it.
SAFE = re.compile(
    r"(?:[A-Za-z0-9 !()+,./:;=?@\]\xa1-\u017e\u2013-\u201d\u20ac]"
    r"|\\[{}$&#_%]|\\(?:text[a-z]+|ldots)\{\}|\\ensuremath\{(?:-|\\[A-Za-z]+)\}|\{[-`'*\[]\}|'')*"
)
needs_latex = pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdflatex with the packages booktabs, pgf")


def compiled(folder: Path, body: str, packages: str = "booktabs") -> str:
    """The log of pdflatex for a document."""
    text = f"\\documentclass{{article}}\\usepackage{{{packages}}}\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (folder / "paper.tex").write_text(text, encoding="utf-8")
    argv = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert (folder / "paper.pdf").read_bytes().startswith(b"%PDF")
    return (folder / "paper.log").read_text(encoding="utf-8", errors="replace")


def test_every_escaped_character_is_in_the_grammar() -> None:
    for character in CHARACTERS:
        assert SAFE.fullmatch(escaped(character)), repr(character)
    assert escaped("".join(CHARACTERS)) == "".join(map(escaped, CHARACTERS))


def test_known_letters_stay_and_unknown_ones_become_similar() -> None:
    assert escaped("Zürich Łódź Ångström") == "Zürich Łódź Ångström"
    assert escaped("Δ 5 μs ≤ \N{OHM SIGN}") == (
        r"\ensuremath{\Delta} 5 \ensuremath{\mu}s \ensuremath{\leq} \ensuremath{\Omega}"
    )
    assert escaped("ą ½ ⅓ ﬁ 中") == "a ½ 1/3 fi ?"


@needs_latex
def test_latex_typesets_every_character_in_a_table(tmp_path: Path) -> None:
    rows = tuple((f"{character}x", "9.10 ± 0.02", "1.0 [0.0, 5.3]") for character in CHARACTERS)
    tables = [
        latex_table(TextTable("Δ 50 % of a_b \\end{tabular}", ("n_1 & %", "Mbit/s", "µs"), rows[at : at + 40],
                              (False, True, True)))
        for at in range(0, len(rows), 40)
    ]  # fmt: skip
    log = compiled(tmp_path, "\n\n".join(tables))
    assert "Missing character" not in log


@needs_latex
def test_latex_typesets_the_texts_of_a_pgf_figure(tmp_path: Path) -> None:
    figure = Figure(figsize=(3, 2))
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], label="Δ queue_1 50 % & 中")
    axes.set_xlabel("delay (µs), σ ≤ 3 → 4")
    axes.legend()
    (tmp_path / "figure.pgf").write_bytes(pgf_bytes(figure))
    assert "Missing character" not in compiled(tmp_path, "\\input{figure.pgf}", "pgf")

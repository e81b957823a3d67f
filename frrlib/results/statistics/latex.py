"""Tables and texts for LaTeX documents. Every text is escaped, because names from a topology could be commands."""

from __future__ import annotations

import re

from frrlib.results.statistics.table import UNKNOWN, TextTable

#: The characters with a meaning in LaTeX, or with another glyph in its default fonts.
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "-": "{-}", "`": "{`}", "'": "{'}", '"': "''",
    "\N{MINUS SIGN}": r"\ensuremath{-}", "\N{MULTIPLICATION SIGN}": r"\ensuremath{\times}",
    "\N{PLUS-MINUS SIGN}": r"\ensuremath{\pm}", "\N{MICRO SIGN}": r"\ensuremath{\mu}",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}", "\N{RIGHTWARDS ARROW}": r"\ensuremath{\rightarrow}",
}  # fmt: skip
#: A number, with its interval or quartiles.
_NUMBERS = re.compile(r"-?\d[\d.e+-]*( ± \d[\d.e+-]*| \[[^\]]+\]| \([\d.]+ to [\d.]+\))?")

#: Their marks in a formula.
_IN_FORMULAS = {" ± ": r" \pm ", " [": r"\ [", " (": r"\ (", " to ": r"\mbox{ to }"}


def escaped(text: str) -> str:
    """A text that LaTeX typesets as it is. Characters that cannot be printed are left out."""
    return "".join(_ESCAPES.get(character, character) for character in text if character.isprintable())


def latex_table(table: TextTable) -> str:
    """A table as a `tabular` with the lines of the package booktabs, below a comment with its title."""
    columns = "".join("r" if is_number else "l" for is_number in table.numeric)
    lines = [
        f"% {escaped(table.title)}",
        r"% In the preamble: \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _row([escaped(heading) for heading in table.headings]),
        r"\midrule",
        *(_row([_cell(*cell) for cell in zip(row, table.numeric, strict=True)]) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(text: str, is_number: bool) -> str:
    if is_number and text == UNKNOWN:
        return "--"
    if not is_number or not _NUMBERS.fullmatch(text):
        return escaped(text)
    for words, formula in _IN_FORMULAS.items():
        text = text.replace(words, formula)
    return f"${text}$"

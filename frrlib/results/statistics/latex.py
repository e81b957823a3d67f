"""Tables and texts for LaTeX documents. Every text is escaped, because names from a topology could be commands."""

from __future__ import annotations

import re
import unicodedata

from frrlib.results.statistics.table import UNKNOWN, TextTable

#: The characters with a meaning in LaTeX, or with another glyph in its default fonts.
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "-": "{-}", "`": "{`}", "'": "{'}", '"': "''",
    "[": "{[}", "*": "{*}",  # an argument of the end of the row before
    "\N{MINUS SIGN}": r"\ensuremath{-}", "\N{MULTIPLICATION SIGN}": r"\ensuremath{\times}",
    "\N{PLUS-MINUS SIGN}": r"\ensuremath{\pm}", "\N{MICRO SIGN}": r"\ensuremath{\mu}",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}", "\N{RIGHTWARDS ARROW}": r"\ensuremath{\rightarrow}",
    "\N{LEFTWARDS ARROW}": r"\ensuremath{\leftarrow}", "\N{LESS-THAN OR EQUAL TO}": r"\ensuremath{\leq}",
    "\N{GREATER-THAN OR EQUAL TO}": r"\ensuremath{\geq}", "\N{ALMOST EQUAL TO}": r"\ensuremath{\approx}",
    "\N{INFINITY}": r"\ensuremath{\infty}", "\N{SQUARE ROOT}": r"\ensuremath{\surd}", "\N{BULLET}": r"\textbullet{}",
    "\N{FRACTION SLASH}": "/",
}  # fmt: skip
#: Letters of formulas, by their commands. The other letters of Greek look like those of Latin.
_GREEK = (
    "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega", "alpha", "beta",
    "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho",
    "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
)  # fmt: skip
_ESCAPES |= {
    unicodedata.lookup(
        f"GREEK {'CAPITAL' if name[0].isupper() else 'SMALL'} LETTER {name.upper().replace('LAMBDA', 'LAMDA')}"
    ): rf"\ensuremath{{\{name}}}"
    for name in _GREEK
}
#: The characters that LaTeX typesets in its default encoding OT1, without a package. Some of Latin are missing there.
_MISSING = frozenset("\xab\xbbÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲų")
_TYPESET = frozenset(map(chr, (*range(0x20, 0x7F), *range(0xA1, 0x17F), *range(0x2018, 0x201A), 0x201C, 0x201D,
                               0x2013, 0x2014, 0x20AC))) - _MISSING  # fmt: skip
_UNKNOWN = "?"
#: A number, with its interval or quartiles.
_NUMBERS = re.compile(r"-?\d[\d.e+-]*( ± \d[\d.e+-]*| \[[^\]]+\]| \([\d.]+ to [\d.]+\))?")

#: Their marks in a formula.
_IN_FORMULAS = {" ± ": r" \pm ", " [": r"\ [", " (": r"\ (", " to ": r"\mbox{ to }"}


def escaped(text: str) -> str:
    """A text that LaTeX typesets as it is, without further packages.

    Characters that cannot be printed are left out. A letter that LaTeX lacks loses its accent, and other characters
    that it lacks become "?", because they would end the document with an error.
    """
    return "".join(_escaped_character(character) for character in text if character.isprintable())


def _escaped_character(character: str) -> str:
    if character in _ESCAPES or character in _TYPESET:
        return _ESCAPES.get(character, character)
    parts = (part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part))
    return "".join(_ESCAPES.get(part, part if part in _TYPESET else _UNKNOWN) for part in parts)


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

"""Tables as CSV in which a spreadsheet finds no formula. Standard library only.

A lab or a stranger's topology chooses names and texts. A spreadsheet executes a cell that begins like a formula, and
programs for spreadsheets start other programs. So such a text gets an apostrophe before it, as OWASP's page on CSV
injection says; numbers, negative ones too, stay numbers.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

#: Characters that begin a formula, also in their full-width forms, and those that begin a cell where a spreadsheet
#: separates cells by something else than a comma.
_BEGIN = "=+\\-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
_FORMULA = re.compile(rf"'*([\t\r\n]|\s*[{_BEGIN}])")
_LATER = re.compile(rf"(?<=[;\t\r\n])(?=\s*[{_BEGIN}])")
#: Numbers, and the sign alone that stands for an unknown value.
_HARMLESS = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|-|[+-]?(inf|nan)")


def cell(value: Any) -> Any:
    """A value as it stands in a table: True and False as 1 and 0, a text so that it is no formula."""
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, str) or _HARMLESS.fullmatch(value):
        return value
    text = _LATER.sub("'", value)
    return f"'{text}" if _FORMULA.match(value) else text


def text_of(cell_text: str) -> str:
    """The text that `cell` wrote with an apostrophe before it; any other one as it is."""
    text = cell_text[1:]
    is_marked = cell_text.startswith("'") and _FORMULA.match(text) and not _HARMLESS.fullmatch(text)
    return text if is_marked else cell_text


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV, the first of which may name the columns; None becomes an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()

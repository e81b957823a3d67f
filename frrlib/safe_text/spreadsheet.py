"""Tables as CSV without formulas for spreadsheets. Standard library only.

A lab or a stranger's topology chooses names and texts. A spreadsheet executes a cell that begins like a formula, and
spreadsheet programs start other programs. So an apostrophe is put before such a text, as OWASP's page on CSV injection
recommends. Numbers, also negative ones, stay numbers.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

#: Characters that begin a formula, also in their full-width forms. The second and third pattern also cover characters
#: that begin a cell if a spreadsheet separates cells by another character than a comma.
_BEGIN = "=+\\-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
_FORMULA = re.compile(rf"'*([\t\r\n]|\s*[{_BEGIN}])")
_LATER = re.compile(rf"(?<=[;\t\r\n])(?=\s*[{_BEGIN}])")
#: Numbers, and the sign alone that stands for an unknown value.
_HARMLESS = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|-|[+-]?(inf|nan)")


def cell(value: Any) -> Any:
    """A value as written to a table: True and False as 1 and 0, a text such that it is no formula."""
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, str) or _HARMLESS.fullmatch(value):
        return value
    text = _LATER.sub("'", value)
    return f"'{text}" if _FORMULA.match(value) else text


def text_of(cell_text: str) -> str:
    """The original of a text to which `cell` added an apostrophe. Any other text is unchanged."""
    text = cell_text[1:]
    is_marked = cell_text.startswith("'") and _FORMULA.match(text) and not _HARMLESS.fullmatch(text)
    return text if is_marked else cell_text


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV. The first one may be the names of the columns. None becomes an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()

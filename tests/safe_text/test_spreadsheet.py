"""No text in any table is a formula, as defined by OWASP's page on CSV injection. Numbers stay numbers."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from frrlib.safe_text.spreadsheet import cell, csv_text, text_of

ROOT = Path(__file__).parents[2]
#: OWASP's characters, its examples, and what passed once.
FORMULAS = (
    "=1+2", "=1+2\";=1+2", "@SUM(1)", "+cmd|x", "-cmd|x", "-2+3+cmd|' /C calc'!A0", "+1-1", "\t=1", "\r=1", "\n=1",
    "\tx", " =1", "- 2", "-5 ms", "-1e", "\uff1d1", "\uff0bcmd", "\uff0dcmd", "\uff20SUM",
)  # fmt: skip
NUMBERS = ("-5", "+5", "-0.25", "-.5", "5.", "-1e-9", "+1.5E+3", "-inf", "nan", "-")
TEXTS = ("f=1", "a-b", "10.0.0.0/24", "h1", "", "a, b", "'quoted'", "''")


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_gets_an_apostrophe_and_loses_it_when_it_is_read(text: str) -> None:
    assert str(cell(text)).startswith("'")
    if not set(text) & set(";\t\r\n"):  # behind these there is another apostrophe, which stays
        assert text_of(str(cell(text))) == text
        assert text_of(str(cell(f"'{text}"))) == f"'{text}"


@pytest.mark.parametrize("value", [*NUMBERS, *TEXTS, -5, -0.25, None])
def test_numbers_and_other_texts_stay(value: object) -> None:
    assert cell(value) == value
    assert not isinstance(value, str) or text_of(value) == value


def test_a_cell_of_another_separator_is_no_formula_either() -> None:
    rows = list(csv.reader(io.StringIO(csv_text([("a;=cmd|x", "b\n+cmd|x", "c; -2+3", "d;e")])), delimiter=";"))
    assert not [each for row in rows for each in row if each.lstrip()[:1] in tuple("=+-@")]


def test_every_table_of_the_project_is_written_by_it() -> None:
    sources = [path for top in ("frrlib", "miniedit_frr", "experiments") for path in (ROOT / top).rglob("*.py")]
    writers = [path.name for path in sources if "csv.writer" in (text := path.read_text()) or "csv.DictWriter" in text]
    assert writers == ["spreadsheet.py"]

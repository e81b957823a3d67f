"""Grades in the formats that Moodle, Canvas and spreadsheet programs import. Equal grades give equal files."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from frrlib.errors import PlaceError
from frrlib.exercises.exercise import Exercise
from frrlib.exercises.grading import Grade
from frrlib.formats.files import replace_file
from frrlib.safe_text.spreadsheet import cell, csv_text

#: The date of all workbooks, so that equal grades give equal files.
_DATE = datetime(1980, 1, 1)


def write_gradebooks(exercise: Exercise, grades: Sequence[Grade], folder: Path) -> None:
    """Write `moodle.csv` and `canvas.csv`. Raises PlaceError."""
    replace_file(folder / "moodle.csv", csv_text(moodle_rows(exercise, grades)).encode())
    replace_file(folder / "canvas.csv", csv_text(canvas_rows(exercise, grades)).encode())


def importable(grades: Iterable[Grade]) -> list[Grade]:
    """The grades that have one student each. A teacher decides about the others."""
    graded = [grade for grade in grades if not grade.error]
    counts = Counter(grade.student.lower() for grade in graded)
    return [grade for grade in graded if counts[grade.student.lower()] == 1]


def moodle_rows(exercise: Exercise, grades: Sequence[Grade]) -> Iterable[Sequence[object]]:
    """The rows for Moodle's *Import > CSV file*: students are found by their ID number."""
    title = exercise.content.title
    yield ["ID number", "Name", title, f"{title} (Feedback)"]
    for grade in importable(grades):
        chapters = [f"{each.chapter.title}: {each.points} of {each.chapter.points}" for each in grade.chapters]
        yield [grade.student, grade.name, grade.points, "; ".join(chapters)]


def canvas_rows(exercise: Exercise, grades: Sequence[Grade]) -> Iterable[Sequence[object]]:
    """The rows for the import of Canvas' gradebook: students are found by their SIS id or login."""
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", exercise.content.title]
    yield ["Points Possible", "", "", "", "", exercise.points]
    for grade in importable(grades):
        yield [grade.name, "", grade.student, grade.student, "", grade.points]


def write_workbook(rows: Iterable[Sequence[Any]], path: Path) -> None:
    """Write rows as a workbook (`.xlsx`), the first one as its head.

    Raises:
        PlaceError: XlsxWriter is not installed, or the file cannot be written.
    """
    try:
        import xlsxwriter  # an optional package
    except ImportError:
        raise PlaceError("XlsxWriter is not installed", "pip install xlsxwriter, or use grades.csv") from None
    data = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(data, options) as workbook:
        workbook.set_properties({"created": _DATE})
        sheet, bold = workbook.add_worksheet("Grades"), workbook.add_format({"bold": True})
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, [cell(value) for value in row], bold if number == 0 else None)
        sheet.freeze_panes(1, 0)
        sheet.autofit()
    replace_file(path, data.getvalue())

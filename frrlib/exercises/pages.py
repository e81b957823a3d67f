"""Grades as files: `grades.csv`, a page for each student and one for the class. All texts of students are escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from statistics import median

from frrlib.exercises.evaluation import Outcome
from frrlib.exercises.exercise import Exercise
from frrlib.exercises.gradebooks import write_gradebooks
from frrlib.exercises.grading import ChapterGrade, Grade
from frrlib.formats.files import replace_file
from frrlib.safe_text.plain import plain
from frrlib.safe_text.spreadsheet import csv_text

_PAUSE_MINUTES = 30
#: The page forbids scripts and everything from elsewhere, in case a text escapes.
_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ border-bottom: 1px solid #ccc; padding: .3rem .6rem; text-align: left; vertical-align: top; }}
td.number, th.number {{ text-align: right; white-space: nowrap; }}
pre {{ background: #f5f5f5; padding: .6rem; overflow-x: auto; }}
</style>
"""


def write_grades(exercise: Exercise, grades: Sequence[Grade], folder: Path) -> None:
    """Write `grades.csv`, gradebooks, `index.html` and a page for each submission.

    Raises:
        PlaceError: the folder cannot be written.
    """
    (folder / "students").mkdir(parents=True, exist_ok=True)
    replace_file(folder / "grades.csv", csv_text(rows(exercise, grades)).encode())
    write_gradebooks(exercise, grades, folder)
    for number, grade in enumerate(grades, 1):
        replace_file(folder / page_path(number, grade), student_page(exercise, grade).encode())
    replace_file(folder / "index.html", class_page(exercise, grades).encode())


def rows(exercise: Exercise, grades: Sequence[Grade]) -> Iterable[Sequence[object]]:
    """A row for each grade, after the names of the columns."""
    chapters = exercise.content.chapters
    ids = [chapter.id for chapter in chapters]
    yield ["file", "student", "name", "points", "possible", *ids, "error", "notes", "not used"]
    for grade in grades:
        points = [chapter.points for chapter in grade.chapters] or [0] * len(chapters)
        remarks = [grade.error, "; ".join(grade.notes), "; ".join(grade.unused)]
        yield [grade.file, grade.student, grade.name, grade.points, grade.points_possible, *points, *remarks]


def student_page(exercise: Exercise, grade: Grade) -> str:
    """The page of one submission, in HTML."""
    title = f"{exercise.content.title}: {grade.name or grade.student or grade.file}"
    parts = [_head(title), f"<h1>{_text(title)}</h1>"]
    facts = f"Student {grade.student or 'unknown'}, file {grade.file}."
    parts.append(f"<p>{_text(facts)}</p>")
    parts.append(f"<p><strong>{grade.points} of {grade.points_possible} points</strong></p>")
    if grade.error:
        parts.append(f"<p>Not graded: {_text(grade.error)}</p>")
    parts += [f"<p>Note: {_text(note)}</p>" for note in grade.notes]
    if grade.unused:
        parts.append("<p>Left out of the labs, because it does not count:</p>\n<ul>")
        parts += [f"<li>{_text(clause)}</li>" for clause in grade.unused]
        parts.append("</ul>")
    for chapter in grade.chapters:
        parts += _chapter(chapter)
    if grade.log:
        parts.append(f"<h2>Log</h2>\n<pre>{_text(chr(10).join(grade.log))}</pre>")
    return "\n".join([*parts, "</html>", ""])


def _chapter(grade: ChapterGrade) -> Iterable[str]:
    yield f"<h2>{_text(grade.chapter.title)}: {grade.points} of {grade.chapter.points} points</h2>"
    if grade.reason:
        yield f"<p>{_text(grade.reason[:1].upper() + grade.reason[1:])}.</p>"
    if grade.state.hints:
        yield f"<p>Hints taken: {grade.state.hints}, price {grade.hint_price}.</p>"
    if grade.outcomes:
        yield '<table>\n<tr><th>Task<th>Result<th class="number">Points<th>Seen</tr>'
        yield from (_row(outcome) for outcome in grade.outcomes)
        yield "</table>"


def _row(outcome: Outcome) -> str:
    message = outcome.check.message if outcome.state == "fails" else ""
    seen = " ".join(filter(None, (message, outcome.seen)))
    return (
        f'<tr><td>{_text(outcome.check.title)}<td>{outcome.state}<td class="number">{outcome.points} of '
        f"{outcome.check.points}<td>{_text(seen)}</tr>"
    )


def class_page(exercise: Exercise, grades: Sequence[Grade]) -> str:
    """The page of the class, in HTML: all points, and how often each check failed."""
    title = f"{exercise.content.title}: grades"
    parts = [_head(title), f"<h1>{_text(title)}</h1>", '<table>\n<tr><th>Student<th>Name<th class="number">Points<th>']
    for number, grade in enumerate(grades, 1):
        remarks = "; ".join(filter(None, (grade.error, *grade.notes, *grade.unused)))
        parts.append(
            f'<tr><td><a href="{page_path(number, grade)}">{_text(grade.student or grade.file)}</a>'
            f'<td>{_text(grade.name)}<td class="number">{grade.points} of {grade.points_possible}<td>{_text(remarks)}'
        )
    parts.append('</table>\n<h2>Checks</h2>\n<table>\n<tr><th>Chapter<th>Task<th class="number">Failed')
    results = [outcome for grade in grades for chapter in grade.chapters for outcome in chapter.outcomes]
    for chapter in exercise.content.chapters:
        for check in chapter.checks:
            outcomes = [outcome for outcome in results if outcome.check.id == check.id]
            failed = sum(not outcome.holds for outcome in outcomes)
            parts.append(
                f"<tr><td>{_text(chapter.title)}<td>{_text(check.title)}"
                f'<td class="number">{failed} of {len(outcomes)}</tr>'
            )
    parts.append('</table>\n<h2>Time</h2>\n<table>\n<tr><th>Chapter<th class="number">Median')
    for chapter in exercise.content.chapters:
        minutes = [spent for grade in grades if (spent := chapter_minutes(grade.log, chapter.id)) is not None]
        text = f"{median(minutes):.0f} min of {len(minutes)} students" if minutes else "unknown"
        parts.append(f'<tr><td>{_text(chapter.title)}<td class="number">{text}</tr>')
    return "\n".join([*parts, "</table>", "</html>", ""])


def chapter_minutes(log: Iterable[str], chapter_id: str) -> float | None:
    """The minutes that a student worked on a chapter, by the log; None if it has no action there.

    The time before an action counts for its chapter. Longer pauses than `_PAUSE_MINUTES` do not count.
    """
    total, before = None, None
    for line in log:
        time_text, _, rest = line.partition("  ")
        try:
            now = datetime.strptime(time_text, "%Y-%m-%d %H:%M:%S")
        except ValueError:
            continue
        if rest.partition("  ")[0] == chapter_id:
            minutes = (now - before).total_seconds() / 60 if before else 0.0
            total = (total or 0.0) + (minutes if 0 <= minutes <= _PAUSE_MINUTES else 0.0)
        before = now
    return total


def page_path(number: int, grade: Grade) -> str:
    """The page of a submission relative to the folder of the grades: a harmless name, with the number to be unique."""
    base = re.sub(r"[^A-Za-z0-9_-]+", "-", grade.student or Path(grade.file).stem).strip("-")[:60] or "submission"
    return f"students/{number:03d}-{base}.html"


def _head(title: str) -> str:
    return _HEAD.format(title=_text(title))


def _text(text: str) -> str:
    return escape(plain(text))

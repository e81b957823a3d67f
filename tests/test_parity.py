"""`docs/miniedit-parity.md` proves what it says: every row names a test or a picture, and all of those exist."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "miniedit-parity.md"
#: The chapters of the page, and the fewest rows that each had when it was written.
CHAPTERS = {
    "Starting": 12,
    "The window": 10,
    "Menus": 13,
    "The tool column": 10,
    "Keys and mouse": 8,
    "Kinds of nodes": 8,
    "Links": 11,
    "Right clicks": 11,
    "Dialogs": 49,
    "The file": 13,
    "Running": 16,
    "The exported script": 14,
    "Defects that are absent": 7,
}


@dataclass(frozen=True)
class Row:
    """A line of a table: the chapter, the thing, where it is here, and what shows it."""

    chapter: str
    thing: str
    where_here: str
    proofs: tuple[str, ...]


def rows(text: str) -> list[Row]:
    """All rows of the page's tables, headings left out."""
    rows_found, chapter = [], ""
    for line in text.splitlines():
        if line.startswith("## "):
            chapter = line[3:].strip()
        elif line.startswith("|") and not re.match(r"\|[\s|:-]+\|$", line):
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
            assert len(cells) == 3, f"{chapter}: not three columns: {line}"
            if cells[0] != "MiniEdit":
                rows_found.append(
                    Row(chapter, cells[0], cells[1], tuple(re.findall(r"`([^`]+)`|\]\(([^)]+)\)", cells[2])))
                )
    return [
        Row(row.chapter, row.thing, row.where_here, tuple(a or b for a, b in row.proofs))  # type: ignore[misc]
        for row in rows_found
    ]


@cache
def names_in(path: Path) -> frozenset[str]:
    """Test functions, and classes of tests, of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assigned = {
        target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets
        if isinstance(target, ast.Name)
    }  # fmt: skip
    return frozenset(name for name in functions | assigned if name.lower().startswith("test"))


def fault(proof: str) -> str:
    """The defect of a proof; empty if the proof exists. A test is `folder/test_file.py::test_name` below tests/."""
    path, colons, name = proof.partition("::")
    if colons:
        file = ROOT / "tests" / path
        if not file.is_file():
            return f"there is no tests/{path}"
        return "" if name in names_in(file) else f"there is no {name} in tests/{path}"
    if proof.endswith(".png"):
        return "" if (PAGE.parent / proof).is_file() else f"there is no picture docs/{proof}"
    return f"{proof!r} is neither a test nor a picture"


def test_every_row_is_proved() -> None:
    lacking = [f"{row.chapter}: {row.thing}" for row in rows(PAGE.read_text(encoding="utf-8")) if not row.proofs]
    assert lacking == []


def test_every_proof_exists() -> None:
    all_rows = rows(PAGE.read_text(encoding="utf-8"))
    faults = {
        f"{row.chapter}: {row.thing}: {reason}" for row in all_rows for proof in row.proofs if (reason := fault(proof))
    }
    assert faults == set()


def test_no_chapter_has_lost_rows() -> None:
    counted = dict.fromkeys(CHAPTERS, 0)
    for row in rows(PAGE.read_text(encoding="utf-8")):
        counted[row.chapter] += 1
    assert {chapter: count for chapter, count in counted.items() if count < CHAPTERS[chapter]} == {}


def test_every_defect_has_a_test_of_its_own() -> None:
    numbers = set()
    for row in rows(PAGE.read_text(encoding="utf-8")):
        if row.chapter == "Defects that are absent":
            numbers |= {match[1] for proof in row.proofs if (match := re.search(r"::test_defect_(\d+)_", proof))}
    assert numbers == {str(number) for number in range(1, 8)}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("| Zoom | none | |", "no proof"),
        ("| Zoom | none | `window/test_nothing.py::test_x` |", "no file"),
        ("| Zoom | none | `window/editor/test_editor.py::test_x` |", "no test"),
        ("| Zoom | none | [picture](images/none.png) |", "no picture"),
        ("| Zoom | none | `trust me` |", "nothing"),
    ],
)
def test_a_row_without_proof_is_found(line: str, reason: str) -> None:
    (row,) = rows(f"## Menus\n| MiniEdit | here | shown by |\n| --- | --- | --- |\n{line}\n")
    assert not row.proofs or all(fault(proof) for proof in row.proofs), reason

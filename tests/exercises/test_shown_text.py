"""The text of exercises in the window: nothing of the Markdown is lost, which is read line by line here."""

from __future__ import annotations

import re

import pytest

from frrlib.exercises.exercise import exercises_below
from miniedit_frr.exercises_view.markdown_runs import PictureRun, Run, TableRun, TextRun, markdown_runs
from tests.exercises.samples import SHIPPED

CHAPTERS = [
    pytest.param(student.page(chapter), id=f"{exercise.name}-{chapter.id}")
    for exercise in exercises_below(SHIPPED)
    for student in [exercise.of_student("ada42")]
    for chapter in exercise.content.chapters
]
SAMPLE = """## Links

See [the manual](https://docs.frrouting.org) and <https://example.org/>, **or** *not*.

![A drawing](net.png)

3. three

   more of three
   - inner `a  b`
4. four
   ***
   <b>no tag</b>\\
   next line

| x | y |
| --- | --- |
| [z](https://example.org/z) | `1 \\| 2` |

    indented code
"""


def shown(runs: list[Run]) -> str:
    """All characters that are shown."""
    parts = {TextRun: lambda run: run.text, PictureRun: lambda run: run.caption,
             TableRun: lambda run: "\n".join(" ".join(row) for row in run.rows)}  # fmt: skip
    return " ".join(parts[type(run)](run) for run in runs)


def with_tag(runs: list[Run], tag: str) -> list[str]:
    """The texts with a tag."""
    return [run.text for run in runs if isinstance(run, TextRun) and tag in run.tags]


@pytest.mark.parametrize("page", CHAPTERS)
def test_each_word_table_list_and_code_of_a_chapter_is_shown(page: str) -> None:
    runs = list(markdown_runs(page))
    assert re.findall(r"\w+", shown(runs)) == re.findall(r"\w+", page)

    lines = page.splitlines()
    rows = [[cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]
            for line in lines if line.strip().startswith("|") and "---" not in line]  # fmt: skip
    assert [list(row) for run in runs if isinstance(run, TableRun) for row in run.rows] == rows

    fences = re.findall(r"^( *)```\n(.*?)\n *```", page, re.MULTILINE | re.DOTALL)
    assert with_tag(runs, "block") == [re.sub(f"^{indent}", "", code, flags=re.MULTILINE) for indent, code in fences]
    prose = re.sub(r"^ *```.*?```|^ *\|.*?$", "", page, flags=re.MULTILINE | re.DOTALL)
    assert with_tag(runs, "code") == [code.replace("\n   ", " ") for code in re.findall(r"`([^`]+)`", prose)]

    numbers = [text for text in with_tag(runs, "item1") if text.endswith("\t")]
    marks = re.findall(r"^(\d+\.|-) ", page, re.MULTILINE)
    assert numbers == [f"{mark.replace('-', '•')}\t" for mark in marks]
    assert with_tag(runs, "h1")[0] == lines[0].removeprefix("# ")


def test_links_pictures_and_nested_lists() -> None:
    runs = list(markdown_runs(SAMPLE))
    text = shown(runs)
    assert with_tag(runs, "link") == ["the manual", "https://example.org/"]
    assert "the manual  (https://docs.frrouting.org)  and" in text and "(https://example.org/)" not in text
    assert PictureRun("net.png", "A drawing", "p") in runs
    assert (with_tag(runs, "strong"), with_tag(runs, "em")) == (["or"], ["not"])
    # A second paragraph, and the text after an inner list, belong to the outer item.
    assert {"more of three", "three", "four"} <= set(with_tag(runs, "item1"))
    assert with_tag(runs, "item2") == ["•\t", "inner ", "a  b", "\n"] and "3.\t" in text and "4.\t" in text
    assert "<b>no tag</b>" in text and "―" in text
    assert [run.rows for run in runs if isinstance(run, TableRun)] == [
        (("x", "y"), ("z (https://example.org/z)", "1 | 2"))
    ]
    assert with_tag(runs, "block") == ["indented code"]

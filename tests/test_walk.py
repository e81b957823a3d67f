"""The walk of a link's rate in the architecture's document leads over things that are there, and that know the rate."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
_SECTION = _TEXT.split("## The walk of one link's rate")[1].split("\n## ")[0]
STEPS = re.findall(r"`([\w/]+)\.py` `(\w+)`", _SECTION)


@pytest.mark.parametrize(("module", "name"), sorted(set(STEPS)), ids=lambda value: value.rpartition("/")[2])
def test_a_step_of_the_walk_is_where_the_document_says(module: str, name: str) -> None:
    assert hasattr(import_module(module.replace("/", ".")), name)


def test_the_steps_are_as_many_as_the_text_says() -> None:
    tables = [re.findall(r"^\| .*`", part, flags=re.M) for part in _SECTION.split("| --- | --- | --- |")[1:]]
    steps_of_lab, steps_of_live_change = map(len, tables)
    of_dialog = 4  # which the first row of the second table stands for
    assert f"These are {steps_of_lab} steps" in _SECTION
    words = {8: "eight", 9: "nine"}
    assert f"Now it takes {words[of_dialog + steps_of_live_change - 1]}," in _SECTION

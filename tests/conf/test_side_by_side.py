"""Configurations side by side: no line is left out, and the blocks equal the changes."""

from __future__ import annotations

from hypothesis import given

from frrlib.conf.changes import difference
from frrlib.conf.sidebyside import side_by_side
from frrlib.conf.text import ConfigEntry, config_text, formatted
from tests.conf.configurations import BASE, CONFIGURATIONS


def test_a_replaced_line_is_beside_the_old_one_and_a_new_section_is_one_block() -> None:
    after = BASE.replace("cost 10", "cost 5") + "route-map NEW permit 10\n match tag 1\n set metric 7\nexit\n"
    side = side_by_side(BASE, after)
    changed = [(row.left, row.right, row.block) for row in side.rows if row.block is not None]
    assert changed == [
        (" ip ospf cost 10", " ip ospf cost 5", 0),
        (None, "route-map NEW permit 10", 1),
        (None, " match tag 1", 1),
        (None, " set metric 7", 1),
        (None, "exit", 1),
    ]
    assert [len(block) for block in side.blocks] == [2, 3]


def test_adjacent_lines_of_a_section_are_one_block() -> None:
    after = BASE.replace("  network 10.1.0.0/16\n", "  network 10.2.0.0/16\n  network 10.3.0.0/16\n")
    assert [len(block) for block in side_by_side(BASE, after).blocks] == [3]


@given(CONFIGURATIONS, CONFIGURATIONS)
def test_each_side_has_all_its_lines_and_the_blocks_equal_the_difference(
    before: tuple[ConfigEntry, ...], after: tuple[ConfigEntry, ...]
) -> None:
    old, new = config_text(before), config_text(after)
    side = side_by_side(old, new)
    for text, lines in ((old, [row.left for row in side.rows]), (new, [row.right for row in side.rows])):
        shown = formatted("\n".join(line for line in lines if line is not None))
        assert difference(text, shown) == []
        assert sorted(_without_separators(shown)) == sorted(_without_separators(text))
    assert {change for block in side.blocks for change in block} == set(difference(old, new))
    assert all(side.blocks)


def _without_separators(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip() != "!"]

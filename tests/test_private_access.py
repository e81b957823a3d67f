"""Tests use private members of other objects rarely, and ever more rarely; ruff refuses it in the code itself."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parent
#: The number of uses today. Lower it with each use that goes.
CEILING = 130


def private_uses(source: str) -> list[int]:
    """The lines in which a module uses a member `_name` of an object other than `self` and `cls`."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]  # fmt: skip


def test_private_members_are_used_no_more_than_today() -> None:
    count = sum(len(private_uses(path.read_text(encoding="utf-8"))) for path in TESTS.rglob("*.py"))
    assert count <= CEILING


def test_a_use_of_a_private_member_is_found() -> None:
    assert private_uses("window._show()\nself._show()\nwindow.__class__\nwindow.show()") == [1]

"""Tests rarely use private members of other objects; ruff refuses such uses in the code itself."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parent
#: The current number of uses. Lower it whenever a use is removed.
CEILING = 87
#: Members that Python documents although they begin with an underscore: those of named tuples, and `os._exit`.
DOCUMENTED = frozenset({"_asdict", "_exit", "_fields", "_make", "_replace"})


def private_uses(source: str) -> list[int]:
    """The lines in which a module uses a member `_name` of an object other than `self` and `cls`."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in DOCUMENTED
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]


def test_private_members_are_used_no_more_often_than_the_ceiling() -> None:
    count = sum(len(private_uses(path.read_text(encoding="utf-8"))) for path in TESTS.rglob("*.py"))
    assert count <= CEILING


def test_a_use_of_a_private_member_is_found() -> None:
    assert private_uses("window._show()\nself._show()\nwindow.__class__\nwindow.show()\nrow._replace(x=1)") == [1]

"""Test helpers that are not offered: a test that calls one is skipped, and its report says which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def absent(module: str) -> Callable[[str], Any]:
    """A module's answer to a name that it does not have: a function that skips the test."""

    def answer(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")

        def missing(*_: Any, **__: Any) -> Any:
            import pytest

            pytest.skip(f"needs {module}.{name}, which is not offered", allow_module_level=True)

        return missing

    return answer

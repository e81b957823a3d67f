"""The lines of a menu, as values."""

from __future__ import annotations

from collections.abc import Callable

#: A line: its label, its action, and whether it is enabled. None is a separator, a list a submenu.
MenuLine = tuple[str, Callable[[], object] | list["MenuLine | None"], bool]

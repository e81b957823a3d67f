"""The lines of a menu, as values."""

from __future__ import annotations

from collections.abc import Callable

#: A line: what it says, what it does, whether it can be done. None is a separator, a list a submenu.
MenuLine = tuple[str, Callable[[], object] | list["MenuLine | None"], bool]

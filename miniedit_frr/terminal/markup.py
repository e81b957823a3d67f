"""Text from other people for a terminal: without markup of rich, and without control characters."""

from __future__ import annotations

from rich import markup

from frrlib.safe_text.plain import plain


def escape(text: str) -> str:
    """The text as rich markup that prints the text unchanged."""
    return markup.escape(plain(text))

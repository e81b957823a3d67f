"""Text by others for a terminal: no markup of rich's, and no character that the terminal obeys."""

from __future__ import annotations

from rich import markup

from frrlib.safe_text.plain import plain


def escape(text: str) -> str:
    """The text as part of rich's markup that shows it as it is."""
    return markup.escape(plain(text))

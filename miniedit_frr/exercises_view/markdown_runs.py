"""A text in Markdown as a sequence of values, from which a widget shows it: runs of text, pictures and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

#: Headings that have a tag of their own; lower ones look like the last one.
HEADINGS = ("h1", "h2", "h3")
#: Maximum depth of lists with a tag of their own.
DEPTH = 5
_STYLES = {"strong": "strong", "em": "em"}


@dataclass(frozen=True)
class TextRun:
    """Characters with one look.

    Attributes:
        text: the characters.
        tags: names of their looks: "p", "h1" to "h3" or "item1" to "item5" for the paragraph, or "block" for code; then
            "strong", "em", "code" or "link".
    """

    text: str
    tags: tuple[str, ...]


@dataclass(frozen=True)
class PictureRun:
    """A picture.

    Attributes:
        source: the path of its file.
        caption: the text in its place if it cannot be shown.
        block: the tag of its paragraph.
    """

    source: str
    caption: str
    block: str


@dataclass(frozen=True)
class TableRun:
    """A table: the texts of its cells by row, the heading first."""

    rows: tuple[tuple[str, ...], ...]


Run = TextRun | PictureRun | TableRun


def markdown_runs(text: str) -> Iterator[Run]:
    """The content of a text in Markdown. HTML in it is text."""
    tokens = MarkdownIt("commonmark", {"html": False}).enable("table").parse(text)
    numbers: list[int] = []  # the next number of each open list; 0 for bullets
    blocks = ["p"]
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.type == "table_open":
            end = next(n for n in range(index, len(tokens)) if tokens[n].type == "table_close")
            yield TableRun(tuple(_rows(tokens[index:end])))
            index = end
        elif token.type in ("ordered_list_open", "bullet_list_open"):
            numbers.append(int(token.attrs.get("start", 1)) if token.type.startswith("ordered") else -1)
        elif token.type in ("ordered_list_close", "bullet_list_close"):
            numbers.pop()
        elif token.type == "list_item_open":
            blocks.append(f"item{min(len(numbers), DEPTH)}")
            yield TextRun("•\t" if numbers[-1] < 0 else f"{numbers[-1]}.\t", (blocks[-1],))
            numbers[-1] += numbers[-1] >= 0
        elif token.type == "heading_open":
            blocks.append(token.tag if token.tag in HEADINGS else HEADINGS[-1])
        elif token.type in ("heading_close", "list_item_close"):
            blocks.pop()
        elif token.type == "inline":
            yield from _inline(token.children or (), blocks[-1])
            yield TextRun("\n", (blocks[-1],))
        elif token.type in ("fence", "code_block"):
            yield TextRun(token.content.rstrip("\n"), ("block",))
            yield TextRun("\n\n", ("p",))
        elif token.type == "hr":
            yield TextRun("―" * 12 + "\n", ("p",))
        index += 1


def _inline(tokens: Sequence[Token], block: str) -> Iterator[Run]:
    styles: list[str] = []
    for token, address in _with_addresses(tokens):
        if token.type == "image":
            yield PictureRun(str(token.attrs.get("src", "")), token.content, block)
        elif token.type.endswith("_open"):
            styles.append("link" if token.type == "link_open" else _STYLES.get(token.tag, ""))
        elif token.type.endswith("_close"):
            styles.pop()
            if address:
                yield TextRun(address, (block,))
        elif token.type == "code_inline":
            yield TextRun(token.content, (block, *filter(None, styles), "code"))
        else:
            yield TextRun(_characters(token), (block, *filter(None, styles)))


def _with_addresses(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """Each token, with the address of the link that it closes, unless the address is the link's text."""
    address, text = "", ""
    for token in tokens:
        closing = ""
        if token.type == "link_open":
            address, text = str(token.attrs.get("href", "")), ""
        elif token.type == "link_close":
            closing = f" ({address})" if address and address != text else ""
        else:
            text += _characters(token)
        yield token, closing


def _characters(token: Token) -> str:
    return {"softbreak": " ", "hardbreak": "\n"}.get(token.type, token.content)


def _rows(tokens: Sequence[Token]) -> Iterator[tuple[str, ...]]:
    """The texts of a table's cells, row by row."""
    row: list[str] = []
    for token in tokens:
        if token.type == "tr_open":
            row = []
        elif token.type == "inline":
            pairs = _with_addresses(token.children or ())
            row.append("".join(_characters(child) + address for child, address in pairs))
        elif token.type == "tr_close":
            yield tuple(row)

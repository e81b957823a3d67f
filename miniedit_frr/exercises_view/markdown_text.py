"""A text in Markdown, shown in a Tk text widget: headings, paragraphs, lists, code, tables and pictures."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator, Sequence
from pathlib import Path
from tkinter import font as tkfont

from markdown_it import MarkdownIt
from markdown_it.token import Token
from PIL import Image, ImageTk

from frrlib.picture.theme import Theme

#: Indentation of a level of lists, width of a table's cell at least, and width of pictures at most, in units.
_INDENT, _CELL, _PICTURE = 18, 40, 320
#: Sizes of headings relative to the text.
_HEADINGS = {"h1": 1.35, "h2": 1.15, "h3": 1.05}
#: Maximum size of a picture, in pixels.
_MOST_PIXELS = 20_000_000
_STYLES = {"strong": "strong", "em": "em"}


class MarkdownText(tk.Text):
    """A text for reading, from which text can be copied.

    Args:
        ui: pixels per unit of length.
    """

    def __init__(self, parent: tk.Misc, ui: float) -> None:
        super().__init__(
            parent, wrap="word", width=20, height=4, borderwidth=0, highlightthickness=0, padx=round(8 * ui),
            pady=round(4 * ui), cursor="", state="disabled", font="TkDefaultFont", takefocus=True,
        )  # fmt: skip
        self._ui = ui
        self._images: list[ImageTk.PhotoImage] = []
        self._tables: list[_Table] = []
        self._folder = Path()
        self._make_fonts()
        self.bind("<Configure>", lambda event: self._fit_tables(event.width), add=True)

    def _make_fonts(self) -> None:
        base = tkfont.nametofont("TkDefaultFont", root=self)
        family, size = str(base.actual("family")), int(base.actual("size"))
        fixed = str(tkfont.nametofont("TkFixedFont", root=self).actual("family"))
        for name, factor in _HEADINGS.items():
            self.tag_configure(name, font=(family, round(size * factor), "bold"), spacing1=8, spacing3=4)
        self.tag_configure("p", spacing1=2, spacing3=5)
        self.tag_configure("strong", font=(family, size, "bold"))
        self.tag_configure("em", font=(family, size, "italic"))
        self.tag_configure("code", font=(fixed, size))
        self.tag_configure("block", font=(fixed, size), lmargin1=8, lmargin2=8, spacing1=1, wrap="char")
        for depth in range(1, 6):
            indent = round(_INDENT * self._ui * depth)
            self.tag_configure(f"item{depth}", lmargin1=indent - round(_INDENT * self._ui), lmargin2=indent)
            self.tag_configure(f"item{depth}", tabs=(indent,), spacing1=1, spacing3=3)

    def color(self, theme: Theme) -> None:
        """Show the text in a theme's colors."""
        self.configure(background=theme.base_ground, foreground=theme.text, selectbackground=theme.pressed)
        self.configure(selectforeground=theme.text, insertbackground=theme.text)
        for tag in ("code", "block"):
            self.tag_configure(tag, background=theme.hover, foreground=theme.text)
        self._table_colors = (theme.base_ground, theme.text, theme.edge)
        for table in self._tables:
            table.color(*self._table_colors)

    def show(self, text: str, folder: Path) -> None:
        """Show a text.

        Args:
            text: Markdown.
            folder: the folder with its pictures. Pictures elsewhere are not shown.
        """
        self.configure(state="normal")
        self.delete("1.0", "end")
        self._images.clear()
        self._tables.clear()
        self._folder = folder
        self._insert_blocks(MarkdownIt("commonmark").enable("table").parse(text))
        if self.get("end-2c") == "\n":
            self.delete("end-2c")
        self.configure(state="disabled")
        self._fit_tables(self.winfo_width())

    # --- blocks ---

    def _insert_blocks(self, tokens: Sequence[Token]) -> None:
        numbers: list[int] = []  # the next number of each open list; 0 for bullets
        block, index = "p", 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "table_open":
                end = next(n for n in range(index, len(tokens)) if tokens[n].type == "table_close")
                self._insert_table(tokens[index:end])
                index = end
            elif token.type in ("ordered_list_open", "bullet_list_open"):
                numbers.append(int(token.attrs.get("start", 1)) if token.type.startswith("ordered") else 0)
            elif token.type in ("ordered_list_close", "bullet_list_close"):
                numbers.pop()
            elif token.type == "list_item_open":
                block = f"item{min(len(numbers), 5)}"
                self.insert("end", f"{numbers[-1]}." if numbers[-1] else "•", (block,))
                self.insert("end", "\t", (block,))
                numbers[-1] += bool(numbers[-1])
            elif token.type == "heading_open":
                block = token.tag if token.tag in _HEADINGS else "h3"
            elif token.type in ("heading_close", "list_item_close"):
                block = "p"
            elif token.type == "inline":
                self._insert_inline(token.children or (), block)
                self.insert("end", "\n", (block,))
            elif token.type in ("fence", "code_block"):
                self.insert("end", token.content.rstrip("\n"), ("block",))
                self.insert("end", "\n\n", ("p",))
            elif token.type == "hr":
                self.insert("end", "―" * 12 + "\n", ("p",))
            index += 1

    def _insert_inline(self, tokens: Sequence[Token], block: str) -> None:
        styles: list[str] = []
        for token in tokens:
            if token.type == "image":
                self._insert_picture(str(token.attrs.get("src", "")), token.content, block)
            elif token.type.endswith("_open"):
                styles.append(_STYLES.get(token.tag, ""))
            elif token.type.endswith("_close"):
                styles.pop()
            elif token.type == "code_inline":
                self.insert("end", token.content, (block, "code"))
            else:
                text = {"softbreak": " ", "hardbreak": "\n"}.get(token.type, token.content)
                self.insert("end", text, (block, *filter(None, styles)))

    def _insert_picture(self, source: str, caption: str, block: str) -> None:
        """Insert a picture of the exercise's folder; its caption if there is no such picture."""
        try:
            path = (self._folder / source).resolve()
            if not path.is_relative_to(self._folder.resolve()):
                raise OSError("outside of the exercise")
            with Image.open(path) as image:
                if image.width * image.height > _MOST_PIXELS:
                    raise OSError("too large")
                scaled = image.convert("RGBA")
        except (OSError, ValueError, Image.DecompressionBombError):
            self.insert("end", f"[{caption or source}]", (block, "em"))
            return
        width = round(_PICTURE * self._ui)
        if scaled.width > width:
            scaled = scaled.resize((width, max(1, round(scaled.height * width / scaled.width))))
        self._images.append(ImageTk.PhotoImage(scaled, master=self))
        self.image_create("end", image=self._images[-1])

    # --- tables ---

    def _insert_table(self, tokens: Sequence[Token]) -> None:
        table = _Table(self, tuple(_rows(tokens)), self._ui)
        if hasattr(self, "_table_colors"):
            table.color(*self._table_colors)
        self._tables.append(table)
        self.window_create("end", window=table)
        self.insert("end", "\n", ("p",))

    def _fit_tables(self, width: int) -> None:
        inner = width - 2 * int(str(self.cget("padx"))) - 4
        for table in self._tables:
            table.fit(inner)


class _Table(tk.Frame):
    """A table whose cells wrap."""

    def __init__(self, parent: tk.Misc, rows: Sequence[Sequence[str]], ui: float) -> None:
        super().__init__(parent, borderwidth=0)
        self._ui, self._rows = ui, rows
        font = tkfont.nametofont("TkDefaultFont", root=self)
        columns = max(map(len, rows), default=0)
        self._natural = [
            max(font.measure(row[column]) for row in rows if column < len(row)) + 1 for column in range(columns)
        ]
        self._longest_words = [
            max((font.measure(word) for row in rows if column < len(row) for word in row[column].split()), default=0)
            for column in range(columns)
        ]
        self._cells: list[list[tk.Label]] = []
        for number, row in enumerate(rows):
            head = "TkHeadingFont" if number == 0 else "TkDefaultFont"
            cells = [tk.Label(self, text=text, anchor="nw", justify="left", font=head, padx=3, pady=2) for text in row]
            for column, cell in enumerate(cells):
                cell.grid(row=number, column=column, sticky="nsew", padx=(0, 1), pady=(0, 1))
            self._cells.append(cells)

    def color(self, ground: str, text: str, edge: str) -> None:
        """Use these colors."""
        self.configure(background=edge)
        for row in self._cells:
            for cell in row:
                cell.configure(background=ground, foreground=text)

    def fit(self, width: int) -> None:
        """Wrap the cells so that the table is no wider than this, if its longest words permit."""
        room = width - 9 * len(self._natural)
        widths = list(self._natural)
        while sum(widths) > room:
            candidates = [n for n, size in enumerate(widths) if size > max(self._longest_words[n], _CELL * self._ui)]
            if not candidates:
                break
            widest = max(candidates, key=lambda n: widths[n])
            widths[widest] = max(round(widths[widest] * 0.9), self._longest_words[widest], round(_CELL * self._ui))
            if len(candidates) == 1 and widths[widest] <= max(self._longest_words[widest], _CELL * self._ui):
                break
        for row in self._cells:
            for column, cell in enumerate(row):
                cell.configure(wraplength=widths[column] + 2)


def _rows(tokens: Sequence[Token]) -> Iterator[list[str]]:
    """The texts of a table's cells, row by row."""
    row: list[str] = []
    for token in tokens:
        if token.type == "tr_open":
            row = []
        elif token.type == "inline":
            row.append("".join(child.content for child in token.children or ()))
        elif token.type == "tr_close":
            yield row

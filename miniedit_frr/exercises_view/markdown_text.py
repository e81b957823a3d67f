"""A text in Markdown, shown in a Tk text widget: headings, paragraphs, lists, code, tables and pictures."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Sequence
from pathlib import Path
from tkinter import font as tkfont

from PIL import Image, ImageTk

from frrlib.picture.theme import Theme
from miniedit_frr.exercises_view.markdown_runs import DEPTH, HEADINGS, PictureRun, TextRun, markdown_runs

#: Indentation of a level of lists, width of a table's cell at least, and width of pictures at most, in units.
_INDENT, _CELL, _PICTURE = 18, 40, 320
#: Sizes of headings relative to the text.
_FACTORS = (1.35, 1.15, 1.05)
#: Fonts of a table's heading and of its other rows.
_HEAD, _BODY = "TkHeadingFont", "TkDefaultFont"
#: Maximum size of a picture, in pixels.
_MOST_PIXELS = 20_000_000


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
        for name, factor in zip(HEADINGS, _FACTORS, strict=True):
            self.tag_configure(name, font=(family, round(size * factor), "bold"), spacing1=8, spacing3=4)
        self.tag_configure("p", spacing1=2, spacing3=5)
        self.tag_configure("strong", font=(family, size, "bold"))
        self.tag_configure("em", font=(family, size, "italic"))
        self.tag_configure("code", font=(fixed, size))
        self.tag_configure("link", underline=True)
        self.tag_configure("block", font=(fixed, size), lmargin1=8, lmargin2=8, spacing1=1, wrap="char")
        for depth in range(1, DEPTH + 1):
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

    def see_end(self) -> None:
        """Scroll to the end of the text."""
        self.update_idletasks()  # tables get their heights
        self.tk.call(str(self), "sync")  # and lines theirs, which Tk computes one after another
        self.yview_moveto(1.0)

    def show(self, text: str, folder: Path) -> None:
        """Show a text from its start.

        Args:
            text: Markdown.
            folder: the folder with its pictures. Pictures elsewhere are not shown.
        """
        self.configure(state="normal")
        self.delete("1.0", "end")
        self._images.clear()
        self._tables.clear()
        self._folder = folder
        for run in markdown_runs(text):
            if isinstance(run, TextRun):
                self.insert("end", run.text, run.tags)
            elif isinstance(run, PictureRun):
                self._insert_picture(run.source, run.caption, run.block)
            else:
                self._insert_table(run.rows)
        if self.get("end-2c") == "\n":
            self.delete("end-2c")
        self.configure(state="disabled")
        self._fit_tables(self.winfo_width())

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

    def _insert_table(self, rows: tuple[tuple[str, ...], ...]) -> None:
        table = _Table(self, rows, self._ui)
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
        fonts = [tkfont.nametofont(_HEAD if number == 0 else _BODY, root=self) for number in range(len(rows))]
        columns = [
            [(font, row[column]) for font, row in zip(fonts, rows, strict=True) if column < len(row)]
            for column in range(max(map(len, rows), default=0))
        ]
        self._natural = [max(font.measure(text) for font, text in cells) + 1 for cells in columns]
        self._longest_words = [
            max((font.measure(word) for font, text in cells for word in text.split()), default=0) for cells in columns
        ]
        self._cells: list[list[tk.Label]] = []
        for number, row in enumerate(rows):
            name = _HEAD if number == 0 else _BODY
            cells = [tk.Label(self, text=text, anchor="nw", justify="left", font=name, padx=3, pady=2) for text in row]
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

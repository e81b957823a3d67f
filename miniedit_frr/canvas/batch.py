"""Many canvas commands in one call: Tk is asked once for any number of items, and its own loop does the rest."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any


def for_each(
    canvas: tk.Canvas, names: str, rows: Iterable[Sequence[object]], body: str, **same: object
) -> Sequence[Any]:
    """Run a script of Tcl for each row.

    Args:
        canvas: where; the script knows it as $canvas.
        names: what the values of a row are called, such as "item x y", with blanks between them.
        rows: so many values each.
        body: the script, such as "$canvas move $item $x $y".
        same: more values that it knows, the same for all rows.

    Returns:
        The script's result for each row.

    Raises:
        TclError: the script failed for a row; the rows after it were left out.
    """
    values = tuple(chain.from_iterable(rows))
    if not values:
        return ()
    known = " ".join(("canvas", "rows", *same))
    script = f"{{{known}}} {{lmap {{{names}}} $rows {{{body}}}}}"
    given: Sequence[Any] = canvas.tk.splitlist(canvas.tk.call("apply", script, str(canvas), values, *same.values()))
    return given


def move(canvas: tk.Canvas, items: Iterable[int], dx: float, dy: float) -> None:
    """Move items by so many pixels."""
    for_each(canvas, "item", zip(items), "$canvas move $item $x $y", x=dx, y=dy)

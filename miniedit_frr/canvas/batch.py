"""Many canvas commands in one call: Python calls Tk once for any number of items, and a loop in Tcl does the rest."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any


def for_each(
    canvas: tk.Canvas, names: str, rows: Iterable[Sequence[object]], body: str, **constants: object
) -> Sequence[Any]:
    """Run a script of Tcl for each row.

    Args:
        canvas: the canvas; its name in the script is $canvas.
        names: the names of a row's values in the script, with blanks between them, such as "item x y".
        rows: one value for each name.
        body: the script, such as "$canvas move $item $x $y".
        constants: more values for the script, the same for all rows.

    Returns:
        The script's result for each row.

    Raises:
        TclError: the script failed for a row; the rows after it were left out.
    """
    values = tuple(chain.from_iterable(rows))
    if not values:
        return ()
    parameters = " ".join(("canvas", "rows", *constants))
    script = f"{{{parameters}}} {{lmap {{{names}}} $rows {{{body}}}}}"
    outputs: Sequence[Any] = canvas.tk.splitlist(
        canvas.tk.call("apply", script, str(canvas), values, *constants.values())
    )
    return outputs


def move(canvas: tk.Canvas, items: Iterable[int], dx: float, dy: float) -> None:
    """Move items by a number of pixels."""
    for_each(canvas, "item", zip(items), "$canvas move $item $x $y", x=dx, y=dy)

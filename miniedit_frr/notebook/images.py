"""Figures in the output of cells."""

from __future__ import annotations

import base64
import io
import sys
from typing import Any

from matplotlib.figure import Figure

_DOTS_PER_INCH = 100


def image(figure: Figure) -> str:
    """A figure as an image in HTML."""
    encoded = base64.b64encode(png_bytes(figure)).decode("ascii")
    return f'<img alt="curves of the run" src="data:image/png;base64,{encoded}">'


def png_bytes(figure: Figure) -> bytes:
    """A figure as the content of a PNG file."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=_DOTS_PER_INCH)
    return content.getvalue()


def notebook_shell() -> Any:
    """IPython's shell of a notebook; None outside of a notebook."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell if hasattr(shell, "kernel") else None


def show_figures() -> None:
    """Make cells that end with a figure show it. Without pyplot, notebooks print only its size."""
    shell = notebook_shell()
    if shell is not None:
        shell.display_formatter.formatters["image/png"].for_type(Figure, png_bytes)

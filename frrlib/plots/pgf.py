"""Writes figures as PGF pictures for LaTeX documents, without running LaTeX.

matplotlib's own PGF files contain texts as they are, which LaTeX would execute, and a LaTeX program measures them. Here
every text is escaped, and its extent is that of the fonts of the other formats.
"""

from __future__ import annotations

import io
from typing import Any

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.backends.backend_pgf import RendererPgf
from matplotlib.figure import Figure

from frrlib.results.statistics.latex import escaped

_HEADER = r"""%% A figure of MiniEdit-FRR. In the preamble: \usepackage{pgf}
%% In the document: \input{FILE.pgf}
\begingroup%
\makeatletter%
"""
_FOOTER = r"""\end{pgfpicture}%
\makeatother%
\endgroup%
"""


class _Renderer(RendererPgf):
    """Writes drawing commands of PGF into a file."""

    def __init__(self, figure: Figure, file: io.StringIO) -> None:
        super().__init__(figure, file)  # type: ignore[no-untyped-call]
        width, height = figure.get_size_inches() * figure.dpi
        self._metrics: Any = RendererAgg(width, height, figure.dpi)  # type: ignore[no-untyped-call]

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, ismath: Any = False, mtext: Any = None
    ) -> None:
        """Write a text."""
        super().draw_text(gc, x, y, escaped(s), prop, angle, False, mtext)  # type: ignore[no-untyped-call]

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> tuple[float, float, float]:
        """The extent of a text in pixels."""
        width, height, descent = self._metrics.get_text_width_height_descent(s, prop, ismath)
        return float(width), float(height), float(descent)

    def draw_image(self, gc: Any, x: float, y: float, im: Any, transform: Any = None) -> None:
        """Refuse an image, which PGF needs as a file of its own."""
        raise ValueError("a figure with a color map cannot be written as PGF; choose PDF")


def pgf_bytes(fig: Figure) -> bytes:
    """A figure as the content of a PGF file.

    Raises:
        ValueError: the figure contains an image, as a heat map does.
    """
    file = io.StringIO()
    width, height = fig.get_size_inches()
    file.write(_HEADER)
    file.write(r"\begin{pgfpicture}" + "%\n")
    file.write(rf"\pgfpathrectangle{{\pgfpointorigin}}{{\pgfqpoint{{{width:f}in}}{{{height:f}in}}}}" + "%\n")
    file.write(r"\pgfusepath{use as bounding box}" + "%\n")
    fig.draw(_Renderer(fig, file))
    file.write(_FOOTER)
    return file.getvalue().encode()

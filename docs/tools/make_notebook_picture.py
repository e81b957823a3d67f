"""Makes docs/images/notebook-live.png: the cell of a notebook while its run goes on, in headless Chromium.

python docs/tools/make_notebook_picture.py [FOLDER]

A kernel executes the first cells of examples/notebooks/bufferbloat.ipynb, with one queue instead of three, and in real
time, because only then a cell draws curves. The picture has the last curves that the cell showed while the flows sent.
Takes half a minute, on a machine without other load.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]
os.environ["PYTHONPATH"] = str(ROOT)  # of the kernel

import nbformat  # noqa: E402
from make_editor_pictures import IMAGES, write_png  # noqa: E402
from nbclient import NotebookClient  # noqa: E402
from PIL import Image  # noqa: E402
from pygments import highlight  # noqa: E402
from pygments.formatters import HtmlFormatter  # noqa: E402
from pygments.lexers import PythonLexer  # noqa: E402

from miniedit_frr.terminal.progress import STEPS  # noqa: E402
from tests.replay.browser import browser  # noqa: E402

_NOTEBOOK = ROOT / "examples" / "notebooks" / "bufferbloat.ipynb"
#: The cells that are executed: imports with the topologies, and the runs.
_CELLS = slice(1, 3)
#: The changes to the notebook: one queue, and real time.
_CHANGES = (
    ('    "fq_codel": {"queue": FqCodel()},\n', ""),
    ('    "cake": {"queue": Cake()},\n', ""),
    ("from frrlib.network import Cake, FqCodel, Network", "from frrlib.network import Network"),
    (", virtual_time=True)", ")"),
)
_WIDTH = 860
_PAGE = """<!DOCTYPE html><meta charset="utf-8"><style>
html {{ overflow: hidden; }}
body {{ margin: 10px; font: 14px "DejaVu Sans", sans-serif; display: grid; grid-template-columns: 4.2em 1fr;
  row-gap: 6px; width: {width}px; }}
.prompt {{ font: 13px "DejaVu Sans Mono", monospace; color: #5a6b7b; padding-top: 9px; }}
.source {{ border: 1px solid #cfd6dd; background: #f6f8fa; padding: 2px 10px; }}
.source pre {{ margin: 6px 0; font: 13px/1.35 "DejaVu Sans Mono", monospace; }}
.output img {{ width: 100%; margin-top: 6px; }}
.output {{ padding-top: 6px; }}
{style}</style>
<div class="prompt">[*]:</div><div class="source">{source}</div><div></div><div class="output">{output}</div>
"""


class LiveClient(NotebookClient):
    """Executes a notebook and keeps the last output of a cell that had curves while all flows sent."""

    live = ""

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        """Process a message of the kernel."""
        text = msg["content"].get("data", {}).get("text/html", "") if "content" in msg else ""
        words, has_curves, _ = text.partition("<img")
        if msg["msg_type"] == "update_display_data" and has_curves and STEPS["flows"] in words and " end" not in words:
            self.live = text
        return super().process_message(msg, cell, cell_index)


def execute(folder: Path) -> tuple[str, str]:
    """Execute the cells. Returns the source of the last one, and its output while it ran."""
    book = nbformat.read(_NOTEBOOK, as_version=4)
    book.cells = book.cells[_CELLS]
    for cell in book.cells:
        for old, new in _CHANGES:
            cell["source"] = cell["source"].replace(old, new)
    client = LiveClient(book, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute()
    return book.cells[-1]["source"], client.live


def main() -> None:
    """Make the picture."""
    target = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else IMAGES
    with tempfile.TemporaryDirectory() as folder, browser() as page:
        source, output = execute(Path(folder))
        formatter = HtmlFormatter(nowrap=False)
        file = Path(folder) / "cell.html"
        parts = {"source": highlight(source, PythonLexer(), formatter), "output": output}
        style = formatter.get_style_defs(".source").replace("background: #f8f8f8", "")
        file.write_text(_PAGE.format(width=_WIDTH - 20, style=style, **parts), encoding="utf-8")
        page.look(_WIDTH, 400)
        page.open(file)
        page.look(_WIDTH, int(page.value("document.documentElement.scrollHeight")))
        write_png(Image.open(io.BytesIO(page.picture())), target / "notebook-live.png")


if __name__ == "__main__":
    main()

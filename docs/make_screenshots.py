"""Makes the editor's pictures, docs/images/editor-*.png, on a display of its own.

python docs/make_screenshots.py [FOLDER]

Needs Xvfb. Every picture is the window as it opens: nothing is painted over.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT))

from PIL import ImageGrab  # noqa: E402

from miniedit_frr import settings  # noqa: E402
from miniedit_frr.app import Editor  # noqa: E402
from miniedit_frr.canvas.labels import Labels  # noqa: E402
from miniedit_frr.canvas.scene import Key  # noqa: E402
from miniedit_frr.document import Document  # noqa: E402

_SIZE = (1280, 800)


@dataclass(frozen=True)
class Picture:
    """One picture: its name, the example in the window (empty for none), and how it is looked at."""

    name: str
    example: str = ""
    theme: str = "light"
    labels: Labels = field(default_factory=Labels)
    selected: tuple[Key, ...] = ()


PICTURES = (
    Picture("editor-start"),
    Picture("editor-start-dark", theme="dark"),
    Picture("editor-two-as-bgp", "two-as-bgp.mn", selected=(Key("node", "r1"),)),
    Picture("editor-ospf-multihop", "ospf-multihop.mn", labels=Labels(interfaces=True, addresses=True)),
    Picture("editor-ospf-multihop-dark", "ospf-multihop.mn", theme="dark", selected=(Key("node", "r3"),)),
)


@contextmanager
def screen() -> Iterator[str]:
    """A display of our own; its name."""
    readable, writable = os.pipe()
    argv = ["Xvfb", "-displayfd", str(writable), "-screen", "0", f"{_SIZE[0]}x{_SIZE[1]}x24", "-dpi", "96"]
    server = subprocess.Popen(argv, pass_fds=[writable], stderr=subprocess.DEVNULL)
    os.close(writable)
    try:
        with os.fdopen(readable) as said:
            yield f":{said.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


def take(picture: Picture, folder: Path, memory: Path) -> None:
    """Open the window, look at it, keep what is on the screen."""
    # The menu bar is above the size that Tk is asked for.
    kept = settings.Settings(theme=picture.theme, geometry=f"{_SIZE[0]}x{_SIZE[1] - 32}+0+0", labels=picture.labels)
    settings.save(kept, memory)
    document = Document()
    if picture.example:
        document.open(ROOT / "examples" / picture.example)
    editor = Editor(document, memory)
    _wait(editor, lambda: not editor.checker.is_busy)
    editor.view.select(picture.selected)
    end = time.monotonic() + 0.5
    _wait(editor, lambda: time.monotonic() > end)
    ImageGrab.grab(xdisplay=os.environ["DISPLAY"]).save(folder / f"{picture.name}.png", optimize=True)
    editor.close()


def _wait(editor: Editor, until: Callable[[], bool]) -> None:
    editor.window.update()
    while not until():
        editor.window.update()
        time.sleep(0.01)


def main() -> None:
    """Take every picture."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    with screen() as display, tempfile.TemporaryDirectory() as below:
        os.environ["DISPLAY"] = display
        for picture in PICTURES:
            take(picture, folder, Path(below) / "window.json")


if __name__ == "__main__":
    main()

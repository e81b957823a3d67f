"""Makes the pictures of the dialogs, docs/images/dialog-*.png: every page of every one, light and dark.

python docs/make_dialog_pictures.py [--scaling PERCENT] [FOLDER]

Needs Xvfb. Every picture is the dialog as it opens on one of the examples: nothing is painted over.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from make_screenshots import IMAGES, screen, write_png  # noqa: E402
from PIL import Image, ImageGrab  # noqa: E402

from frrlib.model.edits.changes import add_node, replace_node  # noqa: E402
from frrlib.model.nodes import Router  # noqa: E402
from frrlib.model.routing import Ospf  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from miniedit_frr.app import Editor  # noqa: E402
from miniedit_frr.dialogs.dialog import FormDialog  # noqa: E402
from miniedit_frr.dialogs.subjects import Links, Nodes, Subject, Whole  # noqa: E402
from miniedit_frr.document import Document  # noqa: E402
from miniedit_frr.preferences import Personal, Preferences  # noqa: E402


@dataclass(frozen=True)
class Shown:
    """A dialog: its name, what it is about, and what somebody typed into it, field to text."""

    name: str
    subject: Callable[[], Subject]
    typed: tuple[tuple[str, str], ...] = ()


SHOWN = (
    Shown("host", lambda: Nodes("host", ["h1"])),
    Shown("router", lambda: Nodes("router", ["r1"])),
    Shown("switch", lambda: Nodes("switch", ["s1"])),
    Shown("bridge", lambda: Nodes("bridge", ["s2"])),
    Shown("controller", lambda: Nodes("controller", ["c0"])),
    Shown("link", lambda: Links(["l2"])),
    Shown("links", lambda: Links(["l1", "l2", "l3"])),
    Shown("flows", lambda: Whole("flows")),
    Shown("preferences", lambda: Whole("preferences")),
    Shown(
        "link-wrong",
        lambda: Links(["l2"]),
        (("a_to_b.delay_ms", "20 mbit"), ("b_to_a.delay_ms", "20 mbit"), ("a_to_b.queue", "0 ms")),
    ),
)


def drawing() -> Topology:
    """The two autonomous systems, with one node of every other kind."""
    document = Document()
    document.open(ROOT / "examples" / "two-as-bgp.mn")
    topology = document.topology
    r1 = topology.node("r1")
    assert isinstance(r1, Router)
    told = r1.model_copy(update={"ospf": Ospf(), "frr_conf": "ip prefix-list own permit 10.0.0.0/16\n"})
    topology = replace_node(topology, "r1", told)
    for tool, x in (("switch", 100.0), ("bridge", 250.0), ("controller", 400.0)):
        topology, _ = add_node(topology, tool, x, 400.0)
    return topology


def take(editor: Editor, shown: Shown, folder: Path, ending: str) -> None:
    """Open a dialog, and keep each of its pages."""
    dialog = editor.dialogs.open(shown.subject()).form
    for path, text in shown.typed:
        dialog.draft.put_all({path: text})
    for index, tab in enumerate(dialog.tabs[:1] if shown.typed else dialog.tabs):
        if dialog.book is not None:
            dialog.book.select(index)
        _settle(editor)
        page = "" if shown.typed or len(dialog.tabs) == 1 else f"-{tab.title.lower().replace(' ', '-')}"
        write_png(_grab(dialog), folder / f"dialog-{shown.name}{page}{ending}.png")
    dialog.cancel()


def _grab(dialog: FormDialog) -> Image.Image:
    window = dialog.window
    x, y = window.winfo_rootx(), window.winfo_rooty()
    box = (x, y, x + window.winfo_width(), y + window.winfo_height())
    return ImageGrab.grab(xdisplay=os.environ["DISPLAY"]).crop(box)


def _settle(editor: Editor) -> None:
    end = time.monotonic() + 0.4
    while time.monotonic() < end:
        editor.window.update()
        time.sleep(0.01)


def main() -> None:
    """Take every picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scaling", type=int, default=0, help="percent; 0 for the screen's own")
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with screen(2880, 1800) as display, tempfile.TemporaryDirectory() as below:
        os.environ["DISPLAY"] = display
        for theme in ("light", "dark"):
            memory = Path(below) / theme / "window.json"
            preferences = Preferences(theme=theme, scaling_percent=asked.scaling)  # type: ignore[arg-type]
            Personal(memory.with_name("preferences.json")).change(preferences)
            editor = Editor(Document(drawing()), memory)
            editor.window.geometry("1280x800+0+0")
            _settle(editor)
            for shown in SHOWN:
                take(editor, shown, asked.folder, "-dark" if theme == "dark" else "")
            editor.close()


if __name__ == "__main__":
    main()

"""Makes the pictures of preferences, of the offer after a crash, and of a file changed outside: docs/images/file-*.png.

python docs/tools/make_file_pictures.py [FOLDER]

Needs Xvfb. Every picture is a window as it opens, light and dark.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tkinter as tk
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import IMAGES, framed_display, screenshot, write_png  # noqa: E402

from miniedit_frr.app.app import Editor  # noqa: E402
from miniedit_frr.document.document import Document  # noqa: E402
from miniedit_frr.user.preferences import Preferences, PreferenceStore  # noqa: E402

#: Examples that killed editors have left: the name of the opened file, and the age in seconds.
DRAFTS = (("two-as-bgp.mn", "labs/berlin.mn", 90), ("ospf-multihop.mn", "teaching/ospf.mn", 90_000))
_LEAVE_DRAFT = """
import os, sys, time
from pathlib import Path
from frrlib.formats import mn
from miniedit_frr.files.drafts import Drafts
drafts = Drafts(Path(sys.argv[1]))
topology = mn.load(sys.argv[2]).topology
drafts.keep(topology, Path.home() / sys.argv[3], "", time.time() - float(sys.argv[4]), drafts.next_turn())
os._exit(0)  # like a killed process
"""


def leave_drafts(folder: Path) -> None:
    """Have other processes keep drafts and end without saving."""
    for example, path, ago_s in DRAFTS:
        argv = [sys.executable, "-c", _LEAVE_DRAFT, str(folder), str(ROOT / "examples" / example), path, str(ago_s)]
        subprocess.run(argv, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})


def write_picture(editor: Editor, window: tk.Misc, path: Path) -> None:
    """Wait for a window to settle, and write its picture."""
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        editor.window.update()
        time.sleep(0.01)
    write_png(screenshot(window), path)


def take(editor: Editor, folder: Path, ending: str) -> None:
    """All pictures of one theme."""
    editor.recovery.offer()
    offer = editor.recovery.dialog
    assert offer is not None
    write_picture(editor, offer, folder / f"file-recover{ending}.png")
    offer.close()
    editor.preferences.open()
    dialog = editor.preferences.dialog
    assert dialog is not None and dialog.book is not None
    for index, tab in enumerate(dialog.tabs):
        dialog.book.select(index)
        write_picture(editor, dialog.window, folder / f"file-preferences-{tab.title.lower()}{ending}.png")
    dialog.cancel()
    change_outside(editor, folder, ending)


def change_outside(editor: Editor, folder: Path, ending: str) -> None:
    """The bar above the canvas about a file that another program has changed."""
    with tempfile.TemporaryDirectory() as labs:
        path = Path(labs) / "berlin.mn"
        shutil.copy(ROOT / "examples" / "two-as-bgp.mn", path)
        editor.files.open(path)
        path.write_bytes(path.read_bytes() + b"\n")
        editor.file_on_disk.look()
        write_picture(editor, editor.panes.canvas_frame, folder / f"file-changed{ending}.png")
        editor.files.new()


def main() -> None:
    """Take every picture."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    with framed_display() as display_name, tempfile.TemporaryDirectory() as below:
        os.environ["DISPLAY"] = display_name
        for theme in ("light", "dark"):
            memory = Path(below) / theme / "window.json"
            preferences = Preferences(theme=theme)  # type: ignore[arg-type]
            PreferenceStore(memory.with_name("preferences.json")).change(preferences)
            leave_drafts(memory.parent / "unsaved")
            editor = Editor(Document(), memory)
            editor.window.geometry("1200x760+0+0")
            write_picture(editor, editor.window, Path(below) / "first.png")
            take(editor, folder, "-dark" if theme == "dark" else "")
            editor.close()


if __name__ == "__main__":
    main()

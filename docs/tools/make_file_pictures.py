"""Makes the pictures of preferences, and of offers after a crash or a change outside: docs/images/file-*.png.

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

from make_screenshots import IMAGES, framed_screen, grab, write_png  # noqa: E402

from miniedit_frr.app.app import Editor  # noqa: E402
from miniedit_frr.document.document import Document  # noqa: E402
from miniedit_frr.user.preferences import Preferences, PreferenceStore  # noqa: E402

#: Examples that other editors have left behind: the file that they were opened from, and how long ago, in seconds.
LEFT = (("two-as-bgp.mn", "labs/berlin.mn", 90), ("ospf-multihop.mn", "teaching/ospf.mn", 90_000))
_LEAVE = """
import os, sys, time
from pathlib import Path
from frrlib.formats import mn
from miniedit_frr.files.drafts import Drafts
drafts = Drafts(Path(sys.argv[1]))
topology = mn.load(sys.argv[2]).topology
drafts.keep(topology, Path.home() / sys.argv[3], "", time.time() - float(sys.argv[4]), drafts.next_turn())
os._exit(0)  # as if it were killed
"""


def leave(folder: Path) -> None:
    """Have other processes draw and end without saving."""
    for example, path, ago_s in LEFT:
        argv = [sys.executable, "-c", _LEAVE, str(folder), str(ROOT / "examples" / example), path, str(ago_s)]
        subprocess.run(argv, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})


def keep(editor: Editor, window: tk.Misc, path: Path) -> None:
    """Let a window settle, and keep what is on the screen in its place."""
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        editor.window.update()
        time.sleep(0.01)
    write_png(grab(window), path)


def take(editor: Editor, folder: Path, ending: str) -> None:
    """All pictures of one theme."""
    editor.recovery.offer()
    offer = editor.recovery.dialog
    assert offer is not None
    keep(editor, offer, folder / f"file-recover{ending}.png")
    offer.close()
    editor.preferences.open()
    dialog = editor.preferences.dialog
    assert dialog is not None and dialog.book is not None
    for index, tab in enumerate(dialog.tabs):
        dialog.book.select(index)
        keep(editor, dialog.window, folder / f"file-preferences-{tab.title.lower()}{ending}.png")
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
        keep(editor, editor.panes.middle, folder / f"file-changed{ending}.png")
        editor.files.new()


def main() -> None:
    """Take every picture."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    with framed_screen() as display, tempfile.TemporaryDirectory() as below:
        os.environ["DISPLAY"] = display
        for theme in ("light", "dark"):
            memory = Path(below) / theme / "window.json"
            preferences = Preferences(theme=theme)  # type: ignore[arg-type]
            PreferenceStore(memory.with_name("preferences.json")).change(preferences)
            leave(memory.parent / "unsaved")
            editor = Editor(Document(), memory)
            editor.window.geometry("1200x760+0+0")
            keep(editor, editor.window, Path(below) / "first.png")
            take(editor, folder, "-dark" if theme == "dark" else "")
            editor.close()


if __name__ == "__main__":
    main()

"""Makes the pictures of flows in the window, docs/images/flows-*.png, light and dark.

python docs/tools/make_flow_pictures.py [FOLDER]

Needs Xvfb. Every picture is the window, or a dialog, as it opens: nothing is painted over.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import tkinter as tk
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_screenshots import IMAGES, SIZE, example, file_name, framed_screen, grab, save_as, write_png  # noqa: E402

from frrlib.edits.flow_mixes import mix  # noqa: E402
from frrlib.model.flows import Flow  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.model.traffic.kinds import Ping, WebPage  # noqa: E402
from frrlib.picture.scene import Key  # noqa: E402
from miniedit_frr.app.app import Editor  # noqa: E402
from miniedit_frr.dialogs.fields.rows import RowsInput  # noqa: E402
from miniedit_frr.dialogs.subjects import Flows, TopologySettings  # noqa: E402
from miniedit_frr.document.document import Document  # noqa: E402
from miniedit_frr.user import window_state as settings  # noqa: E402
from miniedit_frr.user.preferences import Preferences, PreferenceStore  # noqa: E402

#: The flows whose dialogs are kept, and what each sends.
_DIALOGS = {"bbr": "bulk", "web": "web-page", "call-forward": "voip"}
_MIXES = ("staggered", "versus", "rrul")


def drawing() -> Topology:
    """The two autonomous systems with flows of many kinds."""
    topology = example("two-as-bgp.mn").model_copy(update={"flows": ()})
    for name, source, destination, more in (
        ("versus", "h1", "h2", {}),
        ("staggered", "h1", "h2", {"congestion_control": "reno"}),
        ("voip-under-load", "h2", "h1", {}),
    ):
        flows = mix(name, topology, source, destination, **more)  # type: ignore[arg-type]
        topology = topology.model_copy(update={"flows": (*topology.flows, *flows)})
    probes = (
        Flow(id="ping", source="h1", destination="h2", traffic=Ping()),
        Flow(id="web", source="h1", destination="h2", start_s=5, traffic=WebPage()),
    )
    return topology.model_copy(update={"flows": (*topology.flows, *probes)})


def _wait(editor: Editor, seconds: float = 0.6) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end or editor.checker.is_busy:
        editor.window.update()
        time.sleep(0.01)


def take(folder: Path, memory: Path, theme: str) -> None:
    """The editor, its table of flows, dialogs of three kinds, and mixes."""
    ending = "" if theme == "light" else f"-{theme}"
    settings.save(settings.WindowState(geometry=f"{SIZE[0]}x{SIZE[1] - 32}+0+0"), memory)
    PreferenceStore(memory.with_name("preferences.json")).change(Preferences(theme=theme))  # type: ignore[arg-type]
    drawn = drawing()
    editor = Editor(Document(drawn), memory)
    save_as(editor, memory.parent / file_name(drawn))

    def keep(name: str, window: tk.Misc | None = None) -> None:
        _wait(editor)
        write_png(grab(window), folder / f"flows-{name}{ending}.png")

    _wait(editor)
    editor.view.fit()
    editor.view.select([Key("flow", "staggered")])
    editor.window.event_generate("<Motion>", warp=True, x=1, y=1)
    keep("editor")
    table = editor.dialogs.open(TopologySettings("flows")).form
    rows = table._show_page(0).inputs["flows"]
    assert isinstance(rows, RowsInput)
    rows.cell(2, 0).focus.focus_force()
    _wait(editor)
    rows.open(2)
    keep("table", table.window)
    table.close()
    for name, kind in _DIALOGS.items():
        dialog = editor.dialogs.open(Flows([name])).form
        if name == "bbr":
            keep("dialog", dialog.window)
        assert dialog.book is not None
        dialog.book.select(1)
        keep(f"dialog-{kind}", dialog.window)
        dialog.close()
    editor.document.apply("Begin", drawing().model_copy(update={"flows": ()}))
    for name in _MIXES:
        editor.flow_commands.ask(name)
        assert editor.flow_commands.mix is not None
        keep(f"mix-{name}", editor.flow_commands.mix.window)
        editor.flow_commands.mix.close()
    editor.close()


def main() -> None:
    """Take every picture in both themes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with framed_screen() as display, tempfile.TemporaryDirectory() as below:
        os.environ["DISPLAY"] = display
        for theme in ("light", "dark"):
            take(asked.folder, Path(below) / "window.json", theme)


if __name__ == "__main__":
    main()

"""Makes the pictures of flows in the window, docs/images/flows-*.png, light and dark.

python docs/tools/make_flow_pictures.py [FOLDER]

Needs Xvfb. Every picture is an unedited window or dialog.
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

from make_editor_pictures import IMAGES, SIZE, example, file_name, framed_display, save_as, screenshot, write_png  # noqa: E402

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

#: The flows whose dialogs are in pictures, and the kind of traffic of each.
_DIALOGS = {"bbr": "bulk", "web": "web-page", "call-forward": "voip"}
_MIXES = ("staggered", "versus", "rrul")


def topology_with_flows() -> Topology:
    """The two autonomous systems with flows of many kinds."""
    topology = example("two-as-bgp.mn").model_copy(update={"flows": ()})
    for name, source, destination, options in (
        ("versus", "h1", "h2", {}),
        ("staggered", "h1", "h2", {"congestion_control": "reno"}),
        ("voip-under-load", "h2", "h1", {}),
    ):
        flows = mix(name, topology, source, destination, **options)  # type: ignore[arg-type]
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
    topology = topology_with_flows()
    editor = Editor(Document(topology), memory)
    save_as(editor, memory.parent / file_name(topology))

    def take_picture(name: str, window: tk.Misc | None = None) -> None:
        _wait(editor)
        write_png(screenshot(window), folder / f"flows-{name}{ending}.png")

    _wait(editor)
    editor.view.fit()
    editor.view.select([Key("flow", "staggered")])
    editor.window.event_generate("<Motion>", warp=True, x=1, y=1)
    take_picture("editor")
    table = editor.dialogs.open(TopologySettings("flows")).form
    rows = table._show_page(0).inputs["flows"]
    assert isinstance(rows, RowsInput)
    rows.cell(2, 0).focus.focus_force()
    _wait(editor)
    rows.open(2)
    take_picture("table", table.window)
    table.close()
    for name, kind in _DIALOGS.items():
        dialog = editor.dialogs.open(Flows([name])).form
        if name == "bbr":
            take_picture("dialog", dialog.window)
        assert dialog.book is not None
        dialog.book.select(1)
        take_picture(f"dialog-{kind}", dialog.window)
        dialog.close()
    editor.document.apply("Begin", topology_with_flows().model_copy(update={"flows": ()}))
    for name in _MIXES:
        editor.flow_commands.open_mix(name)
        assert editor.flow_commands.mix is not None
        take_picture(f"mix-{name}", editor.flow_commands.mix.window)
        editor.flow_commands.mix.close()
    editor.close()


def main() -> None:
    """Take every picture in both themes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=IMAGES)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with framed_display() as display_name, tempfile.TemporaryDirectory() as below:
        os.environ["DISPLAY"] = display_name
        for theme in ("light", "dark"):
            take(arguments.folder, Path(below) / "window.json", theme)


if __name__ == "__main__":
    main()

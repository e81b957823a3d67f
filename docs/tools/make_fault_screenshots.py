"""Makes the pictures of faults, docs/images/faults-*.png, on a display of its own.

python docs/tools/make_fault_screenshots.py [FOLDER]

Needs Xvfb and a place for labs (see `miniedit-frr places`). Takes about a minute. Every picture is a real lab in the
window as people have it, with real faults.
"""

from __future__ import annotations

import sys
import tkinter as tk
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_routing_screenshots import begin, ring  # noqa: E402
from make_running_screenshots import Stage, stage, take_all  # noqa: E402

from frrlib.edits.fault_plan import set_faults  # noqa: E402
from frrlib.model.fault_words import parse_planned  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.picture.scene import Key  # noqa: E402

#: What goes wrong in the pictures: at once, and by plan.
_AT_ONCE = ("loss l2", "freeze r5", "kill r4 bfdd", "interface-down r2-eth1")
_PLAN = ("2 loss l2 30% 2s", "5 link-down l4", "6500ms stop r4 bfdd 2s", "8 flap r3-eth0 3 1s", "12 power-cycle r2 2s",
         "15 set l6 rate=5 queue=30", "18 partition r1,h1 2s")  # fmt: skip


def planned() -> Topology:
    """The ring with a plan of faults."""
    topology = ring()
    return set_faults(topology, [parse_planned(topology, each) for each in _PLAN])


def post(there: Stage, key: Key, part: str, name: str) -> None:
    """Take a picture of the menu of faults of something, with what it offers for a part of it."""
    shown = there.lab_controller.menus.make(there.editor.parts, key)
    there.editor.view.select({key})
    faults = shown.nametowidget(shown.entrycget("Fault", "menu"))
    faults.post(260, 180)
    there.rest(0.3)
    if part:
        more = faults.nametowidget(faults.entrycget(part, "menu"))
        assert isinstance(more, tk.Menu)
        more.post(260 + faults.winfo_reqwidth(), 180 + faults.yposition(part))
    there.take(name)
    if part:
        more.unpost()
    faults.unpost()
    there.editor.window.update()


def act(folder: Path, below: Path, theme: str) -> None:
    """Plan faults, make some in the lab, look at them, and at what followed."""
    dark = "" if theme == "light" else "-dark"
    with stage(planned(), folder, below, theme, "faults") as there:
        there.editor.dialogs.faults()
        there.take(f"plan{dark}")
        there.close_windows()
        begin(there)
        faults = there.lab_controller.faults
        post(there, Key("link", "l2"), "", f"menu-link{dark}")
        post(there, Key("node", "r4"), "bfdd", f"menu-router{dark}")
        for words in _AT_ONCE:
            why = faults.make(words)
            assert not why, why
        there.until(lambda: there.lab_controller.display.nodes["r4"].state == "failed")
        there.rest(6)
        there.take(f"canvas{dark}")
        faults.say("loss l2 30% 2s towards r9")
        assert faults.dialog is not None
        faults.dialog.accept()
        there.take(f"words{dark}")
        there.close_windows()
        faults.clear_all()
        there.rest(5)
        there.lab_controller.routing_windows.show_timeline()
        there.take(f"timeline{dark}")


if __name__ == "__main__":
    take_all(*(partial(act, theme=theme) for theme in ("light", "dark")))

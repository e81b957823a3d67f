"""Makes the pictures of faults, docs/images/faults-*.png, on a display of its own.

python docs/tools/make_fault_pictures.py [FOLDER]

Needs Xvfb and a place for labs (see `miniedit-frr places`). Takes about a minute. Every picture is the
unedited window with a real lab and real faults.
"""

from __future__ import annotations

import sys
import tkinter as tk
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_routing_pictures import ring, run_until_up  # noqa: E402
from make_running_pictures import EditorDriver, driven_editor, take_all  # noqa: E402

from frrlib.edits.fault_plan import set_faults  # noqa: E402
from frrlib.model.fault_words import parse_planned  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.picture.scene import Key  # noqa: E402

#: The faults in the pictures: injected at once, and planned.
_AT_ONCE = ("loss l2", "freeze r5", "kill r4 bfdd", "interface-down r2-eth1")
_PLAN = ("2 loss l2 30% 2s", "5 link-down l4", "6500ms stop r4 bfdd 2s", "8 flap r3-eth0 3 1s", "12 power-cycle r2 2s",
         "15 set l6 rate=5 queue=30", "18 partition r1,h1 2s")  # fmt: skip


def planned() -> Topology:
    """The ring with a plan of faults."""
    topology = ring()
    return set_faults(topology, [parse_planned(topology, words) for words in _PLAN])


def take_fault_menu(driver: EditorDriver, key: Key, part: str, name: str) -> None:
    """Take a picture of the menu of faults of a node or link, and of its submenu for a part."""
    menu = driver.lab.menus.make(driver.editor.parts.main, driver.editor.dialogs, key)
    driver.editor.view.select({key})
    faults = menu.nametowidget(menu.entrycget("Fault", "menu"))
    faults.post(260, 180)
    driver.wait(0.3)
    if part:
        submenu = faults.nametowidget(faults.entrycget(part, "menu"))
        assert isinstance(submenu, tk.Menu)
        submenu.post(260 + faults.winfo_reqwidth(), 180 + faults.yposition(part))
    driver.take_picture(name)
    if part:
        submenu.unpost()
    faults.unpost()
    driver.editor.window.update()


def take_faults(folder: Path, below: Path, theme: str) -> None:
    """Pictures of a plan of faults, of faults in the lab, and of their consequences."""
    dark = "" if theme == "light" else "-dark"
    with driven_editor(planned(), folder, below, theme, "faults") as driver:
        driver.editor.dialogs.faults()
        driver.take_picture(f"plan{dark}")
        driver.close_windows()
        run_until_up(driver)
        faults = driver.lab.faults
        take_fault_menu(driver, Key("link", "l2"), "", f"menu-link{dark}")
        take_fault_menu(driver, Key("node", "r4"), "bfdd", f"menu-router{dark}")
        for words in _AT_ONCE:
            problem = faults.make(words)
            assert not problem, problem
        driver.wait_until(lambda: driver.lab.display.nodes["r4"].state == "failed")
        driver.wait(6)
        driver.take_picture(f"canvas{dark}")
        faults.say("loss l2 30% 2s towards r9")
        assert faults.dialog is not None
        faults.dialog.accept()
        driver.take_picture(f"words{dark}")
        driver.close_windows()
        faults.clear_all()
        driver.wait(5)
        driver.lab.routing_windows.show_timeline()
        driver.take_picture(f"timeline{dark}")


if __name__ == "__main__":
    take_all(*(partial(take_faults, theme=theme) for theme in ("light", "dark")))

"""Makes the pictures of configuration changes, docs/images/configuration-*.png, on a display of its own.

python docs/tools/make_configuration_pictures.py [FOLDER]

Needs Xvfb and a place for labs (see `miniedit-frr places`). Takes less than a minute. The lines are
typed in the `vtysh` of real routers.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import example  # noqa: E402
from make_running_pictures import EditorDriver, driven_editor, take_all  # noqa: E402

from miniedit_frr.session.events import LabState  # noqa: E402

#: Router to what is typed driver.
TYPED = {
    "r1": (
        "ip prefix-list OURS seq 5 permit 10.88.0.0/16",
        "route-map OUT permit 10",
        "match ip address prefix-list OURS",
        "set metric 77",
        "route-map OUT deny 20",
        "exit",
        "router bgp 100",
        "timers bgp 3 9",
        "address-family ipv4 unicast",
        "network 10.88.0.0/16",
        "neighbor 10.9.0.2 route-map OUT out",
    ),
    "r2": ("router bgp 200", "address-family ipv4 unicast", "no network 10.1.0.0/16"),
}


def type_on_router(driver: EditorDriver, router: str, lines: Sequence[str]) -> None:
    """Type lines in a router's vtysh."""
    replies: list[Any] = []

    def type_lines(running_lab: Any) -> None:
        with running_lab[router].vtysh_session() as session:
            for line in ("configure terminal", *lines):
                session.run(line)

    driver.lab.session.ask(type_lines).then(replies.append)
    driver.wait_until(lambda: replies)


def take_changes(folder: Path, below: Path, theme: str) -> None:
    """The window of changes while the lab runs, with some of them ticked, and the history after the lab."""
    dark = "" if theme == "light" else "-dark"
    with driven_editor(example("two-as-no-delay.mn"), folder, below, theme, "configuration") as driver:
        lab = driver.lab
        lab.run()
        driver.wait_until(lambda: lab.state in (LabState.RUNNING, LabState.FAILED))
        for router, lines in TYPED.items():
            type_on_router(driver, router, lines)
        lab.configs.ask()
        driver.wait_until(lambda: lab.configs.is_waiting)
        driver.take_picture(f"changes{dark}")
        window = lab.configs.window
        assert window is not None
        window.list.selection_set("r2")
        window.ticks["r2"][0].set(False)
        driver.take_picture(f"changes-in-part{dark}")
        window.destroy()
        lab.stop()
        driver.wait_until(lambda: lab.state is LabState.IDLE and lab.configs.is_waiting)
        driver.close_windows()
        lab.configs.show_history()
        driver.take_picture(f"history{dark}")


if __name__ == "__main__":
    take_all(*(partial(take_changes, theme=theme) for theme in ("light", "dark")))

"""Makes the pictures of what was typed and came back, docs/images/configuration-*.png, on a display of its own.

python docs/tools/make_config_screenshots.py [FOLDER]

Needs Xvfb and a place for labs (see `miniedit-frr places`). Takes less than a minute. What is seen was typed in the
`vtysh` of real routers.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_running_screenshots import Stage, stage, take_all  # noqa: E402
from make_screenshots import example  # noqa: E402

from miniedit_frr.session.events import LabState  # noqa: E402

#: Router to what is typed there.
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


def enter(there: Stage, router: str, lines: Sequence[str]) -> None:
    """Type lines in a router's vtysh."""
    done: list[Any] = []

    def typing(lab: Any) -> None:
        with lab[router].vtysh_session() as session:
            for line in ("configure terminal", *lines):
                session.run(line)

    there.lab_controller.session.ask(typing).then(done.append)
    there.until(lambda: done)


def of_changes(folder: Path, below: Path, theme: str) -> None:
    """What was typed, while the lab runs and at its end, and the history."""
    dark = "" if theme == "light" else "-dark"
    with stage(example("two-as-no-delay.mn"), folder, below, theme, "configuration") as there:
        running = there.lab_controller
        running.run()
        there.until(lambda: running.state in (LabState.RUNNING, LabState.FAILED))
        for router, lines in TYPED.items():
            enter(there, router, lines)
        running.configs.ask()
        there.until(lambda: running.configs.is_waiting)
        there.take(f"changes{dark}")
        window = running.configs.window
        assert window is not None
        window.list.selection_set("r2")
        window.ticks["r2"][0].set(False)
        there.take(f"changes-in-part{dark}")
        window.destroy()
        running.stop()
        there.until(lambda: running.state is LabState.IDLE and running.configs.is_waiting)
        there.close_windows()
        running.configs.show_history()
        there.take(f"history{dark}")


if __name__ == "__main__":
    take_all(*(partial(of_changes, theme=theme) for theme in ("light", "dark")))

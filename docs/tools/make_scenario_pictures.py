"""Makes the pictures of the scenario track, docs/images/scenario-track*.png, on a display of its own.

python docs/tools/make_scenario_pictures.py [FOLDER]

Needs Xvfb. Every picture is the unedited window.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import IMAGES, SIZE, example, file_name, framed_display, save_as, screenshot, write_png  # noqa: E402

from frrlib.edits.changes import set_flows  # noqa: E402
from frrlib.edits.fault_plan import set_faults  # noqa: E402
from frrlib.edits.schedule import ScheduleKey  # noqa: E402
from frrlib.model.fault_words import parse_planned  # noqa: E402
from frrlib.model.flows import Flow  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from miniedit_frr.app.app import Editor  # noqa: E402
from miniedit_frr.document.document import Document  # noqa: E402
from miniedit_frr.user import window_state as settings  # noqa: E402
from miniedit_frr.user.preferences import Preferences, PreferenceStore  # noqa: E402

#: A wave and a ramp on the bottleneck, a link that goes down, a daemon that is killed and started again.
PLAN = ("2 vary l2 rate=square:3:10:4s 16s", "6 vary l2 delay=ramp:20:80 12s", "12 link-down l3 2s",
        "9 kill r2 bgpd", "14 restart r2 bgpd")  # fmt: skip


def planned() -> Topology:
    """The two autonomous systems with two flows and a plan."""
    topology = example("two-as-bgp.mn")
    first = Flow(id="f1", source="h1", destination="h2", duration_s=20)
    second = Flow(id="f2", source="h1", destination="h2", congestion_control="bbr", start_s=5, duration_s=12)
    topology = set_flows(topology, [first, second])
    return set_faults(topology, [parse_planned(topology, words) for words in PLAN])


def take(folder: Path, below: Path, theme: str, name: str) -> None:
    """Open the window with the scenario track, and take its picture."""
    memory = below / "window.json"
    panels = settings.Panels(scenario=True, bottom=False)
    settings.save(settings.WindowState(geometry=f"{SIZE[0]}x{SIZE[1] - 32}+0+0", panels=panels), memory)
    PreferenceStore(memory.with_name("preferences.json")).change(Preferences(theme=theme))  # type: ignore[arg-type]
    topology = planned()
    editor = Editor(Document(topology), memory)
    save_as(editor, memory.parent / file_name(topology))
    end = time.monotonic() + 1.5
    while time.monotonic() < end or editor.checker.is_busy:
        editor.window.update()
        time.sleep(0.01)
    editor.view.fit()
    editor.scenario.panel.edits.select([ScheduleKey("fault", 0)])
    editor.window.event_generate("<Motion>", warp=True, x=1, y=1)
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        editor.window.update()
    write_png(screenshot(), folder / f"{name}.png")
    editor.close()


def main() -> None:
    """Take both pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    with framed_display() as display_name, tempfile.TemporaryDirectory() as below:
        os.environ["DISPLAY"] = display_name
        take(folder, Path(below), "light", "scenario-track")
        take(folder, Path(below), "dark", "scenario-track-dark")


if __name__ == "__main__":
    main()

"""Makes the pictures of a running lab, docs/images/running-*.png, on a display of its own.

python docs/tools/make_running_pictures.py [FOLDER]

Needs Xvfb, a place for labs that has delay and loss (see `miniedit-frr places`), a lab kernel with virtual time for the
picture of it, and jwm for the windows' frames. Takes about two minutes. Every picture is the unedited
window with a real lab.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import tkinter as tk
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import (  # noqa: E402
    IMAGES,
    SIZE,
    display,
    example,
    file_name,
    framed_display,
    save_as,
    screenshot,
    write_png,
)

from frrlib.edits.generators import dumbbell  # noqa: E402
from frrlib.edits.routing_presets import ospf_everywhere  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.picture.scene import Key  # noqa: E402
from miniedit_frr.app.app import Editor  # noqa: E402
from miniedit_frr.document.document import Document  # noqa: E402
from miniedit_frr.runs.options import RunChoice  # noqa: E402
from miniedit_frr.session.events import LabState  # noqa: E402
from miniedit_frr.user import window_state as settings  # noqa: E402
from miniedit_frr.user.preferences import Preferences, PreferenceStore  # noqa: E402

_PATIENCE_S = 120.0
#: Duration of each flow in virtual time.
_LONG_S = 60.0


class EditorDriver:
    """An editor with a topology, and actions on it before a picture is taken.

    Args:
        folder: for the pictures.
        below: for the window's own files.
        series: prefix of the names of its pictures.
        geometry: size and place of the window, without the menu bar.
    """

    def __init__(
        self, topology: Topology, folder: Path, below: Path, theme: str = "light", series: str = "running",
        geometry: str = f"{SIZE[0]}x{SIZE[1] - 32}+0+0",
    ) -> None:  # fmt: skip
        memory = below / "window.json"
        settings.save(settings.WindowState(geometry=geometry), memory)
        preferences = Preferences(theme=theme, results_folder="/home/you/labs")  # type: ignore[arg-type]
        PreferenceStore(memory.with_name("preferences.json")).change(preferences)
        self._folder, self._series = folder, series
        self.editor = Editor(Document(topology), memory)
        save_as(self.editor, below / file_name(topology))
        self.lab = self.editor.lab_controller
        self.wait(0.6)
        self.editor.view.fit()

    def wait_until(self, condition: Callable[[], object]) -> None:
        """Process events of the window until the condition holds."""
        end = time.monotonic() + _PATIENCE_S
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(self.log_text())
            self.editor.window.update()
            time.sleep(0.01)

    def wait(self, seconds: float) -> None:
        """Process events of the window for this time."""
        end = time.monotonic() + seconds
        self.wait_until(lambda: time.monotonic() > end)

    def run_lab(self) -> None:
        """Run the lab until it has its routes."""
        self.lab.run()
        self.wait_until(lambda: self.lab.state in (LabState.RUNNING, LabState.FAILED))
        self.wait_until(
            lambda: self.lab.state is LabState.FAILED or "converged after" in self.editor.log.text.get("1.0", "end")
        )

    def log_text(self) -> str:
        """The text of the window's log."""
        return str(self.editor.log.text.get("1.0", "end"))

    def take_picture(self, name: str) -> None:
        """Take a picture."""
        self.wait(0.8)
        write_png(screenshot(), self._folder / f"{self._series}-{name}.png")

    def take_menu(self, key: Key) -> None:
        """Take a picture of the context menu of a node or link."""
        menu = self.lab.menus.make(self.editor.parts.main, self.editor.dialogs, key)
        self.editor.view.select({key})
        self.editor.window.update()
        sprite = self.editor.view.scene.nodes.get(key)
        line = self.editor.view.scene.lines.get(key)
        path = self.editor.view.scene.path(line) if line is not None else ()
        at = sprite.at if sprite is not None else tuple(sum(axis) / len(path) for axis in zip(*path, strict=True))
        x, y = self.editor.view.to_widget(at)  # type: ignore[arg-type]
        menu.post(self.editor.view.winfo_rootx() + x + 4, self.editor.view.winfo_rooty() + y + 4)
        self.take_picture(f"menu-{key.kind}")
        menu.unpost()

    def close_windows(self) -> None:
        """Close all windows but the editor's."""
        for child in self.editor.window.winfo_children():
            if isinstance(child, tk.Toplevel):
                child.destroy()

    def close(self) -> None:
        """End the lab and the window."""
        self.lab.lab.cancel()
        self.wait_until(lambda: not self.lab.is_alive)
        self.editor.close()


@contextmanager
def driven_editor(
    topology: Topology, folder: Path, below: Path, theme: str = "light", series: str = "running", **options: str
) -> Iterator[EditorDriver]:
    """A window whose lab ends with the block."""
    driver = EditorDriver(topology, folder, below, theme, series, **options)
    try:
        yield driver
    finally:
        driver.close()


@contextmanager
def home(folder: Path) -> Iterator[None]:
    """Use a folder as the home folder, so that pictures show no real one."""
    previous = os.environ["HOME"]
    os.environ["HOME"] = str(folder)
    try:
        yield
    finally:
        os.environ["HOME"] = previous


def take_flow_run(folder: Path, below: Path) -> None:
    """A run with flows from its start to its figure."""
    with driven_editor(example("two-as-bgp.mn"), folder, below) as driver:
        driver.lab.run_dialogs.ask(driver.lab.lab.name)
        driver.take_picture("dialog")
        take_virtual_dialog(driver)
        driver.close_windows()
        driver.lab.run_into(below / "out")
        driver.wait_until(lambda: any(row[0] == "daemons" for row in driver.lab.display.panel.steps.rows()))
        driver.take_picture("starting")
        driver.wait_until(lambda: any(row[0] == "flows" for row in driver.lab.display.panel.steps.rows()))
        driver.wait(5)
        driver.take_picture("flows")
        driver.lab.lab.cancel()
        driver.wait_until(lambda: not driver.lab.is_alive)
        runs = driver.lab.runs
        # A run in virtual time is fast, and not doubtful because this machine was busy.
        driver.lab.run_dialogs.run(RunChoice(below / "labs" / "two-as-bgp", virtual_time=True))
        driver.wait_until(lambda: runs.rows and runs.rows[0].outcome.startswith("finished"))
        with home(below):
            runs.panel.show(runs.rows[:1])
            runs.show_figure(runs.rows[0])
            driver.take_picture("figure")
        driver.close_windows()


def take_virtual_dialog(driver: EditorDriver) -> None:
    """The dialog before a run, with virtual time switched on; without a kernel for it, the note on how to get one."""
    dialog = driver.lab.run_dialogs.dialog
    assert dialog is not None
    driver.wait_until(lambda: "Searching" not in dialog.virtual_note.cget("text"))
    dialog.virtual.set(True)
    dialog.choose.invoke()
    dialog.captures.choose("r1:r1-eth0")
    driver.take_picture("dialog-virtual")


def with_durations(topology: Topology, seconds: float) -> Topology:
    """The topology with flows of this duration, one after the other."""
    flows = enumerate(topology.flows)
    return topology.model_copy(
        update={
            "flows": tuple(
                flow.model_copy(update={"start_s": index * (seconds + 1), "duration_s": seconds})
                for index, flow in flows
            )
        }
    )


def take_virtual_run(folder: Path, below: Path) -> None:
    """A run in virtual time, near its end; needs a lab kernel that has it.

    The flows are longer than those of the example, which would end before the picture is taken.
    """
    with driven_editor(with_durations(example("two-as-bgp.mn"), _LONG_S), folder, below, "dark") as driver:
        driver.lab.run_dialogs.run(RunChoice(below / "out", virtual_time=True))
        driver.wait_until(lambda: driver.lab.live.run.newest_s > 1.8 * _LONG_S or not driver.lab.is_alive)
        write_png(screenshot(), folder / "running-virtual.png")


def take_sweep_dialog(folder: Path, below: Path) -> None:
    """The dialog before a sweep."""
    with driven_editor(example("two-as-bgp.mn"), folder, below) as driver:
        driver.lab.sweeps.ask(driver.lab.lab.name)
        dialog = driver.lab.sweeps.dialog
        assert dialog is not None
        driver.wait_until(lambda: "Searching" not in dialog.time_note.cget("text"))
        dialog.text.insert("1.0", "link:r1-r2.rate=10,50\nflow:*.cc=cubic,bbr")
        dialog.repeat.set("5")
        dialog.virtual.set(True)
        driver.take_picture("sweep")
        driver.close_windows()


def take_requests(folder: Path, below: Path) -> None:
    """Requests to a lab: menus, tables, the path between two nodes."""
    with driven_editor(example("ospf-multihop.mn"), folder, below) as driver:
        driver.run_lab()
        driver.take_picture("light")
        driver.take_menu(Key("node", "r1"))
        driver.take_menu(Key("link", "l1"))
        driver.editor.view.select(())
        driver.lab.probes.follow("h1", "h2")
        driver.wait_until(lambda: driver.lab.probes.path_window and len(driver.lab.probes.path_window.hops.rows()) > 1)
        driver.take_picture("path")
        driver.close_windows()
        link = driver.editor.document.topology.links[0].id
        for name, ask in (("routes", "r1"), ("interfaces", "r1"), ("queues", link)):
            getattr(driver.lab.windows, name)(ask)
            driver.wait(1.5)
            driver.take_picture(name)
            driver.close_windows()
        driver.lab.places.show()
        driver.wait(1.5)
        driver.take_picture("places")


def take_failures(folder: Path, below: Path) -> None:
    """A daemon that is killed, a link that is down, a configuration that FRR refuses."""
    topology = example("two-as-no-delay.mn")
    with driven_editor(topology, folder, below, "dark") as driver:
        driver.run_lab()
        driver.lab.actions.set_link("l1", up=False)
        driver.lab.session.ask(lambda lab: lab.kill_daemon("r2", "bgpd"))
        driver.wait_until(lambda: "bgpd was ended" in driver.log_text())
        driver.take_picture("dark")
    broken = [n.model_copy(update={"frr_conf": "router nonsense"}) if n.name == "r1" else n for n in topology.nodes]
    with driven_editor(topology.model_copy(update={"nodes": tuple(broken)}), folder, below) as driver:
        driver.run_lab()
        driver.take_picture("failure")


def take_ping_matrix(folder: Path, below: Path) -> None:
    """A ping matrix in which some hosts do not reply."""
    with driven_editor(ospf_everywhere(dumbbell(4)), folder, below) as driver:
        driver.run_lab()
        driver.lab.actions.set_link(driver.editor.document.topology.links[1].id, up=False)
        driver.wait(0.5)
        driver.lab.probes.show_matrix()
        matrix = driver.lab.probes.matrix
        driver.wait_until(lambda: matrix is not None and str(matrix.button.cget("text")) == "Repeat")
        driver.take_picture("matrix")


def drivers_by_theme(folder: Path, below: Path, series: str) -> Iterator[tuple[EditorDriver, str]]:
    """An editor with an empty drawing in each theme, one after another, and the ending of its pictures' names."""
    for theme, ending in (("light", ""), ("dark", "-dark")):
        (below / theme).mkdir()
        yield EditorDriver(Topology(), folder, below / theme, theme, series), ending


def take_all(*steps: Callable[[Path, Path], object], framed: bool = True, size: tuple[int, int] = SIZE) -> None:
    """Take pictures on a display of their own, into the folder that the command line names.

    Args:
        steps: functions that take pictures. Each gets the folder for the pictures and a temporary folder.
        framed: whether windows have frames, where this machine has jwm, so that dialogs stand out from the editor.
        size: of the display, in pixels, without the frames of a window that fills it.
    """
    folder = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    with (framed_display if framed else display)(*size) as display_name:
        os.environ["DISPLAY"] = display_name
        for step in steps:
            with tempfile.TemporaryDirectory() as below:
                step(folder, Path(below))


if __name__ == "__main__":
    take_all(take_flow_run, take_virtual_run, take_sweep_dialog, take_requests, take_failures, take_ping_matrix)

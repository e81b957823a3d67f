"""Makes the pictures of a running lab, docs/images/running-*.png, on a display of its own.

python docs/tools/make_running_screenshots.py [FOLDER]

Needs Xvfb, a place for labs that has delay and loss (see `miniedit-frr places`), a lab kernel with virtual time for the
picture of it, and jwm for the windows' frames. Takes about two minutes. Every picture is a real lab in the window as
people have it: nothing is painted over.
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

from make_screenshots import IMAGES, SIZE, example, file_name, framed_screen, grab, save_as, screen, write_png  # noqa: E402

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
#: How long each flow sends in virtual time.
_LONG_S = 60.0


class Stage:
    """A window with a drawing, and what is done with it before a picture is taken.

    Args:
        folder: gets the pictures.
        below: gets what the window remembers.
        series: what the names of its pictures begin with.
        geometry: size and place of the window, without the menu bar.
    """

    def __init__(
        self, topology: Topology, folder: Path, below: Path, theme: str = "light", series: str = "running",
        geometry: str = f"{SIZE[0]}x{SIZE[1] - 32}+0+0",
    ) -> None:  # fmt: skip
        memory = below / "window.json"
        settings.save(settings.WindowState(geometry=geometry), memory)
        kept = Preferences(theme=theme, results_folder="/home/you/labs")  # type: ignore[arg-type]
        PreferenceStore(memory.with_name("preferences.json")).change(kept)
        self._folder, self._series = folder, series
        self.editor = Editor(Document(topology), memory)
        save_as(self.editor, below / file_name(topology))
        self.lab_controller = self.editor.lab_controller
        self.rest(0.6)
        self.editor.view.fit()

    def until(self, what: Callable[[], object]) -> None:
        """Let the window work until something is the case."""
        end = time.monotonic() + _PATIENCE_S
        while not what():
            if time.monotonic() > end:
                raise TimeoutError(self.log())
            self.editor.window.update()
            time.sleep(0.01)

    def rest(self, seconds: float) -> None:
        """Let the window work for a while."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end)

    def run(self) -> None:
        """Run the lab until it has its routes."""
        self.lab_controller.run()
        self.until(lambda: self.lab_controller.state in (LabState.RUNNING, LabState.FAILED))
        self.until(
            lambda: (
                self.lab_controller.state is LabState.FAILED
                or "converged after" in self.editor.log.text.get("1.0", "end")
            )
        )

    def log(self) -> str:
        """All that the window has said."""
        return str(self.editor.log.text.get("1.0", "end"))

    def take(self, name: str) -> None:
        """Take a picture."""
        self.rest(0.8)
        write_png(grab(), self._folder / f"{self._series}-{name}.png")

    def post(self, key: Key) -> None:
        """Take a picture of what a right click on something offers."""
        shown = self.lab_controller.menus.make(self.editor.parts, key)
        self.editor.view.select({key})
        self.editor.window.update()
        sprite = self.editor.view.scene.nodes.get(key)
        line = self.editor.view.scene.lines.get(key)
        path = self.editor.view.scene.path(line) if line is not None else ()
        at = sprite.at if sprite is not None else tuple(sum(axis) / len(path) for axis in zip(*path, strict=True))
        x, y = self.editor.view.to_widget(at)  # type: ignore[arg-type]
        shown.post(self.editor.view.winfo_rootx() + x + 4, self.editor.view.winfo_rooty() + y + 4)
        self.take(f"menu-{key.kind}")
        shown.unpost()

    def close_windows(self) -> None:
        """Close all windows but the editor's."""
        for child in self.editor.window.winfo_children():
            if isinstance(child, tk.Toplevel):
                child.destroy()

    def close(self) -> None:
        """End the lab and the window."""
        self.lab_controller.lab.cancel()
        self.until(lambda: not self.lab_controller.is_alive)
        self.editor.close()


@contextmanager
def stage(
    topology: Topology, folder: Path, below: Path, theme: str = "light", series: str = "running", **more: str
) -> Iterator[Stage]:
    """A window whose lab ends with the block."""
    there = Stage(topology, folder, below, theme, series, **more)
    try:
        yield there
    finally:
        there.close()


@contextmanager
def home(folder: Path) -> Iterator[None]:
    """The user is at home there meanwhile: what is shown is nobody's own folder."""
    before = os.environ["HOME"]
    os.environ["HOME"] = str(folder)
    try:
        yield
    finally:
        os.environ["HOME"] = before


def of_flows(folder: Path, below: Path) -> None:
    """A run with flows from its start to its figure."""
    with stage(example("two-as-bgp.mn"), folder, below) as there:
        there.lab_controller.run_with_flows()
        there.take("dialog")
        of_virtual_time(there)
        there.close_windows()
        there.lab_controller.run_into(below / "out")
        there.until(lambda: any(row[0] == "daemons" for row in there.lab_controller.display.panel.steps.rows()))
        there.take("starting")
        there.until(lambda: any(row[0] == "flows" for row in there.lab_controller.display.panel.steps.rows()))
        there.rest(5)
        there.take("flows")
        there.lab_controller.lab.cancel()
        there.until(lambda: not there.lab_controller.is_alive)
        runs = there.lab_controller.runs
        # In virtual time it is soon over, and not doubtful because this machine was busy.
        there.lab_controller.run_dialogs.run(RunChoice(below / "labs" / "two-as-bgp", virtual_time=True))
        there.until(lambda: runs.rows and runs.rows[0].outcome.startswith("finished"))
        with home(below):
            runs.panel.show(runs.rows[:1])
            runs.show_figure(runs.rows[0])
            there.take("figure")
        there.close_windows()


def of_virtual_time(there: Stage) -> None:
    """The question before a run, as for virtual time; with a lab kernel that has none it shows what is said then."""
    dialog = there.lab_controller.run_dialogs.dialog
    assert dialog is not None
    there.until(lambda: "Searching" not in dialog.virtual_note.cget("text"))
    dialog.virtual.set(True)
    dialog.choose.invoke()
    dialog.captures.choose("r1:r1-eth0")
    there.take("dialog-virtual")


def lasting(topology: Topology, seconds: float) -> Topology:
    """A drawing whose flows send for so long, one after the other."""
    flows = enumerate(topology.flows)
    return topology.model_copy(
        update={
            "flows": tuple(
                flow.model_copy(update={"start_s": index * (seconds + 1), "duration_s": seconds})
                for index, flow in flows
            )
        }
    )


def of_virtual_run(folder: Path, below: Path) -> None:
    """A run in virtual time, towards its end; needs a lab kernel that has it.

    The flows of the example alone would be over before anybody could look.
    """
    with stage(lasting(example("two-as-bgp.mn"), _LONG_S), folder, below, "dark") as there:
        there.lab_controller.run_dialogs.run(RunChoice(below / "out", virtual_time=True))
        there.until(lambda: there.lab_controller.live.run.newest_s > 1.8 * _LONG_S or not there.lab_controller.is_alive)
        write_png(grab(), folder / "running-virtual.png")


def of_sweep(folder: Path, below: Path) -> None:
    """The question before a sweep."""
    with stage(example("two-as-bgp.mn"), folder, below) as there:
        there.lab_controller.sweeps.ask(there.lab_controller.lab.name)
        dialog = there.lab_controller.sweeps.dialog
        assert dialog is not None
        there.until(lambda: "Searching" not in dialog.time_note.cget("text"))
        dialog.text.insert("1.0", "link:r1-r2.rate=10,50\nflow:*.cc=cubic,bbr")
        dialog.repeat.set("5")
        dialog.virtual.set(True)
        there.take("sweep")
        there.close_windows()


def of_ways(folder: Path, below: Path) -> None:
    """What can be asked of a lab: menus, tables, the way between two nodes."""
    with stage(example("ospf-multihop.mn"), folder, below) as there:
        there.run()
        there.take("light")
        there.post(Key("node", "r1"))
        there.post(Key("link", "l1"))
        there.editor.view.select(())
        there.lab_controller.probes.follow("h1", "h2")
        there.until(
            lambda: (
                there.lab_controller.probes.path_window and len(there.lab_controller.probes.path_window.hops.rows()) > 1
            )
        )
        there.take("way")
        there.close_windows()
        link = there.editor.document.topology.links[0].id
        for name, ask in (("routes", "r1"), ("interfaces", "r1"), ("queues", link)):
            getattr(there.lab_controller.windows, name)(ask)
            there.rest(1.5)
            there.take(name)
            there.close_windows()
        there.lab_controller.places.show()
        there.rest(1.5)
        there.take("places")


def of_failures(folder: Path, below: Path) -> None:
    """A daemon that dies, a link that is down, a configuration that FRR refuses."""
    topology = example("two-as-no-delay.mn")
    with stage(topology, folder, below, "dark") as there:
        there.run()
        there.lab_controller.actions.set_link("l1", up=False)
        there.lab_controller.session.ask(lambda lab: lab.kill_daemon("r2", "bgpd"))
        there.until(lambda: "bgpd was ended" in there.log())
        there.take("dark")
    broken = [n.model_copy(update={"frr_conf": "router nonsense"}) if n.name == "r1" else n for n in topology.nodes]
    with stage(topology.model_copy(update={"nodes": tuple(broken)}), folder, below) as there:
        there.run()
        there.take("failure")


def of_matrix(folder: Path, below: Path) -> None:
    """A ping matrix of which a part does not answer."""
    with stage(ospf_everywhere(dumbbell(4)), folder, below) as there:
        there.run()
        there.lab_controller.actions.set_link(there.editor.document.topology.links[1].id, up=False)
        there.rest(0.5)
        there.lab_controller.probes.show_matrix()
        matrix = there.lab_controller.probes.matrix
        there.until(lambda: matrix is not None and str(matrix.button.cget("text")) == "Repeat")
        there.take("matrix")


def take_all(*acts: Callable[[Path, Path], object], framed: bool = True, size: tuple[int, int] = SIZE) -> None:
    """Take the pictures of some acts, on a display of their own, into the folder that the command line names.

    Args:
        acts: each gets the folder for the pictures, and one that is gone when it is over.
        framed: whether windows have frames, where this machine has jwm, so that dialogs stand out from the editor.
        size: of the display, in pixels, without the frames of a window that fills it.
    """
    folder = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    with (framed_screen if framed else screen)(*size) as display:
        os.environ["DISPLAY"] = display
        for act in acts:
            with tempfile.TemporaryDirectory() as below:
                act(folder, Path(below))


if __name__ == "__main__":
    take_all(of_flows, of_virtual_run, of_sweep, of_ways, of_failures, of_matrix)

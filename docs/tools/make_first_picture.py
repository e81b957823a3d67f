"""Makes the first picture of README.md, docs/images/first.png, on a display of its own.

python docs/tools/make_first_picture.py [FOLDER]

Needs Xvfb, a lab kernel with virtual time (see `miniedit-frr places`), and jwm for the windows' frames. Takes about a
minute. The picture shows six OSPF routers, a BBR and a CUBIC flow that share a link, and their plots in a window beside
the editor, while the flows send. Virtual time keeps the load of this machine out of the curves.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import TITLE_PX, example, screenshot, write_png  # noqa: E402
from make_running_pictures import driven_editor, take_all  # noqa: E402

from frrlib.model.topology import Topology  # noqa: E402
from miniedit_frr.runs.options import RunChoice  # noqa: E402

#: The display without frames, and the editor's share of its width; the plots have the rest.
_SIZE, _EDITOR_PX = (1626, 840), 990
_RIM_PX, _MENU_PX = 8, 32
#: The start of BBR, the time of the picture, and the end of both flows. CUBIC sends alone at first.
_BBR_S, _TAKEN_S, _END_S = 8.0, 21.0, 40.0


def topology_of_picture() -> Topology:
    """The routers in a ring, with a flow that joins another."""
    base = example("ospf-multihop.mn")
    starts = {"cubic": 0.0, "bbr": _BBR_S}
    flows = (
        flow.model_copy(update={"start_s": starts[flow.id], "duration_s": _END_S - starts[flow.id]})
        for flow in base.flows
    )
    return base.model_copy(update={"flows": tuple(flows)})


def main(folder: Path, below: Path) -> None:
    """Run the lab with its flows, and take the picture."""
    high = _SIZE[1] - 2 * _RIM_PX - TITLE_PX
    geometry = f"{_EDITOR_PX}x{high - _MENU_PX}+{_RIM_PX}+{_RIM_PX}"
    with driven_editor(topology_of_picture(), folder, below, "light", "first", geometry=geometry) as driver:
        for panel in ("side", "bottom"):
            driver.editor.panes.toggle(panel)
        live = driver.lab.live
        driver.lab.run_dialogs.run(RunChoice(below / "out", virtual_time=True))
        driver.wait_until(lambda: live.run.newest_s > 0 or not driver.lab.is_alive)
        live.show_window()
        assert live.window is not None
        plots_x = _EDITOR_PX + 2 * _RIM_PX + 2
        live.window.geometry(f"{_SIZE[0] - plots_x - _RIM_PX}x{high}+{plots_x}+{_RIM_PX}")
        driver.wait(0.5)
        driver.editor.view.fit()
        driver.wait_until(lambda: live.run.newest_s > _TAKEN_S or not driver.lab.is_alive)
        driver.wait(0.3)
        image, bottom_px = screenshot(), live.window.winfo_rooty() + live.window.winfo_height() + _RIM_PX
        write_png(image.crop((0, 0, image.width, min(image.height, bottom_px))), folder / "first.png")


if __name__ == "__main__":
    take_all(main, size=_SIZE)

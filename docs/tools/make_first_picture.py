"""Makes the first picture of README.md, docs/images/first.png, on a display of its own.

python docs/tools/make_first_picture.py [FOLDER]

Needs Xvfb, a place for labs that has delay and loss (see `miniedit-frr places`), and jwm for the windows' frames. Takes
about a minute: six OSPF routers, a BBR and a CUBIC flow that share a link, and their plots in a window beside, taken
while they send.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_running_screenshots import stage, take_all  # noqa: E402
from make_screenshots import TITLE_PX, example, grab, write_png  # noqa: E402

from frrlib.model.topology import Topology  # noqa: E402

#: The display without frames, and the editor's share of its width; the plots have the rest.
_SIZE, _EDITOR_PX = (1580, 840), 950
_RIM_PX, _MENU_PX = 8, 32
#: CUBIC is alone until BBR comes; the picture is taken when both have been at it for a while.
_BBR_S, _TAKEN_S, _END_S = 8.0, 21.0, 30.0


def drawing() -> Topology:
    """The routers in a ring, with a flow that joins another."""
    drawn = example("ospf-multihop.mn")
    starts = {"cubic": 0.0, "bbr": _BBR_S}
    flows = (
        flow.model_copy(update={"start_s": starts[flow.id], "duration_s": _END_S - starts[flow.id]})
        for flow in drawn.flows
    )
    return drawn.model_copy(update={"flows": tuple(flows)})


def main(folder: Path, below: Path) -> None:
    """Run it and look."""
    high = _SIZE[1] - 2 * _RIM_PX - TITLE_PX
    geometry = f"{_EDITOR_PX}x{high - _MENU_PX}+{_RIM_PX}+{_RIM_PX}"
    with stage(drawing(), folder, below, "light", "first", geometry=geometry) as there:
        for panel in ("side", "bottom"):
            there.editor.panes.toggle(panel)
        live = there.lab_controller.live
        there.lab_controller.run_into(below / "out")
        there.until(lambda: live.run.newest_s > 0 or not there.lab_controller.is_alive)
        live.show_window()
        assert live.window is not None
        left = _EDITOR_PX + 2 * _RIM_PX + 2
        live.window.geometry(f"{_SIZE[0] - left - _RIM_PX}x{high}+{left}+{_RIM_PX}")
        there.rest(0.5)
        there.editor.view.fit()
        there.until(lambda: live.run.newest_s > _TAKEN_S or not there.lab_controller.is_alive)
        there.rest(0.3)
        whole, bottom_px = grab(), live.window.winfo_rooty() + live.window.winfo_height() + _RIM_PX
        write_png(whole.crop((0, 0, whole.width, min(whole.height, bottom_px))), folder / "first.png")


if __name__ == "__main__":
    take_all(main, size=_SIZE)

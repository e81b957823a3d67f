"""Makes the moving picture of README.md, docs/images/live.gif, on a display of its own.

python docs/tools/make_animation.py [FOLDER]

Needs Xvfb, and a lab kernel with virtual time (see `miniedit-frr places`). Takes half a minute: a run of six flows,
looked at as often as this machine can, twice a second by the run's own clock at most. What the flows do is the same
however busy the machine is.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_live_pictures import set_out, until  # noqa: E402
from make_running_screenshots import stage, take_all  # noqa: E402
from make_screenshots import example, grab  # noqa: E402
from PIL import Image  # noqa: E402

#: The picture's width in pixels, how often a frame is taken, how long it is shown, and how many colours there are.
_WIDE, _EVERY_S, _SHOWN_MS, _COLOURS = 900, 0.4, 180, 255
_LAST_MS = 2500
#: Where the drawing ends and the plots begin, in pixels from the top.
_SASH = 400


def main(folder: Path, below: Path) -> None:
    """Run six flows and keep what is seen."""
    frames: list[Image.Image] = []
    with stage(example("six-flows.mn"), folder, below, "light", "live") as there:
        set_out(there, below, virtual_time=True)
        there.editor.bottom.master.sashpos(0, _SASH)
        there.rest(0.3)
        there.editor.view.fit()
        there.editor.view.zoom_by(0.86)
        at_s = 0.0
        while there.lab_controller.live.run.newest_s < 29.5 and there.lab_controller.is_alive:
            until(there, at_s)
            picture = grab().convert("RGB")
            high = round(picture.height * _WIDE / picture.width)
            frames.append(picture.resize((_WIDE, high), Image.Resampling.LANCZOS))
            at_s = there.lab_controller.live.run.newest_s + _EVERY_S
    write_gif(frames, folder / "live.gif")


def write_gif(frames: list[Image.Image], path: Path) -> None:
    """Write a moving picture: one palette for all, so that what does not change between frames costs nothing."""
    middle = frames[len(frames) * 3 // 4]
    # Grounds and texts have the usual palette; what is few pixels, as curves are, shall have its colours, too.
    usual = middle.quantize(_COLOURS // 2, dither=Image.Dither.NONE).getpalette()[: _COLOURS // 2 * 3]
    rare = middle.quantize(_COLOURS // 2, method=Image.Quantize.MAXCOVERAGE).getpalette()[: _COLOURS // 2 * 3]
    palette = Image.new("P", (1, 1))
    palette.putpalette(usual + rare)
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    shown_ms = [_SHOWN_MS] * len(others) + [_LAST_MS]
    first.save(path, save_all=True, append_images=others, duration=shown_ms, loop=0, optimize=True, disposal=1)


if __name__ == "__main__":
    take_all(main)

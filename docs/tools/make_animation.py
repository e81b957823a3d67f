"""Makes the moving picture of README.md, docs/images/live.gif, on a display of its own.

python docs/tools/make_animation.py [FOLDER]

Needs Xvfb, and a lab kernel with virtual time (see `miniedit-frr places`). Takes half a minute: a run of six flows with
a frame as often as this machine can take one, up to twice a second of the run's own clock. The load of the machine does
not change the flows.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import example, screenshot  # noqa: E402
from make_live_pictures import begin_run, wait_for_time  # noqa: E402
from make_running_pictures import driven_editor, take_all  # noqa: E402
from PIL import Image  # noqa: E402

#: The picture's width in pixels, the time between frames, the time for which each is shown, and the number of colors.
_WIDE, _EVERY_S, _SHOWN_MS, _COLORS = 900, 0.4, 180, 255
_LAST_MS = 2500
#: The end of the animation, in seconds of the run; the flows end at 30.
_END_S = 29.5
#: The boundary between the drawing and the plots, in pixels from the top.
_SASH = 400


def main(folder: Path, below: Path) -> None:
    """Run six flows and take frames of the window."""
    frames: list[Image.Image] = []
    with driven_editor(example("six-flows.mn"), folder, below, "light", "live") as driver:
        begin_run(driver, below)
        driver.editor.bottom.master.sashpos(0, _SASH)
        driver.wait(0.3)
        driver.editor.view.fit()
        driver.editor.view.zoom_by(0.86)
        at_s = 0.0
        while driver.lab.live.run.newest_s < _END_S and driver.lab.is_alive:
            wait_for_time(driver, at_s)
            if driver.lab.live.run.newest_s > _END_S:
                break  # the loads of the links are gone
            picture = screenshot().convert("RGB")
            high = round(picture.height * _WIDE / picture.width)
            frames.append(picture.resize((_WIDE, high), Image.Resampling.LANCZOS))
            at_s = driver.lab.live.run.newest_s + _EVERY_S
    write_gif(frames, folder / "live.gif")


def write_gif(frames: list[Image.Image], path: Path) -> None:
    """Write a moving picture. All frames have one palette, so parts that do not change take no space."""
    middle = frames[len(frames) * 3 // 4]
    # The first half of the palette has the colors of backgrounds and texts, the second one those of curves.
    frequent = middle.quantize(_COLORS // 2, dither=Image.Dither.NONE).getpalette()[: _COLORS // 2 * 3]
    rare = middle.quantize(_COLORS // 2, method=Image.Quantize.MAXCOVERAGE).getpalette()[: _COLORS // 2 * 3]
    palette = Image.new("P", (1, 1))
    palette.putpalette(frequent + rare)
    first, *next_frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    shown_ms = [_SHOWN_MS] * len(next_frames) + [_LAST_MS]
    first.save(path, save_all=True, append_images=next_frames, duration=shown_ms, loop=0, optimize=True, disposal=1)


if __name__ == "__main__":
    take_all(main)

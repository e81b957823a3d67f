"""Makes docs/images/replay.png: the replay of a run of examples/reroute.mn, in headless Chromium.

python docs/tools/make_replay_picture.py RUN

RUN is the results folder of `miniedit-frr run examples/reroute.mn --virtual-time`.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import IMAGES, write_png  # noqa: E402
from PIL import Image  # noqa: E402

from frrlib.replay.page import replay_page  # noqa: E402
from frrlib.results.read import open_results  # noqa: E402
from tests.replay.browser import browser  # noqa: E402

#: The size of the window, and the time of the picture: the flows have a new path, and the link still fails.
_SIZE, _TIME_S = (1280, 800), 12


def main() -> None:
    """Make the picture."""
    with tempfile.TemporaryDirectory() as folder, browser() as page:
        file = Path(folder) / "replay.html"
        file.write_text(replay_page(open_results(Path(sys.argv[1]))), encoding="utf-8")
        page.look(*_SIZE)
        page.open(file, f"#t={_TIME_S}")
        write_png(Image.open(io.BytesIO(page.picture())), IMAGES / "replay.png")


if __name__ == "__main__":
    main()

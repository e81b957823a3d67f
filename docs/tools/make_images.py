"""Makes the pictures of README.md and of docs/ again, each by the commands that a user would type.

python docs/tools/make_images.py

Needs a lab kernel, as the runs are in virtual time: what else the machine does is not in the pictures.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_figures import write_smaller  # noqa: E402
from make_screenshots import IMAGES  # noqa: E402
from PIL import Image  # noqa: E402

#: Picture to the example whose run it shows, and the options of its plot; flows of the first go one after the other.
FIGURES: dict[str, tuple[str, list[str]]] = {
    "two-as-bgp.png": ("two-as-bgp.mn", ["--align", "start"]),
}
#: How much smaller a picture is than the figure at the style's resolution.
SHARE = 0.64


def main() -> None:
    """Run every example and keep its figure."""
    IMAGES.mkdir(exist_ok=True)
    program = [sys.executable, "-m", "miniedit_frr"]
    for picture, (example, options) in FIGURES.items():
        with tempfile.TemporaryDirectory() as below:
            out, drawn = Path(below) / "run", Path(below) / "figure.png"
            run = [*program, "run", str(ROOT / "examples" / example), "--virtual-time", "--out", str(out)]
            subprocess.run(run, check=True, cwd=ROOT)
            plot = [*program, "plot", str(out), "--kind", "series", "--width", "screen", *options, "-o", str(drawn)]
            subprocess.run(plot, check=True, cwd=ROOT)
            write_smaller(Image.open(drawn).convert("RGB"), SHARE, IMAGES / picture)


if __name__ == "__main__":
    main()

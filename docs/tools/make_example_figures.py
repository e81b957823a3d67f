"""Makes the figure of README.md, docs/images/two-as-bgp.png, by the commands that a user would type.

python docs/tools/make_example_figures.py

Needs a lab kernel. The run is in virtual time, so the load of the machine is not in the figure.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import IMAGES  # noqa: E402
from make_figures import write_smaller  # noqa: E402
from PIL import Image  # noqa: E402

#: Picture to the example of its run, and the options of its plot.
FIGURES: dict[str, tuple[str, list[str]]] = {
    "two-as-bgp.png": ("two-as-bgp.mn", ["--align", "start"]),
}
#: The scale of a picture from the figure at the style's resolution.
SCALE = 0.64


def main() -> None:
    """Run every example and write its figure."""
    IMAGES.mkdir(exist_ok=True)
    program = [sys.executable, "-m", "miniedit_frr"]
    for picture, (example, options) in FIGURES.items():
        with tempfile.TemporaryDirectory() as below:
            out, figure = Path(below) / "run", Path(below) / "figure.png"
            run = [*program, "run", str(ROOT / "examples" / example), "--virtual-time", "--out", str(out)]
            subprocess.run(run, check=True, cwd=ROOT)
            plot = [*program, "plot", str(out), "--kind", "series", "--width", "screen", *options, "-o", str(figure)]
            subprocess.run(plot, check=True, cwd=ROOT)
            write_smaller(Image.open(figure).convert("RGB"), SCALE, IMAGES / picture)


if __name__ == "__main__":
    main()

"""Makes the pictures of README.md and of docs/ again, each by the command that a user would type.

python docs/make_images.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from make_screenshots import IMAGES, write_png  # noqa: E402
from PIL import Image  # noqa: E402

#: Picture to the example whose run draws it.
FIGURES = {"two-as-bgp.png": "two-as-bgp.mn", "ospf-multihop.png": "ospf-multihop.mn"}


def main() -> None:
    """Run every example and keep its figure."""
    IMAGES.mkdir(exist_ok=True)
    for picture, example in FIGURES.items():
        with tempfile.TemporaryDirectory() as folder:
            argv = [sys.executable, "-m", "miniedit_frr", "run", str(ROOT / "examples" / example), "--out", folder]
            subprocess.run(argv, check=True, cwd=ROOT)
            write_png(Image.open(Path(folder) / "figure.png"), IMAGES / picture)


if __name__ == "__main__":
    main()

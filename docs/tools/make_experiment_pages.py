"""Writes the pages of published experiments, docs/experiments/, from their runs.

python docs/tools/make_experiment_pages.py DIR [FOLDER]

DIR is the folder of `miniedit-frr experiment run all --out DIR`; its verdicts and figures are made anew first. The same
runs give the same pages.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from miniedit_frr.experiments.conclusion import conclude_all  # noqa: E402
from miniedit_frr.experiments.pages import write  # noqa: E402
from miniedit_frr.experiments.runs import experiment_folders  # noqa: E402


def main() -> None:
    """Write every page."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    out = Path(sys.argv[1])
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "experiments"
    for conclusion in conclude_all(experiment_folders(out), 2):
        sys.stdout.write("".join(f"{line}\n" for line in (f"{conclusion.name} is drawn", *conclusion.failures)))
    written = write(out, folder)
    sys.stdout.write(f"{len(written)} files in {folder}\n")


if __name__ == "__main__":
    main()

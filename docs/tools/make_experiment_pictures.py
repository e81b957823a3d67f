"""Makes the pictures of File > Experiments: docs/images/experiments-*.png.

python docs/tools/make_experiment_pictures.py [FOLDER]

Needs Xvfb. The list of experiments in both themes, and the editor with one of them opened.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_running_screenshots import Stage, take_all  # noqa: E402

from frrlib.model.topology import Topology  # noqa: E402

EXPERIMENT = "TU-R"


def of_list(folder: Path, below: Path) -> None:
    """The list, and what opening makes of it."""
    for theme, ending in (("light", ""), ("dark", "-dark")):
        (below / theme).mkdir()
        there = Stage(Topology(), folder, below / theme, theme, "experiments")
        published = there.editor.experiments
        published.open()
        window = published.window
        assert window is not None
        window.geometry("+60+40")
        there.until(lambda window=window: window.chosen)
        window.tree.selection_set(EXPERIMENT)
        window.tree.see(EXPERIMENT)
        there.take(f"list{ending}")
        window.choose()
        there.editor.view.fit()
        there.take(f"opened{ending}")
        there.editor.close()


if __name__ == "__main__":
    take_all(of_list)

"""Makes the pictures of File > Experiments: docs/images/experiments-*.png.

python docs/tools/make_experiment_pictures.py [FOLDER]

Needs Xvfb. The list of experiments in both themes, and the editor with one of them opened.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_running_pictures import EditorDriver, take_all  # noqa: E402

from frrlib.model.topology import Topology  # noqa: E402

EXPERIMENT = "TU-R"


def take_list(folder: Path, below: Path) -> None:
    """The list of experiments, and the editor with one of them opened."""
    for theme, ending in (("light", ""), ("dark", "-dark")):
        (below / theme).mkdir()
        driver = EditorDriver(Topology(), folder, below / theme, theme, "experiments")
        experiments = driver.editor.experiments
        experiments.open()
        window = experiments.window
        assert window is not None
        window.geometry("+60+40")
        driver.wait_until(lambda window=window: window.chosen)
        window.tree.selection_set(EXPERIMENT)
        window.tree.see(EXPERIMENT)
        driver.take_picture(f"list{ending}")
        window.choose()
        driver.editor.view.fit()
        driver.take_picture(f"opened{ending}")
        driver.editor.close()


if __name__ == "__main__":
    take_all(take_list)

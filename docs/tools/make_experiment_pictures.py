"""Makes the pictures of File > Experiments: docs/images/experiments-*.png.

python docs/tools/make_experiment_pictures.py [FOLDER]

Needs Xvfb, and a lab kernel with virtual time. The list of experiments in both themes, the editor with one of them
opened, and the results of one that was run.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_running_pictures import EditorDriver, drivers_by_theme, take_all  # noqa: E402

from frrlib.model.topology import Topology  # noqa: E402
from miniedit_frr.experiments_view import runs  # noqa: E402

EXPERIMENT = "TU-R"
#: An experiment with few runs.
SHORT = "CF5"


def take_list(folder: Path, below: Path) -> None:
    """The list of experiments, and the editor with one of them opened."""
    for driver, ending in drivers_by_theme(folder, below, "experiments"):
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


def take_run(folder: Path, below: Path) -> None:
    """The results of an experiment that was run."""
    runs.short_path = lambda path: f"~/labs/{path.relative_to(below)}"
    for theme, ending in (("light", ""), ("dark", "-dark")):
        (below / f"run-{theme}").mkdir()
        driver = EditorDriver(Topology(), folder, below / f"run-{theme}", theme, "experiments")
        driver.lab.runs.root = lambda: below  # type: ignore[method-assign]
        experiments = driver.editor.experiments
        experiments.open()
        experiment_list = experiments.window
        assert experiment_list is not None
        driver.wait_until(lambda window=experiment_list: window.chosen)
        experiment_list.tree.selection_set(SHORT)
        driver.editor.window.update()
        experiment_list.full_button.invoke()  # the second time, the runs are finished already
        window = experiments.experiment_runs.window
        assert window is not None
        experiment_list.destroy()
        window.geometry("+40+40")
        for share in (0.25, 0.5, 0.75, 1.0):  # a run at a time, since each may take long
            driver.wait_until(lambda window=window, share=share: float(window.bar.cget("value")) >= share)
        driver.wait_until(lambda window=window: window.again_button.winfo_manager())
        driver.take_picture(f"run{ending}")
        driver.editor.close()


if __name__ == "__main__":
    take_all(take_list, take_run)

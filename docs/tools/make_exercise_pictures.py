"""Makes the pictures of File > Exercises, docs/images/exercises-*.png, and of the networks on pages for teachers.

python docs/tools/make_exercise_pictures.py [FOLDER]

Needs Xvfb, and labs. The list of exercises, an exercise in progress in both themes, the reason for a failed task, and a
new exercise of two drawings.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_running_pictures import EditorDriver, driven_editor, drivers_by_theme, home, take_all  # noqa: E402

from frrlib.addressing.resolved import resolved  # noqa: E402
from frrlib.exercises.exercise import load  # noqa: E402
from frrlib.formats import mn  # noqa: E402
from frrlib.picture.export import picture_bytes  # noqa: E402
from frrlib.picture.labels import SWITCHES, Labels  # noqa: E402
from miniedit_frr.exercises_view.controller import ExercisesController  # noqa: E402
from miniedit_frr.session.events import LabState  # noqa: E402

#: The lines of the picture's student: the session is configured at one end only.
LINES = "router bgp {as1}\nneighbor {wire.2} remote-as {as2}"
#: Exercises whose network a page for teachers shows.
NETWORKS = ("bgp-policy", "route-reflector", "find-three-faults", "an-internet")


def draw_networks(folder: Path, below: Path) -> None:
    """The network of each exercise with a page that shows it."""
    names_only = Labels(**{name: name == "names" for name in SWITCHES})
    for name in NETWORKS:
        topology = load(ROOT / "examples" / "exercises" / name).of_student("1001").start()
        (folder / f"{name}.png").write_bytes(picture_bytes(topology, "png", names_only, resolved(topology)))


def take(folder: Path, below: Path) -> None:
    """All pictures."""
    for driver, ending in drivers_by_theme(folder, below, "exercises"):
        driver.editor.panes.toggle("bottom")
        exercises = driver.editor.exercises
        exercises.open()
        cards = exercises.window
        assert cards is not None
        cards.geometry("+200+60")
        driver.wait_until(lambda cards=cards: cards.buttons)
        cards.name.set("Ada Lovelace")
        cards.student.set("ada42")
        driver.wait(0.5)
        if not ending:
            driver.take_picture("list")
        cards.buttons["two-as"].invoke()
        driver.wait_until(lambda exercises=exercises: exercises.panel)
        work_on(driver, exercises)
        driver.take_picture(f"panel{ending}")
        if not ending:
            ask_why(driver, exercises)
            driver.take_picture("why")
        driver.lab.stop()
        driver.wait_until(lambda driver=driver: not driver.lab.is_alive)
        driver.editor.close()


def take_making(folder: Path, below: Path) -> None:
    """An exercise of two drawings, after its candidates were tried in labs."""
    student = load(ROOT / "examples" / "exercises" / "ospf-costs").of_student("1001")
    (below / "courses").mkdir()
    start = below / "courses" / "start.mn"
    start.write_text(mn.dumps(student.start()))
    solution = student.reference(student.exercise.content.chapters[-1]).model_copy(update={"title": "OSPF costs"})
    with driven_editor(solution, folder, below, series="exercises") as driver, home(below):
        maker = driver.editor.exercises.maker
        maker.open()
        window = maker.window
        assert window is not None
        window.fields["start"].set("~/courses/start.mn")
        window.fields["folder"].set("~/courses/ospf-costs")
        window.attempt_button.invoke()
        driver.wait_until(lambda: maker.is_trying)
        driver.wait_until(lambda: not maker.is_trying)
        tree = window.candidates.tree
        tree.item("group Learned routes", open=False)
        tree.see("group Configuration lines")
        tree.selection_set("h1-h2-path")
        tree.focus("h1-h2-path")
        driver.take_picture("make")


def work_on(driver: EditorDriver, exercises: ExercisesController) -> None:
    """Do a part of the first chapter in a running lab, and check it."""
    panel, work = exercises.panel, exercises.work
    assert panel is not None and work is not None
    driver.lab.run()
    driver.wait_until(lambda: driver.lab.state is LabState.RUNNING)
    typed: list[object] = []
    lines = work.exercise.variables.text(LINES)
    driver.lab.session.ask(lambda lab: lab["r1"].configure(lines)).then(typed.append)
    driver.wait_until(lambda: typed)
    panel.tasks.rows["port"].entry.insert(0, "179")
    panel.check_button.invoke()
    driver.wait_until(lambda: not exercises.checks.is_running)
    panel.tasks.rows["session-up"].title.event_generate("<Button-1>", x=2, y=2)
    panel.text.see("1.0")
    driver.editor.view.fit()


def ask_why(driver: EditorDriver, exercises: ExercisesController) -> None:
    """Open the explanation of the missing neighbor."""
    assert exercises.panel is not None
    exercises.panel.tasks.rows["session-up"].why_button.invoke()
    (window,) = driver.lab.routing_windows.explanations.windows.values()
    window.geometry("+330+200")
    driver.wait_until(lambda: "✗" in window.text.get("1.0", "end"))


if __name__ == "__main__":
    take_all(draw_networks, take, take_making)

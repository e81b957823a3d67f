"""File > Exercises: an exercise from its card to the file that is handed in, with keys and the mouse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tkinter import filedialog

import pytest
from ttkbootstrap.dialogs import Messagebox

from frrlib.edits.changes import delete, replace_link
from frrlib.exercises.evaluation import Outcome
from frrlib.exercises.packed import pack
from frrlib.exercises.running import advice_about
from frrlib.exercises.submissions import read_submission
from frrlib.exercises.work import read_work
from frrlib.picture.scene import Key
from miniedit_frr.exercises_view.panel import ExercisePanel
from miniedit_frr.exercises_view.views import Missing, missing_of
from miniedit_frr.session.events import LabState
from tests import keyboard
from tests.exercises.samples import SHIPPED, pretended_labs, two_as
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui]


def start(user: User, name: str) -> ExercisePanel:
    """Start an exercise as Ada, whose id is ada42."""
    exercises = user.editor.exercises
    exercises.open()
    user.wait(lambda: exercises.window.buttons)
    for entry, text in ((exercises.window.name_entry, "Ada"), (exercises.window.student_entry, "ada42")):
        entry.delete(0, "end")
        keyboard.write(entry, text)
    keyboard.press(exercises.window.buttons[name], "<Key-Return>")
    user.wait(lambda: exercises.panel is not None)
    panel: ExercisePanel = exercises.panel
    user.wait(panel.check_button.winfo_viewable)
    return panel


def test_an_exercise_from_its_card_to_the_submission(
    user: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    panel = start(user, "first-network")
    exercises, folder = user.editor.exercises, user.document.path.parent
    assert (read_work(folder).state.student, read_work(folder).state.name) == ("ada42", "Ada")
    assert panel.text.get("1.0", "2.0") == "Addresses\n"
    built: list[object] = []
    exercises.checks.make_starter = lambda exercise, place, on_lab: pretended_labs({}, built)  # type: ignore[arg-type]

    # A wrong answer: only this question is checked, and it needs no lab.
    row = panel.tasks.rows["lan1-size"]
    keyboard.write(row.entry, "7", "<Key-Return>")
    user.wait(lambda: row.task is not None and row.task.state == "fails")
    assert read_work(folder).state.answers == {"lan1-size": "7"} and not built
    # The right one, according to the exercise's formula: all addresses of the network but two.
    length = int(read_work(folder).exercise.variables.values["lan1"].prefixlen)  # type: ignore[union-attr]
    user.wait(lambda: not exercises.checks.is_running)
    row.entry.delete(0, "end")
    keyboard.write(row.entry, str(2 ** (32 - length) - 2), "<Key-Return>")
    user.wait(lambda: row.task is not None and row.task.holds)
    assert panel.view is not None and (panel.view.points, panel.bar.cget("value")) == (1, 1)
    user.wait(lambda: not exercises.checks.is_running)

    # A hint costs its price, and stays readable.
    keyboard.press(panel.hint_button, "<Key-Return>")
    assert "A prefix length of 26" in panel.text.get("1.0", "end") and panel.view.points == 0

    # An edit is saved by itself, and the panel follows the command line.
    user.document.apply("Move", user.topology.model_copy(update={"title": "mine"}))
    user.wait(lambda: read_work(folder).topology().title == "mine")
    read_work(folder).answered({"lan1-size": "9"})
    exercises.reread()
    assert row.entry.get() == "9"

    # Nodes stay, and the reason is shown.
    user.document.apply("Delete", delete(user.topology, ["r1"]))
    assert user.topology.node("r1") is not None and "r1 is missing" in panel.status.cget("text")

    monkeypatch.setattr(Messagebox, "show_question", lambda *args, **options: "Restore")
    keyboard.press(panel.restore_button, "<Key-Return>")
    assert panel.view.chapter == "2 of 2: Static routes" and user.document.is_saved
    assert user.topology == read_work(folder).topology() != read_work(folder).exercise.start()

    target = tmp_path / "mine.zip"
    monkeypatch.setattr(filedialog, "asksaveasfilename", lambda **options: str(target))
    keyboard.press(panel.hand_in_button, "<Key-Return>")
    user.wait(lambda: "was written" in str(panel.status.cget("text")))
    submission = read_submission(target)
    assert submission.state.chapters["addresses"].restored and submission.topology == user.topology


def test_checks_can_be_canceled_and_locked_nodes_keep_their_settings(
    user: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    panel = start(user, "two-as")
    exercises, folder = user.editor.exercises, user.document.path.parent
    exercises.checks.make_starter = lambda exercise, place, on_lab: pretended_labs({})
    panel.check_button.invoke()
    assert exercises.checks.is_running and panel.check_button.cget("text") == "Cancel"
    keyboard.press(user.view, "<Key-Escape>")
    user.wait(lambda: not exercises.checks.is_running)
    assert (panel.check_button.cget("text"), panel.status.cget("text")) == ("Check All", "Canceled.")
    assert not any("checked" in line.text for line in read_work(folder).state.log)

    task = panel.tasks.rows["session-up"]
    task.title.event_generate("<Button-1>", x=2, y=2)
    user.editor.window.update()
    (selected,) = user.view.selection
    link = user.topology.link(selected.name)
    assert selected.kind == "link" and link is not None and {link.a.node, link.b.node} == {"r1", "r2"}

    # Why? at a missing neighbor needs the running lab.
    assert panel.view is not None and not panel.tasks.rows["r1-as"].why_button.winfo_manager()
    missing = Missing("r1", "r2", "bgp")
    first = replace(panel.view.tasks[0], state="fails", remark="It is down.", missing=missing)
    panel.show(replace(panel.view, tasks=(first, *panel.view.tasks[1:])))
    why_button = panel.tasks.rows["session-up"].why_button
    user.wait(why_button.winfo_viewable)
    keyboard.press(why_button, "<Key-Return>")
    assert "looks at the routers of the running lab" in panel.status.cget("text")
    lab = user.editor.lab_controller
    with monkeypatch.context() as running:
        running.setattr(lab.lab, "state", LabState.RUNNING)
        keyboard.press(why_button, "<Key-Return>")
    window = lab.routing_windows.explanations.windows["Why r1 Lacks the BGP Neighbor r2"]
    keyboard.press(window, "<Key-Escape>")

    h1 = user.topology.node("h1")
    changed = tuple(
        node.model_copy(update={"default_route": "192.0.2.1"}) if node is h1 else node for node in user.topology.nodes
    )
    user.document.apply("Change", user.topology.model_copy(update={"nodes": changed}))
    assert user.topology.node("h1") == h1 and "h1 is locked" in panel.status.cget("text")
    user.view.select([user.view.scene.key_of("h1", "node")])
    user.editor.window.update()
    assert "h1" in str(user.editor.properties.notice.cget("text"))

    dialogs = user.editor.dialogs
    of_h1 = next(link for link in user.topology.links if "h1" in {end.node for end in link.ends})
    for key, locked, is_wholly_locked in (
        (Key("node", "h1"), "h1", True), (Key("node", "r1"), "", False), (Key("link", of_h1.id), "h1", False),
    ):  # fmt: skip
        form = dialogs.open_keys([key], key).form
        user.editor.window.update()
        open_fields = [path for path, field in form.inputs.items() if not form.draft.is_locked(path)]
        looks = {"node.label", "node.colour", "node.x", "node.y"}
        assert bool(set(open_fields) - looks) != is_wholly_locked, (key, open_fields)
        assert (f"settings and addresses of {locked} are given" in form.lock_text) == bool(locked)
        assert form.ok_button.instate(["disabled" if locked else "!disabled"])
        keyboard.press(form.window, "<Key-Escape>")
        assert not dialogs.open_dialogs

    user.editor.files.new()
    assert exercises.panel is None

    # A packed exercise opens in the list, from which it is started. A broken one leaves the list as it is.
    file = tmp_path / "mine.mnx"
    pack(SHIPPED / "first-network", file)
    user.editor.files.open_dropped([file])
    user.wait(lambda: "mine" in exercises.window.buttons)
    (tmp_path / "broken.mnx").write_bytes(b"PK")
    monkeypatch.setattr(filedialog, "askopenfilename", lambda **options: str(tmp_path / "broken.mnx"))
    keyboard.press(exercises.window.file_button, "<Key-Return>")
    user.wait(lambda: "no readable zip file" in exercises.window.fault.get())
    keyboard.press(exercises.window.buttons["mine"], "<Key-Return>")
    user.wait(lambda: exercises.panel is not None)
    assert exercises.work.exercise.exercise.name == "mine"


def test_the_missing_part_of_a_task() -> None:
    exercise = two_as()
    session, networks = (exercise.of_student("42").checks(each, hidden=True) for each in exercise.content.chapters)
    lacks = {check.id: Outcome(check, "fails", "", is_missing=True) for check in (*session, *networks)}
    routers = ("r1", "r2")
    assert missing_of(lacks["session-up"], routers) == Missing("r1", "r2", "bgp")
    lan1 = str(exercise.of_student("42").variables.values["lan1"])
    assert missing_of(lacks["r2-learns"], routers) == Missing("r2", lan1)
    assert missing_of(lacks["session-up"], ("r1",)) is None  # r2 runs no FRR
    assert missing_of(replace(lacks["session-up"], is_missing=False), routers) is None
    assert missing_of(lacks["port"], routers) is None


def test_the_start_of_an_exercise_names_the_menu(tmp_path: Path) -> None:
    assert "File > Exercises" in advice_about(SHIPPED / "two-as" / "start.mn")
    assert "File > Exercises" in advice_about(SHIPPED / "two-as" / "solution" / "session.mn")
    assert not advice_about(tmp_path / "start.mn")


def test_warnings_that_would_name_the_faults_are_not_listed(user: User) -> None:
    start(user, "find-three-faults")
    editor, path = user.editor, user.document.path
    assert path is not None
    user.wait(lambda: not editor.checker.is_busy)
    assert editor.problems.listed == ()
    assert editor.dialogs.errors_only
    # An error is listed, since a lab with it does not start.
    link = user.topology.links[1]
    twice = link.model_copy(update={"b": link.b.model_copy(update={"addresses": link.a.addresses})})
    user.document.apply("Break", replace_link(user.topology, link.id, twice))
    user.wait(lambda: editor.problems.errors > 0)
    user.document.undo()
    # The same drawing outside of the exercise has its warnings.
    copy = path.parent.parent / "copy.mn"
    copy.write_bytes(path.read_bytes())
    editor.files.open(copy)
    user.wait(lambda: editor.problems.listed)
    assert not editor.checker.errors_only and not editor.dialogs.errors_only

"""File > Experiments: the list, the description of an experiment, and an experiment opened and undone."""

from __future__ import annotations

import pytest
from ttkbootstrap.dialogs import Messagebox

from miniedit_frr.experiments import catalogue
from miniedit_frr.experiments_view.window import ExperimentList
from tests.experiments.small import SMALL
from tests.window.hands_on_window import User, draw
from tests.window.widgets import texts

pytestmark = [pytest.mark.gui]


@pytest.fixture
def experiment_list(user: User, monkeypatch: pytest.MonkeyPatch) -> ExperimentList:
    """The list, with one experiment in it."""
    monkeypatch.setattr(catalogue, "experiments", lambda: {SMALL.name: SMALL})
    return open_list(user)


def open_list(user: User) -> ExperimentList:
    user.editor.experiments.open()
    window = user.editor.experiments.window
    assert window is not None
    user.wait(lambda: window.chosen)
    user.editor.window.update()
    return window


def test_an_experiment_is_listed_with_its_cases(user: User, experiment_list: ExperimentList) -> None:
    assert experiment_list.chosen == ("CF5", "published-bbr")
    assert [experiment_list.cases.set(case, "varies") for case in experiment_list.cases.get_children()] == [
        "BBR, loss 1.5 %", "CUBIC", "BBRv2",
    ]  # fmt: skip
    assert experiment_list.about.get("1.0", "end").startswith("Two flows of one kind meet at a link of 10 Mbit/s.")
    experiment_list.tree.selection_set(experiment_list.tree.get_children()[0])  # a family is nothing to open
    user.editor.window.update()
    assert experiment_list.chosen is None and str(experiment_list.button.cget("state")) == "disabled"
    experiment_list.choose()
    assert experiment_list.winfo_exists() and not user.topology.nodes


def test_cut_cells_end_in_an_ellipsis(user: User, experiment_list: ExperimentList) -> None:
    item = experiment_list.tree.get_children(experiment_list.tree.get_children()[0])[0]
    cut_title = str(experiment_list.tree.set(item, "title"))
    experiment_list.tree.column("title", width=90)
    experiment_list.tree.event_generate("<ButtonRelease-1>")
    assert str(experiment_list.tree.set(item, "title")).endswith("…")
    experiment_list.tree.column("title", width=900)
    experiment_list.tree.event_generate("<ButtonRelease-1>")
    assert not (full := str(experiment_list.tree.set(item, "title"))).endswith("…") and full.startswith(
        cut_title.rstrip("…")
    )


def test_an_opened_experiment_is_a_new_document(user: User, experiment_list: ExperimentList) -> None:
    experiment_list.cases.selection_set("right-cubic")
    user.editor.window.update()
    experiment_list.button.invoke()
    assert user.topology.title.startswith("CF5, right-cubic") and len(user.topology.flows) == 2
    assert user.document.path is None and user.document.is_saved
    assert user.document.undo_label == "Open CF5"
    assert not experiment_list.winfo_exists()
    user.document.undo()
    assert not user.topology.nodes
    user.document.redo()
    assert len(user.topology.nodes) == 6


def test_unsaved_changes_are_asked_about(
    user: User, experiment_list: ExperimentList, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw(user)
    answers = iter(["Cancel", "Discard"])
    monkeypatch.setattr(Messagebox, "show_question", lambda *args, **kwargs: next(answers))
    experiment_list.choose()
    assert len(user.topology.nodes) == 3 and experiment_list.winfo_exists()
    experiment_list.choose()
    assert len(user.topology.nodes) == 6 and not experiment_list.winfo_exists()


def test_errors_of_experiments_are_shown(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ImportError("no numpy here")

    monkeypatch.setattr(catalogue, "experiments", broken)
    user.editor.experiments.open()
    window = user.editor.experiments.window
    user.wait(lambda: any("no numpy here" in text for text in texts(window)))


def test_every_experiment_opens(user: User) -> None:
    """All published experiments have a family and a valid topology."""
    window = open_list(user)
    names = [name for family in window.tree.get_children() for name in window.tree.get_children(family)]
    assert names == list(catalogue.experiments())
    for name in names:
        window.tree.selection_set(name)
        user.editor.window.update()
        assert window.chosen is not None and window.chosen[0] == name

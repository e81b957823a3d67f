"""Undo and redo through the real window: gestures by pointer and keys, then Ctrl+Z to the empty canvas and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from tests.desktop import Desktop
from tests.example_counts import examples
from tests.window.hands_on_window import editor_on

pytestmark = [pytest.mark.gui, pytest.mark.timeout(300)]


class Person:
    """A user who operates the editor only by its screen."""

    def __init__(self, editor: Any, hands: Desktop) -> None:
        self.editor, self.hands = editor, hands

    @property
    def topology(self) -> Topology:
        value: Topology = self.editor.document.topology
        return value

    def steps(self) -> int:
        return len(self.editor.document.undo_labels)

    def settle(self) -> None:
        """Let the window process everything that the hands have done: events sent before an answer have arrived with
        it.
        """
        for _ in range(2):
            self.editor.window.winfo_pointerxy()
            self.editor.window.update()

    def place(self, column: int, row: int) -> tuple[float, float]:
        """A crossing of a grid on the canvas, in pixels of the screen."""
        view = self.editor.view
        return view.winfo_rootx() + 60 + 90 * column, view.winfo_rooty() + 60 + 80 * row

    def where(self, name: str) -> tuple[float, float]:
        node = self.topology.node(name)
        assert node is not None
        x, y = self.editor.view.to_widget((node.x, node.y))
        return self.editor.view.winfo_rootx() + x, self.editor.view.winfo_rooty() + y

    def keys(self, *names: str) -> None:
        self.hands.keys(*names)
        self.settle()


@pytest.fixture
def person(hands: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Person]:
    """A user of an editor with an empty topology."""
    monkeypatch.setenv("DISPLAY", hands.display)
    with editor_on(Document(), tmp_path, "1300x860") as editor:
        yield Person(editor, hands)


def machine(person: Person) -> Callable[[], RuleBasedStateMachine]:
    """Random actions of a user, with the list of all values of the topology."""
    places = st.tuples(st.integers(0, 6), st.integers(0, 4))
    some = st.integers(0, 99)

    class Gestures(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            person.editor.document.new()
            person.editor.view.zoom_to(1)
            person.settle()
            self.values = [Topology()]

        def note(self) -> None:
            """Check that the last gesture was one edit or none."""
            if person.topology != self.values[-1]:
                self.values.append(person.topology)
            assert person.steps() == len(self.values) - 1

        def name_of_node(self, number: int) -> str:
            return person.topology.nodes[number % len(person.topology.nodes)].name

        @rule(tool=st.sampled_from("hsbgrc"), at=places)
        def draw(self, tool: str, at: tuple[int, int]) -> None:
            person.hands.point(*person.place(*at))
            person.keys(tool)
            person.hands.click(*person.place(*at))
            person.keys("Escape")
            self.note()

        @precondition(lambda self: len(person.topology.nodes) > 1)
        @rule(first=some, second=some)
        def link(self, first: int, second: int) -> None:
            person.keys("l")
            person.hands.drag(person.where(self.name_of_node(first)), person.where(self.name_of_node(second)))
            person.keys("Escape")
            self.note()

        @precondition(lambda self: person.topology.nodes)
        @rule(number=some, to=places)
        def move(self, number: int, to: tuple[int, int]) -> None:
            person.hands.drag(person.where(self.name_of_node(number)), person.place(*to))
            person.settle()
            self.note()

        @precondition(lambda self: person.topology.nodes)
        @rule(number=some)
        def delete(self, number: int) -> None:
            person.hands.click(*person.where(self.name_of_node(number)))
            person.keys("Delete")
            self.note()

        @precondition(lambda self: 0 < len(person.topology.nodes) < 12)
        @rule(number=some)
        def duplicate(self, number: int) -> None:
            person.hands.click(*person.where(self.name_of_node(number)))
            person.keys("ctrl+d")
            self.note()

        @precondition(lambda self: person.topology.nodes)
        @rule(number=some, name=st.sampled_from(["web", "core7", "h1"]))
        def rename(self, number: int, name: str) -> None:
            person.hands.click(*person.where(self.name_of_node(number)))
            person.keys("F2")
            person.hands.type(name)
            person.keys("Return", "Escape")
            self.note()

        @precondition(lambda self: person.topology.nodes)
        @rule(key=st.sampled_from(["Left", "shift+Down"]))
        def nudge(self, key: str) -> None:
            person.keys("ctrl+a", key)
            self.note()

        def teardown(self) -> None:
            for value in reversed(self.values[:-1]):
                person.keys("ctrl+z")
                assert person.topology == value
            person.keys("ctrl+z")
            assert person.topology == Topology()
            assert person.editor.document.is_saved
            for value in self.values[1:]:
                person.keys("ctrl+shift+z")
                assert person.topology == value
            person.keys("ctrl+shift+z")
            assert person.topology == self.values[-1]
            assert person.editor.view.drawn_keys == person.editor.view.scene.keys()

    return Gestures


def test_random_gestures_can_be_undone_and_redone(person: Person) -> None:
    run_state_machine_as_test(
        machine(person),
        settings=settings(
            max_examples=examples(3),
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.reuse, Phase.generate],  # making an example smaller would take minutes of gestures
        ),
    )


def test_a_drawn_topology_can_be_undone_and_redone(person: Person) -> None:
    """The same where the result is known: two hosts, a router, two links; one step each."""
    for tool, at in (("h", (0, 1)), ("h", (6, 1)), ("r", (3, 1))):
        person.keys(tool)
        person.hands.click(*person.place(*at))
        person.settle()
    person.keys("l")
    for a, b in (("h1", "r1"), ("r1", "h2")):
        person.hands.drag(person.where(a), person.where(b))
        person.settle()
    topology = person.topology
    assert [node.name for node in topology.nodes] == ["h1", "h2", "r1"]
    assert [(link.a.node, link.b.node) for link in topology.links] == [("h1", "r1"), ("r1", "h2")]
    person.keys(*["ctrl+z"] * 5)
    assert person.topology == Topology()
    person.keys(*["ctrl+shift+z"] * 5)
    assert person.topology == topology

"""Text typed on routers of a lab behind the real window: shown, ticked, accepted, kept."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from frrlib.conf.changes import difference
from frrlib.configs import history as kept
from frrlib.edits.changes import rename
from frrlib.formats import mn
from frrlib.model.nodes import Router
from miniedit_frr.editor import config_folders
from miniedit_frr.lab_control import departure
from miniedit_frr.session.events import LabState
from tests.window.hands_on_labs import Runner, at_a_window, two_as
from tests.window.hands_on_window import User
from tests.window.topologies import TWO_AS

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(180)]

TYPED = [
    "configure terminal",
    "route-map OUT permit 10",
    "set metric 77",
    "exit",
    "router bgp 100",
    "address-family ipv4 unicast",
    "network 10.88.0.0/16",
    "end",
]


class Typist(Runner):
    """A user who types on routers."""

    def type(self, router: str, *lines: str) -> None:
        """Type lines in a router's vtysh."""

        def typing(lab: Any) -> None:
            with lab[router].vtysh_session() as session:
                for line in lines:
                    session.run(line)

        self.answer(self.lab_controller.session.ask(typing))

    def window(self) -> Any:
        """The window of changes, when it is there."""
        self.wait(lambda: self.lab_controller.configs.is_waiting)
        self.editor.window.update()
        return self.lab_controller.configs.window

    def press_button(self, button: tk.Misc) -> None:
        """Press a button with the pointer."""
        for name in ("<Enter>", "<ButtonPress-1>", "<ButtonRelease-1>"):
            button.event_generate(name, x=5, y=5)
        self.editor.window.update()

    def router(self, name: str) -> Router:
        node = self.topology.node(name)
        assert isinstance(node, Router)
        return node


@pytest.fixture
def typist(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Typist]:
    """A user at a window with the two-AS example, who types on its routers."""
    with at_a_window(Typist, two_as(), tmp_path, monkeypatch) as user:
        yield user


def test_stopping_shows_typed_lines_and_saves_the_ticked_lines(typist: Typist, tmp_path: Path) -> None:
    typist.run()
    typist.type("r1", *TYPED)
    typist.press_key("<Shift-F5>")
    typist.until(LabState.IDLE)
    window = typist.window()
    assert list(window.list.get_children()) == ["r1"]
    assert len(window.ticks["r1"]) == 2
    running_lines = window.right.get("1.0", "end")
    assert "network 10.88.0.0/16" in running_lines
    assert "10.88" not in window.left.get("1.0", "end")
    boxes = [window.gutter.nametowidget(name) for name in window.gutter.window_names()]
    typist.press_button(boxes[-1])
    typist.press_button(boxes[-1])
    assert window.list.set("r1", "count") == "2 of 2"
    typist.press_button(window.take_button)
    assert not typist.lab_controller.configs.is_waiting

    bgp = typist.router("r1").bgp
    assert bgp is not None
    assert "10.88.0.0/16" in map(str, bgp.networks)
    assert typist.router("r1").frr_conf.splitlines()[:2] == ["route-map OUT permit 10", " set metric 77"]
    assert typist.document.undo_label == "Take Over Configuration of r1"
    typist.document.save(tmp_path / "kept.mn")
    assert mn.load(tmp_path / "kept.mn").topology == typist.topology

    typist.run()  # and it is in force again
    of_r1 = typist.answer(typist.lab_controller.session.ask(lambda lab: lab.running_configs()))["r1"]
    assert "  network 10.88.0.0/16" in of_r1.now.splitlines()
    assert of_r1.typed() == []

    typist.document.restrict(lambda old, new: "")
    typist.document.undo()
    assert typist.router("r1").frr_conf == ""


def test_removed_lines_are_taken_over_and_lines_of_a_renamed_router_are_not(typist: Typist) -> None:
    typist.run()
    typist.type("r1", *TYPED)
    typist.type("r2", "configure terminal", "router bgp 200", "address-family ipv4 unicast", "no network 10.1.0.0/16")
    typist.press_key("<Shift-F5>")
    typist.until(LabState.IDLE)
    window = typist.window()
    assert list(window.list.get_children()) == ["r1", "r2"]
    assert "network 10.1.0.0/16" in window._sides["r2"].rows[window_row(window, "r2")].left
    typist.document.apply("Rename", rename(typist.topology, "r1", "edge"))
    typist.press_button(window.take_button)
    bgp = typist.router("r2").bgp
    assert bgp is not None
    assert "10.1.0.0/16" not in map(str, bgp.networks)  # a removed line stays away
    assert "Changes on r1 are not taken over" in typist.editor.log.text.get("1.0", "end")
    assert "10.88" not in mn.dumps(typist.topology)

    typist.run()
    typist.type("edge", "configure terminal", "route-map T permit 10", "exit", "no route-map T permit 10", "end")
    typist.press_key("<Shift-F5>")
    typist.until(LabState.IDLE)
    assert (
        not typist.lab_controller.configs.is_waiting
    )  # all typed lines were removed again, so the window stays closed


def window_row(window: Any, router: str) -> int:
    """The first row of a router that changed."""
    return next(number for number, row in enumerate(window._sides[router].rows) if row.block is not None)


def test_unticked_lines_are_ignored_and_dropped_lines_are_in_the_history(typist: Typist) -> None:
    typist.run()
    typist.type("r1", *TYPED)
    typist.press_key("<Control-k>")
    window = typist.window()
    boxes = [window.gutter.nametowidget(name) for name in window.gutter.window_names()]
    network = next(at for at, block in enumerate(window._sides["r1"].blocks) if "network" in block[0].line)
    typist.press_button(boxes[network])
    assert window.list.set("r1", "count") == "1 of 2"
    typist.press_button(window.take_button)
    assert "route-map OUT permit 10" in typist.router("r1").frr_conf
    assert "10.88" not in mn.dumps(typist.topology)
    assert typist.lab_controller.state is LabState.RUNNING

    typist.type("r2", "configure terminal", "router bgp 200", "timers bgp 3 9", "end")
    typist.press_key("<Shift-F5>")
    typist.until(LabState.IDLE)
    window = typist.window()
    assert list(window.list.get_children()) == ["r2"]  # accepted changes are not shown again
    typist.press_button(window.drop_button)
    assert "timers bgp" not in mn.dumps(typist.topology)

    typist.lab_controller.configs.show_history()
    history = typist.lab_controller.configs.history_window
    assert history is not None
    assert [row[2] for row in history.sheet.rows()] == ["r1, r2"]
    history.sheet.tree.selection_set("0")
    typist.wait(lambda: "disabled" not in history.open_button.state())
    typist.press_button(history.open_button)
    window = typist.window()
    window.list.selection_set("r2")
    typist.editor.window.update()
    assert "timers bgp 3 9" in window.right.get("1.0", "end")
    typist.press_button(window.take_button)
    assert "timers bgp 3 9" in mn.dumps(typist.topology) or typist.router("r2").bgp.keepalive_s == 3  # type: ignore[union-attr]


def test_saving_while_a_lab_runs_shows_typed_lines(typist: Typist, tmp_path: Path) -> None:
    typist.document.save(tmp_path / "saved.mn")
    typist.run()
    typist.editor.files.save()
    typist.wait(lambda: not typist.lab_controller.configs.is_asking)
    assert not typist.lab_controller.configs.is_waiting
    typist.type("r1", *TYPED)
    typist.editor.files.save()
    typist.press_button(typist.window().take_button)
    typist.wait(lambda: not typist.lab_controller.configs.is_asking)
    assert typist.document.is_saved
    assert "10.88.0.0/16" in (tmp_path / "saved.mn").read_text()
    assert not typist.lab_controller.configs.is_waiting


def test_leaving_a_running_lab_keeps_typed_lines(typist: Typist, monkeypatch: pytest.MonkeyPatch) -> None:
    typist.run()
    typist.type("r1", *TYPED)
    monkeypatch.setattr(departure.Messagebox, "show_question", lambda *_, **__: "Stop the Lab")
    assert not typist.lab_controller.departure.may_leave()
    assert typist.lab_controller.state is LabState.IDLE
    typist.window().destroy()
    assert typist.lab_controller.departure.may_leave()
    (run,) = kept.kept_runs(typist.lab_controller.configs.history)
    assert run.changed == ("r1",)
    assert "10.88.0.0/16" in kept.read_configs(run.folder)["r1"].now


def test_the_last_configurations_of_a_failed_lab_are_kept(typist: Typist) -> None:
    typist.run()
    typist.type("r1", *TYPED)
    typist.lab_controller.configs.remember()
    typist.wait(lambda: not typist.lab_controller.session.pending)
    typist.lab_controller.session.ask(lambda lab: lab._process.cut())
    typist.until(LabState.FAILED)
    assert "network 10.88.0.0/16" in typist.window().right.get("1.0", "end")
    assert "The last ones that were read are kept" in typist.log()
    (run,) = kept.kept_runs(typist.lab_controller.configs.history)
    assert run.changed == ("r1",)


def test_a_folder_is_imported_and_exported(user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document, folders = user.document, user.editor.config_folders
    document.open(TWO_AS)
    folders.write(tmp_path / "out")
    (tmp_path / "out" / "r9").mkdir()
    (tmp_path / "out" / "r9" / "zebra.conf").write_text("hostname r9\nip route 10.9.9.0/24 10.0.0.9\n")
    monkeypatch.setattr(config_folders.filedialog, "askdirectory", lambda **_: str(tmp_path / "out"))
    monkeypatch.setattr(config_folders.Messagebox, "show_question", lambda *_, **__: "Draw Them")
    (_, command) = folders.entries()[0]
    command()
    new = user.topology.node("r9")
    assert isinstance(new, Router)
    assert new.frr_conf == "ip route 10.9.9.0/24 10.0.0.9\n!\n"  # as a setting it would need a link there
    folders.write(tmp_path / "again")
    for name in ("r1", "r2"):
        texts = [(tmp_path / where / name / "frr.conf").read_text() for where in ("out", "again")]
        assert difference(*texts) == []
    document.undo()
    assert user.topology.node("r9") is None

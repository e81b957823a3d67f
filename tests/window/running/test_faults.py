"""Faults from the context menu while a lab runs: the canvas shows that each is started and cleared."""

from __future__ import annotations

import pytest
from ttkbootstrap.dialogs import Messagebox

from frrlib.formats import mn
from frrlib.model.interface_names import with_names
from frrlib.picture.scene import Key
from miniedit_frr.session.events import LabState
from miniedit_frr.widgets.words_dialog import WordsDialog
from tests.window.hands_on_labs import Runner, choose, labels
from tests.window.topologies import TWO_AS

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(180)]

LAB = mn.load(TWO_AS).topology


@pytest.fixture
def runner(shared_runner: Runner) -> Runner:
    """One lab for all faults, since each is cleared."""
    return shared_runner


def test_faults_from_the_context_menu_are_shown(runner: Runner) -> None:
    link = next(
        candidate for candidate in runner.topology.links if {candidate.a.node, candidate.b.node} == {"r1", "r2"}
    )
    menu = runner.right_click(runner.middle("r1", "r2"))
    assert "Fault" in labels(menu)
    choose(menu, "Fault", "Drop All Packets")
    runner.wait(lambda: runner.states().get(link.id) == "lossy")
    assert "all packets are lost" in runner.log()
    choose(runner.right_click(runner.middle("r1", "r2")), "Fault", "Stop Dropping Packets")
    runner.wait(lambda: runner.states().get(link.id) == "up")

    choose(runner.right_click(runner.at("r1")), "Fault", "Freeze")
    runner.wait(lambda: runner.states().get("r1") == "frozen")
    assert "its kernel continues to forward" in runner.editor.lab_controller.display.nodes["r1"].reason
    choose(runner.right_click(runner.at("r1")), "Fault", "Thaw")
    runner.wait(lambda: runner.states().get("r1") == "up")

    choose(runner.right_click(runner.at("r2")), "Fault", "bgpd", "Kill")
    runner.wait(lambda: runner.states().get("r2") == "failed")
    choose(runner.right_click(runner.at("r2")), "Fault", "bgpd", "Restart")
    runner.wait(lambda: runner.states().get("r2") == "up")

    choose(runner.right_click(runner.at("r2")), "Fault", "Partition")
    runner.wait(lambda: runner.states().get(link.id) == "down")
    choose(runner.right_click(runner.at("r2")), "Fault", "Heal Partitions")
    runner.wait(lambda: runner.states().get(link.id) == "up")


def test_the_other_menu_lines_start_their_faults(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    link = next(
        candidate for candidate in runner.topology.links if {candidate.a.node, candidate.b.node} == {"r1", "r2"}
    )
    interfaces = {end.node: end.interface for end in with_names(runner.topology).link(link.id).ends}  # type: ignore[union-attr]
    middle, text_of = runner.middle("r1", "r2"), runner.editor.lab_controller.display.tip_text

    def words(*path: str, at: tuple[int, int]) -> WordsDialog:
        choose(runner.right_click(at), "Fault", *path)
        dialog = runner.lab_controller.faults.dialog
        assert dialog is not None and dialog.winfo_exists()
        return dialog

    choose(runner.right_click(middle), "Fault", "Down for 2 s")
    runner.wait(lambda: runner.states().get(link.id) == "down")
    runner.wait(lambda: runner.states().get(link.id) == "up")

    dialog = words("Drop Packets…", at=middle)
    assert dialog.words.get() == f"loss {link.id} 30% 2s"
    dialog.words.set(f"loss {link.id} 100% 1s")
    dialog.accept()
    runner.wait(lambda: runner.states().get(link.id) == "lossy")
    assert "all packets are lost for 1 s" in text_of(Key("link", link.id))
    runner.wait(lambda: runner.states().get(link.id) == "up")

    dialog = words("Change Values…", at=middle)
    assert dialog.words.get().startswith(f"set {link.id} rate=")
    dialog.words.set(f"set {link.id} rate=7")
    dialog.accept()
    runner.wait(lambda: "changed: rate=7mbit" in text_of(Key("link", link.id)))

    choose(runner.right_click(runner.at("r1")), "Fault", interfaces["r1"], "Down")
    runner.wait(lambda: runner.states().get(link.id) == "down")
    assert f"{interfaces['r1']} is down" in text_of(Key("link", link.id))
    choose(runner.right_click(middle), "Fault", f"Put {interfaces['r1']} Up")
    runner.wait(lambda: runner.states().get(link.id) == "up")
    choose(runner.right_click(runner.at("r2")), "Fault", interfaces["r2"], "Flap 3 Times")
    runner.wait(lambda: runner.log().count(f"{interfaces['r2']} put up") == 3)

    choose(runner.right_click(runner.at("r1")), "Fault", "bgpd", "Stop")
    runner.wait(lambda: runner.states().get("r1") == "frozen")
    choose(runner.right_click(runner.at("r1")), "Fault", "bgpd", "Continue")
    runner.wait(lambda: runner.states().get("r1") == "up")

    monkeypatch.setattr(Messagebox, "show_question", lambda *args, **options: options["buttons"][1].partition(":")[0])
    choose(runner.right_click(runner.at("r2")), "Fault", "Power-Cycle…")
    runner.wait(lambda: (runner.states().get("r2"), runner.states().get(link.id)) == ("frozen", "down"))
    runner.wait(lambda: (runner.states().get("r2"), runner.states().get(link.id)) == ("up", "up"))

    choose(runner.right_click(middle), "Link Down")
    choose(runner.right_click(runner.at("r1")), "Fault", "Freeze")
    choose(runner.right_click(runner.at("h1")), "Fault", "Freeze")
    runner.wait(lambda: [runner.states().get(name) for name in (link.id, "r1", "h1")] == ["down", "frozen", "frozen"])
    choose(runner.right_click(runner.at("r2")), "Fault", "Clear All Faults")
    runner.wait(lambda: [runner.states().get(name) for name in (link.id, "r1", "h1")] == ["up", "up", "up"])


def test_a_fault_can_be_typed(runner: Runner) -> None:
    faults = runner.lab_controller.faults
    choose(runner.right_click(runner.at("r1")), "Fault", "Other…")
    dialog = faults.dialog
    assert dialog is not None
    dialog.words.set("freeze r9 please")
    dialog.accept()
    assert "'please' is not a time" in dialog.fault.get()
    for words, message in {"link-down l9": "there is no link l9", "kill r1 ospfd": "one of zebra, bgpd",
                       "loss l2 30%": "neither delay nor loss"}.items():  # fmt: skip
        dialog.words.set(words)
        dialog.accept()
        assert message in dialog.fault.get()
    dialog.words.set("stop r1 bgpd 500ms")
    dialog.accept()
    runner.wait(lambda: runner.states().get("r1") == "frozen")
    assert not dialog.winfo_exists()
    runner.wait(lambda: runner.states().get("r1") == "up")
    runner.lab_controller.stop()
    runner.until(LabState.IDLE)
    assert Key("node", "r1").name not in runner.states()

"""The options before a run: accepted and rejected input, the order, and the stored options."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from frrlib.addressing.addressing import addressed
from frrlib.errors import PlaceError
from frrlib.run.captures import capture_plans
from frrlib.run.run import RunSettings
from miniedit_frr.runs import history, run_dialog_controller
from miniedit_frr.runs.options import MOST_SEED, RunChoice, fault, rate_fault, seed_fault
from miniedit_frr.runs.run_dialog import RunDialog
from miniedit_frr.session.events import LabOrder
from tests import keyboard
from tests.examples.data import two_as_bgp
from tests.window.hands_on_window import User
from tests.window.widgets import of_class

LAB = two_as_bgp()
_WHY = PlaceError("there is no lab kernel", "miniedit-frr kernel build")


def test_new_and_empty_folders_are_accepted(tmp_path: Path) -> None:
    assert fault(str(tmp_path)) == fault(str(tmp_path / "new" / "below")) == ""


def test_an_existing_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert fault(str(tmp_path)) == "This folder is not empty. Choose a new or an empty folder."
    assert fault(str(tmp_path / "file")) == "This is a file. Choose a folder."
    assert fault("") == "Choose a folder."


@pytest.mark.parametrize("text", ["~nobody-at-all/x", "/tmp/" + 300 * "x"])
def test_an_invalid_path_is_reported(text: str) -> None:
    assert fault(text).startswith("This folder cannot be created")


@pytest.mark.parametrize("text", ["1", "1000", " 12.5 ", "1e2"])
def test_an_accepted_rate_is_accepted_by_runs(text: str) -> None:
    assert not rate_fault(text)
    RunSettings(sample_hz=float(text))


@pytest.mark.parametrize("text", ["", "0", "0.5", "1001", "nan", "inf", "-5", "many"])
def test_a_rate_that_runs_reject_is_rejected(text: str) -> None:
    assert rate_fault(text) == "must be a number from 1 to 1000"


def test_seeds_are_whole_numbers() -> None:
    assert not any(map(seed_fault, ("0", " 7 ", str(MOST_SEED))))
    assert all(map(seed_fault, ("", "-1", "1.5", "x", "²", str(MOST_SEED + 1))))


def test_the_stored_options_survive_runs_and_broken_files(tmp_path: Path) -> None:
    file = tmp_path / "runs.json"
    assert history.load_last_run(file) == history.LastRun()
    history.save_last_run(history.LastRun(True, 7, stays=False), file)
    history.save([], file)
    assert history.load_last_run(file) == history.LastRun(True, 7, stays=False)
    for text in ("{", '{"time": 5}', '{"time": {"is_virtual": 1}}', '{"time": {"is_virtual": 1, "seed": "x"}}'):
        file.write_text(text)
        assert history.load_last_run(file) == history.LastRun()


# --- the window -------------------------------------------------------------------------------------------------------


class RunDialogUser:
    """A user at the dialog; orders are put into a list instead of a lab."""

    def __init__(self, user: User, monkeypatch: pytest.MonkeyPatch) -> None:
        self.user, self.orders, self.missing = user, list[LabOrder](), list[PlaceError]()
        monkeypatch.setattr(user.editor.lab_controller.session, "start", self.orders.append)
        monkeypatch.setattr(run_dialog_controller, "refuse_virtual", self._refuse)

    def _refuse(self) -> None:
        if self.missing:
            raise self.missing[0]

    def dialog(self) -> RunDialog:
        """The question, when it is known whether there is virtual time."""
        self.user.press_key("<Alt-F5>")
        dialog = self.user.editor.lab_controller.run_dialogs.dialog
        self.user.wait(lambda: "Searching" not in dialog.virtual_note.cget("text"))
        return dialog


@pytest.fixture
def dialog_user(lab: User, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunDialogUser]:
    user = RunDialogUser(lab, monkeypatch)
    yield user
    dialog = user.user.editor.lab_controller.run_dialogs.dialog
    with suppress(AttributeError):
        dialog.destroy()


def state(widget: object) -> str:
    return str(widget.cget("state"))  # type: ignore[attr-defined]


@pytest.mark.gui
def test_the_chosen_options_are_ordered_and_proposed_again(dialog_user: RunDialogUser, tmp_path: Path) -> None:
    dialog = dialog_user.dialog()
    dialog.folder.set(str(tmp_path / "one"))
    dialog.rate.set("20")
    dialog.virtual.set(True)
    dialog.seed.set("42")
    dialog.choose.invoke()
    dialog_user.user.editor.window.update()
    tree = dialog.captures.sheet.tree
    for item in ("0", "3"):
        x, y, wide, high = tree.bbox(item)
        tree.event_generate("<ButtonRelease-1>", x=x + wide // 2, y=y + high // 2)
    dialog.ok.invoke()
    (order,) = dialog_user.orders
    assert (order.out, order.sample_hz, order.keep_up) == (tmp_path / "one", 20.0, False)
    assert (order.place, order.virtual_time, order.seed) == ("labkernel", True, 42)
    # A run takes the names to be those that were clicked.
    plans = capture_plans(addressed(LAB), order.captures)
    selected = [
        dialog_user.user.editor.lab_controller.run_dialogs.dialog.captures._interfaces[index] for index in (0, 3)
    ]
    assert [(interface.node, interface.interface) for interface in plans] == [
        (interface.node, interface.name) for interface in selected
    ]
    again = dialog_user.dialog()
    assert (again.rate.get(), again.virtual.get(), again.seed.get()) == ("20", True, "42")
    assert again.captures.chosen == order.captures
    assert dialog_user.user.editor.preferences.store.now.sample_hz == 20


@pytest.mark.gui
def test_a_run_without_a_dialog_has_the_options_of_the_last_one(dialog_user: RunDialogUser, tmp_path: Path) -> None:
    dialogs = dialog_user.user.editor.lab_controller.run_dialogs
    dialog_user.user.press_key("<Control-F5>")
    assert dialogs.dialog is None
    first = RunChoice(tmp_path / "x", sample_hz=20.0, captures=("r1:r1-eth0", "r9:r9-eth0"), virtual_time=True, seed=7)
    dialogs.run(first)
    dialog_user.user.press_key("<Control-F5>")
    dialogs.run(RunChoice(tmp_path / "y", sample_hz=20.0))
    dialog_user.user.press_key("<Control-F5>")
    new, _, virtual, _, real = dialog_user.orders
    assert (new.keep_up, new.virtual_time, new.sample_hz) == (True, False, 100.0)
    assert (virtual.keep_up, virtual.virtual_time, virtual.seed, virtual.sample_hz) == (False, True, 7, 20.0)
    assert virtual.captures == ("r1:r1-eth0",)  # the other interface is not in this topology
    assert (real.keep_up, real.virtual_time, real.captures) == (False, False, ())
    assert virtual.out is not None and virtual.out.parent == dialog_user.user.editor.lab_controller.runs.base()


@pytest.mark.gui
def test_a_lab_in_virtual_time_ends_with_its_flows(dialog_user: RunDialogUser, tmp_path: Path) -> None:
    dialog = dialog_user.dialog()
    assert state(dialog.stays_switch) == "normal"
    assert state(dialog.seed_entry) == "disabled"
    dialog.stays.set(True)
    dialog.virtual.set(True)
    assert state(dialog.stays_switch) == "disabled"
    assert "its clock stops" in dialog.stays_note.cget("text")
    assert state(dialog.seed_entry) == "normal"
    dialog.folder.set(str(tmp_path / "x"))
    dialog.accept()
    assert dialog_user.orders[0].virtual_time and not dialog_user.orders[0].keep_up


@pytest.mark.gui
def test_without_virtual_time_the_switch_shows_a_remedy(dialog_user: RunDialogUser, tmp_path: Path) -> None:
    dialog_user.missing = [_WHY]
    memory = dialog_user.user.editor.lab_controller.run_dialogs._memory
    history.save_last_run(history.LastRun(True, 3), memory)
    dialog = dialog_user.dialog()
    assert state(dialog.virtual_switch) == "disabled"
    assert "no lab kernel" in dialog.virtual_note.cget("text")
    assert "miniedit-frr kernel build" in dialog.virtual_note.cget("text")
    dialog.folder.set(str(tmp_path / "x"))
    dialog.accept()
    assert not dialog_user.orders[0].virtual_time  # though it was the last time
    dialog_user.missing = []  # it was built meanwhile
    assert state(dialog_user.dialog().virtual_switch) == "normal"


@pytest.mark.gui
def test_errors_are_shown_beside_their_fields(dialog_user: RunDialogUser, tmp_path: Path) -> None:
    dialog = dialog_user.dialog()
    dialog.folder.set(str(tmp_path / "x"))
    dialog.virtual.set(True)
    for variable, note, text in ((dialog.rate, dialog.rate_note, "0"), (dialog.seed, dialog.seed_note, "-1")):
        valid_text = variable.get()
        variable.set(text)
        assert note.cget("text").startswith("must be")
        assert state(dialog.ok) == "disabled"
        dialog.accept()
        assert dialog.winfo_exists() and not dialog_user.orders
        variable.set(valid_text)
        assert state(dialog.ok) == "normal"
    dialog_user.user.press_key("<Escape>", dialog)
    assert not dialog.winfo_exists() and not dialog_user.orders


@pytest.mark.gui
def test_the_end_of_a_long_folder_is_visible(dialog_user: RunDialogUser) -> None:
    """The end differs between runs; it does not scroll while the user types."""
    dialog = dialog_user.dialog()
    entry = of_class(dialog, "TEntry")[0]
    keyboard.give(dialog.ok)
    dialog.folder.set("/home/you/labs/" + "a-long-name-" * 12 + "20261122-101500")
    dialog.update()
    assert entry.xview()[1] == 1.0 and entry.xview()[0] > 0
    assert entry.index("insert") == len(dialog.folder.get())


@pytest.mark.gui
def test_the_dialog_is_in_the_middle_of_the_window(dialog_user: RunDialogUser) -> None:
    dialog, window = dialog_user.dialog(), dialog_user.user.editor.window
    dialog_user.user.wait(lambda: dialog.winfo_viewable() and dialog.winfo_rootx() > 0)
    window.update()
    beside = dialog.winfo_rootx() - window.winfo_rootx()
    right = window.winfo_rootx() + window.winfo_width() - dialog.winfo_rootx() - dialog.winfo_width()
    assert beside == pytest.approx(right, abs=dialog.winfo_width() / 10)


def test_limits_are_shown_on_request(dialog_user: RunDialogUser) -> None:
    dialog = dialog_user.dialog()
    texts = {str(label.cget("text")) for label in of_class(dialog, "TLabel")}
    assert not any("MiB" in text for text in texts)
    dialog.limits.invoke()
    texts = {str(label.cget("text")) for label in of_class(dialog, "TLabel")}
    assert any("processes, 512 MiB in each temporary folder" in text for text in texts)

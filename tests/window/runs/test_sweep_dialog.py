"""Sweeps by dialog: remarks on typed text, refusals, and results, with a stand-in for labs."""

from __future__ import annotations

import csv
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.errors import PlaceError, TopologyError
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from frrlib.run.run import RunSettings
from frrlib.sweep.job import ONE
from frrlib.sweep.pace import span_text
from frrlib.variation.points import points, vary
from miniedit_frr.runs import run_dialog_controller
from miniedit_frr.sweeps.dialog import SweepDialog
from miniedit_frr.sweeps.texts import axes_of, axis_line, describe_axes, paths_of
from tests.examples.data import two_as_bgp
from tests.sweep.cluster import running_process, running_scheduler, worker_command
from tests.sweep.standin import STANDIN
from tests.window.hands_on_window import User

LAB = two_as_bgp()


def test_the_described_combinations_equal_the_runs() -> None:
    axes = axes_of(LAB, "link:r1-r2.rate=10,20\n\nflow:*.cc=cubic,bbr\n")
    lines = describe_axes(axes, 5).splitlines()
    assert lines[0] == "2 x 2 = 4 combinations, 5 repetitions each: 20 runs"
    assert describe_axes((), 1) == "1 combination, 1 repetition each: 1 run\nas drawn"
    assert lines[1:4] == [str(point) for point in points(axes)][:3]
    assert lines[4] == "…"


def test_a_line_with_a_semicolon_is_one_axis() -> None:
    (axis,) = axes_of(LAB, "link:r1-r2.rate=10,20; link:r1-r2.delay=5,10")
    assert len(axis.rows) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [("flow:*.cc=cubic,bbr\nlink:r1-r9.rate=1", "line 2: .*r1-r9"), ("flow:*.cc", "line 1: .*has no values")],
)
def test_an_error_names_its_line(text: str, message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        axes_of(LAB, text)


def test_every_suggested_field_can_vary_from_its_current_value() -> None:
    paths = paths_of(LAB)
    assert {"link:r1-r2.rate", "flow:*.cc"} <= set(paths)
    for path in paths:
        line = axis_line(LAB, path)
        if line.endswith(("=", "=none")):
            continue  # it has no value yet; people say one
        (point,) = points(axes_of(LAB, line))
        changed = vary(LAB, point).topology
        assert changed == LAB or "*" in path, line  # all of them get the first one's value


def test_selected_objects_are_suggested_first() -> None:
    link = next(link for link in LAB.links if link.is_shaped)
    assert paths_of(LAB, [link.id])[0] == f"link:{link.a.node}-{link.b.node}.rate"


# --- the window -------------------------------------------------------------------------------------------------------


@pytest.fixture
def sweep_dialog(
    lab: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, standin_log: Path
) -> Iterator[SweepDialog]:
    """The dialog, as the menu opens it; runs are made by the stand-in."""
    monkeypatch.setattr(run_dialog_controller, "refuse_virtual", lambda: None)
    sweeps = lab.editor.lab_controller.sweeps
    sweeps.program = STANDIN
    link = next(link for link in LAB.links if link.is_shaped)
    lab.view.select({Key("link", link.id)})
    sweeps.ask("two")
    lab.wait(lambda: "Searching" not in sweeps.dialog.time_note.cget("text"))
    sweeps.dialog.folder.set(str(tmp_path / "sweep"))
    yield sweeps.dialog
    if sweeps.dialog.winfo_exists():
        sweeps.dialog.destroy()
    lab.wait(lambda: not sweeps.is_going)


def type_axes(lab: User, dialog: SweepDialog, text: str) -> str:
    """Type the axes; returns the dialog's words about them."""
    dialog.text.delete("1.0", "end")
    dialog.text.insert("1.0", text)
    dialog._check()
    lab.editor.window.update()
    return str(dialog.message.cget("text"))


@pytest.mark.gui
def test_values_that_are_typed_behind_a_field_are_added(lab: User, sweep_dialog: SweepDialog) -> None:
    sweep_dialog.picker.insert(0, "link:r1-r2.rate=10,20")
    sweep_dialog.add_button.invoke()
    assert sweep_dialog.text.get("1.0", "end").strip() == "link:r1-r2.rate=10,20"
    assert "2 runs" in sweep_dialog.message.cget("text")


@pytest.mark.gui
def test_start_stays_in_place_whatever_is_described(lab: User, sweep_dialog: SweepDialog) -> None:
    places = set()
    for text in ("", "link:r1-r2.rate=10", "link:r1-r2.rate=10,20,50", "link:r1-r2.rate=10,20\nflow:*.cc=cubic,bbr"):
        type_axes(lab, sweep_dialog, text)
        places.add((sweep_dialog.ok.winfo_rootx(), sweep_dialog.ok.winfo_rooty()))
    assert len(places) == 1


@pytest.mark.gui
def test_errors_in_the_dialog_prevent_the_start(lab: User, sweep_dialog: SweepDialog) -> None:
    assert str(sweep_dialog.ok.cget("state")) == "disabled"
    sweep_dialog.path.set("link:r1-r2.rate")
    sweep_dialog.add()
    assert sweep_dialog.text.get("1.0", "end").strip() == "link:r1-r2.rate=10"
    assert "1 run" in sweep_dialog.message.cget("text")
    assert str(sweep_dialog.ok.cget("state")) == "normal"
    assert "r1-r9" in type_axes(lab, sweep_dialog, "link:r1-r9.rate=1,2")
    assert str(sweep_dialog.ok.cget("state")) == "disabled"
    type_axes(lab, sweep_dialog, "link:r1-r2.rate=10,20")
    for variable, invalid_texts, valid, words in (
        (sweep_dialog.repeat, ("0", "x", ""), "1", "Repetitions must be a whole number from 1 to 10000"),
        (sweep_dialog.seed, ("-1", "1.5", ""), "7", "The first seed must be a whole number from 0"),
        (sweep_dialog.jobs, ("0", "two"), "", "Parallel runs must be a whole number from 1"),
        (
            sweep_dialog.scheduler,
            ("host", "tcp://host", "a b:1"),
            "",
            "is not an address of a scheduler, such as tcp://host:8786",
        ),
    ):
        for text in invalid_texts:
            variable.set(text)
            sweep_dialog._check()
            assert words in sweep_dialog.message.cget("text")
            assert str(sweep_dialog.ok.cget("state")) == "disabled"
        variable.set(valid)
    sweep_dialog.scheduler.set("tcp://[::1]:8786")
    choice = sweep_dialog._check()
    assert choice is not None
    assert (choice.seed, choice.jobs, choice.scheduler) == (7, None, "tcp://[::1]:8786")
    assert str(sweep_dialog.jobs_entry.cget("state")) == "disabled"  # the workers' threads decide
    sweep_dialog.repeat.set("")
    sweep_dialog._check()
    sweep_dialog.accept()
    assert not lab.editor.lab_controller.sweeps.is_going


@pytest.mark.gui
def test_a_sweep_runs_and_its_runs_are_shown(
    lab: User, sweep_dialog: SweepDialog, tmp_path: Path, standin_log: Path
) -> None:
    type_axes(lab, sweep_dialog, "link:r1-r2.rate=10,20\nflow:*.cc=cubic,bbr")
    sweep_dialog.virtual.set(True)
    sweep_dialog.seed.set("5")
    sweep_dialog.jobs.set("1")
    sweep_dialog.ok.invoke()
    assert str(sweep_dialog.ok.cget("state")) == "disabled"
    assert sweep_dialog.cancel.cget("text") == "Cancel"
    lab.wait(lambda: sweep_dialog.cancel.cget("text") == "Close")
    assert "4 finished, 0 failed, 0 left" in sweep_dialog.message.cget("text")
    sweep_dialog.allow_virtual("")  # a search for lab kernels that ends late takes nothing away
    assert "4 finished, 0 failed, 0 left" in sweep_dialog.message.cget("text")
    with (tmp_path / "sweep" / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert sorted(float(row["link:r1-r2.rate_mbit"]) for row in rows) == [10, 10, 20, 20]
    assert {row["seed"] for row in rows} == {"5"}
    browsing = lab.editor.lab_controller.run_browser
    assert browsing.window is not None
    # The same again has nothing left to run.
    started = standin_log.read_text()
    sweep_dialog.ok.invoke()
    lab.wait(lambda: sweep_dialog.cancel.cget("text") == "Close")
    assert standin_log.read_text() == started


@pytest.mark.gui
def test_cancel_ends_the_current_runs(lab: User, sweep_dialog: SweepDialog, standin_log: Path) -> None:
    lab.document.apply("Title", lab.topology.model_copy(update={"title": "wait 1000"}))
    type_axes(lab, sweep_dialog, "link:r1-r2.rate=10,20")
    sweep_dialog.ok.invoke()
    lab.wait(standin_log.read_text)
    # No run has ended yet, so the estimate is the duration of the flows; in real time one run starts at once.
    flows_s = max(flow.ends_s for flow in LAB.flows)
    lab.wait(lambda: f"{span_text(2 * (flows_s + 4))} left" in sweep_dialog.message.cget("text"))
    sweep_dialog.cancel.invoke()
    lab.wait(lambda: sweep_dialog.cancel.cget("text") == "Close")
    assert "0 finished, 0 failed, 2 left" in sweep_dialog.message.cget("text")  # a run takes longer than anybody waits


@pytest.mark.gui
def test_missing_abilities_are_reported_before_the_runs(
    lab: User, sweep_dialog: SweepDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks(settings: RunSettings, topology: Topology, folder: Path | None) -> None:
        raise PlaceError(f"nothing runs the drawing in {folder}", "buy another machine")

    monkeypatch.setattr(RunSettings, "lab", lacks)
    lab.editor.lab_controller.sweeps.program = ONE
    lab.document.path = tmp_path / "two.mn"
    type_axes(lab, sweep_dialog, "link:r1-r2.rate=10,20")
    sweep_dialog.ok.invoke()
    lab.wait(lambda: sweep_dialog.cancel.cget("text") == "Close")
    assert f"nothing runs the drawing in {tmp_path}. Remedy: buy another machine" in sweep_dialog.message.cget("text")


@pytest.mark.gui
def test_a_scheduler_runs_the_sweep(lab: User, sweep_dialog: SweepDialog, tmp_path: Path, standin_log: Path) -> None:
    log = tmp_path / "dask.log"
    environment = {"STANDIN_LOG": str(standin_log), "PYTHONPATH": str(Path(__file__).parents[3])}
    with running_scheduler(log) as address, running_process(log, *worker_command(address), **environment) as worker:
        type_axes(lab, sweep_dialog, "link:r1-r2.rate=10,20")
        sweep_dialog.scheduler.set(address)
        sweep_dialog.ok.invoke()
        lab.wait(lambda: sweep_dialog.cancel.cget("text") == "Close")
    assert "2 finished, 0 failed, 0 left" in sweep_dialog.message.cget("text")
    with (tmp_path / "sweep" / "table.csv").open(newline="") as file:
        assert {row["host"] for row in csv.DictReader(file)} == {f"{socket.gethostname()} ({worker.pid})"}


@pytest.mark.gui
def test_the_end_of_a_long_folder_is_visible(user: User, tmp_path: Path) -> None:
    dialog = SweepDialog(
        user.editor.window, LAB, (), tmp_path / ("a-long-name-" * 14) / "20261122-101500", lambda choice: None,
        lambda: None, user.editor.view.theme,
    )  # fmt: skip
    user.wait(lambda: dialog.folder_entry.xview()[1] == 1.0 and dialog.folder_entry.xview()[0] > 0)
    dialog.destroy()

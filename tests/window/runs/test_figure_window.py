"""A run's figure is shown with the numbers that a script prints."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from frrlib.results.read import open_results
from frrlib.results.statistics.summary import load_summary
from miniedit_frr.runs import figure_saver
from miniedit_frr.runs.figure_window import FigureWindow
from miniedit_frr.runs.list_panel import RunRow
from tests.window.hands_on_window import User

pytestmark = [pytest.mark.gui]

STORED = Path(__file__).parents[2] / "data" / "results-v3"
#: The width of a run's figure in inches, and the number of points in an inch of PDF.
_WIDE_INCHES, _POINTS = 8, 72


def show_figure(user: User, folder: Path) -> FigureWindow:
    user.editor.lab_controller.runs.show_figure(RunRow("today", "Kept", "", "", str(folder)))
    user.editor.window.update()
    (window,) = [child for child in user.editor.window.winfo_children() if isinstance(child, FigureWindow)]
    return window


def test_the_numbers_of_a_run_are_shown_below_its_figure(user: User, tmp_path: Path) -> None:
    """The median round trip of each flow is read in the window, not in a file."""
    folder = tmp_path / "run"
    shutil.copytree(STORED, folder)
    Image.new("RGB", (4000, 3000), "white").save(folder / "figure.png")
    window = show_figure(user, folder)
    assert window.numbers is not None
    text = window.numbers.get("1.0", "end")
    flows = load_summary(folder).flows
    assert flows
    for flow in flows:
        (line,) = [candidate for candidate in text.splitlines() if candidate.split()[:1] == [flow.flow]]
        assert f"{flow.srtt_median_ms:.1f}" in line.split()
        assert f"{flow.goodput_mbit:.2f}" in line.split()
    assert window.winfo_height() <= window.winfo_screenheight()
    assert window.numbers.winfo_rooty() + window.numbers.winfo_height() <= window.winfo_rooty() + window.winfo_height()


def test_a_run_without_a_summary_still_shows_its_figure(user: User, tmp_path: Path) -> None:
    Image.new("RGB", (40, 30), "white").save(tmp_path / "figure.png")
    assert show_figure(user, tmp_path).numbers is None


def test_without_a_file_manager_the_log_names_the_folder(
    user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    user.editor.lab_controller.runs.open_folder(RunRow("today", "Kept", "", "", str(tmp_path)))
    assert f"Results: {tmp_path}." in user.editor.log.text.get("1.0", "end")


# --- Save As ---


@pytest.fixture
def save_as(user: User, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Presses Save As… of a figure, types a name, and returns the message about it.

    Its arguments are the window, the file, and optionally the answer to the question about replacing the file.
    """

    def save(window: FigureWindow, file: Path, answer: str = "") -> str:
        monkeypatch.setattr(figure_saver.filedialog, "asksaveasfilename", lambda **_: str(file))
        monkeypatch.setattr(figure_saver.Messagebox, "show_question", lambda *_, **__: answer)
        window.buttons["save"].invoke()
        user.wait(lambda: not str(window.note.cget("text")).startswith("Drawing"))
        return str(window.note.cget("text"))

    return save


@pytest.fixture
def stored(user: User, tmp_path: Path) -> FigureWindow:
    """The window of a run whose picture is white, so that it differs from any figure of its data."""
    folder = Path(shutil.copytree(STORED, tmp_path / "run"))
    Image.new("RGB", (400, 300), "white").save(folder / "figure.png")
    return show_figure(user, folder)


def test_a_figure_saved_as_svg_is_drawn_anew_with_words(
    user: User, stored: FigureWindow, save_as: Callable[..., str], tmp_path: Path
) -> None:
    assert save_as(stored, tmp_path / "saved.svg") == "Saved to saved.svg."
    root = ET.fromstring((tmp_path / "saved.svg").read_text())
    words = " ".join(text for element in root.iter() for text in [*element.itertext()])
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert open_results(STORED).info.title in words
    assert all(word in words.lower() for word in ("bbr", "cubic", "mbit/s"))
    assert f"The figure was saved to {tmp_path / 'saved.svg'}." in user.editor.log.text.get("1.0", "end")


def test_a_figure_saved_as_pdf_has_the_size_of_the_run_and_letters(
    stored: FigureWindow, save_as: Callable[..., str], tmp_path: Path
) -> None:
    save_as(stored, tmp_path / "saved.pdf")
    data = (tmp_path / "saved.pdf").read_bytes()
    box = re.search(rb"/MediaBox \[ ?([\d. ]+)\]", data)
    assert data.startswith(b"%PDF") and b"/FontDescriptor" in data and box is not None
    assert [float(number) for number in box[1].split()][:3] == [0, 0, _WIDE_INCHES * _POINTS]


def test_a_figure_saved_as_png_is_drawn_anew_whatever_case_its_suffix_has(
    stored: FigureWindow, save_as: Callable[..., str], tmp_path: Path
) -> None:
    save_as(stored, tmp_path / "saved.PNG")
    with Image.open(tmp_path / "saved.PNG") as image:
        assert image.format == "PNG" and image.width > 1000
        assert len(image.convert("RGB").getcolors(1 << 24) or ()) > 100  # the picture in the folder is white


def test_without_data_the_displayed_picture_is_saved_but_only_as_png(
    user: User, tmp_path: Path, save_as: Callable[..., str]
) -> None:
    Image.new("RGB", (40, 30), "#0080ff").save(tmp_path / "figure.png")
    window = show_figure(user, tmp_path)
    assert save_as(window, tmp_path / "saved.png") == "Saved to saved.png."
    assert "was not drawn again" in user.editor.log.text.get("1.0", "end")
    with Image.open(tmp_path / "saved.png") as image:
        assert image.convert("RGB").getcolors() == [(40 * 30, (0, 128, 255))]
    assert "cannot be saved" in save_as(window, tmp_path / "saved.svg")
    assert sorted(path.name for path in tmp_path.iterdir() if "saved" in path.name) == ["saved.png"]


def test_a_folder_that_is_missing_is_reported(
    stored: FigureWindow, save_as: Callable[..., str], tmp_path: Path
) -> None:
    assert "cannot be saved" in save_as(stored, tmp_path / "nowhere" / "saved.png")


def test_an_existing_file_is_replaced_only_after_a_question(
    stored: FigureWindow, save_as: Callable[..., str], tmp_path: Path
) -> None:
    file = tmp_path / "saved.svg"
    file.write_text("mine")
    folder = stored.note.cget("text")
    assert save_as(stored, file, "Cancel") == folder and file.read_text() == "mine"
    assert save_as(stored, file, "Replace") == "Saved to saved.svg." and "<svg" in file.read_text()


def test_a_figure_is_saved_although_its_window_is_closed(
    user: User, stored: FigureWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(figure_saver.filedialog, "asksaveasfilename", lambda **_: str(tmp_path / "saved.pdf"))
    stored.buttons["save"].invoke()
    stored.buttons["close"].invoke()
    user.wait(lambda: "The figure was saved to" in user.editor.log.text.get("1.0", "end"))
    assert (tmp_path / "saved.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("typed", "selected", "file"),
    [
        ("a.svg", "PNG picture", "a.svg"),
        ("a", "PDF picture", "a.pdf"),
        ("a", "", "a.png"),
        ("a.v2", "SVG picture", "a.v2.svg"),
        ("A.Pdf", "PNG picture", "A.Pdf"),
    ],
)
def test_the_suffix_chooses_the_format_and_without_one_the_selected_type(
    stored: FigureWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, typed: str, selected: str, file: str
) -> None:
    def answer(**options: object) -> str:
        options["typevariable"].set(selected)  # type: ignore[attr-defined]
        return str(tmp_path / typed)

    monkeypatch.setattr(figure_saver.filedialog, "asksaveasfilename", answer)
    assert figure_saver.ask_figure_file(stored, "Queues: 2 runs") == tmp_path / file


def test_names_are_proposed_that_every_system_accepts() -> None:
    assert figure_saver.proposed_name("Box Plots of RTT: 2 runs") == "Box-Plots-of-RTT-2-runs"
    assert figure_saver.proposed_name("../Größe a/b, 2026-11-27 23:43") == "Größe-a-b-2026-11-27-23-43"
    assert figure_saver.proposed_name("?") == "figure"

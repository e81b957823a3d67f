"""Cards of runs: their contents without the samples, and the problems of a folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from frrlib.results.cards import card, read_notes, save_notes, search_cards
from frrlib.results.layout import ResultsError
from frrlib.results.read import open_results
from frrlib.results.statistics.statistics import statistics
from frrlib.results.writer import Writer

STORED = Path(__file__).parents[1] / "data" / "results-v3"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A copy of the stored run."""
    return Path(shutil.copytree(STORED, tmp_path / "a-run"))


def test_a_card_agrees_with_the_samples(run: Path) -> None:
    run_card, run_statistics = card(run), statistics(open_results(run))
    assert run_card.title == "A link fails under BBR and CUBIC, briefly" and run_card.status == "finished"
    assert run_card.flows == ("bbr", "cubic") and run_card.controls == ("bbr", "cubic")
    assert run_card.goodput_mbit == pytest.approx(run_statistics.goodput_mbit, rel=0.01)
    assert run_card.jain_index == pytest.approx(run_statistics.jain_index, rel=0.01)
    assert run_card.nodes == ("h1", "h2", "r1", "r2", "r3", "r4", "r5", "r6")
    assert run_card.wrong == ()


def test_missing_parts_of_a_run_are_listed(run: Path) -> None:
    table = run / "samples/tcp.csv"
    table.write_bytes(table.read_bytes()[:-5])
    (run / "summary.json").unlink()
    (run / "topology.mn").unlink()
    text = (run / "run.json").read_text().replace('"status": "finished"', '"status": "running"', 1)
    (run / "run.json").write_text(text)
    run_card = card(run)
    assert run_card.status == "killed" and run_card.outcome == "killed, incomplete"
    problems = "\n".join(run_card.wrong)
    for problem in ("tcp.csv ends in an incomplete line", "summary.json is missing", "topology.mn"):
        assert problem in problems
    (run / "run.json").write_text(text[:300])
    (run / "samples/queue.csv").unlink()
    problems = "\n".join(card(run).wrong)
    assert "run.json is missing or cannot be read" in problems and "queue.csv is missing" in problems
    assert card(run).title == "a-run"


def test_a_running_run_is_not_incomplete(tmp_path: Path) -> None:
    with Writer.create(tmp_path / "now", "{}", {}, title="Now"):
        assert (card(tmp_path / "now").outcome, card(tmp_path / "now").wrong) == ("running", ())


@pytest.mark.parametrize(
    ("words", "hits"),
    [("", 2), ("CUBIC fails", 2), ("r6", 2), ("bbr nothing", 0), ("late", 1), ("#paper", 1), ("#pap", 0), ("other", 1),
     ("2026-11", 2)],
)  # fmt: skip
def test_a_search_finds_every_word_in_every_field(run: Path, tmp_path: Path, words: str, hits: int) -> None:
    second_run = Path(shutil.copytree(run, tmp_path / "other"))
    save_notes(run, "too late for figure 3 #paper")
    assert len(search_cards([card(run), card(second_run)], words)) == hits


def test_notes_of_users_are_never_removed(run: Path) -> None:
    assert read_notes(run) == ""
    save_notes(run, "one\n\ntwo – ü\n")
    assert read_notes(run) == "one\n\ntwo – ü" and card(run).notes == read_notes(run)
    # a run that replaces this one leaves them
    Writer.create(run, "{}", {}, overwrite=True).finish()
    assert read_notes(run) == "one\n\ntwo – ü"
    save_notes(run, "  \n")
    assert not (run / "notes.txt").exists()
    with pytest.raises(ResultsError, match=r"notes\.txt cannot be written"):
        save_notes(run / "not there", "x")

"""Runs of a sweep: their names, seeds and order, and the folder in which a sweep is continued."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.results.layout import ResultsError
from frrlib.run.run import RunSettings
from frrlib.sweep import folder as folders
from frrlib.sweep.folder import SweepFolder
from frrlib.sweep.job import Report, job_of, settings_of
from frrlib.sweep.plan import runs_of
from tests.sweep.topologies import sweep_plan

RATE = "link:h1-h2.rate=10,20"
CONTROL = "flow:f1.cc=cubic,bbr"


def names_of_runs(*axes: str, repeat: int = 1) -> list[str]:
    return [run.name for run in runs_of(sweep_plan(*axes, repeat=repeat))]


def test_a_run_has_the_same_name_however_its_values_are_written() -> None:
    assert names_of_runs("link:h1-h2.rate=10,20mbit") == names_of_runs("link:h1-h2.rate_mbit=10mbit,0.02gbit")
    assert sorted(names_of_runs(RATE, CONTROL)) != sorted(
        names_of_runs(CONTROL, RATE)
    )  # the words have the order of the axes
    hashes = [
        {name.rpartition("_")[2] for name in run_names}
        for run_names in (names_of_runs(RATE, CONTROL), names_of_runs(CONTROL, RATE))
    ]
    assert hashes[0] == hashes[1]


def test_names_of_folders_contain_values_and_repetition() -> None:
    run_names = names_of_runs(RATE, CONTROL, repeat=2)
    assert len(set(run_names)) == 8
    assert run_names[0].startswith("rate_mbit-10_congestion_control-cubic_1_")
    assert run_names[-1].startswith("rate_mbit-20_congestion_control-bbr_2_")
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-.") for name in run_names)
    (long,) = names_of_runs(f'title="{"a / b" * 40}"')
    assert len(long) < 130 and "/" not in long


def test_repetitions_come_one_after_the_other_each_with_its_seed() -> None:
    runs = runs_of(sweep_plan(RATE, repeat=2, seed=7))
    assert [(run.cells["link:h1-h2.rate_mbit"], run.repetition, run.seed) for run in runs] == [
        (10, 1, 7), (20, 1, 7), (10, 2, 8), (20, 2, 8),
    ]  # fmt: skip


def test_two_values_for_the_same_run_are_reported() -> None:
    with pytest.raises(TopologyError, match=r"repeats the run link:h1-h2\.rate=10"):
        runs_of(sweep_plan("link:h1-h2.rate=10,10mbit"))


def test_every_combination_is_checked_before_any_runs() -> None:
    point = re.escape("at link:h1-h2.queue=10, link:h1-h2.rate=none: l1.a_to_b.queue_packets")
    with pytest.raises(TopologyError, match=point):
        runs_of(sweep_plan("link:h1-h2.queue=10", "link:h1-h2.rate=10,none"))


def test_a_job_has_the_topology_of_its_run() -> None:
    run = runs_of(sweep_plan(RATE))[1]
    settings = RunSettings(kernel=Path("/a/kernel"), sample_hz=50)
    job = job_of(run, settings, 60)
    link = mn.loads(job.text).topology.links[0]
    assert (link.a_to_b.rate_mbit, link.b_to_a.rate_mbit) == (20, 20)
    decoded_settings = settings_of(json.loads(json.dumps(dict(job.settings), default=str)))
    assert (decoded_settings.kernel, decoded_settings.sample_hz) == (settings.kernel, 50)


# --- the folder -----------------------------------------------------------------------------------------------------


def test_the_same_sweep_goes_on_also_with_more_values_and_repetitions(tmp_path: Path) -> None:
    for plan in (
        sweep_plan(RATE),
        sweep_plan(RATE),
        sweep_plan("link:h1-h2.rate=10,20,30"),
        sweep_plan("link:h1-h2.rate=10,20,30", repeat=3),
    ):
        with SweepFolder(tmp_path, plan):
            pass
    document = json.loads((tmp_path / "sweep.json").read_text())
    assert (document["repeat"], document["axes"][0]["rows"]) == (3, [["10"], ["20"], ["30"]])


@pytest.mark.parametrize(
    ("changed_plan", "difference"),
    [
        (sweep_plan(RATE, title="Another"), "the drawing is not its topology.mn"),
        (sweep_plan(CONTROL), "it varies link:h1-h2.rate; it does not vary flow:f1.cc"),
        (sweep_plan("link:h1-h2.rate=20,30"), "link:h1-h2.rate is also 10 in it"),
        (sweep_plan(RATE, seed=2), "its first seed is 1, not 2"),
        (sweep_plan(RATE, settings=RunSettings(sample_hz=10)), "its sample_hz is 100.0, not 10"),
        (sweep_plan(RATE, repeat=1), "it has 2 repetitions, not 1"),
    ],
)
def test_another_sweep_is_refused_with_the_differences(tmp_path: Path, changed_plan: object, difference: str) -> None:
    with SweepFolder(tmp_path, sweep_plan(RATE, repeat=2)):
        pass
    original_bytes = (tmp_path / "sweep.json").read_bytes()
    if "repetitions" not in difference:
        changed_plan = replace(changed_plan, repeat=2)  # type: ignore[type-var]
    with pytest.raises(ResultsError) as failure:
        SweepFolder(tmp_path, changed_plan)  # type: ignore[arg-type]
    assert f"contains another sweep: {difference}" in str(failure.value)
    assert (tmp_path / "sweep.json").read_bytes() == original_bytes


def test_another_version_of_the_program_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SweepFolder(tmp_path, sweep_plan(RATE)):
        pass
    monkeypatch.setattr(folders, "__version__", "99")
    with pytest.raises(ResultsError, match="and this is 99"):
        SweepFolder(tmp_path, sweep_plan(RATE))


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("all of it")
    with pytest.raises(ResultsError, match="is not empty and contains no sweep"):
        SweepFolder(tmp_path, sweep_plan(RATE))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_one_sweep_at_a_time(tmp_path: Path) -> None:
    with (
        SweepFolder(tmp_path, sweep_plan(RATE)),
        pytest.raises(ResultsError, match="a sweep runs in it just now"),
    ):
        SweepFolder(tmp_path, sweep_plan(RATE))
    SweepFolder(tmp_path, sweep_plan(RATE)).__exit__(None, None, None)


def test_a_runs_folder_replaces_an_earlier_one(tmp_path: Path) -> None:
    run = runs_of(sweep_plan(RATE))[0]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("samples/tcp.csv", "time_s\n")
        archive.writestr("../../outside.txt", "no")
    with SweepFolder(tmp_path, sweep_plan(RATE)) as folder:
        assert folder.record(run.name) is None
        folder.keep(run, Report(run.name, "failed", ("it broke",), "there", 1.0, output="a traceback"))
        assert folder.record(run.name) == folders.Record("failed", ("it broke",), "there", 1.0)
        assert (folder.run_folder(run.name) / "output.txt").read_text() == "a traceback"
        folder.keep(run, Report(run.name, "finished", (), "here", 2.0, archive=packed.getvalue()))
        files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    base = f"runs/{run.name}"
    assert files == {
        ".lock", "sweep.json", "topology.mn", f"{base}/sweep-run.json", f"{base}/samples/tcp.csv",
        f"{base}/outside.txt",
    }  # fmt: skip
    assert not (tmp_path.parent / "outside.txt").exists()
    record = json.loads((tmp_path / base / "sweep-run.json").read_text())
    assert record["values"] == {"link:h1-h2.rate_mbit": 10.0} and (record["repetition"], record["seed"]) == (1, 1)


def test_unfinished_folders_of_a_killed_sweep_are_removed(tmp_path: Path) -> None:
    with SweepFolder(tmp_path, sweep_plan(RATE)):
        pass
    (tmp_path / "runs" / ".half.part" / "samples").mkdir(parents=True)
    with SweepFolder(tmp_path, sweep_plan(RATE)) as folder:
        assert list((tmp_path / "runs").iterdir()) == []
        assert folder.record("half") is None


@pytest.mark.parametrize("name", ["runs", ".lock", "sweep.json", "topology.mn"])
def test_a_folder_with_links_changes_nothing_elsewhere(tmp_path: Path, name: str) -> None:
    """A folder from somebody else may have links to files of the user who continues the sweep."""
    out, home = tmp_path / "out", tmp_path / "home"
    with SweepFolder(out, sweep_plan(RATE)):
        pass
    home.mkdir()
    for path in (home / ".ssh", home / ".bashrc"):
        path.write_text("as it was")
    (out / "runs").mkdir(exist_ok=True)
    os.rename(out / name, tmp_path / "before")
    (out / name).symlink_to(home if name == "runs" else home / ".bashrc")
    with pytest.raises(ResultsError, match=f"holds the link '{name}'"):
        SweepFolder(out, sweep_plan(RATE))
    assert {path.name: path.read_text() for path in home.iterdir()} == {".ssh": "as it was", ".bashrc": "as it was"}
    (out / name).unlink()
    os.rename(tmp_path / "before", out / name)
    os.mkdir(out / "runs" / ".a_run.part")  # the remains of a killed run are removed; other hidden files stay
    os.mkdir(out / "runs" / ".mine")
    with SweepFolder(out, sweep_plan(RATE)):
        assert [path.name for path in (out / "runs").iterdir()] == [".mine"]


def test_a_pipe_instead_of_the_lock_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".lock")
    with pytest.raises(ResultsError, match="cannot be written"):
        SweepFolder(tmp_path, sweep_plan(RATE))

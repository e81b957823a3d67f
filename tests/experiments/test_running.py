"""Experiments run with a stand-in for labs: executed runs, kept runs, and cases that are left out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from frrlib.formats import mn
from frrlib.place.choice import unmet_needs
from frrlib.results.layout import ResultsError
from frrlib.run.run import RunSettings
from frrlib.sweep.events import RunEnd, RunStart, Tally
from frrlib.sweep.options import SweepOptions
from miniedit_frr.experiments import runner
from miniedit_frr.experiments.declaration import Case, Experiment
from miniedit_frr.experiments.duration import expected_s
from miniedit_frr.experiments.plan import ExperimentOptions
from miniedit_frr.experiments.runner import ExperimentPlan, carry_out, make_plan, unfinished_runs
from miniedit_frr.experiments.runs import CASES, RUNS, open_runs
from tests.experiments.small import SMALL, dumbbell
from tests.sweep.standin import STANDIN, started_pids
from tests.sweep.topologies import two_hosts
from tests.waiting import wait_for

ROOT = Path(__file__).resolve().parents[2]
HOW = SweepOptions(jobs=2, program=STANDIN)
ORDER = ExperimentOptions(settings=RunSettings())


def made(*cases: Case, name: str = "X") -> Experiment:
    return replace(SMALL, name=name, cases=lambda quick: cases[:1] if quick else cases)


def course(*experiments: Experiment, options: ExperimentOptions = ORDER) -> ExperimentPlan:
    """A plan without a check of this machine."""
    runs = tuple(run for experiment in experiments for run in runner.planned_runs(experiment, options))
    return ExperimentPlan(experiments, options, runs, {})


TWO = made(Case("a", two_hosts(), values={"cc": "reno"}), Case("b", two_hosts(duration_s=3), repeat=2))


def test_every_run_has_its_folder_and_its_seed(tmp_path: Path, standin_log: Path) -> None:
    events: list[object] = []
    tally = carry_out(
        course(TWO, made(Case("a", two_hosts()), name="Y"), options=ExperimentOptions(seed=5)),
        tmp_path,
        HOW,
        events.append,
    )
    assert tally == Tally(finished=4, failed=0, remaining=0, earlier=0)
    assert len(started_pids(standin_log)) == 4
    runs = open_runs(tmp_path / "X")
    assert [(run.case, run.repetition, run.values) for run in runs] == [
        ("a", 1, {"cc": "reno"}), ("b", 1, {}), ("b", 2, {}),
    ]  # fmt: skip
    assert (runs.missing, runs.is_quick, runs.experiment) == ({}, False, "X")
    seeds = [json.loads((run.folder / "run.json").read_text())["settings"]["seed"] for run in runs]
    assert seeds == [5, 5, 6]
    kinds = [type(event) for event in events]
    assert (kinds[0], kinds.count(RunStart), kinds.count(RunEnd)) == (Tally, 4, 4)


def test_finished_runs_are_not_repeated_but_changed_runs_are(tmp_path: Path, standin_log: Path) -> None:
    carry_out(course(TWO), tmp_path, HOW)
    assert carry_out(course(TWO), tmp_path, HOW) == Tally(finished=3, failed=0, remaining=0, earlier=3)
    assert len(started_pids(standin_log)) == 3
    changed = made(Case("a", two_hosts(duration_s=4)), Case("b", two_hosts(duration_s=3), repeat=2, sample_hz=20))
    assert [run.name for run in unfinished_runs(course(changed), tmp_path)] == ["X/a_1", "X/b_1", "X/b_2"]
    extended = made(*TWO.cases(False), Case("c", two_hosts()))
    assert [run.name for run in unfinished_runs(course(extended), tmp_path)] == ["X/c_1"]
    assert [run.name for run in unfinished_runs(course(TWO, options=replace(ORDER, repeat=3)), tmp_path)] == [
        "X/b_3", "X/a_2", "X/a_3",
    ]  # fmt: skip


def test_runs_with_other_settings_are_refused_in_the_same_folder(tmp_path: Path, standin_log: Path) -> None:
    carry_out(course(TWO), tmp_path, HOW)
    for options, message in (
        (replace(ORDER, seed=2), "its first seed is 1, not 2"),
        (replace(ORDER, quick=True), "its quick is off, not on"),
        (ExperimentOptions(settings=RunSettings(virtual_time=True)), "its virtual time is off, not on"),
    ):
        with pytest.raises(ResultsError, match=message):
            carry_out(course(TWO, options=options), tmp_path, HOW)
    assert len(started_pids(standin_log)) == 3


def test_a_folder_with_links_changes_nothing_elsewhere(tmp_path: Path, standin_log: Path) -> None:
    out, home = tmp_path / "out", tmp_path / "home"
    (out / "X").mkdir(parents=True)
    (home / ".ssh").mkdir(parents=True)
    for link in (out / "X" / RUNS, out / "Y"):
        link.symlink_to(home)
        with pytest.raises(ResultsError, match=f"holds the link '{link.name}'"):
            carry_out(course(TWO), out, HOW)
        link.unlink()
    assert [path.name for path in home.iterdir()] == [".ssh"]


def test_failed_runs_are_kept_with_their_logs_and_repeated(tmp_path: Path, standin_log: Path) -> None:
    bad = made(Case("good", two_hosts()), Case("bad", two_hosts("fail")), Case("dead", two_hosts("die")))
    events: list[object] = []
    assert carry_out(course(bad), tmp_path, HOW, events.append) == Tally(finished=1, failed=2, remaining=0, earlier=0)
    ended = {event.run.case.name: event.report for event in events if isinstance(event, RunEnd)}
    assert ended["bad"].failures == ("r1 did not converge",)
    assert (tmp_path / "X" / RUNS / "bad_1" / "logs" / "log.txt").read_text() == "a log"
    assert "output of the stand-in" in (tmp_path / "X" / RUNS / "dead_1" / "output.txt").read_text()
    runs = open_runs(tmp_path / "X")
    assert [run.case for run in runs] == ["good"]
    assert runs.missing == {"bad": "its run failed: r1 did not converge", "dead": "it was not run"}
    assert [run.name for run in unfinished_runs(course(bad), tmp_path)] == ["X/bad_1", "X/dead_1"]


def test_a_case_that_may_fail_counts_and_is_not_repeated(tmp_path: Path, standin_log: Path) -> None:
    experiment = made(Case("bad", two_hosts("fail"), may_fail="its queue drops all"))
    assert carry_out(course(experiment), tmp_path, HOW) == Tally(finished=1, failed=0, remaining=0, earlier=0)
    assert [run.case for run in open_runs(tmp_path / "X")] == ["bad"]
    assert unfinished_runs(course(experiment), tmp_path) == []


def test_long_runs_come_first(tmp_path: Path) -> None:
    cases = [Case(name, two_hosts(duration_s=seconds)) for name, seconds in (("a", 2.0), ("b", 9.0), ("c", 5.0))]
    assert [run.case.name for run in unfinished_runs(course(made(*cases)), tmp_path)] == ["b", "c", "a"]
    assert expected_s(two_hosts(duration_s=9), virtual_time=False) == 9
    assert expected_s(dumbbell("bbr", 1000), True) > expected_s(dumbbell("bbr", 10), True)  # more packets take longer


def test_stopped_runs_are_continued_later(tmp_path: Path, standin_log: Path) -> None:
    experiment = made(Case("a", two_hosts()), Case("b", two_hosts("wait 30", duration_s=1)))
    stop = threading.Event()

    def stop_after_first(event: object) -> None:
        if isinstance(event, RunEnd):
            stop.set()

    assert carry_out(course(experiment), tmp_path, HOW, stop_after_first, stop) == Tally(1, 0, 1, 0)
    assert [run.case for run in open_runs(tmp_path / "X")] == ["a"]
    assert [run.name for run in unfinished_runs(course(experiment), tmp_path)] == ["X/b_1"]
    for pid in started_pids(standin_log):
        assert not Path(f"/proc/{pid}").exists()


def test_ctrl_c_keeps_finished_runs(tmp_path: Path, standin_log: Path) -> None:
    script = tmp_path / "go.py"
    script.write_text(
        "from pathlib import Path\n"
        "from miniedit_frr.experiments.declaration import Case\n"
        "from tests.experiments.test_running import HOW, carry_out, course, made, two_hosts\n"
        "one = made(Case('a', two_hosts()), Case('b', two_hosts('wait 30', duration_s=1)))\n"
        f"carry_out(course(one), Path({str(tmp_path / 'out')!r}), HOW)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([sys.executable, str(script)], env=environment, stderr=subprocess.PIPE)
    try:
        done = tmp_path / "out" / "X" / RUNS / "a_1" / runner.RECORD

        def has_begun() -> bool:
            assert process.poll() is None, process.stderr and process.stderr.read()
            return done.exists() and len(started_pids(standin_log)) >= 2

        wait_for(has_begun, "the second run")
        process.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in process.communicate()[1]
    finally:
        process.kill()
        process.wait()
    runs = open_runs(tmp_path / "out" / "X")
    assert [run.case for run in runs] == ["a"]
    assert runs.missing == {"b": "it was not run"}
    assert not [path for path in (tmp_path / "out" / "X" / RUNS).iterdir() if path.name.startswith(".")]


def test_cases_that_this_machine_does_not_support_are_left_out_with_a_reason(
    tmp_path: Path, standin_log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Has:
        """The features of a kernel without BBRv2."""

        place = "labkernel"

        qdiscs = frozenset({"netem", "htb", "tbf", "pfifo", "bfifo"})
        congestion_controls = frozenset({"reno", "cubic", "bbr"})
        device_types = frozenset({"veth", "bridge"})
        open_vswitch = cpu_limits = external_interfaces = False
        cpus = 1

    def lab(settings: RunSettings, topology: object) -> None:
        from frrlib.lab.needs import needs_of

        if missing := unmet_needs(needs_of(topology), Has()):  # type: ignore[arg-type]
            raise PlaceError(f"the kernel lacks {', '.join(missing)}", "no remedy")

    monkeypatch.setattr(RunSettings, "lab", lab)
    plan = make_plan([SMALL], ORDER)
    assert [run.case.name for run in plan.runs] == ["published-bbr", "right-cubic"]
    (reason,) = plan.missing.values()
    assert reason.startswith("the kernel lacks the congestion control bbr2; Linux does not include it")
    carry_out(plan, tmp_path, HOW)
    assert json.loads((tmp_path / SMALL.name / CASES).read_text())["missing"] == {"right-bbr2": reason}
    assert open_runs(tmp_path / SMALL.name).missing == {"right-bbr2": reason}
    slow = made(Case("a", two_hosts(), real_time="a clock that jumps hides it"), Case("b", two_hosts()))
    options = ExperimentOptions(settings=RunSettings(virtual_time=True))
    assert dict(make_plan([slow], options).missing) == {"X/a": "a clock that jumps hides it; --real-time shows it"}
    assert dict(make_plan([slow], ORDER).missing) == {}
    Has.congestion_controls |= {"bbr3"}
    carry_out(make_plan([SMALL], ORDER), tmp_path, HOW)
    runs = open_runs(tmp_path / SMALL.name)
    assert (runs.missing, runs.substitutes) == ({}, {"right-bbr2": "bbr3"})
    flows = mn.load(tmp_path / SMALL.name / RUNS / "right-bbr2_1" / "topology.mn").topology.flows
    assert {flow.congestion_control for flow in flows} == {"bbr3"}
    Has.qdiscs = frozenset()
    with pytest.raises(PlaceError, match="lacks the queueing discipline"):  # nothing at all could be run
        make_plan([SMALL], ORDER)
    assert [run.case.name for run in make_plan([SMALL], ORDER, remote=True).runs] == ["published-bbr", "right-cubic"]

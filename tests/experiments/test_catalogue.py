"""What is declared holds together: every statement has its check, every case can be run, every figure can be drawn."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from matplotlib.text import Text

from experiments import catalogue, published_style
from experiments.declaration import Experiment
from experiments.expectations import expectations
from experiments.runs import Runs
from frrlib.checks.check import check
from frrlib.formats import mn
from frrlib.model.problem import Severity

ALL = catalogue.experiments()
experiment = pytest.mark.parametrize("one", ALL.values(), ids=ALL)


def test_every_statement_has_one_check_in_its_experiment() -> None:
    checks = [(each.id, one.name) for one in ALL.values() for each in one.checks]
    counted = Counter(name for name, _ in checks)
    assert {name: count for name, count in counted.items() if count > 1} == {}
    known = expectations()
    assert [name for name, _ in checks if name not in known] == []
    assert [(name, where) for name, where in checks if known[name].experiment != where] == []
    assert known.keys() - counted.keys() == set()


def test_statements_say_what_they_rest_on() -> None:
    for row in expectations().values():
        assert row.basis, row.id
        assert row.is_yes_or_no or row.low <= row.high, row.id


def test_an_experiment_is_found_however_it_is_written() -> None:
    name = next(iter(ALL))
    assert catalogue.experiment(name.lower()) is ALL[name]
    assert [one.name for one in catalogue.select_experiments(["all", name])] == list(ALL)
    assert [one.name for one in catalogue.select_experiments([name, name.upper()])] == [name]
    with pytest.raises(catalogue.UnknownExperiment, match=f"did you mean {name}"):
        catalogue.experiment(f"{name}x")


@experiment
@pytest.mark.parametrize("quick", [False, True], ids=["whole", "quick"])
def test_cases_can_be_run(one: Experiment, quick: bool) -> None:
    cases = one.cases(quick)
    assert cases, "an experiment without cases"
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        assert re.fullmatch(r"[\w.+-]+", case.name), "its name is that of a folder"
        problems = [str(each) for each in check(case.topology) if each.severity is Severity.ERROR]
        assert problems == [], f"{case.name}: {problems}"
        assert mn.loads(mn.dumps(case.topology)).topology == case.topology, case.name
        asked = {flow.congestion_control for flow in case.topology.flows}
        rare = {control for control in asked if control.startswith("bbr") and control != "bbr"}
        assert rare == ({case.needs} if case.needs else set()), f"{case.name} names what not every kernel has"


@experiment
def test_what_is_said_of_an_experiment_is_there(one: Experiment) -> None:
    assert one.title and one.source and one.setup and one.lesson and one.pictures
    assert len({picture.name for picture in one.pictures}) == len(one.pictures)


@experiment
def test_checks_and_figures_do_without_runs(one: Experiment, tmp_path: Path) -> None:
    cases = one.cases(False)
    nothing = Runs(tmp_path, (), {case.name: "it was not run" for case in cases})
    for each in one.checks:
        assert not each.measure(nothing), f"{each.id} finds a number where there are no runs"
    for picture in one.pictures:
        texts = [text.get_text() for text in published_style.draw_picture(picture, nothing).findobj(Text)]
        assert any("not run" in text for text in texts), f"{picture.name} does not say what is missing"

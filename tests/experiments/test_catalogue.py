"""Declarations are consistent: every statement has a check, every case can be run, every figure can be drawn."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from matplotlib.text import Text

from frrlib.checks.check import check
from frrlib.formats import mn
from frrlib.model.problem import Severity
from miniedit_frr.experiments import catalogue, published_style
from miniedit_frr.experiments.declaration import Experiment
from miniedit_frr.experiments.expectations import expectations
from miniedit_frr.experiments.runs import Runs

ALL = catalogue.experiments()
for_each_experiment = pytest.mark.parametrize("experiment", ALL.values(), ids=ALL)


def test_every_statement_has_one_check_in_its_experiment() -> None:
    checks = [(check.id, experiment.name) for experiment in ALL.values() for check in experiment.checks]
    counted = Counter(name for name, _ in checks)
    assert {name: count for name, count in counted.items() if count > 1} == {}
    statements = expectations()
    assert [name for name, _ in checks if name not in statements] == []
    assert [(name, where) for name, where in checks if statements[name].experiment != where] == []
    assert statements.keys() - counted.keys() == set()


def test_statements_have_a_basis_and_a_band() -> None:
    for row in expectations().values():
        assert row.basis, row.id
        assert row.is_yes_or_no or row.low <= row.high, row.id


def test_an_experiment_is_found_in_upper_and_lower_case() -> None:
    name = next(iter(ALL))
    assert catalogue.experiment(name.lower()) is ALL[name]
    assert [found_experiment.name for found_experiment in catalogue.select_experiments(["all", name])] == list(ALL)
    assert [found_experiment.name for found_experiment in catalogue.select_experiments([name, name.upper()])] == [name]
    with pytest.raises(catalogue.UnknownExperiment, match=f"did you mean {name}"):
        catalogue.experiment(f"{name}x")


@for_each_experiment
@pytest.mark.parametrize("quick", [False, True], ids=["whole", "quick"])
def test_cases_can_be_run(experiment: Experiment, quick: bool) -> None:
    cases = experiment.cases(quick)
    assert cases, "an experiment without cases"
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        assert re.fullmatch(r"[\w.+-]+", case.name), "its name is that of a folder"
        problems = [str(problem) for problem in check(case.topology) if problem.severity is Severity.ERROR]
        assert problems == [], f"{case.name}: {problems}"
        assert mn.loads(mn.dumps(case.topology)).topology == case.topology, case.name
        controls = {flow.congestion_control for flow in case.topology.flows}
        rare = {control for control in controls if control.startswith("bbr") and control != "bbr"}
        assert rare == ({case.needs} if case.needs else set()), f"{case.name} names what not every kernel has"


@for_each_experiment
def test_an_experiment_has_texts_and_figures(experiment: Experiment) -> None:
    assert experiment.title and experiment.source and experiment.setup and experiment.lesson and experiment.pictures
    assert len({picture.name for picture in experiment.pictures}) == len(experiment.pictures)


@for_each_experiment
def test_checks_and_figures_work_without_runs(experiment: Experiment, tmp_path: Path) -> None:
    cases = experiment.cases(False)
    nothing = Runs(tmp_path, (), {case.name: "it was not run" for case in cases})
    for experiment_check in experiment.checks:
        assert not experiment_check.measure(nothing), f"{experiment_check.id} finds a number where there are no runs"
    for picture in experiment.pictures:
        texts = [text.get_text() for text in published_style.draw_picture(picture, nothing).findobj(Text)]
        assert any("not run" in text for text in texts), f"{picture.name} does not say what is missing"

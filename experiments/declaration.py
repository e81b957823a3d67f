"""A published experiment as a value: labs to run, figures to draw from them, and numbers to judge them by.

A package of this room declares one experiment or a few related ones; `catalogue.py` lists all. A declaration runs
nothing: `runner.py` runs the cases, `verdict.py` judges, `report.py` and `pages.py` show the results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from matplotlib.figure import Figure

from frrlib.model.topology import Topology
from miniedit_frr.experiments.values import Values

if TYPE_CHECKING:
    from miniedit_frr.experiments.runs import Runs

#: "published": the set-up as published, flaws included. "right": the correct set-up. "both": the published one is
#: correct.
Setup = Literal["published", "right", "both"]


@dataclass(frozen=True)
class Case:
    """One lab, run once or several times.

    Attributes:
        name: the name of its folder, unique in the experiment: "published-bbr-loss-2".
        topology: the topology; `check` finds no errors in it. Each flow names its congestion control.
        setup: the kind of its set-up.
        values: the values that differ from case to case; `Runs.select` finds runs by them.
        repeat: the number of runs, with consecutive seeds.
        sample_hz: samples per second, see `frrlib.run.run.RunSettings`.
        captures: see `frrlib.run.run.RunSettings`.
        needs: a congestion control that not every kernel has ("bbr2"). The case is left out if it is missing.
        real_time: why the case shows nothing in virtual time, in which it is left out; empty if it can run in both.
        may_fail: why a failed run is used all the same ("nothing passes its queue"); empty if only finished runs are
            used.
    """

    name: str
    topology: Topology
    setup: Setup = "both"
    values: Values = field(default_factory=dict)
    repeat: int = 1
    sample_hz: float = 100.0
    captures: tuple[str, ...] = ()
    needs: str = ""
    real_time: str = ""
    may_fail: str = ""


#: The result of a check: numbers by their subject ("reno", "flow 2"). All of them must lie in the band. A statement
#: that is true or false (an order, say) has 1 or 0. None if a required run is missing.
CheckResult = Mapping[str, float] | None


@dataclass(frozen=True)
class Check:
    """The test of a statement.

    Attributes:
        id: the id of the row in `expectations.csv` with the statement, the published value and the band.
        measure: computes the numbers from the runs, usually medians over the repetitions.
        needs: a congestion control that the test requires ("bbr2").
    """

    id: str
    measure: Callable[[Runs], CheckResult]
    needs: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure in the published form: the same axes, units and ranges, with the published points beside ours.

    Attributes:
        name: the name of its file, without ending: "figure-5".
        title: a sentence that describes it.
        draw: draws it from all finished runs, and notes missing runs in the figure.
    """

    name: str
    title: str
    draw: Callable[[Runs], Figure]


@dataclass(frozen=True)
class Experiment:
    """A published experiment.

    Attributes:
        name: a short name: "CF5".
        title: its subject in a few words.
        source: its authors, with place, date and, if it has one, address of the publication.
        setup: the published set-up and its results, in a few paragraphs of Markdown.
        lesson: the difference between "as published" and "done right", its reasons, and the lesson, in Markdown.
        cases: the labs. The argument True gives selected, shortened cases for every figure, for use in a class.
        checks: one check for each of its rows in `expectations.csv`.
        pictures: its figures.
    """

    name: str
    title: str
    source: str
    setup: str
    lesson: str
    cases: Callable[[bool], tuple[Case, ...]]
    checks: tuple[Check, ...]
    pictures: tuple[Picture, ...]

"""A published experiment as a value: labs to run, figures to draw from them, and numbers to judge them by.

A module of this room declares one experiment or a few that belong together; `catalogue.py` lists all. Nothing here runs
anything: `running.py` carries cases out, `verdict.py` judges, `report.py` and `pages.py` show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from matplotlib.figure import Figure

from experiments.values import Values
from frrlib.model.topology import Topology

if TYPE_CHECKING:
    from experiments.runs import Runs

#: "published": the set-up as it was published, flaws included. "right": the sound one. "both": no difference is known.
Setup = Literal["published", "right", "both"]


@dataclass(frozen=True)
class Case:
    """One lab, run once or several times.

    Attributes:
        name: of its folder, unique in the experiment: "published-bbr-loss-2".
        topology: the drawing; `check` finds no errors in it. Its flows name their congestion control themselves.
        setup: whose set-up it is.
        values: what tells it from other cases, for whoever looks for runs (`Runs.of`).
        repeat: how often it is run, with seeds that follow each other.
        sample_hz: samples a second, see `frrlib.run.Settings`.
        captures: see `frrlib.run.Settings`.
        needs: a congestion control that not every kernel has ("bbr2"); such a case is left out where it is missing.
        real_time: why it shows nothing in virtual time, where it is left out then; empty for a case of both.
        may_fail: why a run of it may be told to have failed, and is used all the same ("nothing passes its queue");
            empty where only runs that did all are used.
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


#: The result of a check: numbers by their subject ("reno", "flow 2"), all of which must lie in the band. A statement
#: that is true or false (an order, say) is 1 or 0. None where a run that it needs is missing.
CheckResult = Mapping[str, float] | None


@dataclass(frozen=True)
class Check:
    """How a statement is tested.

    Attributes:
        id: of the row in `expectations.csv`, which has the words, the published value and the band.
        of: takes the number from the runs. Over several repetitions it gives what the statement is about, usually
            their median.
        needs: a congestion control without which it cannot be tested ("bbr2").
    """

    id: str
    measure: Callable[[Runs], CheckResult]
    needs: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure in the published form: the same axes, units and ranges; published points are drawn beside ours.

    Attributes:
        name: of its file, without ending: "figure-5".
        title: what it shows, in a sentence.
        draw: makes it from whatever runs there are; says in the figure what is missing.
    """

    name: str
    title: str
    draw: Callable[[Runs], Figure]


@dataclass(frozen=True)
class Experiment:
    """A published experiment.

    Attributes:
        name: short, as it is asked for: "CF5".
        title: what it is about, a few words.
        source: who published it, where and when; with an address where there is one.
        setup: the published set-up and what was found with it, a paragraph or a few, in Markdown.
        lesson: what "as published" and "done right" differ in, why, and what a student learns from it, in Markdown.
        cases: the labs; with True a choice of them, shortened, that a class can wait for, and that still gives every
            figure.
        checks: one for each of its rows in `expectations.csv`.
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

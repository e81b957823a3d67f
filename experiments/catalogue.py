"""All experiments by name. Their modules are loaded at the first search, since libraries for figures load slowly."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from functools import cache
from importlib import import_module

from frrlib.errors import LabError
from miniedit_frr.experiments.declaration import Experiment

#: Packages of this room, each with a tuple `EXPERIMENTS`, in the order of the list of experiments.
PACKAGES = (
    "bbr_castroflavio",
    "tbf_churrotarta",
    "miniweb_girondi",
    "bbr2_tum",
    "bbr2_martinber",
    "rfc9438",
    "bbr3_draft",
    "mininet_hifi",
    "l4s_heistp",
    "borgianni_mininet",
)
#: The name that stands for every experiment on the command line.
ALL = "all"


class UnknownExperiment(LabError):
    """No experiment has this name."""


@cache
def experiments() -> Mapping[str, Experiment]:
    """All experiments by name."""
    by_name: dict[str, Experiment] = {}
    for package in PACKAGES:
        for declared in import_module(f"miniedit_frr.experiments.{package}").EXPERIMENTS:
            assert declared.name not in by_name, f"{declared.name} is declared twice"
            by_name[declared.name] = declared
    return by_name


def experiment(name: str) -> Experiment:
    """Return the experiment of this name, in upper or lower case.

    Raises:
        UnknownExperiment: no experiment has this name; the message lists similar names.
    """
    by_folded_name = {known_name.casefold(): declared for known_name, declared in experiments().items()}
    match = by_folded_name.get(name.casefold())
    if match is None:
        raise UnknownExperiment(f"there is no experiment {name!r}; {suggestion(name, experiments())}")
    return match


def suggestion(name: str, names: Collection[str]) -> str:
    """A clause of advice for a name that does not exist: similar names, or all names."""
    by_folded_name = {known_name.casefold(): known_name for known_name in names}
    similar = [
        by_folded_name[known_name] for known_name in difflib.get_close_matches(name.casefold(), by_folded_name, 3)
    ]
    return f"did you mean {' or '.join(similar)}?" if similar else f"choose one of {', '.join(names)}"


def select_experiments(names: list[str]) -> tuple[Experiment, ...]:
    """The named experiments, each once, in the order of the catalogue; "all" selects every experiment.

    Raises:
        UnknownExperiment: see `experiment`.
    """
    selected = {declared.name for name in names if name.casefold() != ALL for declared in (experiment(name),)}
    if any(name.casefold() == ALL for name in names):
        selected = set(experiments())
    return tuple(declared for declared in experiments().values() if declared.name in selected)

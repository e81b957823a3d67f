"""All experiments by name. Their modules are loaded when somebody looks for one: what draws is slow to load."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from functools import cache
from importlib import import_module

from experiments.declaration import Experiment
from frrlib.errors import LabError

#: Packages of this room, each with a tuple `EXPERIMENTS`; in the order in which experiments are listed.
PACKAGES = ("bbr_castroflavio", "tbf_churrotarta", "miniweb_girondi", "bbr2_tum", "bbr2_martinber")
#: Every experiment, as it is asked for.
ALL = "all"


class UnknownExperiment(LabError):
    """There is no experiment of that name."""


@cache
def experiments() -> Mapping[str, Experiment]:
    """All, by name."""
    found: dict[str, Experiment] = {}
    for name in PACKAGES:
        for one in import_module(f"experiments.{name}").EXPERIMENTS:
            assert one.name not in found, f"{one.name} is declared twice"
            found[one.name] = one
    return found


def experiment(name: str) -> Experiment:
    """One of them; upper and lower case do not matter.

    Raises:
        UnknownExperiment: there is none of that name; the message says which are like it.
    """
    known = {each.casefold(): one for each, one in experiments().items()}
    found = known.get(name.casefold())
    if found is None:
        raise UnknownExperiment(f"there is no experiment {name!r}; {suggestion(name, experiments())}")
    return found


def suggestion(name: str, names: Collection[str]) -> str:
    """The advice where a requested name does not exist, a clause: similar names, or all."""
    known = {each.casefold(): each for each in names}
    like = [known[each] for each in difflib.get_close_matches(name.casefold(), known, 3)]
    return f"did you mean {' or '.join(like)}?" if like else f"choose one of {', '.join(names)}"


def select_experiments(names: list[str]) -> tuple[Experiment, ...]:
    """The named ones, each once, in the order of the catalogue; "all" is all of them.

    Raises:
        UnknownExperiment: see `experiment`.
    """
    wanted = {one.name for name in names if name.casefold() != ALL for one in (experiment(name),)}
    if any(name.casefold() == ALL for name in names):
        wanted = set(experiments())
    return tuple(one for one in experiments().values() if one.name in wanted)

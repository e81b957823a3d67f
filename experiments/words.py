"""Names of families, set-ups, outcomes and values of experiments, as users see them."""

from __future__ import annotations

import re

from frrlib.model.flow_words import control_name
from miniedit_frr.experiments.values import Values
from miniedit_frr.experiments.verdict import Outcome

TITLE = "Published experiments, repeated"
#: An introduction to all experiments, in Markdown.
ABOUT = """\
Other authors have published each experiment, with figures and numbers. It is repeated here in labs of real Linux
kernels, and each statement about it is judged by a band with a documented basis. *As published* is the authors' set-up
with its flaws; *done right* is a set-up for the same question without them.
"""
#: Families of experiments by the prefix of their names.
FAMILIES = {
    "CF": "Figures of the BBR paper, replicated",
    "CT": "Four BBR flows behind four ways to shape",
    "MG": "Loss, delay, web pages: Reno, CUBIC and BBR",
    "TU": "BBR's phases, its fairness, and the buffer",
    "MB": "Four congestion controls behind a router; BGP",
    "RFC": "Published formulas of congestion control",
    "BBR3": "BBRv3 and the test cases of its draft",
    "HIFI": "Results that Mininet-HiFi reproduced",
    "L4S": "Fairness in the tables of l4s-tests",
    "PISA": "The accuracy of Mininet against hardware",
}
#: The origin of a case's set-up.
SETUP_WORDS = {
    "published": "as published",
    "right": "done right",
    "both": "as published, which is sound",
}
#: Names of outcomes, and the marks before the names, since colors alone are not accessible to everybody.
OUTCOME_WORDS: dict[Outcome, str] = {"pass": "passed", "fail": "failed", "not run": "not run"}
OUTCOME_MARKS: dict[Outcome, str] = {"pass": "✓", "fail": "✗", "not run": "○"}
_UNITS = {
    "percent": "%", "ms": "ms", "s": "s", "mbit": "Mbit/s", "kbit": "kbit/s", "bytes": "B", "kb": "kB", "mb": "MB",
    "bdp": "BDP", "packets": "packets",
}  # fmt: skip
#: Values whose names are omitted, since the values are clear by themselves.
_OMITTED_NAMES = ("cc", "setup")


def family_of(name: str) -> str:
    """The prefix of an experiment's family; the name itself if it belongs to no family."""
    return next((family for family in FAMILIES if name.startswith(family)), name)


def count_text(count: int, noun: str) -> str:
    """A number with a noun: "1 run", "3 runs"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def values_text(values: Values) -> str:
    """The values of a case: "BBR, loss 1 %, buffer 0.5 BDP"; empty without values."""
    return ", ".join(filter(None, (_value(name, value) for name, value in values.items())))


def _value(name: str, value: str | float) -> str:
    words, _, unit = name.rpartition("_")
    if unit not in _UNITS:
        words, unit = name, ""
    value_text = control_name(value) if isinstance(value, str) else f"{value:g}"
    name_text = "" if words in _OMITTED_NAMES else words.replace("_", " ")
    return " ".join(filter(None, (name_text, value_text, _UNITS.get(unit, ""))))


def without_markdown(markdown: str) -> str:
    """Markdown as plain text: without markup, and with each paragraph in one line."""
    text = re.sub(r"\[([^]]+)\]\(([^)]+)\)", r"\1 (\2)", markdown.strip())
    text = re.sub(r"\*\*|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text)
    return "\n\n".join(re.sub(r"\s*\n(?![-*0-9|])", " ", part) for part in re.split(r"\n\s*\n", text))

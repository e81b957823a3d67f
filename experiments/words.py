"""Names of families, set-ups and values where experiments are shown to people."""

from __future__ import annotations

import re

from experiments.values import Values
from experiments.verdict import Outcome
from frrlib.model.flow_words import control_name

TITLE = "Published experiments, repeated"
#: An introduction to all of this, in Markdown.
ABOUT = """\
Each experiment was published by somebody else, with figures and numbers. It is run here in labs of real Linux kernels,
and each statement about it is judged by a band that was written down with its reason. *As published* is the set-up of
the authors with its flaws; *done right* is the same question asked soundly.
"""
#: Beginnings of experiments' names, and what those experiments have in common.
FAMILIES = {
    "CF": "Figures of the BBR paper, replicated",
    "CT": "Four BBR flows behind four ways to shape",
    "MG": "Loss, delay, web pages: Reno, CUBIC and BBR",
    "TU": "BBR's phases, its fairness, and the buffer",
    "MB": "Four congestion controls behind a router; BGP",
}
#: The origin of a case's set-up.
SETUP_WORDS = {
    "published": "as published",
    "right": "done right",
    "both": "as published, which is sound",
}
#: Names of outcomes, and the mark before the word: colours alone do not tell everybody.
OUTCOME_WORDS: dict[Outcome, str] = {"pass": "passed", "fail": "failed", "not run": "not run"}
OUTCOME_MARKS: dict[Outcome, str] = {"pass": "✓", "fail": "✗", "not run": "○"}
_UNITS = {
    "percent": "%", "ms": "ms", "s": "s", "mbit": "Mbit/s", "kbit": "kbit/s", "bytes": "B", "kb": "kB", "mb": "MB",
    "bdp": "BDP", "packets": "packets",
}  # fmt: skip
#: Names of values that their values tell by themselves.
_UNSAID = ("cc", "setup")


def family_of(name: str) -> str:
    """How the names of an experiment's family begin; the name itself where it belongs to none."""
    return next((each for each in FAMILIES if name.startswith(each)), name)


def counted(count: int, what: str) -> str:
    """So many of something: "1 run", "3 runs"."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def values_text(values: Values) -> str:
    """The values of a case: "BBR, loss 1 %, buffer 0.5 BDP"; empty for none."""
    return ", ".join(filter(None, (_value(name, value) for name, value in values.items())))


def _value(name: str, value: str | float) -> str:
    words, _, unit = name.rpartition("_")
    if unit not in _UNITS:
        words, unit = name, ""
    shown = control_name(value) if isinstance(value, str) else f"{value:g}"
    said = "" if words in _UNSAID else words.replace("_", " ")
    return " ".join(filter(None, (said, shown, _UNITS.get(unit, ""))))


def without_markdown(markdown: str) -> str:
    """Markdown for where there is only plain text: without marks, and each paragraph in a line of its own."""
    text = re.sub(r"\[([^]]+)\]\(([^)]+)\)", r"\1 (\2)", markdown.strip())
    text = re.sub(r"\*\*|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text)
    return "\n\n".join(re.sub(r"\s*\n(?![-*0-9|])", " ", part) for part in re.split(r"\n\s*\n", text))

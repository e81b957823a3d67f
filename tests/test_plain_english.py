"""Texts for users are plain English: no string constant contains one of the banned patterns.

The patterns are those of private dialect that has to be read twice, and of British spelling. Each is shown by an
example. Experiments that still break them are listed; one leaves the list once it is clean.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

#: A fault of language to the pattern that finds it. Sentences begin at the start of a text or after a full stop.
BANNED: dict[str, re.Pattern[str]] = {
    "a relative clause as the subject": re.compile(
        r"(?:^|[.;:]\s+)(?:Who|Whose|Whom|Whoever|What|Of what|Of which|Where it)\b(?![^.?!]*\?)"
    ),
    "a genitive in front": re.compile(
        r"(?:^|[.;:]\s+)Of (?:a|an|all|each|its|several|such|that|the|these|this|those|two|what)\b"
    ),
    "a negation without a verb": re.compile(
        r"\b(?:there (?:is|are) not\b(?! an?\b| any\b| enough\b)|(?:is|are) none\b|be (?:it|they)\b)"
    ),
    "an amount without a number": re.compile(r"\bso (?:long|many|much|often)\b(?! as\b| that\b)"),
    "programs that talk": re.compile(
        r"\b(?:(?:is|was|are|were) told|is said|tells? (?:it|that|them|us)|says? (?:no|none|of|so)|hears? (?:from|of)"
        r"|who (?:asks|waits))\b"
    ),
    "an archaic word": re.compile(r"\b(?:for want of|hitherto|lest|likewise|therein|whereby)\b"),
    # not the names of variables and fields, such as $colour and node.colour
    "British spelling": re.compile(
        r"(?<![\w$.:])(?:[Bb]ehaviour|[Cc]entre|[Cc]olour|[Ff]avour|[Gg]rey|[Nn]eighbour)\w*\b"
    ),
}
EXAMPLES = {
    "a relative clause as the subject": "Paths. What is no value keeps OK from being pressed.",
    "a genitive in front": "Of the route's prefix.",
    "a negation without a verb": "A route map is named that there is not.",
    "an amount without a number": "It is gone without any for so long.",
    "programs that talk": "Prefixes that it is told.",
    "an archaic word": "The VRF likewise.",
    "British spelling": "A session to each neighbour.",
}
PLAIN = (
    "The session is dropped after this long without a keepalive.",
    "What is wrong?",
    "Maximum number of equal-cost paths to install. There is not enough memory.",
    "Up to as many as there are, so that neighbors of node.colour agree.",
)


def _texts(module: Path) -> Iterator[tuple[int, str]]:
    """The string constants of a module that have several words, with their lines.

    Docstrings are not among them, except those of commands, which are their help.
    """
    tree = ast.parse(module.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(".command" in ast.unparse(each) for each in node.decorator_list):
            yield node.lineno, ast.get_docstring(node) or ""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in docstrings:
            continue
        if " " in node.value.strip():
            yield node.lineno, node.value


def faults(text: str) -> list[str]:
    """The names of the banned patterns that a text contains; headings of up to three words are no sentences."""
    is_heading = len(text.split()) <= 3 and not text.endswith((".", ";", ":"))
    return [
        name
        for name, pattern in BANNED.items()
        if pattern.search(text) and not (is_heading and name.startswith("a relative"))
    ]


@lru_cache(maxsize=1)
def _findings() -> dict[str, list[str]]:
    """Each module's faults, a line each; modules without any are left out."""
    findings: dict[str, list[str]] = {}
    for package in ("miniedit_frr", "frrlib", "experiments"):
        for module in sorted((ROOT / package).rglob("*.py")):
            path = module.relative_to(ROOT).as_posix()
            lines = [f"{path}:{line}: {name}: {text[:100]!r}" for line, text in _texts(module) for name in faults(text)]
            findings |= {path: lines} if lines else {}
    return findings


@pytest.mark.parametrize("name", BANNED)
def test_a_pattern_finds_its_example(name: str) -> None:
    assert faults(EXAMPLES[name]) == [name]


@pytest.mark.parametrize("text", PLAIN)
def test_plain_sentences_pass(text: str) -> None:
    assert faults(text) == []


def test_texts_for_users_are_plain() -> None:
    assert [line for lines in _findings().values() for line in lines] == []

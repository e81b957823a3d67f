"""Every kind of problem has a reason, and the page in docs contains all of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from frrlib.checks.check import SUBJECTS
from frrlib.checks.explanations import PAGE, REASONS, anchor, page, section
from frrlib.checks.fix_offers import FIXERS
from frrlib.errors import TopologyError

ROOT = Path(__file__).resolve().parents[2]
#: The other rooms that make problems. Rules are checked by their type, and by `tests/checks/test_check.py`.
_READERS = (
    "frrlib/formats",
    *(f"frrlib/exchange/{name}" for name in ("containerlab", "core_xml", "gns3", "kathara", "graphml")),
    "frrlib/lab/checks.py",
)


def _kinds_of_readers() -> set[str]:
    """The names of kinds in calls that make a problem, and of kinds of remarks, outside of the checks."""
    paths = [path for place in _READERS for path in sorted((ROOT / place).glob("*.py")) or [ROOT / place]]
    text = "".join(path.read_text(encoding="utf-8") for path in paths)
    return set(re.findall(r'(?:\b(?:error|warning|note|make|warn)\(\s*|KEY: )"([a-z0-9-]+)"', text))


def test_every_kind_has_a_reason_and_every_reason_a_kind() -> None:
    kinds = {kind.name for subject in SUBJECTS for kind in subject.kinds}
    assert kinds | _kinds_of_readers() == set(REASONS)
    assert set(FIXERS) <= set(REASONS)


@pytest.mark.parametrize("kind", REASONS)
def test_reasons_are_complete_sentences(kind: str) -> None:
    for text in REASONS[kind]:
        assert re.fullmatch(r"\S.*[.)]", text), text
        assert "  " not in text


def test_the_page_in_docs_is_up_to_date() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    assert text == page(), "run python docs/tools/make_checks.py"
    # A browser's anchor is the heading in small letters. Each kind is one heading, and no heading occurs twice.
    headings = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert headings == list(REASONS)
    assert all(anchor(heading) == f"docs/checks.md#{heading}" for heading in headings)
    assert all(len(line) <= 120 for line in text.splitlines())


def test_an_unknown_kind_is_refused_with_the_nearest_ones() -> None:
    assert section("no-path") is REASONS["no-path"]
    with pytest.raises(TopologyError, match=r"'no-paht'.*such as no-path"):
        section("no-paht")

"""`miniedit-frr check`: what it says, why, and what it puts right in the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frrlib.checks.explanations import REASONS
from frrlib.formats import mn
from frrlib.place.checker import frr_check
from miniedit_frr.cli.fault import checked_topology
from tests.checks.problems import build, link, node
from tests.checks.test_check_pitfalls import TEN, dumbbell, flow
from tests.cli.commands import invoke

#: A fraction of a second, a limit without a rate, and a queue that is worth a note.
WRONG = dumbbell(
    {**TEN, "queue_packets": 5}, {"queue_packets": 5}, flows=[flow(duration_s=4.5)],
    h1={"default_route": "10.99.0.1"},
)  # fmt: skip
#: Two hosts and a cable: nothing to say.
PLAIN = build(["h1", "h2"], [link(1, "h1", "h2")])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.mn"
    mn.save(WRONG, path)
    return path


def test_it_names_kinds_and_where_their_reasons_are(file: Path) -> None:
    said = invoke("check", file)
    assert said.exit_code == 1
    for kind in ("fraction", "queue-without-rate", "far-gateway", "queue-below-bdp"):
        assert f"#{kind}\n" in said.stdout
    assert "docs/checks.md#KIND" in said.stdout
    assert "3 of these can be fixed with --fix" in said.stdout
    assert "1 of these can be fixed one by one" in said.stdout


@pytest.mark.skipif(not frr_check.can_check(), reason="needs FRR")
def test_a_strangers_lines_are_refused_by_number_and_do_nothing(tmp_path: Path) -> None:
    made = tmp_path / "made"
    lines = f"hostname r1\noutput file {made}\nexit\0\noutp fi {made}\n!{'x' * 4093}\n"
    stranger = build([node("r1", ospf={}, frr_conf=lines), node("r2", ospf={})], [link(1, "r1", "r2")])
    file = tmp_path / "stranger.mn"
    mn.save(stranger, file)
    found = [line for line in invoke("check", file).stdout.splitlines() if line.startswith("error")]
    before = "error    r1, Lines of your own: FRR refuses line "
    assert [line.removeprefix(before)[:2] for line in found] == ["2,", "3,", "4,", "5,"]
    assert "U+0000" in found[1]
    assert "4,094 characters" in found[3]
    assert not made.exists()


def test_a_reason_is_printed_beside_the_problems_of_its_kind(file: Path) -> None:
    said = invoke("check", file, "--why", "fraction")
    words = " ".join(said.stdout.split())
    assert all(text in words for text in REASONS["fraction"])
    assert "f, Duration: 4.5 s is not" in words and "Queue limit" not in words
    assert "docs/checks.md#fraction" in words
    unknown = invoke("check", file, "--why", "fractions")
    assert (unknown.exit_code, "such as fraction" in unknown.stderr) == (2, True)


def test_errors_and_warnings_are_put_right_in_the_file_and_notes_are_not(file: Path) -> None:
    said = invoke("check", file, "--fix")
    assert said.stdout.count("fixed    ") == 3
    after = mn.load(file).topology
    assert after.flows[0].duration_s == 4
    assert after.links[1].b_to_a.queue_packets is None
    assert after.hosts[0].default_route is None
    assert after.links[1].a_to_b.queue_packets == 5
    assert after == WRONG.model_copy(update={"nodes": after.nodes, "links": after.links, "flows": after.flows})
    text = file.read_bytes()
    assert "fixed    " not in invoke("check", file, "--fix").stdout
    assert file.read_bytes() == text


def test_a_file_without_problems_is_not_written_again(tmp_path: Path) -> None:
    file = tmp_path / "good.mn"
    text = json.dumps(json.loads(mn.dumps(dumbbell())))  # on one line
    file.write_text(text)
    invoke("check", file, "--fix")
    assert file.read_text() == text


def test_programs_get_all_of_it(file: Path) -> None:
    rows = {row["kind"]: row for row in json.loads(invoke("check", file, "--json").stdout)}
    row = rows["fraction"]
    assert (row["node"], row["field"], row["severity"]) == ("f", "duration_s", "error")
    assert (row["documentation"], row["fixable"], row["fix"]) == (
        "docs/checks.md#fraction",
        True,
        "set the duration of f to 4 s",
    )
    assert row["why"] and row["right"]
    assert (rows["no-routes"]["fixable"], rows["no-routes"]["fix"]) == (False, "")
    done = json.loads(invoke("check", file, "--json", "--fix").stdout)
    assert {row["kind"] for row in done["fixed"]} == {"fraction", "queue-without-rate", "far-gateway"}
    assert {row["kind"] for row in done["problems"]} == set(rows) - {row["kind"] for row in done["fixed"]}


def test_a_run_tells_warnings_before_it_begins(capsys: pytest.CaptureFixture[str]) -> None:
    """A run with a bottleneck at the sender goes on; what makes it doubtful stands before its progress."""
    doubtful = dumbbell({}, l1={"a_to_b": TEN})
    assert checked_topology(doubtful, None) == doubtful
    said = " ".join(capsys.readouterr().err.split())
    assert "h1 → r1, Rate: this is the lowest rate" in said and "#sender-is-bottleneck" in said
    assert "check FILE --why KIND" in said
    assert checked_topology(PLAIN, None) == PLAIN
    assert capsys.readouterr().err == ""

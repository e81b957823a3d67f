"""`miniedit-frr check`: the printed problems, their reasons, and fixes in the file."""

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

#: Has a fraction of a second, a queue limit without a rate, and a queue limit that deserves a note.
WRONG = dumbbell(
    {**TEN, "queue_packets": 5}, {"queue_packets": 5}, flows=[flow(duration_s=4.5)],
    h1={"default_route": "10.99.0.1"},
)  # fmt: skip
#: Two hosts and a link, without problems.
PLAIN = build(["h1", "h2"], [link(1, "h1", "h2")])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.mn"
    mn.save(WRONG, path)
    return path


def test_problems_are_printed_with_kinds_and_a_link_to_reasons(file: Path) -> None:
    result = invoke("check", file)
    assert result.exit_code == 1
    for kind in ("fraction", "queue-without-rate", "far-gateway", "queue-below-bdp"):
        assert f"#{kind}\n" in result.stdout
    assert "docs/checks.md#KIND" in result.stdout
    assert "3 of these can be fixed with --fix" in result.stdout
    assert "3 of these can be fixed one by one" in result.stdout


@pytest.mark.skipif(not frr_check.can_check(), reason="needs FRR")
def test_lines_of_a_foreign_topology_are_refused_and_not_executed(tmp_path: Path) -> None:
    created_file = tmp_path / "made"
    lines = f"hostname r1\noutput file {created_file}\nexit\0\noutp fi {created_file}\n!{'x' * 4093}\n"
    stranger = build([node("r1", ospf={}, frr_conf=lines), node("r2", ospf={})], [link(1, "r1", "r2")])
    file = tmp_path / "stranger.mn"
    mn.save(stranger, file)
    error_lines = [line for line in invoke("check", file).stdout.splitlines() if line.startswith("error")]
    prefix = "error    r1, Lines of your own: FRR refuses line "
    assert [line.removeprefix(prefix)[:2] for line in error_lines] == ["2,", "3,", "4,", "5,"]
    assert "U+0000" in error_lines[1]
    assert "4,094 characters" in error_lines[3]
    assert not created_file.exists()


def test_a_reason_is_printed_beside_the_problems_of_its_kind(file: Path) -> None:
    result = invoke("check", file, "--why", "fraction")
    words = " ".join(result.stdout.split())
    assert all(text in words for text in REASONS["fraction"])
    assert "f, Duration: 4.5 s is not" in words and "Queue limit" not in words
    assert "docs/checks.md#fraction" in words
    unknown = invoke("check", file, "--why", "fractions")
    assert (unknown.exit_code, "such as fraction" in unknown.stderr) == (2, True)


def test_errors_and_warnings_are_fixed_in_the_file_and_notes_are_not(file: Path) -> None:
    result = invoke("check", file, "--fix")
    assert result.stdout.count("fixed    ") == 3
    fixed_topology = mn.load(file).topology
    assert fixed_topology.flows[0].duration_s == 4
    assert fixed_topology.links[1].b_to_a.queue_packets is None
    assert fixed_topology.hosts[0].default_route is None
    assert fixed_topology.links[1].a_to_b.queue_packets == 5
    assert fixed_topology == WRONG.model_copy(
        update={"nodes": fixed_topology.nodes, "links": fixed_topology.links, "flows": fixed_topology.flows}
    )
    text = file.read_bytes()
    assert "fixed    " not in invoke("check", file, "--fix").stdout
    assert file.read_bytes() == text


def test_a_file_without_problems_is_not_written_again(tmp_path: Path) -> None:
    file = tmp_path / "good.mn"
    text = json.dumps(json.loads(mn.dumps(dumbbell())))  # on one line
    file.write_text(text)
    invoke("check", file, "--fix")
    assert file.read_text() == text


def test_json_output_has_all_fields(file: Path) -> None:
    rows = {row["kind"]: row for row in json.loads(invoke("check", file, "--json").stdout)}
    row = rows["fraction"]
    assert (row["node"], row["field"], row["severity"]) == ("f", "duration_s", "error")
    assert (row["documentation"], row["fixable"], row["fix"]) == (
        "docs/checks.md#fraction",
        True,
        "set the duration of f to 4 s",
    )
    assert row["message"] and row["remedy"]
    assert (rows["no-routes"]["fixable"], rows["no-routes"]["fix"]) == (True, "run OSPF on r1 and r2")
    result = json.loads(invoke("check", file, "--json", "--fix").stdout)
    assert {row["kind"] for row in result["fixed"]} == {"fraction", "queue-without-rate", "far-gateway"}
    assert {row["kind"] for row in result["problems"]} == set(rows) - {row["kind"] for row in result["fixed"]}


def test_warnings_are_printed_before_a_run_starts(capsys: pytest.CaptureFixture[str]) -> None:
    """A bottleneck at the sender is only a warning, so the run is not refused."""
    doubtful = dumbbell({}, l1={"a_to_b": TEN})
    assert checked_topology(doubtful, None) == doubtful
    output = " ".join(capsys.readouterr().err.split())
    assert "h1 → r1, Rate: this is the lowest rate" in output and "#sender-is-bottleneck" in output
    assert "check FILE --why KIND" in output
    assert checked_topology(PLAIN, None) == PLAIN
    assert capsys.readouterr().err == ""

"""An exercise in real labs: its own test, and a submission with lines typed on running routers, graded anew."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from ipaddress import ip_interface
from pathlib import Path
from textwrap import dedent

import pytest

from frrlib.edits.changes import replace_node
from frrlib.exercises.evaluation import evaluate, evaluate_topology, lab_starter
from frrlib.exercises.exercise import load
from frrlib.exercises.trial import right_answers
from frrlib.formats import mn
from frrlib.model.nodes import Router
from tests.cli.commands import output_in, process_output
from tests.exercises.samples import SHIPPED, two_as
from tests.waiting import wait_for_lab

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.timeout(400)]


def test_the_shipped_exercise_passes_its_test(tmp_path: Path) -> None:
    output = process_output("exercise", "test", "two-as", "--place", "namespace", "--json", cwd=tmp_path)
    trials = json.loads(output)
    assert [(trial["subject"], trial["points"], trial["problems"]) for trial in trials] == [
        ("start", 0, []), ("solution session", 6, []), ("before networks", 0, []), ("solution networks", 10, []),
        ("wrong wrong-as.json", 2, []), ("wrong one-side.json", 3, []), ("wrong redistributed.json", 8, []),
        ("wrong numbers-swapped.json", 4, []), ("wrong other-address.json", 2, []),
        ("wrong answer port", 0, []), ("wrong answer port", 0, []),
        ("wrong other-mask.json", 5, []), ("wrong policy-required.json", 0, []),
    ]  # fmt: skip


@pytest.mark.usefixtures("virtual_time")
def test_a_queue_of_one_product_is_short_but_a_ping_still_waits_in_it() -> None:
    """The queue of the second chapter satisfies its checks, but not the delay of the third chapter."""
    student = load(SHIPPED / "bufferbloat").of_student("1")
    _, shorter, apart = student.exercise.content.chapters
    checks = tuple(check for chapter in (shorter, apart) for check in student.checks(chapter, hidden=True))
    topology = student.permitted(student.reference(shorter))
    starter = lab_starter("labkernel", virtual_time=True)
    outcomes = evaluate_topology(topology, checks, right_answers(checks), starter)
    assert {outcome.check.id for outcome in outcomes if not outcome.holds} == {"fast-ping"}, outcomes


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Path]:
    """The folder of a student's work whose lab runs."""
    output_in(tmp_path, "exercise", "start", "two-as", "work", "--student", "Ada")
    work = tmp_path / "work"
    process_output("start", "topology.mn", "--name", "exercise-ada", "--place", "namespace", cwd=work)
    try:
        yield work
    finally:
        process_output("labs", "stop", "exercise-ada", cwd=work)


def test_typed_lines_are_checked_handed_in_and_graded(running: Path) -> None:
    values = two_as().of_student("ada").variables.text
    for router, lines in {
        "r1": ("router bgp {as1}", "neighbor {wire.2} remote-as {as2}"),
        "r2": ("router bgp {as2}", "neighbor {wire.1} remote-as {as1}"),
    }.items():
        words = [word for line in ("configure terminal", *lines) for word in ("-c", values(line))]
        process_output("vtysh", "exercise-ada", router, *words, cwd=running)
    output = process_output("exercise", "check", "--json", "--answer", "port=180", cwd=running, status=1)
    states = {check["id"]: check["state"] for check in json.loads(output)["checks"]}
    assert states == {"session-up": "holds", "r1-as": "holds", "r2-as": "holds", "port": "fails"}
    # A saved edit that the running lab lacks would be graded and not be checked.
    topology = mn.load(running / "topology.mn").topology
    node = topology.node("r2")
    assert isinstance(node, Router)
    edited = node.model_copy(update={"loopbacks": (ip_interface("10.255.255.2/32"),)})
    mn.save(replace_node(topology, "r2", edited), running / "topology.mn")
    error = process_output("exercise", "check", cwd=running, status=2)
    assert "the running lab lacks changes of the topology: router r2" in error and "miniedit-frr apply" in error
    process_output("apply", "exercise-ada", "topology.mn", cwd=running, status=4)
    output = output_in(running, "exercise", "check", "--answer", "port=179")
    assert "All checks hold. The next chapter is Networks" in output
    output_in(_with_folder(running, "in"), "exercise", "hand-in", "--out", "in/ada.zip")
    (running / "in" / "broken.zip").write_bytes((running / "in" / "ada.zip").read_bytes()[:500])
    argv = ("exercise", "grade", "in", "--exercise", "two-as", "--place", "namespace", "--out", "grades")
    process_output(*argv, cwd=running)
    rows = {row["file"]: row for row in csv.DictReader((running / "grades" / "grades.csv").open())}
    assert (rows["ada.zip"]["points"], rows["ada.zip"]["session"], rows["ada.zip"]["networks"]) == ("6", "6", "0")
    assert rows["broken.zip"]["points"] == "0"
    assert "no readable zip file" in rows["broken.zip"]["error"]


def _with_folder(work: Path, name: str) -> Path:
    (work / name).mkdir()
    return work


def test_three_faults_are_mended_by_typed_lines() -> None:
    """The faults of this student: a hello interval, an AS number and a next hop."""
    student = load(SHIPPED / "find-three-faults").of_student("20")
    assert [fault.id for fault in student.faults] == ["hello-interval", "remote-as", "next-hop"]
    checks = student.checks(student.exercise.chapter("mend"), hidden=True)
    mended = {
        "r1": "interface r1-eth2\n ip ospf hello-interval {hello}",
        "r2": "no ip route {lan3} {w26.5}\nip route {lan3} {w26.2}",
        "r4": "router bgp {as4}\n neighbor {w45.2} remote-as {as5}",
    }
    with lab_starter("namespace")(student.start()) as lab:
        outcomes = evaluate(lab, checks, {}, limits_s={check.id: 0.0 for check in checks})
        assert {outcome.check.id: outcome.holds for outcome in outcomes} == {
            "inside": False, "edge": False, "hosts": False, "filtered": True,
        }  # fmt: skip
        for router, lines in mended.items():
            lab[router].configure(student.variables.text(lines))
        outcomes = evaluate(lab, checks, {})
    assert [outcome.seen for outcome in outcomes if not outcome.holds] == []


def test_an_internet_of_twelve_as_has_no_leak() -> None:
    """The last reference state satisfies the checks of all chapters but one: prepending is for all routes to r3."""
    student = load(SHIPPED / "an-internet").of_student("1")
    chapters = student.exercise.content.chapters
    checks = tuple(check for chapter in chapters for check in student.checks(chapter, hidden=True))
    topology = student.permitted(student.reference(chapters[-1]))
    outcomes = evaluate_topology(topology, checks, right_answers(checks), lab_starter("namespace"))
    assert {outcome.check.id for outcome in outcomes if not outcome.holds} == {"earned"}, outcomes


def test_transit_is_noticed_although_the_routes_around_it_are_older() -> None:
    """BGP keeps the older of two equal routes of other AS, so the providers must prefer those of their customer."""
    student = load(SHIPPED / "bgp-policy").of_student("1")
    checks = student.checks(student.exercise.chapter("transit"), hidden=True)
    lines = """
        router bgp {as1}
         no bgp ebgp-requires-policy
         neighbor {w12.2} remote-as {as2}
         neighbor {w13.2} remote-as {as3}
         address-family ipv4 unicast
          network {own}
    """
    limits_s = {"no-transit-2": 0.0, "no-transit-3": 0.0}
    with lab_starter("namespace")(student.start()) as lab:
        lab["r1"].configure(student.variables.text(dedent(lines)))

        def lost() -> set[str]:
            outcomes = evaluate(lab, checks, {}, limits_s=limits_s)
            return {outcome.check.id for outcome in outcomes if not outcome.holds}

        wait_for_lab(lambda: lost() == limits_s.keys(), "packets between the providers that cross the customer")

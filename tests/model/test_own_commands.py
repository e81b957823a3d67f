"""Custom tc commands: parsing, and the fields that they exclude."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from frrlib.checks.check import check
from frrlib.checks.subjects.faults import refuse_invalid_fault
from frrlib.errors import TopologyError
from frrlib.lab.needs import needs_of
from frrlib.model.faults import Fault, LinkValues
from frrlib.model.links import Shape
from frrlib.model.own_commands import commanded_rate_mbit, kinds, parse_command, queue_kind, queue_place
from tests.checks.problems import build, link
from tests.disciplines import OWN_COMMANDS

NETEM_TBF, HTB_NETEM, NETEM_RATE, PEAKRATE, FQ, PFIFO = OWN_COMMANDS


@pytest.mark.parametrize(
    ("lines", "place", "kind", "rate_mbit", "all_kinds"),
    [
        (NETEM_TBF, "1:1", "tbf", 80, ("netem", "tbf")),
        (HTB_NETEM, "5:1", "netem", 10, ("htb", "netem")),
        (NETEM_RATE, "root", "netem", 80, ("netem",)),
        (PEAKRATE, "root", "tbf", 80, ("tbf",)),  # a peak rate is no rate
        (FQ, "root", "fq", None, ("fq",)),  # nor is that of one flow
        (PFIFO, "1:1", "pfifo", 20, ("tbf", "pfifo")),
    ],
)
def test_the_queue_is_the_deepest_qdisc(
    lines: tuple[str, ...], place: str, kind: str, rate_mbit: float | None, all_kinds: tuple[str, ...]
) -> None:
    assert (queue_place(lines), queue_kind(lines), commanded_rate_mbit(lines)) == (place, kind, rate_mbit)
    assert kinds(lines) == all_kinds


def test_of_several_branches_the_first_of_the_deepest_is_the_queue_and_its_own_rates_count() -> None:
    lines = (
        "root handle 1: htb default 20",
        "class parent 1: classid 1:1 htb rate 100mbit",
        "class parent 1: classid 1:20 htb rate 30mbit",
        "parent 1:20 handle 20: netem delay 5ms",
        "parent 20:1 handle 30: tbf rate 40mbit burst 5k limit 50k",
        "parent 1:1 handle 9: pfifo limit 10",
    )
    assert (queue_place(lines), queue_kind(lines), commanded_rate_mbit(lines)) == ("20:1", "tbf", 30)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (("netem delay 1ms",), "has no position"),
        (("tc qdisc add dev h1-eth0 root netem",), "starts too early"),
        (("root netem delay 1ms; reboot", "root tbf"), "second root"),
        (("root netem delay 1ms\nroot tbf",), "has '\\n' in it"),
        (("root netem # delay",), "has '#' in it"),
        (("root netem \\",), "has '\\\\' in it"),
        (("root 'netem'",), 'has "\'" in it'),
        (("root ../../../tmp/evil",), "has no kind"),  # tc looks for a library of that name
        (("root",), "has no kind"),
        (("root handle 1: netem", "parent 2:1 tbf rate 1mbit"), "no earlier line creates"),
        (("root handle 1: htb", "class parent 1: htb rate 1mbit"), "has no class ID"),
        (("root handle 1: htb", "class classid 1:1 htb rate 1mbit"), "has no parent for the class"),
        (("root handle tenth: netem",), "four hexadecimal digits"),
        (("root handle 1: htb", "parent 1:1 handle 1: netem"), "the handle of another line"),
        (("parent 1:1 netem",), "not at the root"),
        (("root root netem",), "twice"),
        (("root stab tbf rate 1mbit",), "size table that is not complete"),
        (("root stab overhead",), "size table that is not complete"),
        (("root stab mpu 64 stab mpu 64 tbf",), "two size tables"),
        (
            ("root handle 1: htb", "class parent 1: classid 1:1 stab mpu 64 htb rate 1mbit"),
            "which classes do not support",
        ),
        (("root netem " + "x" * 500,), "too long"),
    ],
)
def test_invalid_commands_are_rejected_with_the_reason(lines: tuple[str, ...], reason: str) -> None:
    with pytest.raises(ValidationError, match="qdiscs") as caught:
        Shape(qdiscs=lines)
    assert reason in str(caught.value)


@pytest.mark.parametrize("field", [{"rate_mbit": 10.0}, {"delay_ms": 5.0}, {"shaper": "htb"}])
def test_custom_commands_exclude_other_fields(field: dict[str, float | str]) -> None:
    with pytest.raises(ValidationError, match=f"qdiscs and {next(iter(field))} are given"):
        Shape.model_validate({"qdiscs": FQ, **field})


def test_a_size_table_is_no_qdisc() -> None:
    command = parse_command("root stab linklayer atm overhead -4 handle 1: tbf rate 840kbit burst 1696 limit 400000")
    assert (command.kind, command.table, command.handle) == ("tbf", "linklayer atm overhead -4", "1:")
    assert command.command("eth0") == (
        "qdisc add dev eth0 root handle 1: stab linklayer atm overhead -4 tbf rate 840kbit burst 1696 limit 400000"
    )
    assert Shape(qdiscs=("root stab mpu 64 pfifo",)).qdisc_kinds == ("pfifo",)


def test_spaces_make_no_difference_between_commands() -> None:
    assert Shape(qdiscs=("  root   fq  maxrate 1000mbit ",)) == Shape(qdiscs=FQ)


def test_needs_include_the_kinds_of_custom_commands() -> None:
    topology = build(
        ["h1", "h2"], [link(1, "h1=10.0.0.1/24", "h2", a_to_b={"qdiscs": HTB_NETEM}, b_to_a={"qdiscs": FQ})]
    )
    assert {"htb", "netem", "fq"} <= needs_of(topology).qdiscs


def test_values_of_a_direction_with_custom_commands_do_not_change() -> None:
    topology = build(["h1", "h2"], [link(1, "h1=10.0.0.1/24", "h2", a_to_b={"qdiscs": FQ}, b_to_a={"rate_mbit": 5.0})])
    change = {"kind": "link-values", "target": "l1", "values": LinkValues(rate_mbit=7)}
    for fault in (Fault(**change), Fault(**change, towards="h2")):
        with pytest.raises(TopologyError, match="its own tc commands towards h2"):
            refuse_invalid_fault(topology, fault)
        planned = topology.model_copy(update={"faults": (fault,)})
        assert [problem.field for problem in check(planned) if problem.kind == "own-values"] == ["faults.target"]
    refuse_invalid_fault(topology, Fault(**change, towards="h1"))

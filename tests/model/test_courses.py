"""Courses: times and values of changes, compared with the named curves; and traces from files."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from frrlib.errors import TopologyError
from frrlib.model.courses import Course, read_csv, read_mahimahi
from frrlib.model.fault_words import parse, words_of
from frrlib.model.faults import Fault
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from frrlib.render.faults import fault_plans

LINK = Link(id="l1", a=End(node="h1"), b=End(node="h2"), a_to_b=Shape(rate_mbit=10), b_to_a=Shape(rate_mbit=8))
DRAWN = Topology(nodes=(Host(name="h1"), Host(name="h2")), links=(LINK,))


def test_a_square_wave_is_low_for_half_a_period_and_high_for_the_other() -> None:
    wave = Course(pattern="square", low=5, high=20, period_s=4)
    assert list(wave.steps(9)) == [(0, 5), (2, 20), (4, 5), (6, 20), (8, 5)]


def test_a_sine_course_is_a_sine_wave() -> None:
    wave = Course(pattern="sine", low=10, high=30, period_s=5, step_s=0.25)
    steps = list(wave.steps(10))
    assert len(steps) == 40
    for time_s, value in steps:
        assert value == pytest.approx(20 + 10 * math.sin(2 * math.pi * time_s / 5))


def test_a_ramp_climbs_evenly_and_stays_below_its_end() -> None:
    steps = list(Course(value="delay_ms", pattern="ramp", low=0, high=10, step_s=0.5).steps(5))
    assert [value for _, value in steps] == pytest.approx(list(range(10)))
    assert steps[-1][0] == 4.5


def test_a_trace_begins_again_after_its_period() -> None:
    trace = Course(pattern="trace", points=((0, 1), (1, 2)), period_s=3)
    assert list(trace.steps(7)) == [(0, 1), (1, 2), (3, 1), (4, 2), (6, 1)]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"pattern": "square", "low": 1, "high": 2}, "needs period_s"),
        ({"pattern": "trace"}, "needs points"),
        ({"pattern": "trace", "points": ((1, 1), (0, 2))}, "ascend"),
        ({"pattern": "ramp", "low": 0, "high": 5}, "removes the limit"),
        ({"pattern": "ramp", "value": "loss_percent", "low": 0, "high": 101}, "more than all"),
    ],
)
def test_invalid_courses_are_rejected(fields: dict[str, object], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        Course.model_validate(fields)


@pytest.mark.parametrize(
    "words",
    [
        "vary l1 rate=square:5:20:4s 30s",
        "vary l1 delay=ramp:10:50::0.5s 3s towards h2",
        "vary l1 loss=trace:0/1,2.5/3:10s 60s",
        "vary l1 rate=sine:5:20:4s:0.25s 12.5s towards h1",
    ],
)
def test_words_say_a_course_and_come_back(words: str) -> None:
    fault = parse(DRAWN, words.split())
    assert words_of(fault) == words
    assert parse(DRAWN, words_of(fault).split()) == fault


def test_what_it_comes_to_in_the_kernel_and_at_last_as_drawn() -> None:
    fault = Fault(
        kind="varied", target="l1", time_s=1, duration_s=5, course=Course(pattern="square", low=2, high=4, period_s=4)
    )
    plans = fault_plans(DRAWN.model_copy(update={"faults": (fault,)}))
    assert [plan.time_s for plan in plans] == [1, 3, 5, 6, 6]
    rates = [
        [line.split("rate ")[1].split()[0] for tc in plan.tc for line in tc.lines if "rate " in line] for plan in plans
    ]
    assert rates == [["2mbit", "2mbit"], ["4mbit", "4mbit"], ["2mbit", "2mbit"], ["10mbit"], ["8mbit"]]


def test_a_table_becomes_a_course_for_each_column() -> None:
    rate, loss = read_csv("time_s, rate_mbit, loss_percent\n0, 10, 0\n1.5, 4,\n3, 6, 2\n")
    assert rate.points == ((0, 10), (1.5, 4), (3, 6)) and rate.value == "rate_mbit"
    assert loss.points == ((0, 0), (3, 2)) and loss.value == "loss_percent"


@pytest.mark.parametrize(
    ("text", "reason"),
    [("a,b\n1,2\n", "columns a, b"), ("time_s,rate_mbit\n0,x\n", "line 2 .* rate_mbit 'x'"), ("", "columns none")],
)
def test_invalid_tables_are_rejected(text: str, reason: str) -> None:
    with pytest.raises(TopologyError, match=reason):
        read_csv(text)


def test_a_mahimahi_trace_is_a_rate_in_bins() -> None:
    # 12 packets of 1504 bytes in the first 100 ms, 3 in the second: 1.444 and 0.361 Mbit/s.
    text = "\n".join(str(8 * number) for number in range(12)) + "\n150\n160\n170\n"
    course = read_mahimahi(text)
    assert course.points == ((0, 1.44384), (0.1, 0.36096))
    assert course.period_s == pytest.approx(0.2)
    with pytest.raises(TopologyError, match="line 2"):
        read_mahimahi("1\ntwo\n")

"""Edits of the schedule: times, durations and levels, and the validity of every result."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.edits import schedule
from frrlib.edits.schedule import ScheduleKey
from frrlib.errors import TopologyError
from frrlib.model.courses import MOST_STEPS, Course, read_trace
from frrlib.model.fault_words import parse_planned, words_of
from frrlib.model.faults import Fault
from frrlib.model.flows import Flow
from frrlib.model.topology import Topology
from miniedit_frr.document.document import Document
from tests.example_counts import examples
from tests.strategies.topologies import topologies

FLOWS = (
    Flow(id="f1", source="h1", destination="h2", duration_s=20),
    Flow(id="f2", source="h1", destination="h2", start_s=5, duration_s=None, size_bytes=1_000_000),
)
WORDS = ("1 link-down l1 2s", "2 vary l2 rate=square:5:20:4s 12s", "4 set l2 delay=30ms rate=8", "6 flap r1-eth0 3 1s",
        "8 loss l1 30%", "9 kill r1 bgpd")  # fmt: skip
PLAN = Topology(flows=FLOWS, faults=tuple(parse_planned(Topology(), words) for words in WORDS))
DOWN, WAVE, STEP, FLAP, LOSS, KILL = (ScheduleKey("fault", number) for number in range(6))
F1, F2 = ScheduleKey("flow", 0), ScheduleKey("flow", 1)


def fault(topology: Topology, key: ScheduleKey) -> Fault:
    return topology.faults[key.number]


def test_moved_entries_keep_their_distances_and_order() -> None:
    after, now = schedule.shifted(PLAN, [DOWN, STEP, F2], 6.25)
    assert [fault.time_s for fault in after.faults] == [2, 6, 7.25, 8, 9, 10.25]
    assert fault(after, now[DOWN]).kind == "link-down" and now[DOWN].number == 2
    assert fault(after, now[STEP]).time_s == 10.25
    assert fault(after, now[WAVE]) == fault(PLAN, WAVE)
    assert after.flows[1].start_s == 11.25 and after.flows[0] == FLOWS[0]


def test_entries_do_not_start_before_the_flows() -> None:
    after, now = schedule.shifted(PLAN, [WAVE, FLAP], -9)
    assert (fault(after, now[WAVE]).time_s, fault(after, now[FLAP]).time_s) == (0, 4)
    assert schedule.shifted(PLAN, [F1], -1).topology == PLAN


@pytest.mark.parametrize(
    ("key", "by_s", "lasts_s"),
    [(DOWN, 1.5, 3.5), (DOWN, -9, schedule.SHORTEST_S), (WAVE, 4, 16), (FLAP, 1.6, 5), (FLAP, -99, 1), (F1, 1.4, 21),
     (F1, -99, 1), (KILL, 3, None), (LOSS, 3, None), (F2, 3, None)],
)  # fmt: skip
def test_dragged_ends_change_durations(key: ScheduleKey, by_s: float, lasts_s: float | None) -> None:
    after, now = schedule.prolonged(PLAN, [key], by_s)
    assert schedule.lasts_s(schedule.entries(after)[now[key]]) == lasts_s


def test_the_number_of_changes_of_a_wave_is_limited() -> None:
    after, now = schedule.prolonged(PLAN, [WAVE], 80_000)
    course, lasts_s = fault(after, now[WAVE]).course, fault(after, now[WAVE]).duration_s
    assert course is not None and lasts_s is not None
    assert course.count(lasts_s) == MOST_STEPS == 2 * round(lasts_s) / 4


def test_levels_are_changed_within_bounds() -> None:
    assert schedule.levels(fault(PLAN, WAVE)) == {"low": 5, "high": 20}
    after, now = schedule.with_level(PLAN, WAVE, "high", 32)
    assert words_of(fault(after, now[WAVE])) == "vary l2 rate=square:5:32:4s 12s"
    after, _ = schedule.with_level(PLAN, STEP, "delay_ms", -3)
    assert words_of(after.faults[2]) == "set l2 rate=8mbit delay=0ms"
    assert schedule.with_level(PLAN, STEP, "rate_mbit", -3).topology.faults[2].values.rate_mbit == 0.01  # type: ignore[union-attr]
    assert schedule.with_level(PLAN, LOSS, "loss_percent", 130).topology.faults[4].loss_percent == 100
    assert schedule.with_level(PLAN, DOWN, "high", 3).topology == PLAN


def test_periods_are_changed_within_bounds() -> None:
    after, _ = schedule.with_period(PLAN, WAVE, 2.5)
    assert words_of(after.faults[1]) == "vary l2 rate=square:5:20:2.5s 12s"
    after, now = schedule.with_period(PLAN, FLAP, 0.5)
    assert schedule.lasts_s(schedule.entries(after)[now[FLAP]]) == 1.5, "the same number of flaps in less time"
    assert schedule.with_period(PLAN, DOWN, 3).topology == PLAN
    long, now = schedule.prolonged(PLAN, [WAVE], 15_000)
    course = fault(schedule.with_period(long, now[WAVE], 0).topology, now[WAVE]).course
    assert course is not None and course.count(15_012) == MOST_STEPS


def test_durations_are_set_and_removed() -> None:
    after, _ = schedule.with_duration(PLAN, [DOWN, LOSS, KILL, WAVE], None)
    assert [fault.duration_s for fault in after.faults] == [None, 12, None, None, None, None]
    after, _ = schedule.with_duration(PLAN, [LOSS, KILL], 2)
    assert [words_of(fault) for fault in after.faults][4:] == ["loss l1 30% 2s", "kill r1 bgpd"]


def test_entries_are_removed_and_added() -> None:
    after, now = schedule.removed(PLAN, [WAVE, F1])
    assert after.flows == FLOWS[1:] and len(after.faults) == 5
    assert now[STEP] == ScheduleKey("fault", 1) and now[F2] == ScheduleKey("flow", 0) and WAVE not in now
    again, new = schedule.added(after, [FLOWS[0], fault(PLAN, WAVE)], 3)
    assert again.flows[-1] == FLOWS[0].model_copy(update={"id": "f3", "start_s": 3.0})
    (wave,) = [key for key in new if key.kind == "fault"]
    assert again.faults[wave.number] == fault(PLAN, WAVE).model_copy(update={"time_s": 5.0})
    times = [fault.time_s for fault in again.faults]
    assert times == sorted(times)


def test_selected_entries_are_matched_in_another_topology() -> None:
    keys = [DOWN, WAVE, F2]
    assert schedule.matching_keys(PLAN, PLAN, keys) == set(keys)
    after, now = schedule.shifted(PLAN, keys, 7)
    assert schedule.matching_keys(PLAN, after, keys) == {now[key] for key in keys}
    assert schedule.matching_keys(after, PLAN, [now[key] for key in keys]) == set(keys)
    assert schedule.matching_keys(PLAN, schedule.removed(PLAN, [WAVE, F2]).topology, keys) == {DOWN}


def test_a_trace_has_the_duration_of_its_file(tmp_path: Path) -> None:
    table = "time_s,rate_mbit,delay_ms\n0,10,5\n0.5,4,\n1.0,8,20\n"
    rate, delay = schedule.trace_faults(read_trace(table), "l2", 3)
    assert (rate.time_s, rate.duration_s, rate.target) == (3, 1.5, "l2")
    assert delay.course is not None and delay.course.points == ((0, 5), (1, 20)) and delay.duration_s == 2
    (mahimahi,) = schedule.trace_faults(read_trace("1\n50\n120\n260\n"), "l2", 0)
    assert mahimahi.duration_s == pytest.approx(0.3)
    long = Course(pattern="trace", points=tuple((float(number), 1.0 + number % 2) for number in range(MOST_STEPS + 1)))
    with pytest.raises(TopologyError, match="10001 changes"):
        schedule.trace_faults([long], "l2", 0)


# --- any drag ---------------------------------------------------------------------------------------------------

far = st.floats(-200_000, 200_000, allow_nan=False)
which = st.sets(st.builds(ScheduleKey, st.sampled_from(["flow", "fault"]), st.integers(0, 3)))


@settings(max_examples=examples(50))
@given(
    topologies(), which, far, st.sampled_from(["shifted", "prolonged", "with_duration", "removed", "levelled", "paced"])
)
def test_any_drag_leaves_a_valid_plan_and_can_be_undone(
    topology: Topology, keys: set[ScheduleKey], by: float, edit: str
) -> None:
    document = Document(topology)
    if edit == "levelled":
        pairs = [(key, level) for key in keys if (entry := schedule.entries(topology).get(key)) is not None
                 for level in schedule.levels(entry)]  # fmt: skip
        changes = [schedule.with_level(topology, key, level, by) for key, level in pairs]
    elif edit == "paced":
        changes = [schedule.with_period(topology, key, by) for key in keys]
    elif edit == "removed":
        changes = [schedule.removed(topology, keys)]
    else:
        length = abs(by) + 1 if edit == "with_duration" else by
        length = min(length, 86_400) if edit == "with_duration" else length
        changes = [getattr(schedule, edit)(topology, keys, length)]
    for after, now in changes:
        # The bare data is validated again.
        assert Topology.model_validate(after.model_dump()) == after
        kinds = {key: schedule.entries(topology)[key].kind for key in now if key.kind == "fault"}  # type: ignore[union-attr]
        assert all(after.faults[now[key].number].kind == kind for key, kind in kinds.items())
        document.apply("Drag", after)
        while document.undo():
            pass
        assert document.topology == topology

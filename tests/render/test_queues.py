"""The table of queueing disciplines, compared with the model, the script language and tests of labs."""

from __future__ import annotations

import pytest

from frrlib.model import queue_defaults
from frrlib.model.queues import DISCIPLINES, Choke, Red
from frrlib.network import network
from frrlib.place.probe_program import QDISCS
from frrlib.render import queues
from tests import disciplines

TRIED = [*disciplines.QUEUES.values(), disciplines.FQ_PIE, disciplines.DUALPI2]


def test_every_discipline_has_its_row_its_name_in_scripts_and_is_tried() -> None:
    assert set(queues._TABLE) == set(DISCIPLINES.values())
    assert {each.__name__ for each in DISCIPLINES.values()} <= {*network.__all__}
    assert {each.kind for each in TRIED} == {*DISCIPLINES}
    assert {*DISCIPLINES} <= {*QDISCS}


@pytest.mark.parametrize("kind", DISCIPLINES)
def test_every_parameter_is_set_once_where_labs_try_it(kind: str) -> None:
    """To whatever the kernel does not do by itself."""
    plain, tried = DISCIPLINES[kind](), [each for each in TRIED if each.kind == kind]
    names = {*DISCIPLINES[kind].model_fields} - {"kind"}
    assert {name for name in names if any(getattr(each, name) != getattr(plain, name) for each in tried)} == names


#: The parameters without a default, since they follow from the limit of the queue.
COMPUTED = {
    "red": {"min_bytes", "max_bytes", "burst_packets"},
    "choke": {"min_packets", "max_packets", "burst_packets"},
    "dualpi2": {"memory_limit_bytes"},
}


@pytest.mark.parametrize("kind", DISCIPLINES)
def test_every_parameter_has_a_valid_default_or_follows_from_the_limit(kind: str) -> None:
    names = {*DISCIPLINES[kind].model_fields} - {"kind"}
    assert {name for name in names if not queue_defaults.has_default(kind, name)} == COMPUTED.get(kind, set())
    assert set(queue_defaults.DEFAULTS[kind]) <= names
    defaults = {name: queue_defaults.default(kind, name) for name in names - COMPUTED.get(kind, set())}
    DISCIPLINES[kind].model_validate(defaults)


def test_default_limits_are_those_of_disciplines_with_a_limit_of_their_own() -> None:
    with_own_limit = {kind for kind, discipline in DISCIPLINES.items() if discipline.has_own_limit}
    assert set(queue_defaults.LIMITS_PACKETS) == with_own_limit


def test_quanta_grow_with_the_frames_of_the_interface() -> None:
    assert queue_defaults.default("fq", "quantum_bytes", 9014) == 2 * 9014
    assert queue_defaults.default("fq_codel", "flows", 9014) == 1024


@pytest.mark.parametrize(("queue", "unit"), [(Red(), "b"), (Red(max_bytes=30_000), "b"), (Choke(), "")])
def test_early_drop_values_are_those_of_the_command(queue: Red | Choke, unit: str) -> None:
    values = queues.early_drop_values(queue, 60_000, 1514)
    arguments, _ = queues.queue_arguments(queue, 10.0, 60_000, 1514)
    assert f"min {values.lower}{unit} max {values.upper}{unit}" in arguments
    assert f"burst {values.burst_packets} " in arguments

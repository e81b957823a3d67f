"""The table of queueing disciplines, compared with the model, the script language and tests of labs."""

from __future__ import annotations

import pytest

from frrlib.model.queues import DISCIPLINES
from frrlib.network import network
from frrlib.place.probe_program import QDISCS
from frrlib.render import queues
from tests import disciplines

IN_LABS = [*disciplines.QUEUES.values(), disciplines.FQ_PIE, disciplines.DUALPI2]


def test_every_discipline_has_a_row_a_name_in_scripts_and_a_test() -> None:
    assert set(queues._TABLE) == set(DISCIPLINES.values())
    assert {discipline.__name__ for discipline in DISCIPLINES.values()} <= {*network.__all__}
    assert {discipline.kind for discipline in IN_LABS} == {*DISCIPLINES}
    assert {*DISCIPLINES} <= {*QDISCS}


@pytest.mark.parametrize("kind", DISCIPLINES)
def test_every_parameter_is_set_once_in_tests_of_labs(kind: str) -> None:
    """To a value other than the kernel's default."""
    plain, tried = DISCIPLINES[kind](), [discipline for discipline in IN_LABS if discipline.kind == kind]
    names = {*DISCIPLINES[kind].model_fields} - {"kind"}
    assert {
        name for name in names if any(getattr(discipline, name) != getattr(plain, name) for discipline in tried)
    } == names

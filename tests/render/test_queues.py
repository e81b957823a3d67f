"""The table of queueing disciplines, compared with the model, the script language and tests of labs."""

from __future__ import annotations

import pytest

from frrlib.model.queues import DISCIPLINES
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

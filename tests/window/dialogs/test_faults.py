"""Planned faults: typed into their table, and the places that their problems lead to."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.formats import mn
from frrlib.model.fault_words import words_of
from miniedit_frr.dialogs.forms.faults import FAULTS
from miniedit_frr.dialogs.subjects import TopologySettings
from tests.window.hands_on_window import User
from tests.window.topologies import TWO_AS

pytestmark = pytest.mark.gui

ROOT = Path(__file__).resolve().parents[3]


def test_planned_faults_typed_into_the_table_are_one_edit(user: User, tmp_path: Path) -> None:
    user.document.open(TWO_AS)
    user.editor.dialogs.faults()
    dialog = user.editor.dialogs.open_dialogs["faults"]
    draft = dialog.form.draft
    draft.set("faults", (("4", "Loss", "l2", "30% 2s towards r2"), ("1.5", "Kill daemon", "r1 bgpd", "")))
    user.editor.window.update()
    dialog.form.apply()
    assert [words_of(fault) for fault in user.topology.faults] == ["kill r1 bgpd", "loss l2 30% 2s towards r2"]
    assert [fault.time_s for fault in user.topology.faults] == [1.5, 4.0]
    assert user.document.undo_label == "Change Faults"
    # an invalid fault is reported and changes nothing
    draft.set("faults", (("4", "Loss", "l2", "thirty"),))
    assert not draft.is_valid
    assert "is not a time" in str(draft.fault("faults"))
    user.document.undo()
    assert user.topology.faults == ()


def test_a_problem_of_a_fault_opens_the_table_of_faults(user: User) -> None:
    user.document.open(TWO_AS)
    assert user.editor.dialogs.focus_field("l9", "faults.target", "there is no link l9")
    assert "faults" in user.editor.dialogs.open_dialogs
    assert TopologySettings("faults").tabs is FAULTS


def test_the_examples_of_a_reroute_differ_by_bfd_alone() -> None:
    slow, fast = (mn.load(ROOT / "examples" / name).topology for name in ("ospf-reroute.mn", "ospf-reroute-bfd.mn"))
    assert slow.faults == fast.faults and slow.links == fast.links and slow.flows == fast.flows
    assert not any(router.ospf and router.ospf.bfd for router in slow.routers)
    assert all(router.ospf and router.ospf.bfd for router in fast.routers)

"""The example test cases of draft-ietf-ccwg-bbr, on undisturbed and on changing paths."""

from __future__ import annotations

from miniedit_frr.experiments.bbr3_draft.disturbed import DISTURBED
from miniedit_frr.experiments.bbr3_draft.limited import LIMITED
from miniedit_frr.experiments.bbr3_draft.states import STATES
from miniedit_frr.experiments.bbr3_draft.turns import TURNS

EXPERIMENTS = (STATES, DISTURBED, TURNS, LIMITED)

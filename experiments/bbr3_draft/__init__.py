"""The example test cases of draft-ietf-ccwg-bbr, on an undisturbed path and on paths that change, lose and delay."""

from __future__ import annotations

from miniedit_frr.experiments.bbr3_draft.disturbed import DISTURBED
from miniedit_frr.experiments.bbr3_draft.states import STATES

EXPERIMENTS = (STATES, DISTURBED)

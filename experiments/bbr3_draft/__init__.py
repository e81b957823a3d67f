"""The example test cases of draft-ietf-ccwg-bbr that an undisturbed path shows."""

from __future__ import annotations

from miniedit_frr.experiments.bbr3_draft.states import STATES

EXPERIMENTS = (STATES,)

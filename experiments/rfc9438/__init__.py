"""The windows of CUBIC and Reno under random loss, against the table of RFC 9438 and the formula of Mathis et al."""

from __future__ import annotations

from miniedit_frr.experiments.rfc9438.windows import WINDOWS

EXPERIMENTS = (WINDOWS,)

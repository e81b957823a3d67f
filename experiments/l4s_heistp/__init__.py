"""The RTT fairness of CUBIC behind a FIFO and behind fq_codel, in the tables of Heist's l4s-tests."""

from __future__ import annotations

from miniedit_frr.experiments.l4s_heistp.fairness import FAIRNESS

EXPERIMENTS = (FAIRNESS,)

"""The accuracy of an emulator: 1 to 20 clients that share a link.

Borgianni, Bua, Coli, Adami, Giordano: On the Accuracy of Mininet: Comparing Network Emulation and Physical Testbeds for
Distributed Systems, ICUMT 2025.
"""

from __future__ import annotations

from miniedit_frr.experiments.borgianni_mininet.clients import CLIENTS

EXPERIMENTS = (CLIENTS,)

"""Results that Mininet-HiFi reproduced: the queue of DCTCP, the size of buffers, and ECMP in a fat tree.

Handigol, Heller, Jeyakumar, Lantz, McKeown: Reproducible Network Experiments Using Container-Based Emulation, CoNEXT
2012. Their data are in github.com/mininet/mininet-tests.
"""

from __future__ import annotations

from miniedit_frr.experiments.mininet_hifi.buffer import BUFFER
from miniedit_frr.experiments.mininet_hifi.dctcp import QUEUES
from miniedit_frr.experiments.mininet_hifi.hedera import HEDERA

EXPERIMENTS = (QUEUES, BUFFER, HEDERA)

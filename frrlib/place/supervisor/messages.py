"""A keeper's messages among the output of its lab, for the program that wanted the lab."""

from __future__ import annotations

#: Before the name of a signal, as the last line of a lab's console, where the lab was killed.
KILLED_BY = "frrlab: killed by "

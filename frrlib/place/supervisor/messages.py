"""The supervisor's messages in the output of its lab, for the program that started the lab."""

from __future__ import annotations

#: Precedes the name of the signal that killed the lab, in the last line of its console.
KILLED_BY = "frrlab: killed by "

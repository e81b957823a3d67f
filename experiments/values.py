"""The values by which the cases of an experiment differ."""

from __future__ import annotations

from collections.abc import Mapping

#: The values that vary from case to case, by name with unit: {"cc": "bbr", "loss_percent": 1.0}.
Values = Mapping[str, str | float]

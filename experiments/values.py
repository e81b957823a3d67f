"""What tells the cases of an experiment from each other."""

from __future__ import annotations

from collections.abc import Mapping

#: What varies from case to case, by name with its unit: {"cc": "bbr", "loss_percent": 1.0}.
Values = Mapping[str, str | float]

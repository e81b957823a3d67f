"""Names of interfaces in files of other programs."""

from __future__ import annotations

import re

from frrlib.model.base import INTERFACE_NAME_LENGTH
from frrlib.model.names import interface_name_fault


def usable_interface(name: str) -> str:
    """The name if the kernel accepts it, else a similar one: "ethernet-1/1" becomes "ethernet-1-1"."""
    if not interface_name_fault(name):
        return name
    close = re.sub(r"[^A-Za-z0-9_.-]", "-", name)[-INTERFACE_NAME_LENGTH:].lstrip("-.")
    return close if not interface_name_fault(close) else f"if-{close}"[:INTERFACE_NAME_LENGTH]

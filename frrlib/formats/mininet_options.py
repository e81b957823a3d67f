"""The options of one node, link or interface of Mininet. An option that nobody takes becomes a remark."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from typing import Any

from frrlib.formats.mininet_remarks import Remarks, state

#: The values with which an option has its usual effect, here as well. They need no remark.
_USUAL: dict[str, Any] = {
    "lo": "up", "period_us": 100_000, "opts": "", "dpopts": "--no-slicing", "datapath": "kernel", "inband": False,
    "failMode": "standalone", "reconnectms": 1000, "stp": False, "verbose": False, "flush": False, "gro": False,
    "disable_gro": True, "txo": True, "rxo": True, "use_hfsc": False, "use_tbf": False, "enable_ecn": False,
    "enable_red": False, "use_htb": True, "up": True, "speedup": 0,
}  # fmt: skip
#: Options that change only how fast Mininet itself starts, or that Mininet adds to every node or link.
_WITHOUT_EFFECT = frozenset(("batch", "fast", "isSwitch", "node1", "node2", "port1", "port2", "port", "waitExited"))
#: The reasons of remarks; other options have the reason `_NO_EQUIVALENT`.
_REASONS = {
    "period_us": "a CPU limit has the period of 100000 us here",
    "failMode": "a switch without a controller always forwards here",
    "datapath": "switches use the kernel's datapath here",
    "inNamespace": "every node has a network namespace of its own here",
    "ifconfig": "only mtu is read from these words",
    "gro": "offloads are those of the lab, see the end of the link",
    "disable_gro": "offloads are those of the lab, see the end of the link",
    "txo": "checksum offload stays on here",
    "rxo": "checksum offload stays on here",
}
_NO_EQUIVALENT = "this option has no equivalent here and is left out"


class Options:
    """Options by name, which are taken one by one.

    Args:
        values: the options.
        remarks: receives remarks on options that are not taken.
        places: the full names of options, as messages have them ("params1.ip"), if they differ.
    """

    def __init__(self, values: Mapping[str, Any], remarks: Remarks, places: Mapping[str, str] | None = None) -> None:
        self._rest, self._places, self.remarks = dict(values), places or {}, remarks

    def __contains__(self, key: str) -> bool:
        return key in self._rest

    def take(self, key: str, default: Any = None) -> Any:
        """Remove an option and return its value; the default if it is missing or None."""
        value = self._rest.pop(key, None)
        return default if value is None else value

    def place(self, key: str) -> str:
        """The full name of an option."""
        return self._places.get(key, key)

    def remark(self, key: str, value: object, reason: str) -> None:
        """Remark on an option that has been taken."""
        self.remarks.add(self.place(key), state(value, reason))

    def finish(self) -> None:
        """Remark on all options that nobody has taken, except those with their usual value."""
        for key, value in self._rest.items():
            is_usual = key in _USUAL and type(value) is type(_USUAL[key]) and value == _USUAL[key]
            if value is not None and not is_usual and key not in _WITHOUT_EFFECT:
                self.remark(key, value, _REASONS.get(key, _NO_EQUIVALENT))
        self._rest.clear()


def is_on(value: object) -> bool:
    """Whether an option is switched on: Python's truth, or a word of a command line."""
    return value.strip().lower() not in ("", "0", "false", "no", "off") if isinstance(value, str) else bool(value)


def unwrapped(constructor: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The class behind `functools.partial` and Mininet's `custom`, and the options with those that they add."""
    merged = dict(options)
    while True:
        if isinstance(constructor, functools.partial):
            merged = {**constructor.keywords, **merged}
            constructor = constructor.func
        elif inspect.isfunction(constructor) and constructor.__qualname__.startswith("custom.<locals>."):
            bound = inspect.getclosurevars(constructor).nonlocals
            merged = {**merged, **bound.get("params", {})}
            constructor = bound.get("cls")
        else:
            return constructor, merged


def mininet_class(constructor: Any, names: Mapping[str, Any]) -> tuple[str, bool]:
    """The nearest class of Mininet with one of these names, and whether it is the class itself.

    An empty name stands for none.
    """
    for depth, cls in enumerate(getattr(constructor, "__mro__", ())):
        if cls.__name__ in names and cls.__module__.partition(".")[0] == "mininet":
            return cls.__name__, depth == 0
    return "", False


def class_name(constructor: Any) -> str:
    """The name of a class or function, for messages."""
    return str(getattr(constructor, "__name__", type(constructor).__name__))

"""A running lab: a topology, the place where it runs, and the agent in it. `Lab` is loaded at its first use."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frrlib.lab.lab import Lab as Lab
    from frrlib.lab.lab import Listener as Listener
    from frrlib.lab.lab import NodeHandle as NodeHandle

_PUBLIC = ("Lab", "Listener", "NodeHandle")


def __getattr__(name: str) -> Any:
    """A public name, from the module that defines it. Raises AttributeError."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from frrlib.lab import lab

    return getattr(lab, name)

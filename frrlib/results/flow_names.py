"""Names of flows in legends: their id, and their congestion control as papers write it."""

from __future__ import annotations

from frrlib.model.flow_words import control_name


def named_flow(flow: str, control: str) -> str:
    """A flow's name with its congestion control in parentheses ("f1 (CUBIC)"), unless the name contains it ("bbr-1").
    The congestion control alone if the name is equal to it.

    Args:
        control: the kernel's name; empty for none.
    """
    title = control_name(control)
    if flow.casefold() in (control.casefold(), title.casefold()):
        return title or flow
    contains_control = control in flow or title.casefold() in flow.casefold()
    return flow if contains_control else f"{flow} ({title})"

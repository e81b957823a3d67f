"""What flows are called in legends: by their name, and by their congestion control as papers write it."""

from __future__ import annotations

from frrlib.model.flow_words import control_name


def named_flow(flow: str, control: str) -> str:
    """A flow's name with its congestion control beside it ("f1 (CUBIC)"); that alone where it is called after it.

    Args:
        control: the kernel's name; empty for none.
    """
    called = control_name(control)
    if flow.casefold() in (control.casefold(), called.casefold()):
        return called or flow
    return flow if not control or called in flow else f"{flow} ({called})"

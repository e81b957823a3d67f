"""What flows are called in legends: by their name, and by their congestion control as papers write it."""

from __future__ import annotations

from frrlib.model.flow_words import control_name


def named_flow(flow: str, control: str) -> str:
    """A flow's name with its congestion control beside it ("f1 (CUBIC)"), where the name does not say it ("bbr-1"); the
    congestion control alone where that is the name.

    Args:
        control: the kernel's name; empty for none.
    """
    called = control_name(control)
    if flow.casefold() in (control.casefold(), called.casefold()):
        return called or flow
    says_it = control in flow or called.casefold() in flow.casefold()
    return flow if says_it else f"{flow} ({called})"

"""The actions, labels and conditions of the lines of the Run menu, by their names in the table of `window.menus`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from frrlib.model.nodes import Switch
from miniedit_frr.lab_control.controller import LabController
from miniedit_frr.running_lab.detached_labs import menu_entries


def commands(running: LabController) -> dict[str, Callable[[], object]]:
    """The actions of the lines."""
    return {
        "config_changes": running.configs.ask, "config_history": running.configs.show_history,
        "run_browser": running.run_browser.open,
        "run": running.run, "run_flows": running.run_with_flows,
        "run_options": lambda: running.run_dialogs.ask(running.lab.name, in_lab=running.lab.can_send),
        "sweep": lambda: running.sweeps.ask(running.lab.name),
        "compare_queues": running.comparisons.compare_queues,
        "compare_controls": running.comparisons.compare_controls, "stop": running.stop, "cancel": running.lab.cancel,
        "apply_at_once": running.changes.toggle_at_once,
        "ping_matrix": running.probes.show_matrix, "close_terminals": running.windows.close_terminals,
        "root_terminal": partial(running.windows.terminal, ""),
        "ovs_summary": partial(running.windows.show_command, "", "ovs-vsctl show", "OVS Summary"),
        "live_plots": running.live.show_window,
        **running.routing_windows.commands(),
    }  # fmt: skip


def submenus(running: LabController) -> dict[str, Callable[[], list[tuple[str, Callable[[], object]]]]]:
    """The lines of the submenus."""
    return {"Place": running.places.entries, "Join": lambda: menu_entries(running.join)}


#: Commands that send requests to a lab, and their labels.
_ASKS = {
    "ping_matrix": "Ping Matrix…", "routing_tables": "Routing Tables…", "config_changes": "Configuration Changes…",
    "ovs_summary": "Show OVS Summary", "root_terminal": "Root Terminal",
}  # fmt: skip

#: Commands that send flows in a new lab or in the running one, and their labels without a lab and with one.
_RUNS = {
    "run_flows": ("Run with Flows", "Send Flows"),
    "run_options": ("Run with Options…", "Send with Options…"),
}  # fmt: skip
#: Commands that send flows in a lab of their own.
_SENDS = {
    "sweep": "Sweep…", "compare_queues": "Compare Queues…", "compare_controls": "Compare Congestion Controls…",
}  # fmt: skip


def labels(running: LabController) -> dict[str, Callable[[], str]]:
    """The labels of lines that depend on the state of the lab; a disabled line contains its reason."""
    lab = running.lab

    def say(title: str) -> str:
        return f"{title} (not in virtual time)" if lab.is_virtual else title

    def say_flows(title: str) -> str:
        if lab.is_alive:
            return f"{title} (stop the lab first)"
        return title if lab.document.topology.flows else f"{title} (draw a flow first)"

    texts: dict[str, Callable[[], str]] = {command: partial(say, title) for command, title in _ASKS.items()}

    def say_run(run: str, send: str) -> str:
        if not lab.can_send:
            return say_flows(run)
        return send if lab.document.topology.flows else f"{send} (draw a flow first)"

    texts |= {command: partial(say_flows, title) for command, title in _SENDS.items()}
    texts["run"] = lambda: "Apply Changes" if lab.is_open else "Run"
    return texts | {command: partial(say_run, *titles) for command, titles in _RUNS.items()}


def flags(running: LabController) -> dict[str, Callable[[], bool]]:
    """The states of the lines with a check mark."""
    return {"apply_at_once": running.changes.drawn.applies_at_once}


def enabled(running: LabController) -> dict[str, Callable[[], bool]]:
    """The conditions of the lines."""
    lab, document = running.lab, running.lab.document
    return {
        "can_run": lambda: lab.can_run or running.changes.drawn.can_apply,
        "can_sweep": lambda: not lab.is_alive and bool(document.topology.flows),
        "can_run_flows": lambda: (not lab.is_alive or lab.can_send) and bool(document.topology.flows),
        "lab_alive": lambda: lab.is_alive,
        "lab_runs": lambda: lab.is_open,
        "has_terminals": lambda: bool(len(running.windows.terminals)),
        "has_routing": lambda: bool(running.routing.book.routers),
        "has_ovs": lambda: lab.is_open and any(isinstance(node, Switch) for node in lab.topology.nodes),
    }

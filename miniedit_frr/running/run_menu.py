"""What the lines of the Run menu do, and when they can be done, by the names in the table of `menus`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from frrlib.model.nodes import Switch
from miniedit_frr.running.joining import entries
from miniedit_frr.running.running import Running
from miniedit_frr.session.events import State


def commands(running: Running) -> dict[str, Callable[[], object]]:
    """What the lines do."""
    return {
        "config_changes": running.configs.ask, "config_history": running.configs.show_history,
        "run_browser": running.runs.browsing.open,
        "run": running.run, "run_flows": running.run_with_flows,
        "sweep": lambda: running.sweeps.ask(running.name), "stop": running.stop, "cancel": running.cancel,
        "ping_matrix": running.probes.show_matrix, "close_terminals": running.windows.close_terminals,
        "root_terminal": partial(running.windows.terminal, ""),
        "ovs_summary": partial(running.windows.show_command, "", "ovs-vsctl show", "OVS Summary"),
        "live_plots": running.live.show_window,
        **running.routing_windows.commands(),
    }  # fmt: skip


def submenus(running: Running) -> dict[str, Callable[[], list[tuple[str, Callable[[], object]]]]]:
    """What is in the submenus."""
    return {"Place": running.places.entries, "Join": lambda: entries(running.join)}


#: What asks something of a lab, by its command, and what it is called.
_ASKS = {
    "ping_matrix": "Ping Matrix…", "routing_tables": "Routing Tables…", "config_changes": "Configuration Changes…",
    "ovs_summary": "Show OVS Summary", "root_terminal": "Root Terminal",
}  # fmt: skip

#: What sends flows in a lab of its own.
_SENDS = {"sweep": "Sweep…"}


def labels(running: Running) -> dict[str, Callable[[], str]]:
    """What lines say that cannot be done now: in virtual time, or while a lab runs."""

    def say(title: str) -> str:
        return f"{title} (not in virtual time)" if running.is_virtual else title

    def say_flows(title: str) -> str:
        if running.is_alive:
            return f"{title} (stop the lab first)"
        return title if running.document.topology.flows else f"{title} (draw a flow first)"

    found: dict[str, Callable[[], str]] = {command: partial(say, title) for command, title in _ASKS.items()}

    def say_run() -> str:
        if not running.can_send:
            return say_flows("Run with Flows…")
        return "Send Flows…" if running.document.topology.flows else "Send Flows… (draw a flow first)"

    return found | {command: partial(say_flows, title) for command, title in _SENDS.items()} | {"run_flows": say_run}


def can_ask(running: Running) -> bool:
    """Whether there is a lab that can be asked something."""
    return running.state is State.RUNNING and not running.is_virtual


def enabled(running: Running) -> dict[str, Callable[[], bool]]:
    """When the lines can be done."""
    document = running.document
    return {
        "can_run": lambda: running.can_run,
        "can_sweep": lambda: not running.is_alive and bool(document.topology.flows),
        "can_run_flows": lambda: (not running.is_alive or running.can_send) and bool(document.topology.flows),
        "lab_alive": lambda: running.is_alive,
        "lab_runs": lambda: can_ask(running),
        "has_terminals": lambda: bool(len(running.windows.terminals)),
        "has_routing": lambda: bool(running.routing.book.routers),
        "has_ovs": lambda: can_ask(running) and any(isinstance(each, Switch) for each in running.topology.nodes),
    }

"""The suggested faults for a link or a node, as commands that `fault_words` parses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from frrlib.model.interface_names import with_names
from frrlib.model.links import Link
from frrlib.model.nodes import Controller, Node, Router
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from frrlib.render.frr import daemons


@dataclass(frozen=True)
class Suggestion:
    """A line of a menu.

    Attributes:
        label: its text; empty for a separator.
        words: the command of the fault that it plans.
        submenu: the lines of a submenu, instead of a command.
        action: "trace" asks for a file, "flow" for a flow; empty for none.
    """

    label: str = ""
    words: str = ""
    submenu: tuple[Suggestion, ...] = ()
    action: str = ""


#: The duration of a suggested fault, the period of a wave, and the number of its periods if the run is long enough.
_FOR_S, _PERIOD_S, _PERIODS = 2.0, 4.0, 3
#: The suggested values: field, name in commands, title, unit, and default if the link has no value.
_VALUES = (("rate_mbit", "rate", "Rate", "Mbit/s", 10.0), ("delay_ms", "delay", "Delay", "ms", 10.0),
           ("loss_percent", "loss", "Loss", "%", 0.0))  # fmt: skip


def suggestions(topology: Topology, key: Key, time_s: float, until_s: float) -> tuple[Suggestion, ...]:
    """The lines for a thing; empty if it has no faults.

    Args:
        key: the key of a node or link on the canvas.
        time_s: the start of the fault.
        until_s: the end of the run. Faults with a duration end before, if there is time for them.
    """
    if key.kind == "link" and (link := topology.link(key.name)) is not None:
        return _of_link(topology, link, until_s - time_s)
    node = topology.node(key.name) if key.kind == "node" else None
    return () if node is None or isinstance(node, Controller) else _of_node(topology, node)


def run_end_s(topology: Topology) -> float:
    """The end of the last flow with a duration; 0 without one."""
    return max((flow.ends_s for flow in topology.flows if flow.ends_s is not None), default=0.0)


def _of_link(topology: Topology, link: Link, remaining_s: float) -> tuple[Suggestion, ...]:
    named = with_names(topology).link(link.id) or link
    ends = [f"{end.node}:{end.interface}" for end in named.ends]
    return (
        Suggestion(f"Down for {_FOR_S:g} s", f"link-down {link.id} {_FOR_S:g}s"),
        Suggestion("Down Permanently", f"link-down {link.id}"),
        Suggestion("Up Again", f"link-up {link.id}"),
        Suggestion(f"Drop All Packets for {_FOR_S:g} s", f"loss {link.id} 100% {_FOR_S:g}s"),
        Suggestion(f"Drop 30 % for {_FOR_S:g} s", f"loss {link.id} 30% {_FOR_S:g}s"),
        Suggestion(),
        *(Suggestion(title, submenu=_of_value(link, field, name, unit, default, remaining_s))
          for field, name, title, unit, default in _VALUES),
        Suggestion("Trace from a File…", action="trace"),
        Suggestion(),
        *(
            Suggestion(f"{end.partition(':')[2]} at {end.partition(':')[0]}", submenu=_of_interface(end))
            for end in ends
        ),
    )  # fmt: skip


def _of_value(
    link: Link, field: str, name: str, unit: str, default: float, remaining_s: float
) -> tuple[Suggestion, ...]:
    shapes = [shape for _, _, shape in link.directions]
    configured = max((getattr(shape, field) or 0.0 for shape in shapes), default=0.0) or default
    # A rate decreases from the configured value; a delay and a loss increase.
    low, high = (configured / 4, configured) if field == "rate_mbit" else (configured, max(2 * configured, 5.0))
    step = configured / 2 if field == "rate_mbit" else high
    duration_s = _duration_s(remaining_s)
    period_s = min(_PERIOD_S, max(0.1, round(duration_s / 2, 1)))
    between = f"{low:g} to {high:g} {unit}"
    wave = f"{low:.6g}:{high:.6g}:{period_s:g}s"
    ramp = (high, low) if field == "rate_mbit" else (low, high)
    return (
        Suggestion(f"Step to {step:g} {unit}", f"set {link.id} {name}={step:.6g}"),
        Suggestion(f"Square Wave, {between}", f"vary {link.id} {name}=square:{wave} {duration_s:g}s"),
        Suggestion(f"Sine, {between}", f"vary {link.id} {name}=sine:{wave} {duration_s:g}s"),
        Suggestion(f"Ramp, {ramp[0]:g} to {ramp[1]:g} {unit}",
              f"vary {link.id} {name}=ramp:{ramp[0]:.6g}:{ramp[1]:.6g} {duration_s:g}s"),
    )  # fmt: skip


def _duration_s(remaining_s: float) -> float:
    """The duration of a varying value: some periods, or the rest of the run."""
    default_s = _PERIODS * _PERIOD_S
    return round(remaining_s, 1) if 1 <= remaining_s < default_s else default_s


def _of_interface(target: str) -> tuple[Suggestion, ...]:
    return (
        Suggestion(f"Down for {_FOR_S:g} s", f"interface-down {target} {_FOR_S:g}s"),
        Suggestion("Down Permanently", f"interface-down {target}"),
        Suggestion("Up Again", f"interface-up {target}"),
        Suggestion("Flap 3 Times", f"flap {target} 3 1s"),
    )


def _of_node(topology: Topology, node: Node) -> tuple[Suggestion, ...]:
    name = node.name
    lines: list[Suggestion] = [
        Suggestion(f"Freeze for {_FOR_S:g} s", f"freeze {name} {_FOR_S:g}s"),
        Suggestion("Freeze Permanently", f"freeze {name}"),
        Suggestion("Thaw", f"thaw {name}"),
    ]
    if isinstance(node, Router):
        lines.append(Suggestion(f"Power-Cycle, Off for {_FOR_S:g} s", f"power-cycle {name} {_FOR_S:g}s"))
    if topology.ends_at(name):
        lines.append(Suggestion(f"Partition for {_FOR_S:g} s", f"partition {name} {_FOR_S:g}s"))
    daemon_names = daemons(node) if isinstance(node, Router) and node.runs_frr else ()
    if daemon_names:
        lines.append(Suggestion())
        lines += [Suggestion(daemon, submenu=_of_daemon(f"{name} {daemon}")) for daemon in daemon_names]
    return tuple(lines)


def _of_daemon(target: str) -> tuple[Suggestion, ...]:
    return (
        Suggestion("Kill", f"kill {target}"),
        Suggestion(f"Stop for {_FOR_S:g} s", f"stop {target} {_FOR_S:g}s"),
        Suggestion("Continue", f"cont {target}"),
        Suggestion("Restart", f"restart {target}"),
    )


def all_words(lines: Sequence[Suggestion]) -> list[str]:
    """The commands of all lines, including submenus."""
    return [words for line in lines for words in ([line.words] if line.words else all_words(line.submenu))]

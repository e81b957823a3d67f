"""The faults that can be planned for a link or a node at a time, as a table of words; `fault_words` reads them."""

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
        label: what it says; empty for a separator.
        words: of the fault that it plans.
        below: lines of a submenu, instead of words.
        action: "trace" asks for a file, "flow" for a flow; empty for none.
    """

    label: str = ""
    words: str = ""
    submenu: tuple[Suggestion, ...] = ()
    action: str = ""


#: The duration of a suggested fault, the period of a wave, and for how many periods, where the run has room.
_FOR_S, _PERIOD_S, _PERIODS = 2.0, 4.0, 3
#: The suggested values: their words, title, unit, and value where nothing is drawn.
_VALUES = (("rate_mbit", "rate", "Rate", "Mbit/s", 10.0), ("delay_ms", "delay", "Delay", "ms", 10.0),
           ("loss_percent", "loss", "Loss", "%", 0.0))  # fmt: skip


def suggestions(topology: Topology, key: Key, time_s: float, until_s: float) -> tuple[Suggestion, ...]:
    """The lines for a thing; none where nothing can go wrong with it.

    Args:
        key: a node or link as on the canvas.
        time_s: when it would be.
        until_s: when the run is over; what lasts a while ends before, where that leaves it any time.
    """
    if key.kind == "link" and (link := topology.link(key.name)) is not None:
        return _of_link(topology, link, until_s - time_s)
    node = topology.node(key.name) if key.kind == "node" else None
    return () if node is None or isinstance(node, Controller) else _of_node(topology, node)


def run_end_s(topology: Topology) -> float:
    """When the last flow of a known length is over; 0 without one."""
    return max((flow.ends_s for flow in topology.flows if flow.ends_s is not None), default=0.0)


def _of_link(topology: Topology, link: Link, left_s: float) -> tuple[Suggestion, ...]:
    named = with_names(topology).link(link.id) or link
    ends = [f"{end.node}:{end.interface}" for end in named.ends]
    return (
        Suggestion(f"Down for {_FOR_S:g} s", f"link-down {link.id} {_FOR_S:g}s"),
        Suggestion("Down Permanently", f"link-down {link.id}"),
        Suggestion("Up Again", f"link-up {link.id}"),
        Suggestion(f"Drop All Packets for {_FOR_S:g} s", f"loss {link.id} 100% {_FOR_S:g}s"),
        Suggestion(f"Drop 30 % for {_FOR_S:g} s", f"loss {link.id} 30% {_FOR_S:g}s"),
        Suggestion(),
        *(Suggestion(title, submenu=_of_value(link, field, name, unit, usual, left_s))
          for field, name, title, unit, usual in _VALUES),
        Suggestion("Trace from a File…", action="trace"),
        Suggestion(),
        *(
            Suggestion(f"{end.partition(':')[2]} at {end.partition(':')[0]}", submenu=_of_interface(end))
            for end in ends
        ),
    )  # fmt: skip


def _of_value(link: Link, field: str, name: str, unit: str, usual: float, left_s: float) -> tuple[Suggestion, ...]:
    shapes = [shape for _, _, shape in link.directions]
    drawn = max((getattr(shape, field) or 0.0 for shape in shapes), default=0.0) or usual
    # A rate goes down from what is drawn, a delay and a loss go up.
    low, high = (drawn / 4, drawn) if field == "rate_mbit" else (drawn, max(2 * drawn, 5.0))
    step = drawn / 2 if field == "rate_mbit" else high
    lasts_s = _lasting(left_s)
    period_s = min(_PERIOD_S, max(0.1, round(lasts_s / 2, 1)))
    between = f"{low:g} to {high:g} {unit}"
    wave = f"{low:.6g}:{high:.6g}:{period_s:g}s"
    ramp = (high, low) if field == "rate_mbit" else (low, high)
    return (
        Suggestion(f"Step to {step:g} {unit}", f"set {link.id} {name}={step:.6g}"),
        Suggestion(f"Square Wave, {between}", f"vary {link.id} {name}=square:{wave} {lasts_s:g}s"),
        Suggestion(f"Sine, {between}", f"vary {link.id} {name}=sine:{wave} {lasts_s:g}s"),
        Suggestion(f"Ramp, {ramp[0]:g} to {ramp[1]:g} {unit}",
              f"vary {link.id} {name}=ramp:{ramp[0]:.6g}:{ramp[1]:.6g} {lasts_s:g}s"),
    )  # fmt: skip


def _lasting(left_s: float) -> float:
    """How long a value varies: some periods, or what is left of the run."""
    wanted = _PERIODS * _PERIOD_S
    return round(left_s, 1) if 1 <= left_s < wanted else wanted


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
    there = daemons(node) if isinstance(node, Router) and node.runs_frr else ()
    if there:
        lines += [Suggestion(), *(Suggestion(daemon, submenu=_of_daemon(f"{name} {daemon}")) for daemon in there)]
    return tuple(lines)


def _of_daemon(target: str) -> tuple[Suggestion, ...]:
    return (
        Suggestion("Kill", f"kill {target}"),
        Suggestion(f"Stop for {_FOR_S:g} s", f"stop {target} {_FOR_S:g}s"),
        Suggestion("Continue", f"cont {target}"),
        Suggestion("Restart", f"restart {target}"),
    )


def all_words(lines: Sequence[Suggestion]) -> list[str]:
    """The words of all lines, those of submenus too."""
    return [words for line in lines for words in ([line.words] if line.words else all_words(line.submenu))]

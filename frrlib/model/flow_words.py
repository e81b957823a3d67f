"""Descriptions of flows, in a few words or a sentence: for the canvas, lists, and descriptions of edits."""

from __future__ import annotations

from collections.abc import Iterable

from frrlib.model.flows import Flow
from frrlib.model.traffic.kinds import Bulk

#: Singular and plural of each kind of traffic.
_NOUNS = {
    "bulk": ("flow", "flows"),
    "request-response": ("series of requests", "series of requests"),
    "on-off": ("flow in bursts", "flows in bursts"),
    "constant-rate": ("flow at a constant rate", "flows at a constant rate"),
    "voip": ("stream of speech", "streams of speech"),
    "web-page": ("web page", "web pages"),
    "video": ("film", "films"),
    "ping": ("ping", "pings"),
    "one-way-delay": ("probe of one-way delay", "probes of one-way delay"),
    "command": ("command", "commands"),
}
#: Label of each kind of traffic in menus and forms.
CALLED = {
    "bulk": "Bulk data", "request-response": "Requests and answers", "on-off": "Bursts and pauses",
    "constant-rate": "Constant rate", "voip": "Speech (VoIP)", "web-page": "Web page", "video": "Video",
    "ping": "Ping", "one-way-delay": "One-way delay", "command": "Command",
}  # fmt: skip
#: Usual spelling of congestion controls, by the kernel's name.
CONTROLS = {
    "bbr": "BBR", "bbr2": "BBRv2", "bbr3": "BBRv3", "cdg": "CDG", "cubic": "CUBIC", "dctcp": "DCTCP", "htcp": "H-TCP",
    "illinois": "Illinois", "prague": "Prague", "reno": "Reno", "vegas": "Vegas", "westwood": "Westwood+",
}  # fmt: skip
#: Kinds that are described by their congestion control ("BBR flow").
_BY_CONTROL = ("bulk", "on-off")


def control_name(control: str) -> str:
    """The usual spelling of a congestion control ("CUBIC"), or the kernel's name if none is known."""
    return CONTROLS.get(control, control)


def flow_text(flow: Flow, control: str) -> str:
    """A flow in a word or two, without its name ("5 x bbr, 5 MB").

    Args:
        control: its congestion control; empty for the kernel's default, or for none.
    """
    count = f"{flow.count} x " if flow.count > 1 else ""
    name, details = _words(flow, control)
    return count + (name or "the kernel's own") + "".join(f", {detail}" for detail in details)


def flow_label(flow: Flow, control: str) -> str:
    """The label at the flow's arrow: ID, kind and start ("f1 · 5 x bbr · 2 s").

    The kind is left out if the ID contains it.
    """
    kind, (name, details) = flow_text(flow, control), _words(flow, control)
    if name and name in flow.id:
        kind = ", ".join([*([f"{flow.count} x"] if flow.count > 1 else []), *details])
    streams = f"{flow.streams} streams" if flow.streams > 1 else ""
    return " · ".join(part for part in (flow.id, kind, streams, f"{flow.start_s:g} s") if part)


def flow_summary(flow: Flow, control: str) -> str:
    """A flow in a sentence without its name ("5 BBR flows, h1 to h2, 2 s apart, from 0 s for 20 s")."""
    singular, plural = _NOUNS[flow.kind]
    noun, name = singular if flow.count == 1 else plural, control_name(control) if flow.is_tcp else ""
    if name:
        noun = f"{name} {noun}" if flow.kind in _BY_CONTROL else f"{noun} over {name}"
    parts = [f"{flow.count} {noun}", f"{flow.source} to {flow.destination}"]
    if flow.streams > 1:
        parts.append(f"{flow.streams} streams{' each' if flow.count > 1 else ''}")
    if flow.count > 1:
        parts.append(f"{flow.stagger_s:g} s apart" if flow.stagger_s else "all at once")
    ends = f"for {flow.duration_s:g} s" if flow.duration_s is not None else f"until {flow.size_bytes} bytes are sent"
    return ", ".join([*parts, f"from {flow.start_s:g} s {ends}"])


def flows_summary(flows: Iterable[Flow]) -> str:
    """Flows in a sentence each, with their names, a line for each."""
    return "\n".join(f"{flow.id}: {flow_summary(flow, flow.congestion_control)}" for flow in flows)


def _words(flow: Flow, control: str) -> tuple[str, list[str]]:
    """The main word of a flow's description, and further words."""
    if isinstance(flow.traffic, Bulk):
        return control, [f"{flow.size_bytes / 1e6:g} MB"] if flow.size_bytes is not None else []
    return flow.kind, [control] if flow.is_tcp and control else []

"""Descriptions of flows, in a few words or a sentence: on the drawing, in lists, in descriptions of edits."""

from __future__ import annotations

from collections.abc import Iterable

from frrlib.model.flows import Flow
from frrlib.model.traffic.kinds import Bulk

#: Kind to what one and several of it are called, and to what they are called as a choice.
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
#: Kind to what people choose it by.
CALLED = {
    "bulk": "Bulk data", "request-response": "Requests and answers", "on-off": "Bursts and pauses",
    "constant-rate": "Constant rate", "voip": "Speech (VoIP)", "web-page": "Web page", "video": "Video",
    "ping": "Ping", "one-way-delay": "One-way delay", "command": "Command",
}  # fmt: skip
#: Congestion controls that are names or abbreviations, by what the kernel calls them.
CONTROLS = {
    "bbr": "BBR", "bbr2": "BBRv2", "bbr3": "BBRv3", "cdg": "CDG", "cubic": "CUBIC", "dctcp": "DCTCP", "htcp": "H-TCP",
    "illinois": "Illinois", "reno": "Reno", "vegas": "Vegas", "westwood": "Westwood+",
}  # fmt: skip
#: Kinds whose congestion control says what they are, rather than how they go.
_BY_CONTROL = ("bulk", "on-off")


def control_name(control: str) -> str:
    """A congestion control as people write it ("CUBIC"); as the kernel does, where that is not known."""
    return CONTROLS.get(control, control)


def flow_text(flow: Flow, control: str) -> str:
    """A flow in a word or two, without its name ("5 x bbr, 5 MB").

    Args:
        control: the congestion control that it has; empty where that is the kernel's, or nobody's.
    """
    many = f"{flow.count} x " if flow.count > 1 else ""
    name, more = _named(flow, control)
    return many + (name or "the kernel's own") + "".join(f", {each}" for each in more)


def flow_label(flow: Flow, control: str) -> str:
    """The label at its arrow: its name, its kind, its start ("f1 · 5 x bbr · 2 s").

    A flow that is called after what it is does not say so twice.
    """
    what, (name, more) = flow_text(flow, control), _named(flow, control)
    if name and name in flow.id:
        what = ", ".join([*([f"{flow.count} x"] if flow.count > 1 else []), *more])
    streams = f"{flow.streams} streams" if flow.streams > 1 else ""
    return " · ".join(each for each in (flow.id, what, streams, f"{flow.start_s:g} s") if each)


def flow_summary(flow: Flow, control: str) -> str:
    """A flow in a sentence without its name ("5 BBR flows, h1 to h2, 2 s apart, from 0 s for 20 s")."""
    one, several = _NOUNS[flow.kind]
    noun, name = one if flow.count == 1 else several, control_name(control) if flow.is_tcp else ""
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


def _named(flow: Flow, control: str) -> tuple[str, list[str]]:
    """The word that says most of a flow, and what is added to it."""
    if isinstance(flow.traffic, Bulk):
        return control, [f"{flow.size_bytes / 1e6:g} MB"] if flow.size_bytes is not None else []
    return flow.kind, [control] if flow.is_tcp and control else []

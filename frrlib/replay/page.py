"""The page of a run: the drawing, the curves, the events and tables, and the program that plays them, in one file."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from importlib import resources
from typing import Any

from frrlib import __version__
from frrlib.addressing.resolved import resolved
from frrlib.errors import LabError
from frrlib.formats import mn
from frrlib.model.topology import Topology
from frrlib.plots.flows import PlottedFlow
from frrlib.replay import sections
from frrlib.replay.colors import ColorClasses
from frrlib.replay.curves import chosen_flows, packed_panel, panels, time_span
from frrlib.replay.drawing import Drawing, packed_places, without_drawing
from frrlib.replay.events import FaultSpan, event_rows, fault_spans
from frrlib.replay.flow_paths import PathState, flow_paths
from frrlib.replay.loads import packed_loads
from frrlib.replay.markup import Markup, joined, json_data, tag
from frrlib.replay.neighbors import Neighbor, neighbors
from frrlib.replay.samples import bin_count, milliseconds
from frrlib.replay.wiring import Wiring
from frrlib.results.records import Results
from frrlib.results.statistics.statistics import run_name
from frrlib.results.statistics.summary import summarize

#: The files of the page: the style sheet and the program.
STYLE, PROGRAM = "replay.css", "replay.js"


def replay_page(results: Results) -> str:
    """The replay of a run as one HTML page, which loads nothing else.

    A policy in the page (Content-Security-Policy) lets the browser execute only the program with this page's hash, so a
    name from the run executes nothing, even if it were not escaped.
    """
    topology, colors = _topology(results), ColorClasses()
    wiring = Wiring(topology)
    flows, left_out = chosen_flows(results)
    span = time_span(results, flows)
    listed = neighbors(results, wiring)
    paths = flow_paths(results, wiring, [flow.samples.planned for flow in flows], span[0])
    drawing = Drawing(topology, colors, sections.description(topology)) if topology.nodes else None
    rows, rows_left_out = event_rows(results, paths)
    drawn_panels = panels(results, flows)
    bins = bin_count(sum(len(panel.curves) for panel in drawn_panels))
    loads = packed_loads(results, wiring, span)
    data = {
        "begin": milliseconds(span[0]),
        "end": milliseconds(span[1]),
        "panels": [packed_panel(panel, bins, colors.of_curve) for panel in drawn_panels],
        "loads": loads,
        "places": packed_places(drawing, topology, listed) if drawing else {"links": [], "marks": [], "nodes": {}},
        "neighbors": [_packed_neighbor(neighbor, span[0]) for neighbor in listed],
        "paths": _packed_paths(flows, paths, wiring, colors),
        "faults": [_packed_fault(fault) for fault in fault_spans(results)],
    }
    summary = summarize(results)
    body = joined(
        sections.header(results, summary),
        sections.stage(drawing.svg if drawing else without_drawing(), drawn_panels),
        sections.controls(),
        sections.events(rows, rows_left_out),
        sections.summary(summary),
        sections.about(results, drawn_panels, bins, loads["bin"], left_out),
        tag("script", json_data(data), type="application/json", id="run-data"),
    )
    return _document(run_name(results), colors.css() + _file(STYLE), body, _file(PROGRAM))


def _document(title: str, style: str, body: Markup, program: str) -> str:
    policy = (
        f"default-src 'none'; script-src '{_digest(program)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = joined(
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup(f'<meta name="generator" content="miniedit-frr {__version__}">'),
        tag("title", f"{title}: replay"),
        Markup(f"<style>{style}</style>"),
    )
    page = joined(tag("head", head), tag("body", body, Markup(f"<script>{program}</script>")))
    return f'<!DOCTYPE html>\n<html lang="en">\n{page}\n</html>\n'


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _file(name: str) -> str:
    return (resources.files("frrlib.replay") / name).read_text(encoding="utf-8")


def _topology(results: Results) -> Topology:
    """The run's topology with all names and addresses; an empty one if it cannot be read."""
    try:
        return resolved(mn.loads(results.topology_text).topology)
    except LabError:
        return Topology()


def _packed_neighbor(neighbor: Neighbor, begin_s: float) -> dict[str, Any]:
    """A neighbor in the page: its states from the start of the replay on, and the one that holds then."""
    before = [state for state in neighbor.states if state.time_s <= begin_s]
    states = [*before[-1:], *(state for state in neighbor.states if state.time_s > begin_s)]
    return {
        "router": neighbor.router,
        "name": neighbor.name,
        "interface": neighbor.interface,
        "states": [[milliseconds(state.time_s), state.grade, state.word] for state in states],
    }


def _packed_paths(
    flows: Sequence[PlottedFlow], paths: dict[str, list[PathState]], wiring: Wiring, colors: ColorClasses
) -> list[dict[str, Any]]:
    """The paths in the page: of each flow its states with time, directions (link, and whether
    forward), words, and whether it reaches the destination."""
    return [
        {
            "flow": flow.label,
            "color": colors.of_curve(flow.style.colour),
            "begin": milliseconds(flow.span[0]),
            "end": milliseconds(flow.span[1]),
            "states": [
                [
                    milliseconds(state.time_s) if math.isfinite(state.time_s) else None,
                    [
                        [wiring.directions[name].link, int(wiring.directions[name].is_forward)]
                        for name in state.directions
                    ],
                    state.words,
                    state.is_complete,
                ]
                for state in paths[flow.samples.id]
            ],
        }
        for flow in flows
        if flow.samples.id in paths
    ]


def _packed_fault(fault: FaultSpan) -> dict[str, Any]:
    return {
        "begin": milliseconds(fault.begin_s),
        "end": milliseconds(fault.end_s) if math.isfinite(fault.end_s) else None,
        "target": fault.target,
        "kind": fault.kind,
        "text": fault.text or fault.kind.replace("-", " "),
    }

"""The parts of the page that are text: heading, frame of the drawing and of the curves, controls, tables and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from frrlib.model.topology import Topology
from frrlib.replay.curves import MOST_FLOWS, Panel
from frrlib.replay.events import IMPORTANT, EventRow
from frrlib.replay.markup import Markup, joined, tag
from frrlib.replay.samples import DIGITS, milliseconds
from frrlib.results.records import Results
from frrlib.results.statistics.statistics import run_name
from frrlib.results.statistics.summary import Summary
from frrlib.results.statistics.table import TextTable, problem_lists, summary_tables

#: The speeds of the replay, as factors of the run's time.
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4", "8")
_KIND_WORDS = {
    "fault": "Fault", "fault over": "Fault over", "neighbor lost": "Neighbor lost", "neighbor up": "Neighbor up",
    "path": "Path", "flow": "Flow", "daemon": "Daemon", "change": "Change", "routes": "Routes",
    "routing": "Daemon's log",
}  # fmt: skip
_KEYS = (
    ("Space", "play or pause"), ("← →", "half a second back or forward; with Shift five seconds"),
    ("P N", "previous or next event"), ("Home End", "start or end"), ("+ \N{MINUS SIGN}", "faster or slower"),
)  # fmt: skip


def description(topology: Topology) -> str:
    """The drawing in words."""
    counts = Counter(node.kind for node in topology.nodes)
    nodes = ", ".join(f"{count} {kind if count == 1 else _plural(kind)}" for kind, count in counts.items())
    wires = "; ".join(f"{link.a.node} to {link.b.node}" for link in topology.links[:60])
    more = f"; {len(topology.links) - 60} more" if len(topology.links) > 60 else ""
    return f"{nodes}. Links: {wires}{more}." if wires else f"{nodes}, without links."


def _plural(kind: str) -> str:
    return f"{kind}es" if kind.endswith("h") else f"{kind}s"


def header(results: Results, summary: Summary) -> Markup:
    """Title, place and date of the run, and the verdict on it."""
    info = results.info
    kind = "virtual time" if info.settings.get("virtual_time") else ""
    facts = (
        "Replay of a run", info.started[:16].replace("T", " "), info.place, kind,
        f"kernel {info.facts['kernel']}" if "kernel" in info.facts else "",
        "" if results.status == "finished" else f"this run: {results.status}",
    )  # fmt: skip
    outcome = summary.verdict
    verdict = tag(
        "p", outcome or "too little recorded to be judged", class_=f"verdict {outcome.replace(' ', '-')}".rstrip()
    )
    titles = tag("div", tag("h1", run_name(results)), tag("p", " · ".join(filter(None, facts)), class_="faint"))
    return tag("header", titles, verdict)


def stage(svg: Markup, panels: Sequence[Panel]) -> Markup:
    """The drawing beside the curves, and the state at the cursor."""
    drawing = tag("figure", tag("p", class_="still"), svg, _legend(), class_="drawing")
    now = tag(
        "section",
        tag("h2", "At the cursor", class_="hidden"),
        tag("dl", id="state"),
        class_="now",
        aria_label="State at the cursor",
    )
    charts = [_chart(number, panel) for number, panel in enumerate(panels)]
    empty = [] if charts else [tag("p", "This run has no samples of flows or queues.", class_="faint")]
    return tag(
        "main",
        tag("div", drawing, now, class_="left"),
        tag("section", *charts, *empty, class_="charts", id="charts", aria_label="Curves"),
    )


def _legend() -> Markup:
    loads = (("load-0", "below 40 %"), ("load-1", "to 70 %"), ("load-2", "to 90 %"), ("load-3", "above"))
    marks = (("up", "●", "neighbor up"), ("coming", "○", "coming up"), ("lost", "\N{MULTIPLICATION SIGN}", "lost"))
    return tag(
        "figcaption",
        tag("span", "Load of a link, each direction at its right-hand side:"),
        *(tag("span", tag("i", class_=f"sample {name}"), words) for name, words in loads),
        *(tag("span", tag("b", sign, class_=f"sign {name}"), words) for name, sign, words in marks),
        tag("span", tag("i", class_="dashed"), "path of a flow, in the color of its curves"),
    )


def _chart(number: int, panel: Panel) -> Markup:
    title = tag("span", f"{panel.name}, {panel.unit}", class_="chart-name")
    note = tag("span", panel.note, class_="faint")
    return tag(
        "figure",
        tag("figcaption", title, note, tag("span", class_="values", id=f"values-{number}")),
        tag(
            "div",
            tag("svg", class_="chart", id=f"chart-{number}", role="img", aria_label=_chart_words(panel)),
            tag("svg", class_="overlay", aria_hidden="true"),
            class_="plot",
        ),
    )


def _chart_words(panel: Panel) -> str:
    """The curves of a panel in words: their least and largest values."""
    parts = [f"{curve.name} from {curve.data[1].min():.3g} to {curve.data[1].max():.3g}" for curve in panel.curves]
    return f"{panel.name} in {panel.unit} over time: {'; '.join(parts)}."


def controls() -> Markup:
    """The bar with buttons, slider and speed."""
    speeds = (
        tag("option", f"{speed} \N{MULTIPLICATION SIGN}", value=speed, selected="selected" if speed == "1" else None)
        for speed in SPEEDS
    )
    keys = tag("details", tag("summary", "Keys"), tag("dl", *_pairs(_KEYS)), class_="keys-help")
    bar = tag(
        "div",
        _button("play", "Play", "Play or pause (Space)", "M6 4L20 12L6 20Z", "M6 4h4v16h-4ZM14 4h4v16h-4Z"),
        _button("previous", "Previous event", "Previous event (P)", "M20 5L9 12L20 19ZM5 5h2.5v14h-2.5Z"),
        _button("next", "Next event", "Next event (N)", "M4 5L15 12L4 19ZM16.5 5h2.5v14h-2.5Z"),
        tag("div", Markup('<input type="range" id="slider" step="any" aria-label="Time">'), class_="track", id="track"),
        tag("output", id="clock", for_="slider"),
        tag("label", tag("span", "Speed ", class_="total"), tag("select", *speeds, id="speed", aria_label="Speed")),
        keys,
        tag("p", id="announcement", class_="hidden", role="status", aria_live="polite"),
        class_="controls", id="controls", role="group", aria_label="Replay",
    )  # fmt: skip
    return joined(bar, tag("noscript", tag("p", "The replay needs JavaScript. The tables below have the run as text.")))


def _button(name: str, words: str, tip: str, *signs: str) -> Markup:
    """A button with a sign; of two signs, the style sheet shows one."""
    paths = (tag("path", d=sign) for sign in signs)
    sign = tag("svg", *paths, viewBox="0 0 24 24", aria_hidden="true")
    return tag("button", sign, type="button", id=name, aria_label=words, title=tip)


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[Markup]:
    return [part for name, words in pairs for part in (tag("dt", name), tag("dd", words))]


def events(rows: Sequence[EventRow], left_out: int) -> Markup:
    """The table of events; the replay moves through it."""
    body = (
        tag(
            "tr", tag("td", f"{row.time_s:.3f}", class_="number"), tag("td", _KIND_WORDS[row.kind]),
            tag("td", row.where), tag("td", row.text, class_="long"), data_time=str(milliseconds(row.time_s)),
            class_=f"{row.kind.replace(' ', '-')}{' important' if row.kind in IMPORTANT else ''}",
        )
        for row in rows
    )  # fmt: skip
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in ("Time, s", "Kind", "Where", "What"))))
    table = tag("table", tag("caption", "Events", class_="hidden"), head, tag("tbody", *body))
    more = (
        f"{left_out} changes of routes and shortest paths are left out; events.csv of the run has all."
        if left_out
        else ""
    )
    return tag(
        "section",
        tag("h2", "Events"),
        tag("p", "Times count from the start of all flows. A click on a row goes to its time.", class_="faint"),
        tag("div", table, class_="scroll", id="events", tabindex="0", role="region", aria_label="Table of events"),
        tag("p", more, class_="faint") if more else Markup(),
    )


def summary(run: Summary) -> Markup:
    """The run in few numbers, and its problems."""
    problems = [
        part
        for heading, lines in problem_lists(run)
        for part in (tag("h3", heading), tag("ul", *(tag("li", line) for line in lines)))
    ]
    return tag("section", tag("h2", "Summary"), *problems, *(_table(table) for table in summary_tables(run)))


def _table(content: TextTable) -> Markup:
    kinds = ["number" if is_number else None for is_number in content.numeric]
    head = (tag("th", text, scope="col", class_=kind) for text, kind in zip(content.headings, kinds, strict=True))
    rows = (
        tag("tr", *(tag("td", cell, class_=kind) for cell, kind in zip(row, kinds, strict=True)))
        for row in content.rows
    )
    table = tag("table", tag("caption", content.title), tag("thead", tag("tr", *head)), tag("tbody", *rows))
    return tag("div", table, class_="scroll", tabindex="0", role="region", aria_label=content.title)


def about(results: Results, panels: Sequence[Panel], bins: int, load_bin_ms: int, flows_left_out: int) -> Markup:
    """How the numbers in the page were made from those of the run."""
    points = [
        f"Curves of samples are thinned. The time of each curve is divided into {bins} bins, and each bin keeps its "
        "least and its largest sample with their own times. Nothing is averaged, and no peak is lost. A curve with "
        "fewer samples is complete.",
        *(f"{panel.name}: {panel.note}." for panel in panels if panel.curves and panel.curves[0].mean_over_s),
        f"Loads of links are means over {load_bin_ms} ms, from counters of sent bytes.",
        f"Values have {DIGITS} significant digits, and times 1 ms. The value at the cursor is that of the last sample "
        "kept before it, or of the mean that includes it.",
        "Paths of flows are those that the run recorded, or follow from the routes that each router reported as "
        "installed. Through switches, the shortest way is drawn.",
    ]  # fmt: skip
    if flows_left_out:
        points.append(
            f"The {MOST_FLOWS} flows that delivered most have curves; {flows_left_out} more are in the summary."
        )
    folder = f"Made from the results folder {results.folder.resolve().name}, which has all samples."
    return tag(
        "section", tag("h2", "About the numbers"), tag("ul", *(tag("li", point) for point in points)),
        tag("p", folder, class_="faint"),
    )  # fmt: skip

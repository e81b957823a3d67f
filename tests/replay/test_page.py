"""The replay of a run: its structure, its numbers against those of the results folder, and texts that are attacks."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import re
import shutil
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from frrlib.formats import mn
from frrlib.model.annotations import Annotation
from frrlib.replay.curves import chosen_flows, panels
from frrlib.replay.page import replay_page
from frrlib.replay.samples import packed
from frrlib.results.read import open_results
from tests.cli.commands import invoke

RUN = Path(__file__).parents[1] / "data" / "results-v3"
#: Texts that execute something, or end an element, where they are not escaped.
ATTACK = "</script></title><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\"'&\u202e\x1b]0;x\x07"
#: Elements without an end tag.
_EMPTY = frozenset(("meta", "input"))


class _Reader(HTMLParser):
    """The elements of a page with their attributes, and the text of each kind of element."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(page)
        assert not self._open, "an element has no end"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts.append((self._open[-1], data))

    def all(self, kind: str) -> list[dict[str, str]]:
        return [attributes for tag, attributes in self.elements if tag == kind]

    def text(self, kind: str) -> str:
        return "".join(text for tag, text in self.texts if tag == kind)


@pytest.fixture(scope="module")
def page() -> str:
    return replay_page(open_results(RUN))


@pytest.fixture(scope="module")
def data(page: str) -> Any:
    return data_of(page)


def data_of(page: str) -> Any:
    """The numbers in a page."""
    found = re.search(r'<script type="application/json" id="run-data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(RUN / "samples" / f"{name}.csv")


def curve(data: Any, panel: str, name: str) -> tuple[list[int], list[float]]:
    """The times in milliseconds and the values of a curve in a page."""
    curves = {item["name"]: item for item in next(p for p in data["panels"] if p["name"] == panel)["curves"]}
    return list(accumulate(curves[name]["times"])), curves[name]["values"]


def hostile_run(below: Path) -> Path:
    """A copy of the run with an attack in every text that its topology, its plan and its events can contain."""
    folder = Path(shutil.copytree(RUN, below / "hostile"))
    info = json.loads((folder / "run.json").read_text())
    info["title"] = info["place"] = info["facts"]["kernel"] = ATTACK
    info["failures"] = [ATTACK]
    info["flows"][0]["id"] = f"bbr{ATTACK}"
    (folder / "run.json").write_text(json.dumps(info))
    topology = mn.loads((folder / "topology.mn").read_text()).topology
    harmless = ATTACK.replace("\x1b", "").replace("\x07", "")
    nodes = [node.model_copy(update={"label": harmless}) for node in topology.nodes]
    note = Annotation(id="n1", kind="note", x=1, y=1, width=90, height=50, text=harmless)
    changed = topology.model_copy(update={"nodes": tuple(nodes), "annotations": (note,)})
    (folder / "topology.mn").write_text(mn.dumps(changed))
    rows = list(csv.reader((folder / "events.csv").open(newline="")))
    attacks = [
        ["1", "", kind, ATTACK, "link-down", ATTACK, ATTACK]
        for kind in ("fault", "flow", "daemon", "route", "adjacency")
    ]
    with (folder / "events.csv").open("w", newline="") as file:
        csv.writer(file).writerows([*rows, *attacks])
    return folder


def test_nothing_is_loaded_and_only_the_program_of_the_page_may_run(page: str) -> None:
    reader = _Reader(page)
    assert [attributes.get("type", "program") for attributes in reader.all("script")] == ["application/json", "program"]
    names = {name for _, attributes in reader.elements for name in attributes}
    assert not names & {"src", "style", "srcset", "action"} and not [name for name in names if name.startswith("on")]
    assert all(attributes["href"].startswith("#") for _, attributes in reader.elements if "href" in attributes)
    assert not reader.all("link")
    policy = next(a["content"] for a in reader.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    program = page[page.rindex("<script>") + len("<script>") : page.rindex("</script>")]
    for kind, text in (("script-src", program), ("style-src", reader.text("style"))):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy


def test_elements_that_others_refer_to_exist_once(page: str) -> None:
    reader = _Reader(page)
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in reader.elements:
        referred = (
            f"{attributes.get('aria-labelledby', '')} {attributes.get('for', '')} {attributes.get('href', '')[1:]}"
        )
        assert set(referred.split()) <= set(ids)
    used = set(re.findall(r'byId\("([a-z-]+)"\)', page))
    assert used <= set(ids) and {"play", "slider", "drawing"} <= used
    assert all(attributes.get("aria-label") for attributes in reader.all("button"))
    assert [a for _, a in reader.elements if a.get("aria-live") == "polite"] and not re.search(
        "aria-live=.assertive", page
    )


def test_samples_are_those_of_the_folder(data: Any) -> None:
    tcp = table("tcp")
    for name, flow in (("BBR", "bbr"), ("CUBIC", "cubic")):
        rows = tcp[(tcp.flow == flow) & (tcp.side == "sender")]
        for panel, column in (("Congestion window", "cwnd_packets"), ("RTT", "srtt_ms")):
            recorded = {(round(t * 1000), float(f"{v:.4g}")) for t, v in zip(rows.time_s, rows[column], strict=True)}
            shown = set(zip(*curve(data, panel, name), strict=True))
            assert len(shown) > 20 and shown <= recorded
    queue = table("queue").query("direction == 'l6:r3-r6'")
    assert max(curve(data, "Queue", "l6:r3-r6")[1]) == float(f"{queue.backlog_bytes.max() / 1000:.4g}")


def test_means_add_up_to_the_bytes_that_were_counted(data: Any) -> None:
    results = open_results(RUN)
    flows, _ = chosen_flows(results)
    throughput = next(panel for panel in panels(results, flows) if panel.name == "Throughput")
    for name, flow in (("BBR", "bbr"), ("CUBIC", "cubic")):
        shown = next(item for item in throughput.curves if item.name == name)
        rows = table("tcp").query(f"flow == '{flow}' and side == 'receiver'")
        times, counts = rows.time_s, rows.bytes_received
        begin_s, end_s = shown.data[0][0] - shown.mean_over_s / 2, shown.data[0][-1] + shown.mean_over_s / 2
        expected = np.interp(end_s, times, counts) - np.interp(begin_s, times, counts)
        assert sum(shown.data[1]) * shown.mean_over_s * 1e6 / 8 == pytest.approx(expected, rel=0.06)
    step_s = data["loads"]["bin"] / 1000
    for load in data["loads"]["directions"]:
        counts = table("queue").query(f"direction == '{load['name']}'").sent_bytes
        sent = sum(rate or 0 for rate in load["rates"]) * step_s * 1e6 / 8
        assert sent == pytest.approx(counts.iloc[-1] - counts.iloc[0], rel=0.03, abs=400)


def test_a_thinned_curve_keeps_its_peaks() -> None:
    times, values = np.arange(20_000) / 100, np.full(20_000, 5.0)
    values[[3, 7_777, 19_998]] = 99.0, 0.25, 1234.56
    short = packed((times, values), 60)
    kept = dict(zip(accumulate(short["times"]), short["values"], strict=True))
    assert len(kept) <= 2 * 60 + 2
    assert {kept[30], kept[77_770], kept[199_980]} == {99, 0.25, 1235}


def test_paths_follow_the_reported_routes(data: Any) -> None:
    links = data["places"]["links"]
    graph = nx.Graph([(link["a"], link["b"]) for link in links])
    whole = nx.shortest_path(graph, "h1", "h2")
    graph.remove_edge("r1", "r2")
    around = nx.shortest_path(graph, "h1", "h2")
    words = [state[2] for state in data["paths"][0]["states"]]
    assert words[0] == " → ".join(whole) and words[-1] == " → ".join(around)
    taken = [links[number] for number, _ in data["paths"][0]["states"][-1][1]]
    assert nx.is_path(nx.Graph([(link["a"], link["b"]) for link in taken]), around)
    assert data["paths"][0]["states"][-1][3]


def test_neighbors_and_events_are_those_of_the_folder(page: str, data: Any) -> None:
    events = pd.read_csv(RUN / "events.csv")
    reports = events[events.kind == "adjacency"]
    last = reports.groupby(["subject", "text"]).what.last()
    shown = {(item["router"], item["name"]): item["states"][-1][1] == 2 for item in data["neighbors"]}
    assert shown == {key: what == "up" for key, what in last.items()}
    assert len({tuple(mark["at"]) for mark in data["places"]["marks"]}) == len(shown)
    cells = [text for kind, text in _Reader(page).texts if kind == "td"]
    for fault in events[events.kind == "fault"].text:
        assert fault in cells
    assert [fault["kind"] for fault in data["faults"]] == ["link-down"] and data["faults"][0]["end"] is None


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    page = replay_page(open_results(hostile_run(tmp_path)))
    reader = _Reader(page)
    assert len(reader.all("script")) == 2 and not reader.all("img")
    assert not [name for _, attributes in reader.elements for name in attributes if name.startswith("on")]
    assert "window.hacked=1</script>" in reader.text("h1") and "hacked" in reader.text("tspan")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", page)
    assert "hacked" in json.dumps(data_of(page))


@pytest.mark.parametrize("name", ["results-v1", "results-v2"])
def test_older_runs(name: str) -> None:
    page = replay_page(open_results(RUN.parent / name))
    assert data_of(page)["panels"][0]["name"] == "Throughput"


def test_an_empty_run_has_a_page(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"format_version": 3, "status": "failed", "failures": ["no kernel"]}')
    reader = _Reader(replay_page(open_results(tmp_path)))
    assert "no kernel" in reader.text("li") and "cannot be read" in reader.text("p")


def test_the_command(tmp_path: Path, page: str) -> None:
    file = tmp_path / "replay.html"
    assert invoke("export", RUN, "--out", file).exit_code == 0 and file.read_text() == page
    assert invoke("export", RUN, "--to", "html").stdout == page
    refused = invoke("export", RUN, "--to", "html", "--out", file)
    assert refused.exit_code == 2 and "--overwrite" in refused.output
    for words, message in (((RUN,), "--to html"), ((RUN / "topology.mn", "--to", "html"), "results folder")):
        refused = invoke("export", *words)
        assert refused.exit_code == 2 and message in refused.output

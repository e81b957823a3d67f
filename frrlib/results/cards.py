"""Runs in a list: a card for each, made from the small files of its folder, with the problems of the folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from frrlib.results import layout
from frrlib.results.layout import ResultsError, RunInfo
from frrlib.results.statistics.summary import Summary, load_summary
from frrlib.results.writer import is_being_written
from frrlib.system import atomic_files
from frrlib.system.untrusted_files import open_file

#: The kind of time of a run, by whether it ran in virtual time.
_TIME_KINDS = {True: "virtual time", False: "real time"}


@dataclass(frozen=True)
class RunCard:
    """A run in a list.

    Attributes:
        folder: the results folder.
        title: the title of the topology; the folder's name if unknown.
        started: ISO 8601 with time zone; empty if unknown.
        status: the status at its end, "running" or "killed"; empty if unknown.
        place: the place in which it ran.
        time_kind: "virtual time" or "real time"; empty if unknown.
        verdict: whether its numbers can be relied on, as in `summary.Summary`.
        flows: ids of its flows.
        controls: their congestion controls, each once.
        goodput_mbit: of all flows together, from the first byte to the last; None without a summary.
        jain_index: as in the summary.
        nodes: names of the nodes in its topology.
        notes: the user's note on it.
        wrong: one sentence for each thing that is missing or incomplete.
    """

    folder: Path
    title: str
    started: str = ""
    status: str = ""
    place: str = ""
    time_kind: str = ""
    verdict: str = ""
    flows: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    goodput_mbit: float | None = None
    jain_index: float | None = None
    nodes: tuple[str, ...] = ()
    notes: str = ""
    wrong: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """Its status and its verdict, in a few words."""
        words = [self.status or "unknown"]
        if self.verdict and self.verdict != "trustworthy":
            words.append(self.verdict)
        return ", ".join((*words, *(["incomplete"] if self.wrong else [])))

    @property
    def tags(self) -> tuple[str, ...]:
        """Words of the notes that begin with #, without it."""
        return tuple(dict.fromkeys(re.findall(r"#([\w-]+)", self.notes)))


def card(folder: Path) -> RunCard:
    """The card of a run. Files that cannot be read are listed on the card and raise no error."""
    wrong: list[str] = []
    info = _info(folder, wrong)
    summary = Summary()
    try:
        summary = load_summary(folder)
    except ResultsError:
        wrong.append(f"{layout.SUMMARY} is missing: the run was interrupted")
    is_running = is_being_written(folder)
    status = info.status if info.started else ""
    status = "killed" if status == "running" and not is_running else status
    for name in ("tcp", "queue"):
        if problem := _table_problem(layout.table_path(folder, name)):
            wrong.append(problem)
    if not (folder / layout.TOPOLOGY).is_file():
        wrong.append(f"{layout.TOPOLOGY} is missing")
    planned = [flow.control for flow in info.flows]
    sampled = [flow.congestion_control for flow in summary.flows]
    return RunCard(
        folder=folder,
        title=info.title or folder.resolve().name,
        started=info.started,
        status=status,
        place=info.place,
        time_kind=_TIME_KINDS[info.settings.get("virtual_time") is True] if info.started else "",
        verdict=summary.verdict,
        flows=tuple(flow.id for flow in info.flows) or tuple(flow.flow for flow in summary.flows),
        controls=tuple(dict.fromkeys(control for control in (sampled or planned) if control)),
        goodput_mbit=_goodput(summary),
        jain_index=summary.jain_index,
        nodes=_nodes(folder),
        notes=read_notes(folder),
        wrong=() if is_running else tuple(wrong),
    )


def search_cards(cards: Iterable[RunCard], search: str) -> list[RunCard]:
    """The cards that contain all words of a search: in title, notes, nodes, flows, congestion controls, place,
    kind of time, outcome, date or folder. A word that begins with # must be a tag. Case does not matter."""
    words = search.casefold().split()
    return [candidate for candidate in cards if all(_has(candidate, word) for word in words)]


def read_notes(folder: Path) -> str:
    """The user's note on a run; empty for none."""
    try:
        return layout.read_bytes(folder / layout.NOTES).decode("utf-8", "replace").rstrip("\n")
    except OSError:
        return ""


def save_notes(folder: Path, text: str) -> None:
    """Write the user's note on a run into its folder. An empty note removes the file.

    Raises:
        ResultsError: it cannot be written.
    """
    try:
        if text.strip():
            atomic_files.replace(folder / layout.NOTES, text.rstrip() + "\n")
        else:
            (folder / layout.NOTES).unlink(missing_ok=True)
    except OSError as error:
        raise ResultsError(folder, f"{layout.NOTES} cannot be written: {error.strerror}") from error


def _info(folder: Path, wrong: list[str]) -> RunInfo:
    try:
        return RunInfo.model_validate(layout.read_json(folder / layout.RUN, plain=True))
    except (OSError, ValueError):
        wrong.append(f"{layout.RUN} is missing or cannot be read")
        return RunInfo()


def _goodput(summary: Summary) -> float | None:
    spans = [
        (flow.start_s, flow.end_s) for flow in summary.flows if flow.start_s is not None and flow.end_s is not None
    ]
    begin_s, end_s = min((begin for begin, _ in spans), default=0.0), max((end for _, end in spans), default=0.0)
    delivered = sum(flow.bytes_delivered for flow in summary.flows)
    return delivered * 8e-6 / (end_s - begin_s) if end_s > begin_s else None


def _table_problem(table: Path) -> str:
    """The problem of a table, judged by its last byte; empty for none."""
    name = f"{table.parent.name}/{table.name}"
    try:
        with open_file(table) as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - 1))
            return "" if file.read(1) == b"\n" else f"{name} ends in an incomplete line"
    except OSError:
        return f"{name} is missing"


def _nodes(folder: Path) -> tuple[str, ...]:
    """Names of the nodes in a topology, read from its file."""
    with suppress(OSError, ValueError):
        drawing: Any = layout.read_json(folder / layout.TOPOLOGY)
        if isinstance(drawing, Mapping):
            lists = [
                entry for key in ("hosts", "switches", "controllers") if isinstance(entry := drawing.get(key), list)
            ]
            opts = [node.get("opts") for nodes in lists for node in nodes if isinstance(node, Mapping)]
            return tuple(str(entry["hostname"]) for entry in opts if isinstance(entry, Mapping) and "hostname" in entry)
    return ()


def _has(card: RunCard, word: str) -> bool:
    if word.startswith("#") and len(word) > 1:
        return word[1:] in (tag.casefold() for tag in card.tags)
    texts = (
        card.title,
        card.notes,
        card.place,
        card.time_kind,
        card.outcome,
        card.verdict,
        card.started,
        str(card.folder),
    )
    return any(word in text.casefold() for text in (*texts, *card.nodes, *card.flows, *card.controls))

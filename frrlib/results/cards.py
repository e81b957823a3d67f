"""Runs as a list shows them: a card each, from the small files of a folder, and what is wrong with the folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from frrlib.results import layout
from frrlib.results.folder import is_being_written
from frrlib.results.layout import ResultsError, RunInfo
from frrlib.results.statistics.summary import Summary, load_summary
from frrlib.system import atomic_files
from frrlib.system.untrusted_files import open_file


@dataclass(frozen=True)
class RunCard:
    """A run in a list.

    Attributes:
        folder: where it is.
        title: what was run; the folder's name where that is not known.
        started: ISO 8601 with time zone; empty where it is not known.
        status: how it ended; "running", "killed", or "" where nothing tells.
        place: where it ran.
        verdict: whether it is to be trusted, as in `summary.Summary`.
        flows: ids of its flows.
        controls: their congestion controls, each once.
        goodput_mbit: of all flows together, from the first byte to the last; None where there is no summary.
        jain_index: as in the summary.
        nodes: names of the nodes in its drawing.
        notes: what somebody wrote about it.
        wrong: one sentence for each thing that is missing or cut off.
    """

    folder: Path
    title: str
    started: str = ""
    status: str = ""
    place: str = ""
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
        """Its end and its worth, in a few words."""
        said = [self.status or "unknown"]
        if self.verdict and self.verdict != "trustworthy":
            said.append(self.verdict)
        return ", ".join((*said, *(["incomplete"] if self.wrong else [])))

    @property
    def tags(self) -> tuple[str, ...]:
        """Words of the notes that begin with #, without it."""
        return tuple(dict.fromkeys(re.findall(r"#([\w-]+)", self.notes)))


def card(folder: Path) -> RunCard:
    """The card of a run; what cannot be read is told on it, and never an error."""
    wrong: list[str] = []
    info = _info(folder, wrong)
    summary = Summary()
    try:
        summary = load_summary(folder)
    except ResultsError:
        wrong.append(f"there is no {layout.SUMMARY}: the run did not come to its end")
    is_running = is_being_written(folder)
    status = info.status if info.started else ""
    status = "killed" if status == "running" and not is_running else status
    for name in ("tcp", "queue"):
        if said := _torn(layout.table_path(folder, name)):
            wrong.append(said)
    if not (folder / layout.TOPOLOGY).is_file():
        wrong.append(f"{layout.TOPOLOGY} is missing")
    planned = [flow.control for flow in info.flows]
    kept = [flow.congestion_control for flow in summary.flows]
    return RunCard(
        folder=folder,
        title=info.title or folder.resolve().name,
        started=info.started,
        status=status,
        place=info.place,
        verdict=summary.verdict,
        flows=tuple(flow.id for flow in info.flows) or tuple(flow.flow for flow in summary.flows),
        controls=tuple(dict.fromkeys(each for each in (kept or planned) if each)),
        goodput_mbit=_goodput(summary),
        jain_index=summary.jain_index,
        nodes=_nodes(folder),
        notes=read_notes(folder),
        wrong=() if is_running else tuple(wrong),
    )


def search_cards(cards: Iterable[RunCard], search: str) -> list[RunCard]:
    """The cards that have all words of a search somewhere: title, notes, nodes, flows, congestion controls, place,
    outcome, date, folder; a word that begins with # must be a tag. Case does not matter."""
    words = search.casefold().split()
    return [each for each in cards if all(_has(each, word) for word in words)]


def read_notes(folder: Path) -> str:
    """The user's note on a run; empty for none."""
    try:
        return layout.read_bytes(folder / layout.NOTES).decode("utf-8", "replace").rstrip("\n")
    except OSError:
        return ""


def save_notes(folder: Path, text: str) -> None:
    """Keep what somebody wrote about a run, in its folder; without words the file goes.

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


def _torn(table: Path) -> str:
    """The fault of a table, as far as its last letter tells; empty for none."""
    name = f"{table.parent.name}/{table.name}"
    try:
        with open_file(table) as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - 1))
            return "" if file.read(1) == b"\n" else f"{name} ends in an incomplete line"
    except OSError:
        return f"{name} is missing"


def _nodes(folder: Path) -> tuple[str, ...]:
    """Names of the nodes in a drawing, from the drawing's text."""
    with suppress(OSError, ValueError):
        drawing: Any = layout.read_json(folder / layout.TOPOLOGY)
        if isinstance(drawing, Mapping):
            lists = [each for key in ("hosts", "switches", "controllers") if isinstance(each := drawing.get(key), list)]
            opts = [node.get("opts") for nodes in lists for node in nodes if isinstance(node, Mapping)]
            return tuple(str(each["hostname"]) for each in opts if isinstance(each, Mapping) and "hostname" in each)
    return ()


def _has(each: RunCard, word: str) -> bool:
    if word.startswith("#") and len(word) > 1:
        return word[1:] in (tag.casefold() for tag in each.tags)
    told = (each.title, each.notes, each.place, each.outcome, each.verdict, each.started, str(each.folder))
    return any(word in text.casefold() for text in (*told, *each.nodes, *each.flows, *each.controls))

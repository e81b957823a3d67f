"""A web page of many objects, and single files, fetched with wget from nginx over lossy links."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from frrlib.model.traffic.kinds import WebPage
from frrlib.network.network import Network
from miniedit_frr.experiments.declaration import Setup
from miniedit_frr.experiments.miniweb_girondi.star import (
    CONTROLS,
    HostPair,
    Repairs,
    path_loss_percent,
    published_star,
    right_star,
)
from miniedit_frr.experiments.runs import Run

LOSSES_PERCENT = (0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
#: The time after which wget was ended, in seconds.
TIMEOUT_S = 120.0
#: The pairs of hosts, one for each congestion control, which run at the same time. The server, which sends, is the
#: first host.
PAIRS: Mapping[str, HostPair] = {
    control: HostPair(f"h{2 * number + 1}", f"h{2 * number + 2}") for number, control in enumerate(CONTROLS)
}
#: The published histogram of the page's files by size, in steps of 38.3 KB from 0 on, and their total size.
_STEP_BYTES = 38.3 * 1024
_COUNTS = (57, 6, 2, 2, 0, 1, 2, 1, 1, 1)
_PAGE_BYTES = round(2.902 * 1024**2)


def page_sizes_bytes() -> tuple[int, ...]:
    """The 73 files of the page, including index.html, in the order of fetching.

    Larger files have the middle of their step. Those of the first step are spread evenly so that the total is correct.
    The order was not published; a fixed random order is used.
    """
    larger = [round((step + 0.5) * _STEP_BYTES) for step, count in enumerate(_COUNTS) for _ in range(count) if step]
    smaller = _COUNTS[0]
    unit = (_PAGE_BYTES - sum(larger)) / (smaller * (smaller + 1) / 2)
    files = [*larger, *(round(unit * number) for number in range(1, smaller + 1))]
    random.Random(1).shuffle(files)
    return tuple(files)


def star(setup: Setup, loss_percent: float, repairs: Repairs = "dupacks") -> Network:
    """Three pairs of hosts around one switch, so that each congestion control has its own links.

    Args:
        loss_percent: the loss at each interface. In the right set-up the whole path loses as much data as two of them.
        repairs: see `published_star`. The right set-up has the kernel's default.
    """
    pairs = tuple(PAIRS.values())
    if setup == "published":
        return published_star(pairs, loss_percent=loss_percent, repairs=repairs)
    return right_star(pairs, loss_percent=path_loss_percent(loss_percent))


def add_web_flows(
    net: Network, name: str, sizes_bytes: Sequence[int], times: int, start_s: float, slot_s: float
) -> None:
    """Add flows that repeatedly fetch files over one connection, at the same time with each congestion control.

    Args:
        name: the name of the files; flows are "reno-NAME" and so on.
        times: the number of repetitions.
        slot_s: the longest time of a repetition, with the pause before the next one.
    """
    loads = WebPage(
        sizes_bytes=tuple(sizes_bytes), client="wget", connections=1, loads=times, pause_s=1.0, timeout_s=TIMEOUT_S
    )
    for control, pair in PAIRS.items():
        net.flow(
            f"{control}-{name}", *pair, congestion_control=control, start_s=start_s, duration_s=times * slot_s,
            traffic=loads,
        )  # fmt: skip


# --- numbers from runs ------------------------------------------------------------------------------------------------


def page_times_s(runs: Sequence[Run], flow: str) -> list[float | None]:
    """The duration of each load of a flow, from its beginning to its end; None for an unfinished load."""
    times_s: list[float | None] = []
    for run in runs:
        rows = run.results.app
        is_page = (rows["flow"] == flow) & (rows["what"] == "page")
        for duration_ms, outcome in zip(rows["duration_ms"][is_page], rows["outcome"][is_page], strict=True):
            times_s.append(None if outcome else float(duration_ms) / 1e3)
    return times_s


def speeds_mbit(runs: Sequence[Run], flow: str) -> list[float]:
    """wget's speed of each load: bytes per time of receiving, without the time of connecting and waiting; 0 for an
    unfinished load, as published.
    """
    speeds = []
    for run in runs:
        rows = run.results.app
        is_receiving = (rows["flow"] == flow) & (rows["what"] == "receiving")
        finished = [
            float(size) * 8e-3 / float(duration_ms)
            for size, duration_ms in zip(
                rows["size_bytes"][is_receiving], rows["duration_ms"][is_receiving], strict=True
            )
        ]
        unfinished = sum(1 for time_s in page_times_s([run], flow) if time_s is None)
        speeds += [*finished, *[0.0] * unfinished]
    return speeds

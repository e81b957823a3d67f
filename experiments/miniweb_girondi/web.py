"""A web page of many objects, and single files, fetched with wget from nginx over links that lose packets."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from experiments.declaration import Setup
from experiments.miniweb_girondi.star import CONTROLS, HostPair, Repairs, path_loss_percent, published_star, right_star
from experiments.runs import Run
from frrlib.model.traffic.kinds import WebPage
from frrlib.network.network import Network

LOSSES_PERCENT = (0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
#: When wget was ended, in seconds.
TIMEOUT_S = 120.0
#: The server is the first of two hosts, so data go from it; each congestion control has a pair of its own, all at once.
PAIRS: Mapping[str, HostPair] = {
    control: HostPair(f"h{2 * number + 1}", f"h{2 * number + 2}") for number, control in enumerate(CONTROLS)
}
#: How many files of the page are of which size, counted in steps of 38.3 KB from 0 on, and how much they are together.
_STEP_BYTES = 38.3 * 1024
_COUNTS = (57, 6, 2, 2, 0, 1, 2, 1, 1, 1)
_PAGE_BYTES = round(2.902 * 1024**2)


def page_sizes_bytes() -> tuple[int, ...]:
    """The 73 files of the page, index.html among them, in the order in which they are fetched.

    Larger ones have the middle of their step; those of the first step are spread evenly and make the sum right. Which
    comes when was not published; it is drawn once and for all.
    """
    larger = [round((step + 0.5) * _STEP_BYTES) for step, count in enumerate(_COUNTS) for _ in range(count) if step]
    smaller = _COUNTS[0]
    unit = (_PAGE_BYTES - sum(larger)) / (smaller * (smaller + 1) / 2)
    files = [*larger, *(round(unit * number) for number in range(1, smaller + 1))]
    random.Random(1).shuffle(files)
    return tuple(files)


def star(setup: Setup, loss_percent: float, repairs: Repairs = "dupacks") -> Network:
    """Three pairs of hosts around one switch, so that each congestion control has links of its own.

    Args:
        loss_percent: at each interface; in the right set-up data lose on the whole way what two of these lose.
        repairs: see `published_star`; the right set-up has what the kernel does unasked.
    """
    pairs = tuple(PAIRS.values())
    if setup == "published":
        return published_star(pairs, loss_percent=loss_percent, repairs=repairs)
    return right_star(pairs, loss_percent=path_loss_percent(loss_percent))


def add_web_flows(
    net: Network, name: str, sizes_bytes: Sequence[int], times: int, start_s: float, slot_s: float
) -> None:
    """Have files fetched over one connection, by each congestion control at the same time, and again and again.

    Args:
        name: of what is fetched; flows are "reno-NAME" and so on.
        times: how often.
        slot_s: how long once may take at most, with the pause before the next.
    """
    loads = WebPage(
        sizes_bytes=tuple(sizes_bytes), client="wget", connections=1, loads=times, pause_s=1.0, timeout_s=TIMEOUT_S
    )
    for control, pair in PAIRS.items():
        net.flow(
            f"{control}-{name}", *pair, congestion_control=control, start_s=start_s, duration_s=times * slot_s,
            traffic=loads,
        )  # fmt: skip


# --- what runs have found ---------------------------------------------------------------------------------------------


def page_times_s(runs: Sequence[Run], flow: str) -> list[float | None]:
    """How long each load of a flow took, from its beginning to its end; None for one that was not finished."""
    times_s: list[float | None] = []
    for run in runs:
        rows = run.results.app
        is_page = (rows["flow"] == flow) & (rows["what"] == "page")
        for duration_ms, outcome in zip(rows["duration_ms"][is_page], rows["outcome"][is_page], strict=True):
            times_s.append(None if outcome else float(duration_ms) / 1e3)
    return times_s


def speeds_mbit(runs: Sequence[Run], flow: str) -> list[float]:
    """wget's report of each load: bytes by the time in which it received, without connecting and waiting for answers; 0
    for one that was not finished, as it was published.
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

"""The experiments of the star: their published set-ups, and the numbers from runs."""

from __future__ import annotations

import csv
import json
import math
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from miniedit_frr.experiments.expectations import published_rows
from miniedit_frr.experiments.miniweb_girondi import file as mg_file
from miniedit_frr.experiments.miniweb_girondi import star as girondi
from miniedit_frr.experiments.miniweb_girondi import web as mg_web
from miniedit_frr.experiments.runs import Run
from tests.experiments.small import STORED


def test_the_page_has_the_published_histogram() -> None:
    """72 objects and index.html, 2.902 MB together, the largest of 383 KB at most: page_stat.pdf of the repository."""
    sizes = mg_web.page_sizes_bytes()
    steps = [int(size / (38.3 * 1024)) for size in sizes]
    assert [steps.count(step) for step in range(10)] == [57, 6, 2, 2, 0, 1, 2, 1, 1, 1]
    assert sum(sizes) / 2**20 == pytest.approx(2.902, abs=1e-4)
    assert sizes == mg_web.page_sizes_bytes() and min(sizes) > 0


def test_the_labels_agree_with_the_raw_data() -> None:
    rows = published_rows("girondi_http_single.csv")
    published_sizes = {(row["published_label"], int(row["true_bytes"])) for row in rows}
    assert {(label, mg_file.FILES_BYTES[name]) for label, name in mg_file.LABELS.items()} == published_sizes


def test_a_path_through_two_interfaces_loses_packets_at_both() -> None:
    assert [girondi.path_loss_percent(loss) for loss in (0, 1, 10, 50)] == pytest.approx([0, 1.99, 19, 75])
    star = girondi.published_star(loss_percent=10).topology
    lossy = [shape for link in star.links for _, _, shape in link.directions if "loss 10%" in " ".join(shape.qdiscs)]
    assert len(lossy) == 4, "both ends of both links"
    assert all(end.offloads for link in star.links for end in link.ends)
    right_topology = girondi.right_star(loss_percent=19).topology
    assert [
        shape.loss_percent for link in right_topology.links for _, _, shape in link.directions if shape.loss_percent
    ] == [19]
    delays = sum(shape.delay_ms for link in right_topology.links for _, _, shape in link.directions)
    assert delays == 4 * girondi.LINK_DELAY_MS, "the round trip of the published star"


def test_flows_run_one_after_another() -> None:
    net = girondi.published_star()
    girondi.add_flows_in_turn(net, {"reno": 3, "bbr": 1}, {"reno": 20.0, "bbr": 5.0})
    flows = net.topology.flows
    assert [flow.id for flow in flows] == ["reno-1", "bbr-1", "reno-2", "reno-3"]
    for earlier, later in pairwise(flows):
        assert later.start_s >= earlier.start_s + (earlier.duration_s or math.inf) + 5.0


def run_of(folder: Path, flows: list[dict[str, object]], app: list[list[object]]) -> Run:
    """A run with these flows and these rows of the table "app"."""
    shutil.copytree(STORED, folder)
    record = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(record | {"flows": flows}))
    with (folder / "samples" / "app.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("time_s", "flow", "what", "number", "size_bytes", "duration_ms", "outcome"))
        writer.writerows(app)
    return Run("x", "published", {}, 1, folder)


def test_an_unfinished_page_has_no_time_and_speed_zero(tmp_path: Path) -> None:
    run = run_of(
        tmp_path / "run", [{"id": "bbr-page", "kind": "web-page"}],
        [
            [0, "bbr-page", "page", 0, 1_000_000, 2000, ""], [0, "bbr-page", "receiving", 0, 1_000_000, 800, ""],
            [3, "bbr-page", "page", 1, 1_000_000, 120_000, "unfinished"], [3, "reno-page", "page", 0, 5, 5, ""],
        ],
    )  # fmt: skip
    assert mg_web.page_times_s([run], "bbr-page") == [2.0, None]
    assert mg_web.speeds_mbit([run], "bbr-page") == [10.0, 0.0]


def test_a_failed_flow_has_rate_zero(tmp_path: Path) -> None:
    flows = [{"id": f"reno-{n}", "congestion_control": "reno", "duration_s": 20.0} for n in (1, 2)]
    run = run_of(tmp_path / "run", flows, [])
    (run.folder / "flows").mkdir()
    report = {"end": {"sum_received": {"bytes": 25_000_000}}}
    (run.folder / "flows" / "reno-2.json").write_text(json.dumps(report))
    assert girondi.rates_mbit([run], "reno") == [0.0, 10.0]
    assert girondi.rates_mbit([run], "bbr") == []

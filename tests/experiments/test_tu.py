"""The TU experiments: theory against sums done by hand, their labs, and numbers from made-up samples."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from matplotlib.path import Path as Path2D

from frrlib import wire
from frrlib.checks.check import check
from frrlib.model.links import queue_limit_bytes
from frrlib.model.topology import Topology
from miniedit_frr.experiments import published_style, theory
from miniedit_frr.experiments.bbr2_tum import EXPERIMENTS
from miniedit_frr.experiments.bbr2_tum import lab as tu_lab
from miniedit_frr.experiments.bbr2_tum import models as tu_models
from miniedit_frr.experiments.bbr2_tum import phases as tu_phases
from miniedit_frr.experiments.bbr2_tum import share as tu_share
from miniedit_frr.experiments.bbr2_tum import share_numbers as tu_share_numbers
from miniedit_frr.experiments.bbr2_tum import single as tu_single
from miniedit_frr.experiments.catalogue import experiment
from miniedit_frr.experiments.expectations import expectations
from miniedit_frr.experiments.runs import Run, Runs

# --- theory ---------------------------------------------------------------------------------------------------------


def test_shares_are_those_of_the_paper() -> None:
    # 10 Mbit/s, 40 ms, 64 BDP, worked out by hand: 825.6 frames/s, 33.03 a BDP, q = 2113.6; p = 1/2 - 1/128 - 4/2113.6
    p = 0.5 - 0.0078125 - 0.00189247
    probing = (2.56 + 0.2 + 0.04) / 10
    assert tu_models.bbr_share(64, 10, 40) == pytest.approx((1 - p) * (1 - probing), abs=1e-5)
    assert tu_models.bbr_share(0.2, 10, 40) == pytest.approx(1 - (0.008 + 0.2 + 0.04) / 10), (
        "a small buffer is all BBR's"
    )
    assert tu_models.bbr_share(8, 10, 40, low=0.5) < tu_models.bbr_share(8, 10, 40)


def test_cubics_least_window_is_a_fraction_of_its_mean() -> None:
    # the mean over one cycle, as a sum
    steps = 100_000
    mean = sum(1 - 0.3 * (1 - (i + 0.5) / steps) ** 3 for i in range(steps)) / steps
    assert pytest.approx(0.7 / mean, abs=1e-6) == tu_models.CUBIC_LOW


@pytest.mark.parametrize(("loss", "reno", "cubic"), [(1e-4, 14.2, 21.7), (1e-3, 4.5, 4.5), (1e-2, 1.42, 1.42)])
def test_goodput_under_loss_is_that_of_the_formulas(loss: float, reno: float, cubic: float) -> None:
    # 1.22 packets of 1448 bytes over sqrt(p), and 1.054 (RTT/p)^0.75, in 100 ms
    assert theory.mathis_mbit(loss, 100) == pytest.approx(reno, rel=0.01)
    assert tu_models.cubic_mbit(loss, 100) == pytest.approx(cubic, rel=0.01)


def test_bbr_suspects_a_policer_below_the_loss_at_which_probing_fails() -> None:
    assert tu_models.bbr_cliff() == pytest.approx(0.1919, abs=1e-4)  # 1 - 1/(1.25 * 0.99)
    lost = tu_models.policer_cliff()
    assert lost / (1 - lost) == pytest.approx(50 / 256)
    assert lost < tu_models.bbr_cliff()


def test_two_shares_have_jains_index() -> None:
    assert [tu_models.fairness(share) for share in (0.5, 0.75, 1.0)] == pytest.approx([1.0, 0.8, 0.5])


# --- labs -----------------------------------------------------------------------------------------------------------


def every_case(quick: bool) -> list[tuple[str, str, str, Topology]]:
    return [
        (experiment.name, case.name, case.setup, case.topology)
        for experiment in EXPERIMENTS
        for case in experiment.cases(quick)
    ]


@pytest.mark.parametrize("quick", [True, False])
def test_only_labs_with_switches_have_the_problem_of_the_sender(quick: bool) -> None:
    for _, name, setup, topology in every_case(quick):
        kinds = {problem.kind for problem in check(topology)}
        assert not [problem for problem in check(topology) if problem.severity == "error"], name
        assert ("sender-is-bottleneck" in kinds) == (setup == "published"), name


def test_cases_have_unique_names_and_statements_have_checks() -> None:
    for declared in EXPERIMENTS:
        assert experiment(declared.name.lower()) is declared
        for quick in (True, False):
            names = [case.name for case in declared.cases(quick)]
            assert len(names) == len(set(names))
        assert {check.id for check in declared.checks} == {
            row.id for row in expectations().values() if row.experiment == declared.name
        }
    needed = {case.needs for declared in EXPERIMENTS for case in declared.cases(False)}
    assert needed == {"", "bbr2"}


def test_a_dumbbell_has_the_requested_values() -> None:
    senders = [tu_lab.Sender("bbr", 10), tu_lab.Sender("cubic", 50)]
    lab = tu_lab.dumbbell("Two", senders, 30, tu_lab.BUFFER_100_MS, loss_percent=2)
    links = {link.id: link for link in lab.links}
    bottleneck = links["bottleneck"]
    # "latency 100ms" at 10 Mbit/s with a bucket of 1600 bytes: rate x latency + burst
    assert queue_limit_bytes(bottleneck.a_to_b, bottleneck.b_to_a, 1514) == 126_600
    assert (bottleneck.a_to_b.rate_mbit, bottleneck.a_to_b.bucket_frames(1514), bottleneck.b_to_a.is_plain) == (
        10,
        1,
        True,
    )
    assert [links[f"out{n}"].a_to_b.delay_ms for n in (1, 2)] == [10, 50], "what the receiver sends waits"
    assert [(flow.source, flow.destination, flow.congestion_control) for flow in lab.flows] == [
        ("h1", "r1", "bbr"),
        ("h2", "r2", "cubic"),
    ]
    (fault,) = lab.faults
    assert (fault.kind, fault.target, fault.towards, fault.loss_percent) == ("loss", "bottleneck", "s3", 2)


# --- numbers --------------------------------------------------------------------------------------------------------

Row = Mapping[str, float | str]


def made_run(folder: Path, flows: list[dict[str, object]], rows: list[Row], **values: str | float) -> Run:
    """A run with samples of TCP, and nothing else."""
    (folder / "samples").mkdir(parents=True)
    planned = [{"source": "h1", "destination": "r1", "kind": "bulk", "start_s": 0.0, **flow} for flow in flows]
    (folder / "run.json").write_text(json.dumps({"format_version": 1, "status": "finished", "flows": planned}))
    for table in ("tcp", "queue"):
        with (folder / "samples" / f"{table}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, wire.TABLES[table], restval="")
            writer.writeheader()
            writer.writerows(rows if table == "tcp" else [])
    return Run(folder.name, str(values.pop("setup", "right")), values, 1, folder)


def received(name: str, rate_mbit: Callable[[float], float], ends_s: float) -> list[Row]:
    """A receiver's rows, ten a second."""
    rows, got = [], 0.0
    for at in range(int(ends_s * 10) + 1):
        rows.append({"time_s": at / 10, "flow": name, "side": "receiver", "bytes_received": got})
        got += rate_mbit(at / 10) * 125e3 / 10
    return rows


def pair_run(folder: Path, bbr_mbit: float, **values: str | float) -> Run:
    """CUBIC beside BBR, see `named_run`."""
    return named_run(folder, bbr_mbit, "bbr", **values)


def named_run(folder: Path, mbit: float, new: str, **values: str | float) -> Run:
    """CUBIC beside another for 40 s, both with 1 Mbit/s in the first half, and together 10 in the second."""
    rates = {"cubic-1": 10 - mbit, f"{new}-2": mbit}
    rows = [row for name, rate in rates.items() for row in received(name, lambda s, r=rate: r if s >= 20 else 1.0, 40)]
    flows: list[dict[str, object]] = [{"id": name, "duration_s": 40.0} for name in rates]
    return made_run(folder, flows, rows, pair=f"cubic-{new}", **values)


def found_by(id: str, *runs: Run) -> Mapping[str, float] | None:
    """The numbers of the check with this id from these runs."""
    (check,) = (declared for experiment in EXPERIMENTS for declared in experiment.checks if declared.id == id)
    return check.measure(Runs(Path(), runs))


def test_shares_are_of_the_second_half_and_cross_at_a_half(tmp_path: Path) -> None:
    sizes = {1.0: 9.0, 2.0: 6.0, 8.0: 3.0}
    runs = [pair_run(tmp_path / f"{size:g}", rate, buffer_bdp=size) for size, rate in sizes.items()]
    assert tu_share_numbers.shares(runs[0]) == pytest.approx({"cubic": 10.0, "bbr": 90.0}, abs=0.5)
    # 60 % at 2 BDP, 30 % at 8: a third of the way on a logarithmic axis
    crossing = found_by("TU-B.2", *runs)
    assert crossing and crossing["BDP"] == pytest.approx(2 * 4 ** (1 / 3), rel=0.02)
    assert found_by("TU-B.2", *runs[:2]) is None, "they have not crossed"
    assert found_by("TU-B.1", *runs) is None, "none of these is small"


def test_the_fairest_rtt_has_even_shares(tmp_path: Path) -> None:
    shares = {10.0: 4.0, 50.0: 5.2, 500.0: 9.0}
    runs = [pair_run(tmp_path / f"{rtt:g}", rate, rtt_ms=rtt, fixed_in="ms") for rtt, rate in shares.items()]
    assert found_by("TU-F.4", *runs) == {"ms": 50.0}
    far = found_by("TU-F.2", *runs)
    assert far and far == pytest.approx({"500 ms": 90.0}, abs=0.5)


def test_intervals_of_probe_rtt_are_between_beginnings_and_rates_are_of_frames(tmp_path: Path) -> None:
    # 10 Mbit/s of frames, of which none between 10 and 10.3, and 20.2 and 20.5 s; the last ProbeRTT is cut off
    rows: list[Row] = []
    sent = 0.0
    for at in range(0, 3001):
        time_s = at / 100
        probing = 10 <= time_s < 10.3 or 20.2 <= time_s < 20.5 or time_s >= 29.9
        phase = "probe_rtt" if probing else "probe_bw"
        rows.append({"time_s": time_s, "flow": "bbr-1", "side": "sender", "bytes_sent": sent, "bbr_phase": phase})
        sent += 0.0 if probing else 12_500 * 1448 / 1514
    run = made_run(tmp_path / "run", [{"id": "bbr-1", "duration_s": 30.0}], rows, cc="bbr")
    assert found_by("TU.P1", run) == pytest.approx({"1 to 2": 10.2})
    assert found_by("TU.P3", run) == pytest.approx({"ProbeRTT 1": 0.0, "ProbeRTT 2": 0.0}, abs=1e-6)
    times, rates = tu_lab.sending_rate(run.results, "bbr-1", 1.0)
    assert rates[(times > 1) & (times < 9)] == pytest.approx(10.0)
    assert found_by("TU.P2", run) is None, "that is of BBRv2"


def test_latency_is_a_fraction_of_a_full_queue(tmp_path: Path) -> None:
    rows = [
        {"time_s": float(at), "flow": "cubic-1", "side": "sender", "srtt_ms": 10_000.0 if at < 40 else 40 + 0.9 * 800}
        for at in range(121)
    ]
    run = made_run(tmp_path / "run", [{"id": "cubic-1", "duration_s": 120.0}], rows, cc="cubic", buffer_kb=1000.0)
    assert found_by("TU.Q1", run) == pytest.approx({"1000 kB": 0.9})
    assert found_by("TU.Q2", run) is None


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.name)
def test_figures_are_drawn_without_runs(experiment: object) -> None:
    runs = Runs(Path(), (), {"right-bbr2": "no kernel has bbr2"})
    for picture in next(declared for declared in EXPERIMENTS if declared is experiment).pictures:
        figure = published_style.draw_picture(picture, runs)
        assert figure.axes and all(
            math.isfinite(edge) for panel in figure.axes for edge in (*panel.get_xlim(), *panel.get_ylim())
        )


def test_a_figure_of_shares_has_every_pair_with_runs(tmp_path: Path) -> None:
    runs = [
        named_run(tmp_path / f"{new}-{size:g}", rate, new, buffer_bdp=size)
        for new in ("bbr", "bbr2")
        for size, rate in ((1.0, 9.0), (8.0, 3.0))
    ]
    picture = tu_share.BUFFERS.pictures[0]
    old, new, neither = published_style.draw_picture(picture, Runs(Path(), tuple(runs))).axes
    points = {line.get_label(): list(line.get_ydata()) for line in new.get_lines()}
    assert points["BBRv2"] == pytest.approx([90, 30], abs=0.5) and points["CUBIC"] == pytest.approx([10, 70], abs=0.5)
    assert "BBR" in {line.get_label() for line in old.get_lines()}
    assert [text.get_text() for text in neither.texts] == ["not run"]


def test_quick_cases_are_shorter_and_fewer() -> None:
    def seconds(quick: bool) -> float:
        cases = [case for experiment in EXPERIMENTS for case in experiment.cases(quick) if not case.needs]
        return sum(case.repeat * (flow.duration_s or 0) for case in cases for flow in case.topology.flows)

    assert seconds(True) < seconds(False) / 3
    assert tu_phases.RTT_MS == tu_share_numbers.RTT_MS and tu_single.RATE_MBIT == tu_lab.RATE_MBIT


def test_no_line_crosses_the_note_at_the_published_axis() -> None:
    picture = next(picture for picture in tu_single.LATENCY.pictures if picture.name == "latency")
    figure = published_style.draw_picture(picture, Runs(Path(), ()))
    (panel,) = figure.axes
    figure.canvas.draw()
    (note,) = (text for text in panel.texts if "axis ends" in text.get_text())
    box = note.get_window_extent()
    legend = panel.get_legend().get_window_extent()
    for line in panel.lines:
        at = panel.transData.transform(line.get_xydata())
        assert not Path2D(at).intersects_bbox(box, filled=False)
    assert not legend.overlaps(box)
    ends = panel.transData.transform([begin for (begin, *_) in panel.collections[0].get_segments()])
    assert (ends[:, 0] >= legend.x1).all()

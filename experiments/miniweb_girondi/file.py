"""Single files of 500 KB to 100 MB over lossy links, with the published labels and with the correct ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from frrlib.model.flow_words import control_name
from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.expectations import published_rows
from miniedit_frr.experiments.miniweb_girondi.figures import draw_line, draw_published_range, draw_violin, set_log_scale
from miniedit_frr.experiments.miniweb_girondi.star import CHANCE_REPEAT, CONTROLS, MAY_FAIL, SOURCE, median_of
from miniedit_frr.experiments.miniweb_girondi.web import LOSSES_PERCENT, TIMEOUT_S, add_web_flows, speeds_mbit, star
from miniedit_frr.experiments.miniweb_girondi.words import LESSON_FILE, SETUP_FILE
from miniedit_frr.experiments.runs import Runs

#: The sizes of files by their names in the table of published numbers. "100M" was truncated by one short read of
#: /dev/urandom, which returns up to 32 MiB less a byte.
FILES_BYTES: Mapping[str, int] = {
    "500K": 512_000,
    "1M": 1_048_576,
    "2M": 2_097_152,
    "5M": 5 * 1_048_576,
    "10M": 10 * 1_048_576,
    "100M(32MiB)": 33_554_431,
}
#: The largest file as intended: its label and its size.
_INTENDED, _INTENDED_BYTES = "100M", 100 * 1_048_576
#: The names in the order of fetching, which is that of `ls`, and the published labels with the actual files.
_FETCH_ORDER = ("100M(32MiB)", "10M", "1M", "2M", "500K", "5M")
LABELS: Mapping[str, str] = dict(zip(("500K", "1M", "2M", "5M", "10M", "100M"), _FETCH_ORDER, strict=True))
#: The number of downloads of small files with loss. Without loss there is no chance, and large files take long.
TIMES = 7
_SMALL_BYTES = 6_000_000
#: The losses in the right set-up, and those with the file of 100 MB in both set-ups.
SIZES_PERCENT = (0.0, 1.0, 5.0, 10.0)
_INTENDED_PERCENT = (0.0, 5.0)
#: The loss at which speeds are judged. The runs are repeated, since large files, fetched once in a run, differ most.
_JUDGED_PERCENT = 1.0
_QUICK_PERCENT = (0.0, 1.0)
#: The time for a file without loss, and the pause after the downloads of each file, in seconds.
_SOON_S = 15.0
_TABLE = "girondi_http_single.csv"


def _cases(is_quick: bool) -> tuple[Case, ...]:
    losses = _QUICK_PERCENT if is_quick else LOSSES_PERCENT
    by_size = [loss for loss in losses if loss in (SIZES_PERCENT[:1] if is_quick else SIZES_PERCENT)]
    return (
        *(_case("published", loss, is_quick) for loss in losses),
        *(_case("right", loss, is_quick) for loss in by_size),
    )


def _case(setup: Literal["published", "right"], loss_percent: float, is_quick: bool) -> Case:
    net = star(setup, loss_percent)
    slot_s = TIMEOUT_S + 1 if loss_percent else _SOON_S
    at_s = 0.0
    for name in (*_FETCH_ORDER, _INTENDED) if loss_percent in _INTENDED_PERCENT and not is_quick else _FETCH_ORDER:
        size_bytes = FILES_BYTES.get(name, _INTENDED_BYTES)
        times = TIMES if loss_percent and size_bytes < _SMALL_BYTES and not is_quick else 1
        add_web_flows(net, name, (size_bytes,), times, at_s, slot_s)
        at_s += times * slot_s + _SOON_S
    name, values = f"{setup}-loss-{loss_percent:g}", {"loss_percent": loss_percent}
    repeat = CHANCE_REPEAT if setup == "published" and loss_percent == _JUDGED_PERCENT and not is_quick else 1
    return Case(name, net.topology, setup, values, repeat, sample_hz=1.0, may_fail=MAY_FAIL if loss_percent else "")


# --- statements -------------------------------------------------------------------------------------------------------


def _speeds(runs: Runs, setup: str, control: str, name: str, loss_percent: float) -> list[float]:
    return speeds_mbit(runs.select(setup, loss_percent=loss_percent), f"{control}-{name}")


def _medians(runs: Runs, control: str, names: tuple[str, ...], loss_percent: float) -> CheckResult:
    speed_by_file = {name: median_of(_speeds(runs, "published", control, name, loss_percent)) for name in names}
    return {name: speed for name, speed in speed_by_file.items() if speed is not None} or None


def _lossless(name: str, control: str) -> Check:
    return Check(f"MG.S0.{name}.{control}", lambda runs: _medians(runs, control, (name,), 0.0))


_CHECKS = (
    *(_lossless(name, control) for name in FILES_BYTES for control in CONTROLS),
    Check("MG.S1", lambda runs: _medians(runs, "reno", tuple(FILES_BYTES)[2:], 1.0)),
    Check("MG.S1b", lambda runs: _medians(runs, "bbr", tuple(FILES_BYTES), 1.0)),
)


# --- figures ----------------------------------------------------------------------------------------------------------


def _as_labelled(runs: Runs) -> Figure:
    """The published figure: speed over loss, in panels by published label; the titles name the actual files."""
    figure, panels = published_style.new_figure(2, 3, width=9.0, height=5.2, sharey=True)
    rows = published_rows(_TABLE)
    for panel, (label, name) in zip(panels, LABELS.items(), strict=True):
        for control in CONTROLS:
            published_here = [row for row in rows if row["cc"] == control and row["published_label"] == label]
            style = {**published_style.PUBLISHED_POINTS, "color": published_style.control_style(control)["color"]}
            finished = [row for row in published_here if float(row["median_Mbps"]) > 0]
            panel.plot(
                [float(row["loss_pct"]) for row in finished], [float(row["median_Mbps"]) for row in finished], **style
            )
            _over_loss(panel, runs, control, name)
        true_name = name.replace("100M(32MiB)", "32 MiB")
        published_style.set_axes(panel, "", "", (-0.4, 10.4), title=f'"{label}", which is {true_name}')
        set_log_scale(panel, (0.02, 1000))
    for panel in panels[3:]:
        panel.set_xlabel("loss at each interface (%)")
    panels[0].set_ylabel("speed (Mbit/s)")
    panels[3].set_ylabel("speed (Mbit/s)")
    panels[0].plot([], [], **{**published_style.PUBLISHED_POINTS, "label": "published"})
    published_style.add_legend(panels[0], fontsize=7)
    words = (
        "Titles are the published labels. Files were fetched in the order of ls, and labelled in the order of their "
        "size. Medians; one that is 0 (given up after 120 s) is not drawn."
    )
    published_style.add_note(figure, [words, *published_style.missing_case_notes(runs)])
    return figure


def _over_loss(panel: Axes, runs: Runs, control: str, name: str) -> None:
    losses, speeds = [], []
    for loss in runs.values_of("loss_percent", "published"):
        middle = median_of(_speeds(runs, "published", control, name, float(loss)))
        if middle:
            losses.append(loss)
            speeds.append(middle)
    draw_line(panel, losses, speeds, control)


def _as_measured(runs: Runs) -> Figure:
    """The same numbers over the actual size, for four losses."""
    figure, panels = published_style.new_figure(1, 4, width=10.0, height=3.6, sharey=True)
    rows = published_rows(_TABLE)
    sizes = list(FILES_BYTES)
    names = [*(name for name in sizes if name != "100M(32MiB)"), "32 MiB", _INTENDED]
    for panel, loss in zip(panels, SIZES_PERCENT, strict=True):
        for number, control in enumerate(CONTROLS):
            shift = (number - 1) * 0.24
            for place, name in enumerate((*sizes, _INTENDED)):
                for row in rows:
                    is_same_file = row["file"] in (name, name.partition("(")[0]) and name != _INTENDED
                    if is_same_file and row["cc"] == control and float(row["loss_pct"]) == loss:
                        draw_published_range(panel, place + shift + 0.09, row, "Mbps")
                draw_violin(panel, place + shift, _speeds(runs, "published", control, name, loss), control, 0.02)
            middles = [median_of(_speeds(runs, "right", control, name, loss)) for name in (*sizes, _INTENDED)]
            points = [(place, middle) for place, middle in enumerate(middles) if middle]
            draw_line(panel, [place for place, _ in points], [middle for _, middle in points], control, linestyle=":",
                 marker="", label=f"{control_name(control)}, done right")  # fmt: skip
        panel.set_xticks(range(len(names)), names, rotation=60, ha="right")
        published_style.set_axes(panel, "", "", (-0.6, len(names) - 0.4), title=f"{loss:g} % at each interface")
        set_log_scale(panel, (0.02, 1200))
    panels[0].set_ylabel("speed (Mbit/s)")
    published_style.add_legend(panels[0], fontsize=6.5, loc="lower right")
    words = (
        "As published: points and medians in color; published: diamonds and ranges in gray, by the true file. "
        "At the lower edge: given up after 120 s. 100M was never measured as published."
    )
    published_style.add_note(figure, [words, *published_style.missing_case_notes(runs)])
    return figure


_PICTURES = (
    Picture("as-labelled", "Speed of single files over loss, with the published labels", _as_labelled),
    Picture("as-measured", "Speed of single files over their true size", _as_measured),
)

MG_S = Experiment("MG-S", "Single files over lossy links", SOURCE, SETUP_FILE, LESSON_FILE, _cases, _CHECKS, _PICTURES)

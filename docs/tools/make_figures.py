"""Makes a picture of each kind of figure, docs/images/figure-*.png, and all of them on one sheet, figures.png.

python docs/tools/make_figures.py [FOLDER] [RUNS]
python docs/tools/make_figures.py --examples [FOLDER]      # only the figures of runs of examples (queues, square-wave)

RUNS is a folder with the runs of an earlier call. Without it they are made first, in virtual time, for which a lab
kernel is needed (see `miniedit-frr places`): `reroute` and two variants of `bbr-against-cubic` from examples/, and a
sweep of the latter over three delays and three queues, three times each. The runs take some eight minutes on two
processors, the pictures one.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import IMAGES, example, write_png  # noqa: E402
from matplotlib.font_manager import findfont  # noqa: E402
from PIL import Image, ImageDraw, ImageFont  # noqa: E402

from frrlib.formats import mn  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.plots import figures  # noqa: E402
from frrlib.results.layout import find_results  # noqa: E402
from frrlib.results.read import open_results  # noqa: E402
from frrlib.results.records import Results  # noqa: E402
from frrlib.run.run import RunSettings, run  # noqa: E402

#: Examples whose runs have pictures of their own, made in virtual time, and the scale of these pictures.
EXAMPLES, _EXAMPLE_SCALE = ("queues", "square-wave"), 0.8
#: The options of the sweep.
_SWEEP = ("--set", "link:l1.delay=5,20,40", "--set", "link:l1.queue=0.5bdp,1bdp,4bdp", "--set", "flow:*.duration=8",
          "--repeat", "3", "--virtual-time")  # fmt: skip
#: The scale of a picture from the figure at the style's resolution. The figure of five panels is large.
_SCALES = {"routing": 0.57, "timeline": 0.57}
_DEFAULT_SCALE = 0.62
#: The sheet: its columns, the width of each figure, the most of its height, and the space around it, in pixels.
_COLUMNS, _CELL_WIDTH, _CELL_HEIGHT, _MARGIN, _CAPTION_POINTS = 3, 300, 240, 12, 12
#: The colors of the sheet, and how many of them are exact. Fewer ones keep the file small.
_SHEET_COLORS = 48, 32


@dataclass(frozen=True)
class Picture:
    """A figure: the runs that it shows, and how.

    Attributes:
        runs: a key of `select`.
        options: of `figures.make`.
    """

    runs: str
    options: dict[str, Any] = field(default_factory=dict)


#: Every kind of figure with its runs and options, in the order of the sheet.
PICTURES = {
    "series": Picture("reroute"),
    "overlay": Picture("queues, once"),
    "routing": Picture("reroute"),
    "timeline": Picture("reroute"),
    "phases": Picture("states", {"from_s": 0, "to_s": 12}),
    "inflight": Picture("alone"),
    "sequence": Picture("alone", {"from_s": 0.4, "to_s": 0.62}),
    "shares": Picture("reroute"),
    "cdf": Picture("queues", {"of": "queueing"}),
    "box": Picture("queues", {"of": "queueing"}),
    "violin": Picture("queues", {"of": "goodput"}),
    "bar": Picture("queues"),
    "scatter": Picture("queues"),
    "line": Picture(
        "sweep", {"lines": figures.LineOptions("delay_ms", ("goodput_mbit", "rtt_p95_ms"), ("queue_bdp",), log_x=True)}
    ),
    "heat": Picture("sweep", {"of": "queueing_ms"}),
}


def states_topology() -> Topology:
    """BBRv3 against CUBIC for 13 s over a queue of one bandwidth-delay product."""
    topology = _with_queue(example("bbr-against-cubic.mn"), 1)
    changes = ({"id": "bbr3", "congestion_control": "bbr3", "duration_s": 13}, {"duration_s": 13})
    flows = (flow.model_copy(update=change) for flow, change in zip(topology.flows, changes, strict=True))
    return topology.model_copy(update={"title": "BBRv3 against CUBIC", "flows": tuple(flows)})


def alone_topology() -> Topology:
    """CUBIC alone for 8 s over a queue of one bandwidth-delay product."""
    topology = _with_queue(example("bbr-against-cubic.mn"), 1)
    flows = tuple(flow.model_copy(update={"duration_s": 8}) for flow in topology.flows if flow.id == "cubic")
    return topology.model_copy(update={"title": "One flow of CUBIC", "flows": flows})


def _with_queue(topology: Topology, products: float) -> Topology:
    links = []
    for link in topology.links:
        change = {"queue_bdp": products}
        directions = {side: getattr(link, side).model_copy(update=change) for side in ("a_to_b", "b_to_a")}
        links.append(link.model_copy(update=directions) if link.is_shaped else link)
    return topology.model_copy(update={"links": tuple(links)})


def make_runs(below: Path) -> None:
    """Make the runs of the pictures."""
    virtual = RunSettings(virtual_time=True)
    for name, topology, settings in (
        ("reroute", example("reroute.mn"), virtual),
        ("states", states_topology(), RunSettings(virtual_time=True, sample_hz=200)),
        ("alone", alone_topology(), RunSettings(virtual_time=True, captures=("s2:s2-eth0",))),
    ):
        run(topology, mn.dumps(topology), below / name, settings)
    swept = ("sweep", str(ROOT / "examples" / "bbr-against-cubic.mn"), *_SWEEP, "--out", str(below / "sweep"))
    subprocess.run([sys.executable, "-m", "miniedit_frr", *swept], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def select(below: Path) -> dict[str, list[Results]]:
    """The runs in a folder that `make_runs` made, by the word for them in `PICTURES`."""
    swept = [open_results(folder) for folder in find_results(below / "sweep")]
    queues = [result for result in swept if result.folder.name.startswith("delay_ms-20_")]
    return {
        **{name: [open_results(below / name)] for name in ("reroute", "states", "alone")},
        "sweep": swept,
        "queues": queues,
        "queues, once": [result for result in queues if result.info.settings.get("seed") == 1],
    }


def draw(kind: str, runs: dict[str, list[Results]]) -> Image.Image:
    """One figure at the style's resolution."""
    picture = PICTURES[kind]
    shown: Sequence[Results] = runs[picture.runs]
    figure = figures.make(kind, shown, **picture.options)
    return Image.open(io.BytesIO(figures.figure_bytes(figure, "png"))).convert("RGB")


def sheet(images: dict[str, Image.Image]) -> Image.Image:
    """All figures on one sheet, each below the name of its kind."""
    font = ImageFont.truetype(findfont("DejaVu Sans Mono"), _CAPTION_POINTS)
    cells = []
    for kind, image in images.items():
        scale = min(_CELL_WIDTH / image.width, _CELL_HEIGHT / image.height)
        small = image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS)
        cells.append((f"--kind {kind}", small))
    rows = [cells[begin : begin + _COLUMNS] for begin in range(0, len(cells), _COLUMNS)]
    heights = [max(small.height for _, small in row) + _CAPTION_POINTS + 2 * _MARGIN for row in rows]
    page = Image.new("RGB", (_COLUMNS * (_CELL_WIDTH + _MARGIN) + _MARGIN, sum(heights) + _MARGIN), "white")
    pen, top = ImageDraw.Draw(page), _MARGIN
    for row, height in zip(rows, heights, strict=True):
        for column, (caption, small) in enumerate(row):
            left = _MARGIN + column * (_CELL_WIDTH + _MARGIN)
            pen.text((left, top), caption, fill="black", font=font)
            page.paste(small, (left, top + _CAPTION_POINTS + _MARGIN // 2))
        top += height
    return page


def write_smaller(image: Image.Image, scale: float, path: Path) -> None:
    """Write a picture at this scale."""
    size = round(image.width * scale), round(image.height * scale)
    write_png(image.resize(size, Image.Resampling.LANCZOS), path)


def draw_examples(folder: Path) -> None:
    """Draw the figures of runs of examples."""
    for name in EXAMPLES:
        topology = example(f"{name}.mn")
        with tempfile.TemporaryDirectory() as temporary:
            out = Path(temporary) / "run"
            run(topology, mn.dumps(topology), out, RunSettings(virtual_time=True))
            write_smaller(Image.open(out / "figure.png").convert("RGB"), _EXAMPLE_SCALE, folder / f"{name}.png")


def main() -> None:
    """Make all pictures."""
    arguments = [word for word in sys.argv[1:] if word != "--examples"]
    folder = Path(arguments[0]).resolve() if arguments else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    if len(arguments) < 2:
        draw_examples(folder)
    if "--examples" in sys.argv:
        return
    below = Path(arguments[1]).resolve() if len(arguments) > 1 else ROOT / "results" / "pictures"
    if len(arguments) < 2:
        make_runs(below)
    runs = select(below)
    images = {kind: draw(kind, runs) for kind in PICTURES}
    for kind, image in images.items():
        write_smaller(image, _SCALES.get(kind, _DEFAULT_SCALE), folder / f"figure-{kind}.png")
    write_png(sheet(images), folder / "figures.png", *_SHEET_COLORS)


if __name__ == "__main__":
    main()

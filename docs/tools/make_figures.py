"""Makes a picture of each kind of figure, docs/images/figure-*.png, each by the call that a user would make.

python docs/tools/make_figures.py [FOLDER] [RUNS]
python docs/tools/make_figures.py --examples [FOLDER]      # only the figures of runs of examples (queues, square-wave)

RUNS is a folder with the runs of an earlier call. Without it they are made first, which takes some six minutes and a
place for labs (see `miniedit-frr places`): `reroute` from examples/, and a sweep of BBR against CUBIC over three delays
and three queues, twice each.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import IMAGES, example, write_png  # noqa: E402
from PIL import Image  # noqa: E402

from frrlib.formats import mn  # noqa: E402
from frrlib.model.flows import Flow  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.plots import figures  # noqa: E402
from frrlib.results.layout import find_results  # noqa: E402
from frrlib.results.read import open_results  # noqa: E402
from frrlib.results.records import Results  # noqa: E402
from frrlib.run.run import RunSettings, run  # noqa: E402

#: Examples whose runs have pictures of their own, made in virtual time, and the scale of these pictures.
EXAMPLES, _EXAMPLE_SCALE = ("queues", "square-wave"), 0.8
DELAYS_MS, PRODUCTS, REPETITIONS = (5, 20, 40), (0.5, 1, 4), (1, 2)
#: The scale of a picture from the figure at the style's resolution. The figure of five panels is large.
_SCALES = {"routing": 0.57}
_DEFAULT_SCALE = 0.62


def sweep_point(delay_ms: float, products: float) -> Topology:
    """BBR and CUBIC for 10 s over a queue of this number of bandwidth-delay products."""
    base = example("two-as-bgp.mn")
    links = []
    for link in base.links:
        change = {"delay_ms": delay_ms, "queue_bdp": products}
        directions = {side: getattr(link, side).model_copy(update=change) for side in ("a_to_b", "b_to_a")}
        links.append(link.model_copy(update=directions) if link.is_shaped else link)
    flows = [Flow(id=name, source="h1", destination="h2", congestion_control=name, duration_s=10)
             for name in ("cubic", "bbr")]  # fmt: skip
    title = "BBR and CUBIC over one queue"
    return base.model_copy(update={"title": title, "links": tuple(links), "flows": tuple(flows)})


def make_runs(below: Path) -> None:
    """Make the runs of the pictures."""
    topology = example("reroute.mn")
    run(topology, mn.dumps(topology), below / "reroute", RunSettings(virtual_time=True))
    for repetition in REPETITIONS:
        for delay_ms in DELAYS_MS:
            for products in PRODUCTS:
                topology, settings = sweep_point(delay_ms, products), RunSettings(virtual_time=True, seed=repetition)
                run(topology, mn.dumps(topology), below / f"d{delay_ms}-q{products}-{repetition}", settings)


def draw(folder: Path, kind: str, runs: Sequence[Results], name: str = "", **options: str) -> None:
    """Draw one picture."""
    figure = figures.make(kind, runs, **options)  # type: ignore[arg-type]
    image = Image.open(io.BytesIO(figures.figure_bytes(figure, "png"))).convert("RGB")
    scale = _SCALES.get(kind, _DEFAULT_SCALE)
    write_smaller(image, scale, folder / f"figure-{name or kind}.png")


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
    draw_examples(folder)
    if "--examples" in sys.argv:
        return
    below = Path(arguments[1]).resolve() if len(arguments) > 1 else ROOT / "results" / "pictures"
    if len(arguments) < 2:
        make_runs(below)
    runs = {run.folder.name: run for run in map(open_results, find_results(below))}
    failing = [runs["reroute"]]
    sweep = [run for name, run in runs.items() if name.startswith("d")]
    queues = [run for run in sweep if run.folder.name.startswith("d20-")]
    draw(folder, "routing", failing)
    draw(folder, "shares", failing)
    draw(folder, "overlay", [run for run in queues if run.folder.name.endswith("-1")])
    draw(folder, "cdf", queues, of="queueing")
    draw(folder, "box", queues, of="queueing")
    draw(folder, "violin", queues, of="goodput")
    draw(folder, "bar", queues)
    draw(folder, "scatter", queues)
    draw(folder, "heat", sweep, of="queueing_ms")


if __name__ == "__main__":
    main()

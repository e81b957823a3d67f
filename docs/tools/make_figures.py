"""Makes a picture of each kind of figure, docs/images/figure-*.png, each by the call that a user would make.

python docs/tools/make_figures.py [FOLDER] [RUNS]
python docs/tools/make_figures.py --examples [FOLDER]      # only the figures of runs of examples (queues, square-wave)

RUNS is a folder with the runs that an earlier call made; without it they are made first, for which a place for labs is
needed (see `miniedit-frr places`): `reroute` from examples/, and a sweep of BBR against CUBIC over three delays and
three queues, twice each, which takes some six minutes.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_screenshots import IMAGES, example, write_png  # noqa: E402
from PIL import Image  # noqa: E402

from frrlib.formats import mn  # noqa: E402
from frrlib.model.flows import Flow  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.plots import figures  # noqa: E402
from frrlib.results.layout import find_results  # noqa: E402
from frrlib.results.read import open_results  # noqa: E402
from frrlib.results.records import Results  # noqa: E402
from frrlib.run.run import RunSettings, run  # noqa: E402

#: Examples whose runs have pictures of their own, made in virtual time, and how much smaller these are.
EXAMPLES, _EXAMPLE_SHARE = ("queues", "square-wave"), 0.8
DELAYS_MS, PRODUCTS, REPETITIONS = (5, 20, 40), (0.5, 1, 4), (1, 2)
#: How much smaller a picture is than the figure at the style's resolution; one with five panels has much to keep small.
_DPI_SHARE = {"routing": 0.57}
_USUAL_SHARE = 0.62


def sweep_point(delay_ms: float, products: float) -> Topology:
    """BBR and CUBIC for 10 s over a queue of so many bandwidth-delay products."""
    drawn = example("two-as-bgp.mn")
    links = []
    for link in drawn.links:
        change = {"delay_ms": delay_ms, "queue_bdp": products}
        ways = {way: getattr(link, way).model_copy(update=change) for way in ("a_to_b", "b_to_a")}
        links.append(link.model_copy(update=ways) if link.is_shaped else link)
    flows = [Flow(id=each, source="h1", destination="h2", congestion_control=each, duration_s=10)
             for each in ("cubic", "bbr")]  # fmt: skip
    title = "BBR and CUBIC over one queue"
    return drawn.model_copy(update={"title": title, "links": tuple(links), "flows": tuple(flows)})


def make_runs(below: Path) -> None:
    """Run what the pictures show."""
    topology = example("reroute.mn")
    run(topology, mn.dumps(topology), below / "reroute", RunSettings(virtual_time=True))
    for again in REPETITIONS:
        for delay_ms in DELAYS_MS:
            for products in PRODUCTS:
                topology, settings = sweep_point(delay_ms, products), RunSettings(virtual_time=True, seed=again)
                run(topology, mn.dumps(topology), below / f"d{delay_ms}-q{products}-{again}", settings)


def draw(into: Path, kind: str, runs: Sequence[Results], name: str = "", **options: str) -> None:
    """One picture."""
    made = figures.make(kind, runs, **options)  # type: ignore[arg-type]
    image = Image.open(io.BytesIO(figures.figure_bytes(made, "png"))).convert("RGB")
    share = _DPI_SHARE.get(kind, _USUAL_SHARE)
    write_smaller(image, share, into / f"figure-{name or kind}.png")


def write_smaller(image: Image.Image, share: float, path: Path) -> None:
    """Write a picture so much smaller."""
    size = round(image.width * share), round(image.height * share)
    write_png(image.resize(size, Image.Resampling.LANCZOS), path)


def draw_examples(into: Path) -> None:
    """The figures that runs of examples leave."""
    for name in EXAMPLES:
        topology = example(f"{name}.mn")
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "run"
            run(topology, mn.dumps(topology), out, RunSettings(virtual_time=True))
            write_smaller(Image.open(out / "figure.png").convert("RGB"), _EXAMPLE_SHARE, into / f"{name}.png")


def main() -> None:
    """Make all pictures."""
    given = [word for word in sys.argv[1:] if word != "--examples"]
    into = Path(given[0]).resolve() if given else IMAGES
    into.mkdir(parents=True, exist_ok=True)
    draw_examples(into)
    if "--examples" in sys.argv:
        return
    below = Path(given[1]).resolve() if len(given) > 1 else ROOT / "results" / "pictures"
    if len(given) < 2:
        make_runs(below)
    runs = {run.folder.name: run for run in map(open_results, find_results(below))}
    failing = [runs["reroute"]]
    sweep = [run for name, run in runs.items() if name.startswith("d")]
    queues = [run for run in sweep if run.folder.name.startswith("d20-")]
    draw(into, "routing", failing)
    draw(into, "shares", failing)
    draw(into, "overlay", [run for run in queues if run.folder.name.endswith("-1")])
    draw(into, "cdf", queues, of="queueing")
    draw(into, "box", queues, of="queueing")
    draw(into, "violin", queues, of="goodput")
    draw(into, "bar", queues)
    draw(into, "scatter", queues)
    draw(into, "heat", sweep, of="queueing_ms")


if __name__ == "__main__":
    main()

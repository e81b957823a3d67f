"""The golden topologies in tests/data/golden: small drawings, a few per protocol, and their `frr.conf`.

python -m tests.golden.data          writes them again: NAME.mn, and NAME.ROUTER.conf of each of its routers

Somebody who knows FRR reads the output before it is kept; `tests/render/test_golden.py` compares.
"""

from __future__ import annotations

from pathlib import Path

from frrlib.addressing.addressing import addressed
from frrlib.formats import mn
from frrlib.render.frr import frr_conf
from tests.golden import bgp as bgp_golden
from tests.golden import igp as igp_golden
from tests.golden import more as more_golden

FOLDER = Path(__file__).resolve().parents[1] / "data" / "golden"
DRAWINGS = {**igp_golden.ALL, **more_golden.ALL, **bgp_golden.ALL}


def configurations(name: str) -> dict[str, str]:
    """File name to text of every router of a drawing in the folder."""
    full = addressed(mn.load(FOLDER / f"{name}.mn").topology)
    return {f"{name}.{router.name}.conf": frr_conf(full, router) for router in full.routers if router.runs_frr}


def main() -> None:
    """Write all of it."""
    FOLDER.mkdir(exist_ok=True)
    for name, drawing in DRAWINGS.items():
        mn.save(drawing(), FOLDER / f"{name}.mn")
        for conf, text in configurations(name).items():
            (FOLDER / conf).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

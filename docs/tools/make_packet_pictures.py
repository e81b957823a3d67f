"""Makes the picture of captured packets: docs/images/packets.png.

python docs/tools/make_packet_pictures.py [FOLDER]

Needs a lab kernel with virtual time. CUBIC, and BBR from the second second on, share fq_codel at 10 Mbit/s.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "tools")]

from make_editor_pictures import write_png  # noqa: E402
from PIL import Image  # noqa: E402

from frrlib.formats.mn import dumps  # noqa: E402
from frrlib.model.queues import FqCodel  # noqa: E402
from frrlib.model.topology import Topology  # noqa: E402
from frrlib.network.network import Network, Shape, Wait, end  # noqa: E402
from frrlib.plots.packets import figure_bytes  # noqa: E402
from frrlib.results.packets.views import captured_flows  # noqa: E402
from frrlib.results.read import open_results  # noqa: E402
from frrlib.run.run import RunSettings, run  # noqa: E402


def topology_of_picture() -> Topology:
    """Two hosts and a router between them, 10 ms each way."""
    net = Network("CUBIC and BBR through fq_codel at 10 Mbit/s", wait=Wait(routes=False, ping_count=3))
    for name in ("h1", "h2"):
        net.host(name)
    net.router("r1")
    net.link(end("h1", "10.1.0.10/24"), end("r1", "10.1.0.1/24"))
    shape = Shape(rate_mbit=10, delay_ms=10, queue=FqCodel())
    net.link(end("r1", "10.2.0.1/24"), end("h2", "10.2.0.2/24"), a_to_b=shape, b_to_a=Shape(delay_ms=10))
    net.flow("cubic", "h1", "h2", duration_s=6)
    net.flow("bbr", "h1", "h2", congestion_control="bbr", start_s=1, duration_s=5)
    return net.topology


def main() -> None:
    """Run it with captures at the sender and behind the queue, and draw the figure of the packets."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    topology = topology_of_picture()
    with tempfile.TemporaryDirectory() as below:
        out = Path(below) / "out"
        settings = RunSettings("labkernel", captures=("h1:h1-eth0", "r1:r1-eth1"), virtual_time=True)
        run(topology, dumps(topology), out, settings)
        results = open_results(out)
        picture = figure_bytes(results, captured_flows(results)[0], 0.1, "png")
    image = Image.open(io.BytesIO(picture))
    size = image.width * 2 // 3, image.height * 2 // 3
    write_png(image.resize(size, Image.Resampling.LANCZOS), folder / "packets.png")


if __name__ == "__main__":
    main()

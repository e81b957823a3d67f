"""The examples of flows, as values: pages over a link that loses packets."""

from __future__ import annotations

from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, WebPage, end

#: One after the other.
_CONTROLS = ("reno", "cubic", "bbr")
_LASTS_S, _APART_S = 12, 15


def web_page() -> Topology:
    """The same page by three congestion controls over a link that loses one packet of fifty."""
    net = Network("A web page over a lossy link, per congestion control")
    net.host("server", at=(100, 200))
    net.router("r1", at=(360, 200))
    net.host("client", at=(660, 200))
    net.link(end("server"), end("r1"))
    lossy = Shape(rate_mbit=20, delay_ms=25, loss_percent=2, queue_bdp=1)
    net.link(end("r1"), end("client"), a_to_b=lossy, b_to_a=Shape(rate_mbit=20, delay_ms=25))
    page = WebPage(objects=12, mean_bytes=60_000, pause_s=0.2, connections=2)
    for number, control in enumerate(_CONTROLS):
        net.flow(
            control, "server", "client", congestion_control=control, start_s=_APART_S * number, duration_s=_LASTS_S,
            traffic=page,
        )  # fmt: skip
    net.note("n1", x=150, y=290, width=470, height=66, text=(
        "nginx serves a page of twelve objects; curl loads it repeatedly\n"
        "over two connections. One packet in fifty to the client is lost:\n"
        "reno and cubic treat each loss as a full queue, BBR does not."))  # fmt: skip
    return net.topology


ALL = {"web-page": web_page}

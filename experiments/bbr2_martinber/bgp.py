"""martinber's example of FRR in MiniEdit: two routers that exchange one prefix each by BGP."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from frrlib.model.flows import Wait
from frrlib.model.routing import Bgp, BgpNeighbor
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import Ping
from frrlib.network.network import Network, end
from frrlib.results.layout import LOGS
from miniedit_frr.experiments import published_style
from miniedit_frr.experiments.bbr2_martinber.words import SOURCE
from miniedit_frr.experiments.declaration import Case, Check, CheckResult, Experiment, Picture
from miniedit_frr.experiments.runs import Run, Runs

_PREFIX, _NEXT_HOP = "10.1.0.0/16", "10.9.0.2"
#: Output of the routers, and results of the hosts' pings; times are those of the published run.
_PUBLISHED_ROUTES = {
    "r1": "B>* 10.1.0.0/16 [20/0] via 10.9.0.2, r1-eth0",
    "r2": "B>* 10.0.0.0/16 [20/0] via 10.9.0.1, r2-eth1",
}
_PUBLISHED_PINGS = (
    "h1 > 10.1.0.10   3 of 3   ttl 62   0.071/0.218/0.509 ms\nh2 > 10.0.0.1    3 of 3   ttl 63   mean 0.080 ms"
)
_TTL = 62
#: Why the published case may fail.
_NO_ROUTES = "FRR exchanges no routes with another AS without a policy, so no ping arrives"


def lab(*, requires_policy: bool) -> Topology:
    """h1 - r1 - r2 - h2 with the published addresses and sessions.

    Args:
        requires_policy: whether FRR's default applies, by which sessions between autonomous systems exchange no routes
            without a policy.
    """
    net = Network("Two routers with BGP", wait=Wait(ping_count=0 if requires_policy else 3))
    net.host("h1", at=(100, 200))
    net.router("r1", at=(280, 200), bgp=_bgp(100, "10.0.0.0/16", "10.9.0.2", 200, requires_policy))
    net.router("r2", at=(460, 200), bgp=_bgp(200, "10.1.0.0/16", "10.9.0.1", 100, requires_policy))
    net.host("h2", at=(640, 200))
    net.link(end("h1", "10.0.0.10/16"), end("r1", "10.0.0.1/16", interface="r1-eth1"))
    net.link(
        end("r1", "10.9.0.1/16", interface="r1-eth0"),
        end("r2", "10.9.0.2/16", interface="r2-eth1"),
    )
    net.link(end("r2", "10.1.0.1/16", interface="r2-eth0"), end("h2", "10.1.0.10/16"))
    for source, destination in (("h1", "h2"), ("h2", "r1")):
        ping = Ping(interval_ms=1000)
        net.flow(f"{source}-{destination}", source, destination, duration_s=3, traffic=ping)
    return net.topology


def _bgp(asn: int, network: str, neighbor: str, neighbor_asn: int, requires_policy: bool) -> Bgp:
    return Bgp.model_validate(
        {
            "asn": asn,
            "networks": (network,),
            "neighbors": (BgpNeighbor.model_validate({"address": neighbor, "remote_as": neighbor_asn}),),
            "requires_policy": requires_policy,
        }
    )


def routes(run: Run, router: str) -> list[str]:
    """The BGP routes in the output of a router's `show ip route`; empty if the output is missing."""
    try:
        text = (run.folder / LOGS / f"{router}.routes.txt").read_text(encoding="utf-8")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.startswith("B")]


def _has_route(runs: Runs) -> CheckResult:
    run = runs.first("right")
    if run is None:
        return None
    route = f"B>* {_PREFIX} [20/0] via {_NEXT_HOP}, r1-eth0"
    return {"r1": float(any(line.startswith(route) for line in routes(run, "r1")))}


def _failed_pings(runs: Runs) -> CheckResult:
    """The first pings: the number without an answer, and of answers by another path."""
    run = runs.first("right")
    if run is None:
        return None
    pings = [ping for ping in run.results.info.pings if (ping.source, ping.destination) == ("h1", "h2")]
    if not pings:
        return None
    elsewhere = sum(ttl != _TTL for ping in pings for ttl in ping.ttl)
    return {
        "without an answer": float(sum(ping.sent - ping.received for ping in pings)),
        f"with another TTL than {_TTL}": float(elsewhere),
    }


# --- the figure -------------------------------------------------------------------------------------------------------

_NODES = (("h1", 0.0), ("r1", 1.0), ("r2", 2.0), ("h2", 3.0))
_NETWORKS = ("10.0.0.0/16", "10.9.0.0/16", "10.1.0.0/16")
_SYSTEMS = {"r1": "AS 100", "r2": "AS 200"}


def _figure(runs: Runs) -> Figure:
    """The network, and below it the published and our output of routers and hosts."""
    figure, panels = published_style.new_figure(2, 1, width=7.2, height=3.9, share_x=False, height_ratios=(1, 2.6))
    _draw_network(panels[0])
    _write(panels[1], "published", _published_text(), 0.0)
    _write(panels[1], "ours, without a policy, as FRR 7.3 took it", _output_text(runs.first("right")), -0.36)
    _write(panels[1], "ours, the published lines in today's FRR", _output_text(runs.first("published")), -0.72)
    published_style.add_note(figure, published_style.missing_case_notes(runs))
    return figure


def _draw_network(panel: Axes) -> None:
    panel.axis("off")
    panel.set_xlim(-0.4, 3.4)
    panel.set_ylim(-0.8, 0.8)
    panel.plot([0, 3], [0, 0], color="0.5", linewidth=1.2, zorder=1)
    for name, x in _NODES:
        panel.text(
            x, 0, name, ha="center", va="center", fontsize=9, zorder=2,
            bbox={"boxstyle": "circle" if name in _SYSTEMS else "square", "facecolor": "white", "edgecolor": "0.3"},
        )  # fmt: skip
        panel.text(x, -0.62, _SYSTEMS.get(name, ""), ha="center", va="center", fontsize=7.5, color="0.3")
    for number, network in enumerate(_NETWORKS):
        panel.text(number + 0.5, 0.2, network, ha="center", va="bottom", fontsize=7.5, color="0.3")


def _write(panel: Axes, title: str, text: str, y: float) -> None:
    panel.axis("off")
    panel.text(0, 1 + y, title, transform=panel.transAxes, va="top", fontsize=8.5, color=published_style.PUBLISHED)
    panel.text(
        0.02, 1 + y - 0.09, text, transform=panel.transAxes, va="top", fontsize=7.5, family="monospace", linespacing=1.5
    )


def _published_text() -> str:
    return "\n".join((*(f"{router}  {line}" for router, line in _PUBLISHED_ROUTES.items()), _PUBLISHED_PINGS))


def _output_text(run: Run | None) -> str:
    if run is None:
        return "not run"
    lines = [f"{router}  {line}" for router in _PUBLISHED_ROUTES for line in routes(run, router) or ["no route of BGP"]]
    return "\n".join([*lines, *_pings(run)])


def _pings(run: Run) -> list[str]:
    """Lines about the first pings: answered and sent pings, TTL and times."""
    lines = [
        f"{ping.source} > {ping.address:11} {ping.received} of {ping.sent}   ttl {min(ping.ttl, default=0)}   "
        f"{_times(ping.rtt_ms)}"
        for ping in run.results.info.pings
    ]
    return lines or [
        f"{app.source} > {app.destination}   {app.count - app.failed} of {app.count}" for app in run.summary.apps
    ]


def _times(rtt_ms: tuple[float, ...]) -> str:
    if not any(rtt_ms):
        return "0 ms: computing takes no time"
    return f"{min(rtt_ms):.3f}/{sum(rtt_ms) / len(rtt_ms):.3f}/{max(rtt_ms):.3f} ms"


_SETUP = """\
Four nodes in a row, h1 - r1 - r2 - h2. Both routers run FRR 7.3 (zebra, bgpd, staticd) in MiniEdit. Each has its own
folders for configuration and state, because otherwise the second one finds the process IDs of the first. `router bgp
100` announces 10.0.0.0/16 to 10.9.0.2, `router bgp 200` announces 10.1.0.0/16 to 10.9.0.1. Published are both routing
tables, three of three pings from h1 to h2 with TTL 62, and three of three from h2 to r1.
"""
_LESSON = """\
With FRR 7.4 and later the same lines bring no route: a session between autonomous systems exchanges no routes without
a policy (RFC 8212). The session is *Established* and both tables stay empty, which is a common first experience with
BGP. The published set-up shows this. The corrected one has `no bgp ebgp-requires-policy`, as drawings have by default.
In a production network, write the policy instead.

The TTL shows the number of hops without a traceroute: 64 minus two routers is 62. The RTTs were 0.2 ms of the machine's
computing, and are zero in virtual time.
"""

MB_BGP = Experiment(
    "MB-BGP",
    "Two FRR routers exchange routes by BGP",
    SOURCE,
    _SETUP,
    _LESSON,
    lambda _quick: (
        Case("published", lab(requires_policy=True), "published", sample_hz=1.0, may_fail=_NO_ROUTES),
        Case("right", lab(requires_policy=False), "right", sample_hz=1.0),
    ),
    (Check("MBG.1", _has_route), Check("MBG.2", _failed_pings)),
    (Picture("routes", "Routing tables and pings, published and ours", _figure),),
)

"""What the editor begins with where MiniEdit's options say so: `--topo`, `--link`, `--custom`."""

from __future__ import annotations

from frrlib.errors import TopologyError
from frrlib.formats.mininet_topo import LINK_OPTIONS, link_shape
from frrlib.model import classic
from frrlib.model.links import Shape
from frrlib.model.topology import Topology

_LINKS = ("default", "tc")
NO_CUSTOM = """\
--custom is refused: MiniEdit runs that file, and this editor never runs what it opens.
Where you trust it, have your own Python make a drawing of its topology, and open that:

    from frrlib.formats import mininet_topo, mn
    mn.save(mininet_topo.topology_of(MyTopo()), "my.mn")

For labs that are written rather than drawn see `miniedit-frr export FILE --to script`."""


def begin_with(topo: str, link: str = "default", controller: bool = True) -> Topology:
    """The drawing that MiniEdit's options ask for.

    Args:
        topo: Mininet's name for it with parameters, as in "tree,depth=2,fanout=3".
        link: "default", or "tc" with options for every link, as in "tc,bw=10,delay=5ms".
        controller: whether there is a controller for all switches.

    Raises:
        TopologyError: one of them is nothing that Mininet knows.
    """
    return classic.drawing(topo, _shape(link), controller)


def _shape(link: str) -> Shape:
    name, *words = [each.strip() for each in link.split(",")]
    if name not in _LINKS:
        raise TopologyError(f"{name!r} is no kind of link", field="--link", right=f"one of {', '.join(_LINKS)}")
    given = dict(word.partition("=")[::2] for word in words)
    for key in given:
        if name != "tc" or key not in LINK_OPTIONS:
            right = f"tc has {', '.join(LINK_OPTIONS)}, as in tc,bw=10,delay=5ms"
            raise TopologyError(f"{name} has no option {key!r}", field="--link", right=right)
    return link_shape(given, "--link")

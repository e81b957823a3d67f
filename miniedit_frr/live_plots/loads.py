"""The loads of links on the canvas and beside the pointer, while flows run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from frrlib.model.quantities import rate_words, size_words
from frrlib.model.topology import Topology
from frrlib.picture.labels import Labels
from frrlib.picture.scene import Key
from frrlib.render.plan import direction_name
from miniedit_frr.canvas.load_layer import LoadLook, load_look
from miniedit_frr.canvas.view import View
from miniedit_frr.live.loads import LinkLoad, loads
from miniedit_frr.live.samples import LiveRun
from miniedit_frr.live_plots.load_legend import LoadLegend

#: Seconds between two updates of the loads.
_SHOW_S = 0.25


class LoadDisplay:
    """The loads of the running lab.

    Attributes:
        now: the load of every sampled direction.
        legend: the meaning of the colors.
    """

    def __init__(self, view: View, read_labels: Callable[[], Labels]) -> None:
        self._view, self._read_labels = view, read_labels
        self.now: Mapping[str, LinkLoad] = {}
        self.legend = LoadLegend(view, view.theme)
        #: For each direction: its link, the sending node, and the receiving node.
        self._ends: dict[str, tuple[str, str, str]] = {}
        self._by_interface: dict[tuple[str, str], str] = {}
        self._shown_s, self._revision, self._is_active = 0.0, -1, False

    def begin(self, topology: Topology) -> None:
        """A lab of this topology begins. All of its interfaces must have names."""
        self._ends, self._by_interface, self._is_active, self._revision = {}, {}, True, -1
        for link in topology.links:
            for sender, receiver in ((link.a, link.b), (link.b, link.a)):
                name = direction_name(link, sender)
                self._ends[name] = link.id, sender.node, receiver.node
                self._by_interface[sender.node, sender.interface] = name

    def refresh(self, run: LiveRun) -> None:
        """Show the changes, at a limited rate."""
        now = time.monotonic()
        if self._is_active and run.revision != self._revision and now - self._shown_s >= _SHOW_S:
            self._revision, self._shown_s = run.revision, now
            self.now = {} if run.is_over else loads(run, self._by_interface)
            self.show(run)

    def end(self) -> None:
        """The flows have ended: remove the loads."""
        self._is_active, self.now = False, {}
        self._view.loads.show({})
        self.legend.show(False)

    def show(self, run: LiveRun) -> None:
        """Show the loads on the canvas, or remove them if they are switched off."""
        if not self._read_labels().load:
            self._view.loads.show({})
            self.legend.show(False)
            return
        links: dict[Key, dict[str, LoadLook]] = {}
        for name, load in self.now.items():
            if name in self._ends:
                link, sender, _ = self._ends[name]
                links.setdefault(Key("link", link), {})[sender] = load_look(load.rate_mbit, load.share, load.fill)
        self._view.loads.show(links)
        self.legend.show(bool(links))

    def text_of(self, key: Key) -> str:
        """The text of the tip at a link: a line for each sampled direction."""
        if key.kind != "link" or not self._read_labels().load:
            return ""
        return "\n".join(
            f"{sender} to {receiver}: {load_text(self.now[name])}"
            for name, (link, sender, receiver) in self._ends.items()
            if link == key.name and name in self.now
        )


def load_text(load: LinkLoad) -> str:
    """A load for people."""
    share = load.share
    text = rate_words(load.rate_mbit) if load.rate_mbit >= 0.0005 else "nothing"
    if share is not None and load.limit_mbit:
        text = f"{load.rate_mbit:.3g} of {load.limit_mbit:g} Mbit/s ({share:.0%})".replace("%", " %")
    if load.backlog_bytes is not None:
        waits = f", {load.delay_ms:.3g} ms" if load.delay_ms is not None else ""
        full = f", {load.fill:.0%} full".replace("%", " %") if load.fill is not None else ""
        text += f"; queue {size_words(load.backlog_bytes, 3)}{waits}{full}"
    return text + (f"; drops {load.drops:.3g} packets/s" if load.drops else "")

"""Windows about the routing of the running lab: tables side by side, timeline, neighbors, and output of daemons."""

from __future__ import annotations

import tkinter as tk
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from frrlib.model.sealed import is_sealed
from frrlib.results.layout import ResultsError
from miniedit_frr.canvas.view import View
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.live.messages import AdjacencyState
from miniedit_frr.routing_view import rows as routing_rows
from miniedit_frr.routing_view.controller import RoutingController
from miniedit_frr.routing_view.explanations import Explanations
from miniedit_frr.routing_view.finished_run import timeline_of, titles_of
from miniedit_frr.routing_view.tables_window import RoutingTables
from miniedit_frr.routing_view.timeline_window import TimelineWindow
from miniedit_frr.running_lab.lab import LiveLab
from miniedit_frr.runs.list_panel import RunRow
from miniedit_frr.session import routing as session_routing
from miniedit_frr.widgets.data_table import Column
from miniedit_frr.widgets.table import TableWindow
from miniedit_frr.widgets.text_window import TextWindow

#: Show commands by the daemon that replies: the line of the menu, and the command.
SHOW_COMMANDS: dict[str, tuple[tuple[str, str], ...]] = {
    "zebra": (("Running Configuration", "show running-config"), ("FRR's Routes", "show ip route vrf all")),
    "ospfd": (("OSPF Database", "show ip ospf database"), ("OSPF Routes", "show ip ospf route")),
    "ospf6d": (("OSPFv3 Database", "show ipv6 ospf6 database"),),
    "isisd": (("IS-IS Database", "show isis database detail"), ("IS-IS Routes", "show isis route")),
    "ripd": (("RIP Table", "show ip rip"),),
    "ripngd": (("RIPng Table", "show ipv6 ripng"),),
    "bgpd": (("BGP Table", "show bgp ipv4 unicast"), ("BGP Table (IPv6)", "show bgp ipv6 unicast"),
             ("BGP Summary", "show bgp vrf all summary")),
    "bfdd": (("BFD Peers", "show bfd peers"),),
    "pimd": (("Multicast Routes", "show ip mroute"),),
    "ldpd": (("LDP Bindings", "show mpls ldp binding"), ("MPLS Table", "show mpls table")),
}  # fmt: skip


class RoutingWindows:
    """Opens windows about routing, and notifies them of changes.

    Attributes:
        explanations: the windows about missing routes and neighbors.
        tables, timeline: the last window of each kind; None before the first.
        texts: the last text of each kind and router, by its title.
        neighbors: tables of neighbors by their titles, with the functions that return their rows.
    """

    def __init__(self, main: MainWindow, view: View, lab: LiveLab, routing: RoutingController) -> None:
        self._main, self._view, self._lab, self._routing = main, view, lab, routing
        self.explanations = Explanations(main, lab, routing)
        self.tables: RoutingTables | None = None
        self.timeline: TimelineWindow | None = None
        self.texts: dict[str, TextWindow] = {}
        self.neighbors: dict[str, tuple[TableWindow, Callable[[], list[tuple[str, ...]]]]] = {}
        routing.listeners.append(self._changed)

    def commands(self) -> dict[str, Callable[[], object]]:
        """The actions of the lines in the Run menu."""
        return {"routing_tables": self.show_tables, "routing_timeline": self.show_timeline}

    def _changed(self) -> None:
        for window in (self.tables, self.timeline):
            if window is not None:
                window.changed()
        for table, rows in self.neighbors.values():
            if table.winfo_exists():
                table.fill(rows())

    # --- of the whole lab ---

    def show_tables(self) -> None:
        """Show the routing tables of all routers side by side."""
        if _lift(self.tables):
            return
        routing = self._routing
        self.tables = RoutingTables(
            self._main.root, lambda: routing.book, routing.owner, routing.table_title, routing.read_tables,
            self.explanations.explain_route, self._main.ui, self._main.theme,
        )  # fmt: skip

    def show_timeline(self) -> None:
        """Show the timeline of the current or last lab."""
        if _lift(self.timeline):
            return
        routing = self._routing
        window = self.timeline = TimelineWindow(
            self._main.root,
            "Routing Timeline",
            lambda: routing.timeline,
            lambda: routing.zero_s,
            self._main.ui,
            self._main.theme,
            routing.title,
        )
        window.on_pick = self._pick

    def show_finished(self, row: RunRow) -> None:
        """Show the timeline of a finished run, from its folder."""
        try:
            timeline, zero_s = timeline_of(Path(row.folder))
        except ResultsError as error:
            self._main.say(str(error))
            return
        title = f"Timeline of {row.title}, {row.time}"
        window = TimelineWindow(
            self._main.root, title, lambda: timeline, lambda: zero_s, self._main.ui, self._main.theme,
            titles_of(Path(row.folder)),
        )  # fmt: skip
        window.on_pick = self._pick

    def _pick(self, where: str) -> None:
        view = self._view
        key = view.scene.key_of(where.partition(":")[0])
        if key is not None:
            view.select({key})
            view.reveal(key)

    # --- of a router or a link ---

    def neighbors_of(self, router: str) -> None:
        """Show all neighbors of a router, live."""
        routing = self._routing

        def rows() -> list[tuple[str, ...]]:
            listed = routing.adjacencies.of_router(router)
            return routing_rows.neighbors(listed, self._ages(listed))

        self._neighbors(f"Neighbors of {router}", routing_rows.NEIGHBORS, rows, (router,))

    def adjacencies_of(self, link: str) -> None:
        """Show the neighbors over a link, as reported by the routers at both ends, live."""
        routing = self._routing
        match = routing.topology.link(link)

        def rows() -> list[tuple[str, ...]]:
            listed = routing.adjacencies.of_link(link)
            return routing_rows.of_link(listed, self._ages(listed))

        routers = {router.name for router in routing.topology.routers if router.runs_frr}
        at_ends = tuple(end.node for end in match.ends if end.node in routers) if match else ()
        self._neighbors(f"Adjacencies over {self._lab.link_title(link)}", routing_rows.OF_LINK, rows, at_ends)

    def _neighbors(
        self, title: str, columns: Sequence[Column], rows: Callable[[], list[tuple[str, ...]]], routers: Sequence[str]
    ) -> None:
        def asked(window: TableWindow) -> None:
            self.neighbors[title] = window, rows
            window.fill(rows())
            if routers:
                listing = self._lab.session.ask(partial(session_routing.neighbors, routers=routers))
                listing.then(partial(self._show_neighbors, title), window.fail)

        old = self.neighbors.get(title)
        if old is not None and _lift(old[0]):
            old[0].reload()
        else:
            TableWindow(self._main.root, title, columns, asked, self._main.ui)

    def _show_neighbors(self, title: str, neighbors: list[AdjacencyState]) -> None:
        """Show the neighbors and timers that the daemons have listed."""
        for neighbor in neighbors:
            self._routing.update_adjacency(neighbor)
        table, rows = self.neighbors[title]
        table.fill(rows())

    def _ages(self, adjacencies: Sequence[AdjacencyState]) -> list[str]:
        return [routing_rows.age_text(self._routing.age_s(adjacency.time_s)) for adjacency in adjacencies]

    def show_lines(self, router: str) -> list[tuple[str, str]]:
        """The lines of the menu for a router's daemons, with their show commands; none for a sealed router."""
        daemons = () if is_sealed(self._lab.topology, router) else self._lab.daemons(router)
        return [line for daemon, lines in SHOW_COMMANDS.items() if daemon in daemons for line in lines]

    def show(self, router: str, title: str, command: str) -> None:
        """Show the output of a show command on a router in a window."""
        full = f"{title} of {router}"

        def asked(window: TextWindow) -> None:
            self._lab.session.ask(lambda lab: lab[router].vtysh(command)).then(window.fill, window.fail)

        old = self.texts.get(full)
        if old is not None and _lift(old):
            old.reload()
        else:
            name = f"{router}-{title.lower().replace(' ', '-')}.txt"
            self.texts[full] = TextWindow(self._main.root, full, name, asked, self._main.ui, self._main.theme)


def _lift(window: tk.Toplevel | None) -> bool:
    """Bring a window to the front; returns whether it exists."""
    if window is None or not window.winfo_exists():
        return False
    window.lift()
    return True

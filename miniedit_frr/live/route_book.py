"""The routing tables of all routers side by side, and their changes since a mark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any, NamedTuple

from frrlib.safe_text.spreadsheet import csv_text
from miniedit_frr.live.messages import MAIN_TABLE, RouteChange


@dataclass(frozen=True)
class TableRoute:
    """A route of a router: next hops ("10.9.0.2 r1-eth0"), its protocol, and its metric (0 for none)."""

    via: tuple[str, ...] = ()
    protocol: str = ""
    metric: int = 0


class TableRow(NamedTuple):
    """A row of the tables side by side: a prefix, and the number of its kernel table."""

    prefix: str
    table: int = MAIN_TABLE


class TableCell(NamedTuple):
    """A router's entry in a row: its route (None for none), and "new", "changed", "gone" or "" since the mark.

    For "gone", `route` is the former route.
    """

    route: TableRoute | None
    change: str = ""


#: Prefixes without information about routing, since every interface has them.
_NOISE = ("fe80::/", "ff00::/", "127.", "::1/", "224.0.0.0/")
#: Metric of the unreachable route that ends a VRF's table, as in the kernel's documentation.
_LAST_METRIC = 4_278_198_272
#: Maximum number of routes of all routers, and of routers, since a lab may report any number of events.
MOST_ROWS, MOST_ROUTERS = 2_000_000, 20_000
_Table = dict[TableRow, TableRoute]


class RouteBook:
    """The tables of all routers, with routes from events and from the kernels' tables.

    Attributes:
        revision: a number that rises with every change.
    """

    def __init__(self, routers: Iterable[str] = ()) -> None:
        self._tables: dict[str, _Table] = {router: {} for router in routers}
        self._marked: dict[str, _Table] | None = None
        #: Router to the revision in which each of its rows was last reported.
        self._reported: dict[str, dict[TableRow, int]] = {}
        self._reported_rows = 0
        self.revision = 0

    @property
    def routers(self) -> list[str]:
        """All routers, in the order of the topology."""
        return [*self._tables]

    @property
    def is_marked(self) -> bool:
        """Whether changes since a mark are reported."""
        return self._marked is not None

    def follow(self, routers: Iterable[str]) -> None:
        """The lab has these routers now: forget the tables of others, and begin those of new ones."""
        self._tables = {router: self._tables.get(router, {}) for router in routers}
        for router in self._reported.keys() - self._tables.keys():
            self._reported_rows -= len(self._reported.pop(router))
        self.revision += 1

    def take(self, change: RouteChange) -> None:
        """Apply a change of a route."""
        if change.prefix.startswith(_NOISE):
            return
        row = TableRow(change.prefix, change.table)
        if self._reported_rows >= MOST_ROWS and row not in self._reported.get(change.router, {}):
            return
        if len(self._tables) >= MOST_ROUTERS and change.router not in self._tables:
            return
        table = self._tables.setdefault(change.router, {})
        if change.added:
            route = TableRoute(tuple(sorted(change.via)), change.protocol, change.metric)
            if not change.via and not change.protocol and row in table:
                return  # an event without details, which are known already
            if table.get(row) == route:
                return
            table[row] = route
        elif table.pop(row, None) is None:
            return
        self.revision += 1
        of_router = self._reported.setdefault(change.router, {})
        self._reported_rows += row not in of_router
        of_router[row] = self.revision

    def fill(self, router: str, table: Mapping[TableRow, TableRoute], since: int | None = None) -> None:
        """Replace a router's table by that of its kernel.

        Args:
            since: the revision when the table was requested; later events are newer than the table. None for now.
        """
        merged = {row: route for row, route in table.items() if not row.prefix.startswith(_NOISE)}
        current = self._tables.get(router, {})
        for row, revision in self._reported.get(router, {}).items():
            if since is not None and revision > since:
                merged.pop(row, None)
                merged |= {row: current[row]} if row in current else {}
        if self._tables.get(router) != merged:
            self._tables[router] = merged
            self.revision += 1

    def mark(self) -> None:
        """Report changes from now on."""
        self._marked = {router: dict(table) for router, table in self._tables.items()}
        self.revision += 1

    def unmark(self) -> None:
        """Stop reporting changes."""
        self._marked = None
        self.revision += 1

    def cell(self, router: str, row: TableRow) -> TableCell:
        """A router's entry in a row."""
        route = self._tables.get(router, {}).get(row)
        if self._marked is None:
            return TableCell(route)
        former = self._marked.get(router, {}).get(row)
        if route == former:
            return TableCell(route)
        if route is None:
            return TableCell(former, "gone")
        return TableCell(route, "new" if former is None else "changed")

    def rows(self, text: str = "", protocol: str = "", only_changes: bool = False) -> list[TableRow]:
        """The rows with an entry of any router, in the order of their addresses.

        Args:
            text: a part of the prefix, a network that contains it, or an address in it; empty for all.
            protocol: the protocol of the route on at least one router; empty for all.
            only_changes: whether only rows with a change since the mark are returned.
        """
        candidates = {row for table in self._tables.values() for row in table}
        candidates |= {row for table in (self._marked or {}).values() for row in table}
        is_match = _matcher(text)
        matches = [row for row in candidates if is_match(row.prefix)]
        if protocol or only_changes:
            matches = [row for row in matches if self._has(row, protocol, only_changes)]
        return sorted(matches, key=_order)

    def _has(self, row: TableRow, protocol: str, only_changes: bool) -> bool:
        for router in self._tables:
            cell = self.cell(router, row)
            if cell.route is None or (only_changes and not cell.change):
                continue
            if not protocol or cell.route.protocol == protocol:
                return True
        return False

    def protocols(self) -> list[str]:
        """The protocols that have set any route."""
        return sorted({route.protocol for table in self._tables.values() for route in table.values() if route.protocol})

    def changes(self) -> dict[str, int]:
        """The number of cells that are new, changed and gone since the mark."""
        counts = {"new": 0, "changed": 0, "gone": 0}
        if self._marked is not None:
            for router, table in self._tables.items():
                for row in table.keys() | self._marked.get(router, {}).keys():
                    change = self.cell(router, row).change
                    if change:
                        counts[change] += 1
        return counts


def _order(row: TableRow) -> tuple[Any, ...]:
    try:
        network = ip_network(row.prefix, strict=False)
    except ValueError:
        return row.table != MAIN_TABLE, row.table, 9, 0, 0, row.prefix
    return row.table != MAIN_TABLE, row.table, network.version, int(network.network_address), network.prefixlen, ""


def _matcher(text: str) -> Any:
    """A function that checks whether a prefix matches the typed text."""
    text = text.strip()
    try:
        query = ip_network(text, strict=False) if "/" in text or text.count(".") == 3 or "::" in text else None
    except ValueError:
        query = None
    if query is None:
        return lambda prefix: text in prefix

    def fits(prefix: str) -> bool:
        try:
            network = ip_network(prefix, strict=False)
        except ValueError:
            return False
        if network.version != query.version or not network.prefixlen:
            return bool(text in prefix)
        return network.subnet_of(query) or query.subnet_of(network)  # type: ignore[arg-type]

    return fits


# --- conversion -------------------------------------------------------------------------------------------------------


def parse_kernel_table(table_json: Sequence[Mapping[str, Any]]) -> dict[TableRow, TableRoute]:
    """A table from the output of `ip -json route show table all`, with the best of several routes to a prefix."""
    routes: dict[TableRow, TableRoute] = {}
    for route_json in table_json:
        if route_json.get("type", "unicast") in ("local", "broadcast", "multicast", "anycast") or _is_last(route_json):
            continue
        table = route_json.get("table", MAIN_TABLE)
        number = {"main": MAIN_TABLE, "default": 253, "local": 255}.get(str(table)) or _number(table)
        row = TableRow(network_of(str(route_json.get("dst", "")), route_json), number)
        hops = route_json.get("nexthops") or [route_json]
        via = tuple(sorted(filter(None, (hop_text(hop) or str(route_json.get("type", "")) for hop in hops))))
        route = TableRoute(via, str(route_json.get("protocol", "")), int(route_json.get("metric", 0)))
        if row not in routes or route.metric < routes[row].metric:
            routes[row] = route
    return routes


def _is_last(route: Mapping[str, Any]) -> bool:
    """Whether a route is the unreachable route at the end of a VRF's table, which events do not contain either."""
    return route.get("type") == "unreachable" and int(route.get("metric", 0)) >= _LAST_METRIC


def _number(table: object) -> int:
    return int(str(table)) if str(table).isdigit() else MAIN_TABLE


def hop_text(hop: Mapping[str, Any]) -> str:
    """A next hop as "10.9.0.2 r1-eth0", from the output of `ip -json`."""
    via = hop.get("via", {})
    gateway = str(hop.get("gateway") or (via.get("host", "") if isinstance(via, Mapping) else via))
    return f"{gateway} {hop.get('dev', '')}".strip()


def network_of(destination: str, route: Mapping[str, Any]) -> str:
    """A destination as a prefix: host addresses get their length, "default" becomes 0.0.0.0/0 or ::/0."""
    if destination == "default":
        gateway = hop_text((route.get("nexthops") or [route])[0])
        return "::/0" if ":" in gateway or route.get("family") == "inet6" else "0.0.0.0/0"
    if "/" in destination or not destination:
        return destination
    return f"{destination}/{128 if ':' in destination else 32}"


def as_csv(book: RouteBook, rows: Sequence[TableRow], routers: Sequence[str]) -> str:
    """The tables as CSV, one route a line."""
    lines: list[tuple[object, ...]] = [("prefix", "table", "router", "via", "protocol", "metric", "change")]
    for row in rows:
        for router in routers:
            route, change = book.cell(router, row)
            if route is not None:
                lines.append((*row, router, "; ".join(route.via), route.protocol, route.metric, change))
    return csv_text(lines)


def as_text(book: RouteBook, rows: Sequence[TableRow], routers: Sequence[str]) -> str:
    """The tables as text, router by router."""
    lines: list[str] = []
    for router in routers:
        lines += [router, "-" * len(router)]
        for row in rows:
            route, change = book.cell(router, row)
            if route is not None:
                table = "" if row.table == MAIN_TABLE else f" table {row.table}"
                metric = f" metric {route.metric}" if route.metric else ""
                via = ", ".join(route.via)
                lines.append(f"{row.prefix:<22} {via:<28} {route.protocol}{metric}{table}  {change}".rstrip())
        lines.append("")
    return "\n".join(lines)

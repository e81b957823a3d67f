"""The routing tables of all routers side by side, and their changes since a moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any, NamedTuple

from frrlib.safe_text.spreadsheet import csv_text
from miniedit_frr.live.messages import MAIN_TABLE, RouteChange


@dataclass(frozen=True)
class TableRoute:
    """A route of a router: next hops ("10.9.0.2 r1-eth0"), who set it, and its metric (0 for none)."""

    via: tuple[str, ...] = ()
    protocol: str = ""
    metric: int = 0


class TableRow(NamedTuple):
    """A row of the table of tables: a prefix, and the number of the kernel's table that it is in."""

    prefix: str
    table: int = MAIN_TABLE


class TableCell(NamedTuple):
    """A router's entry in a row: its route (None for none), and "new", "changed", "gone" or "" since the mark.

    For "gone", `route` is the former one.
    """

    route: TableRoute | None
    change: str = ""


#: Prefixes that carry no information about routing: every interface makes them itself.
_NOISE = ("fe80::/", "ff00::/", "127.", "::1/", "224.0.0.0/")
#: Metric of the route that keeps packets from going on to the main table, as the kernel's documentation proposes it.
_LAST_METRIC = 4_278_198_272
#: Limits of what is taken from events, since a lab may report any number: routes of all routers, and routers.
MOST_ROWS, MOST_ROUTERS = 2_000_000, 20_000
_Table = dict[TableRow, TableRoute]


class RouteBook:
    """The tables of all routers. Routes from events and from a kernel's table may be mixed.

    Attributes:
        revision: another number after every change.
    """

    def __init__(self, routers: Iterable[str] = ()) -> None:
        self._tables: dict[str, _Table] = {router: {} for router in routers}
        self._marked: dict[str, _Table] | None = None
        #: Router to the revision in which each of its rows was last reported.
        self._told: dict[str, dict[TableRow, int]] = {}
        self._told_rows = 0
        self.revision = 0

    @property
    def routers(self) -> list[str]:
        """All routers, in the order of the drawing."""
        return [*self._tables]

    @property
    def is_marked(self) -> bool:
        """Whether changes are shown since some moment."""
        return self._marked is not None

    def take(self, told: RouteChange) -> None:
        """A route has changed."""
        if told.prefix.startswith(_NOISE):
            return
        row = TableRow(told.prefix, told.table)
        if self._told_rows >= MOST_ROWS and row not in self._told.get(told.router, {}):
            return
        if len(self._tables) >= MOST_ROUTERS and told.router not in self._tables:
            return
        table = self._tables.setdefault(told.router, {})
        if told.added:
            route = TableRoute(tuple(sorted(told.via)), told.protocol, told.metric)
            if not told.via and not told.protocol and row in table:
                return  # reported without its details, which are known already
            if table.get(row) == route:
                return
            table[row] = route
        elif table.pop(row, None) is None:
            return
        self.revision += 1
        of_router = self._told.setdefault(told.router, {})
        self._told_rows += row not in of_router
        of_router[row] = self.revision

    def fill(self, router: str, table: Mapping[TableRow, TableRoute], since: int | None = None) -> None:
        """A router's whole table, as its kernel had it.

        Args:
            since: the revision when its kernel was asked; what was told after that is newer. None for now.
        """
        wanted = {row: route for row, route in table.items() if not row.prefix.startswith(_NOISE)}
        there = self._tables.get(router, {})
        for row, revision in self._told.get(router, {}).items():
            if since is not None and revision > since:
                wanted.pop(row, None)
                wanted |= {row: there[row]} if row in there else {}
        if self._tables.get(router) != wanted:
            self._tables[router] = wanted
            self.revision += 1

    def mark(self) -> None:
        """Report changes from this moment on."""
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
        before = self._marked.get(router, {}).get(row)
        if route == before:
            return TableCell(route)
        if route is None:
            return TableCell(before, "gone")
        return TableCell(route, "new" if before is None else "changed")

    def rows(self, text: str = "", protocol: str = "", only_changes: bool = False) -> list[TableRow]:
        """The rows in which any router has an entry, in the order of their addresses.

        Args:
            text: part of a prefix, or a network that holds it, or an address in it; empty for all.
            protocol: who must have set the route on some router; empty for all.
            only_changes: whether some router must have had a change since the mark.
        """
        found = {row for table in self._tables.values() for row in table}
        found |= {row for table in (self._marked or {}).values() for row in table}
        fits = _matcher(text)
        wanted = [row for row in found if fits(row.prefix)]
        if protocol or only_changes:
            wanted = [row for row in wanted if self._has(row, protocol, only_changes)]
        return sorted(wanted, key=_order)

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
        found = {"new": 0, "changed": 0, "gone": 0}
        if self._marked is not None:
            for router, table in self._tables.items():
                for row in table.keys() | self._marked.get(router, {}).keys():
                    change = self.cell(router, row).change
                    if change:
                        found[change] += 1
        return found


def _order(row: TableRow) -> tuple[Any, ...]:
    try:
        network = ip_network(row.prefix, strict=False)
    except ValueError:
        return row.table != MAIN_TABLE, row.table, 9, 0, 0, row.prefix
    return row.table != MAIN_TABLE, row.table, network.version, int(network.network_address), network.prefixlen, ""


def _matcher(text: str) -> Any:
    """Whether a prefix matches the typed text."""
    text = text.strip()
    try:
        wanted = ip_network(text, strict=False) if "/" in text or text.count(".") == 3 or "::" in text else None
    except ValueError:
        wanted = None
    if wanted is None:
        return lambda prefix: text in prefix

    def fits(prefix: str) -> bool:
        try:
            network = ip_network(prefix, strict=False)
        except ValueError:
            return False
        if network.version != wanted.version or not network.prefixlen:
            return bool(text in prefix)
        return network.subnet_of(wanted) or wanted.subnet_of(network)  # type: ignore[arg-type]

    return fits


# --- what a kernel tells, and what is kept ----------------------------------------------------------------------------


def parse_kernel_table(told: Sequence[Mapping[str, Any]]) -> dict[TableRow, TableRoute]:
    """A table from the output of `ip -json route show table all`; of several routes to a prefix the best one."""
    found: dict[TableRow, TableRoute] = {}
    for each in told:
        if each.get("type", "unicast") in ("local", "broadcast", "multicast", "anycast") or _is_last(each):
            continue
        table = each.get("table", MAIN_TABLE)
        number = {"main": MAIN_TABLE, "default": 253, "local": 255}.get(str(table)) or _number(table)
        row = TableRow(network_of(str(each.get("dst", "")), each), number)
        hops = each.get("nexthops") or [each]
        via = tuple(sorted(filter(None, (hop_text(hop) or str(each.get("type", "")) for hop in hops))))
        route = TableRoute(via, str(each.get("protocol", "")), int(each.get("metric", 0)))
        if row not in found or route.metric < found[row].metric:
            found[row] = route
    return found


def _is_last(route: Mapping[str, Any]) -> bool:
    """Whether a route is a VRF's last one, which stands for none and is not reported in events either."""
    return route.get("type") == "unreachable" and int(route.get("metric", 0)) >= _LAST_METRIC


def _number(table: object) -> int:
    return int(str(table)) if str(table).isdigit() else MAIN_TABLE


def hop_text(hop: Mapping[str, Any]) -> str:
    """A next hop as "10.9.0.2 r1-eth0", from the output of `ip -json`."""
    via = hop.get("via", {})
    gateway = str(hop.get("gateway") or (via.get("host", "") if isinstance(via, Mapping) else via))
    return f"{gateway} {hop.get('dev', '')}".strip()


def network_of(destination: str, route: Mapping[str, Any]) -> str:
    """A destination as a prefix: hosts get their length, "default" its zeros."""
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

"""Tables side by side: readings and events, changes since a mark, and searches."""

from __future__ import annotations

import csv
import io

import pytest

from miniedit_frr.live.messages import RouteChange
from miniedit_frr.live.route_book import RouteBook, TableCell, TableRoute, TableRow, as_csv, as_text, parse_kernel_table

OSPF = TableRoute(("10.9.0.2 r1-eth0",), "ospf", 20)


def came(router: str, prefix: str, *via: str, protocol: str = "ospf", metric: int = 20) -> RouteChange:
    return RouteChange(router, prefix, True, 0.0, via, protocol, metric)


def book() -> RouteBook:
    tables = RouteBook(["r1", "r2"])
    tables.take(came("r1", "10.1.0.0/16", "10.9.0.2 r1-eth0"))
    tables.take(came("r1", "10.10.0.0/16", "r1-eth1", protocol="kernel", metric=0))
    tables.take(came("r2", "10.2.0.0/16", "10.9.0.1 r2-eth0", protocol="bgp"))
    return tables


def test_a_changed_lab_keeps_the_tables_of_routers_that_stay() -> None:
    tables = book()
    before = tables.revision
    tables.follow(["r1", "r3"])
    assert tables.routers == ["r1", "r3"]
    assert tables.revision > before
    assert tables.cell("r1", TableRow("10.1.0.0/16")) == TableCell(OSPF)
    assert [row.prefix for row in tables.rows()] == ["10.1.0.0/16", "10.10.0.0/16"]
    tables.fill("r2", {TableRow("10.2.0.0/16"): OSPF}, since=before)  # a new router of that name
    assert tables.cell("r2", TableRow("10.2.0.0/16")) == TableCell(OSPF)


def test_changes_after_the_mark_are_reported() -> None:
    tables = book()
    assert tables.cell("r1", TableRow("10.1.0.0/16")) == TableCell(OSPF)
    tables.mark()
    tables.take(came("r1", "10.1.0.0/16", "10.8.0.2 r1-eth2", metric=30))
    tables.take(RouteChange("r2", "10.2.0.0/16", False, 1.0))
    tables.take(came("r2", "10.3.0.0/16", "10.9.0.1 r2-eth0"))
    assert tables.cell("r1", TableRow("10.1.0.0/16")) == TableCell(
        TableRoute(("10.8.0.2 r1-eth2",), "ospf", 30), "changed"
    )
    assert tables.cell("r2", TableRow("10.2.0.0/16")).change == "gone"
    assert tables.cell("r2", TableRow("10.3.0.0/16")).change == "new"
    assert tables.cell("r1", TableRow("10.2.0.0/16")) == TableCell(None)
    assert tables.changes() == {"new": 1, "changed": 1, "gone": 1}
    assert [row.prefix for row in tables.rows(only_changes=True)] == ["10.1.0.0/16", "10.2.0.0/16", "10.3.0.0/16"]
    tables.take(came("r1", "10.1.0.0/16", "10.9.0.2 r1-eth0"))  # back again
    assert tables.cell("r1", TableRow("10.1.0.0/16")).change == ""
    tables.unmark()
    assert tables.changes() == {"new": 0, "changed": 0, "gone": 0}
    assert tables.cell("r2", TableRow("10.2.0.0/16")) == TableCell(None)


def test_an_event_without_news_is_not_a_change() -> None:
    tables = book()
    revision = tables.revision
    tables.take(came("r1", "10.1.0.0/16", "10.9.0.2 r1-eth0"))
    tables.take(RouteChange("r1", "10.1.0.0/16", True, 2.0))  # without its details, which are known
    tables.take(RouteChange("r1", "10.77.0.0/16", False, 2.0))
    tables.take(came("r1", "fe80::/64", "r1-eth0"))
    tables.fill("r1", {TableRow("10.1.0.0/16"): OSPF, TableRow("10.10.0.0/16"): TableRoute(("r1-eth1",), "kernel")})
    assert tables.revision == revision
    tables.fill("r1", {})
    assert tables.revision > revision


def test_an_event_during_a_reading_is_newer_than_the_table() -> None:
    tables = book()
    since = tables.revision
    reading = {TableRow("10.1.0.0/16"): OSPF, TableRow("10.10.0.0/16"): TableRoute(("r1-eth1",), "kernel")}
    tables.take(came("r1", "10.1.0.0/16", "10.8.0.2 r1-eth2"))
    tables.take(RouteChange("r1", "10.10.0.0/16", False, 1.0))
    tables.fill("r1", reading, since)
    assert tables.cell("r1", TableRow("10.1.0.0/16")).route == TableRoute(("10.8.0.2 r1-eth2",), "ospf", 20)
    assert tables.cell("r1", TableRow("10.10.0.0/16")).route is None
    tables.fill("r1", reading, tables.revision)
    assert tables.cell("r1", TableRow("10.1.0.0/16")).route == OSPF


def test_the_order_of_next_hops_does_not_matter() -> None:
    tables = book()
    tables.mark()
    tables.take(came("r2", "10.5.0.0/16", "10.9.0.9 r2-eth1", "10.9.0.1 r2-eth0"))
    revision = tables.revision
    tables.take(came("r2", "10.5.0.0/16", "10.9.0.1 r2-eth0", "10.9.0.9 r2-eth1"))
    assert tables.revision == revision


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["10.1.0.0/16", "10.2.0.0/16", "10.10.0.0/16"]),
        ("10.1", ["10.1.0.0/16", "10.10.0.0/16"]),
        ("10.1.2.3", ["10.1.0.0/16"]),
        ("10.2.0.0/15", ["10.2.0.0/16"]),
        ("10.1.0.0/24", ["10.1.0.0/16"]),
        ("192.168.0.0/16", []),
    ],
)
def test_prefixes_are_found_by_text_address_and_network(text: str, expected: list[str]) -> None:
    assert [row.prefix for row in book().rows(text)] == expected


def test_rows_are_filtered_by_protocol() -> None:
    assert [row.prefix for row in book().rows(protocol="bgp")] == ["10.2.0.0/16"]
    assert book().protocols() == ["bgp", "kernel", "ospf"]


def test_a_kernel_table_is_parsed() -> None:
    table_json = [
        {"dst": "default", "gateway": "10.0.0.1", "dev": "r1-eth0", "protocol": "bgp", "metric": 20},
        {"dst": "10.2.0.0/16", "protocol": "ospf", "metric": 20, "nexthops": [
            {"gateway": "10.9.1.2", "dev": "r1-eth2"}, {"gateway": "10.9.0.2", "dev": "r1-eth1"}]},
        {"dst": "10.2.0.0/16", "dev": "r1-eth9", "protocol": "static", "metric": 200},
        {"dst": "10.4.0.9", "dev": "r1-eth0", "protocol": "kernel", "table": "100"},
        {"type": "local", "dst": "10.0.0.2", "dev": "r1-eth0", "table": "local"},
        {"type": "unreachable", "dst": "10.6.0.0/16", "protocol": "static", "metric": 5},
        {"dst": "10.7.0.0/16", "via": {"family": "inet6", "host": "fe80::1"}, "dev": "r1-eth0", "protocol": "bgp"},
    ]  # fmt: skip
    assert parse_kernel_table(table_json) == {
        TableRow("0.0.0.0/0"): TableRoute(("10.0.0.1 r1-eth0",), "bgp", 20),
        TableRow("10.2.0.0/16"): TableRoute(("10.9.0.2 r1-eth1", "10.9.1.2 r1-eth2"), "ospf", 20),
        TableRow("10.4.0.9/32", 100): TableRoute(("r1-eth0",), "kernel"),
        TableRow("10.6.0.0/16"): TableRoute(("unreachable",), "static", 5),
        TableRow("10.7.0.0/16"): TableRoute(("fe80::1 r1-eth0",), "bgp"),
    }


def test_tables_are_exported_as_text_and_csv() -> None:
    tables = book()
    rows = tables.rows()
    read = list(csv.DictReader(io.StringIO(as_csv(tables, rows, tables.routers))))
    assert [(line["router"], line["prefix"], line["via"]) for line in read] == [
        ("r1", "10.1.0.0/16", "10.9.0.2 r1-eth0"),
        ("r2", "10.2.0.0/16", "10.9.0.1 r2-eth0"),
        ("r1", "10.10.0.0/16", "r1-eth1"),
    ]
    assert "10.1.0.0/16            10.9.0.2 r1-eth0             ospf metric 20" in as_text(tables, rows, ["r1"])


def test_the_unreachable_route_of_a_vrf_is_ignored() -> None:
    last = {"type": "unreachable", "dst": "default", "table": 10, "metric": 4_278_198_272}
    assert parse_kernel_table([last, {**last, "metric": 20}]) == {
        TableRow("0.0.0.0/0", 10): TableRoute(("unreachable",), "", 20)
    }  # fmt: skip

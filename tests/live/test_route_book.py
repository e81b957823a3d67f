"""Tables side by side: what is read and what is told, what changed since a mark, and what is looked for."""

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
    made = RouteBook(["r1", "r2"])
    made.take(came("r1", "10.1.0.0/16", "10.9.0.2 r1-eth0"))
    made.take(came("r1", "10.10.0.0/16", "r1-eth1", protocol="kernel", metric=0))
    made.take(came("r2", "10.2.0.0/16", "10.9.0.1 r2-eth0", protocol="bgp"))
    return made


def test_changes_after_the_mark_are_reported() -> None:
    made = book()
    assert made.cell("r1", TableRow("10.1.0.0/16")) == TableCell(OSPF)
    made.mark()
    made.take(came("r1", "10.1.0.0/16", "10.8.0.2 r1-eth2", metric=30))
    made.take(RouteChange("r2", "10.2.0.0/16", False, 1.0))
    made.take(came("r2", "10.3.0.0/16", "10.9.0.1 r2-eth0"))
    assert made.cell("r1", TableRow("10.1.0.0/16")) == TableCell(
        TableRoute(("10.8.0.2 r1-eth2",), "ospf", 30), "changed"
    )
    assert made.cell("r2", TableRow("10.2.0.0/16")).change == "gone"
    assert made.cell("r2", TableRow("10.3.0.0/16")).change == "new"
    assert made.cell("r1", TableRow("10.2.0.0/16")) == TableCell(None)
    assert made.changes() == {"new": 1, "changed": 1, "gone": 1}
    assert [row.prefix for row in made.rows(only_changes=True)] == ["10.1.0.0/16", "10.2.0.0/16", "10.3.0.0/16"]
    made.take(came("r1", "10.1.0.0/16", "10.9.0.2 r1-eth0"))  # back again
    assert made.cell("r1", TableRow("10.1.0.0/16")).change == ""
    made.unmark()
    assert made.changes() == {"new": 0, "changed": 0, "gone": 0}
    assert made.cell("r2", TableRow("10.2.0.0/16")) == TableCell(None)


def test_an_event_without_news_is_not_a_change() -> None:
    made = book()
    before = made.revision
    made.take(came("r1", "10.1.0.0/16", "10.9.0.2 r1-eth0"))
    made.take(RouteChange("r1", "10.1.0.0/16", True, 2.0))  # without its details, which are known
    made.take(RouteChange("r1", "10.77.0.0/16", False, 2.0))
    made.take(came("r1", "fe80::/64", "r1-eth0"))
    made.fill("r1", {TableRow("10.1.0.0/16"): OSPF, TableRow("10.10.0.0/16"): TableRoute(("r1-eth1",), "kernel")})
    assert made.revision == before
    made.fill("r1", {})
    assert made.revision > before


def test_an_event_during_a_reading_is_newer_than_the_table() -> None:
    made = book()
    since = made.revision
    before = {TableRow("10.1.0.0/16"): OSPF, TableRow("10.10.0.0/16"): TableRoute(("r1-eth1",), "kernel")}
    made.take(came("r1", "10.1.0.0/16", "10.8.0.2 r1-eth2"))
    made.take(RouteChange("r1", "10.10.0.0/16", False, 1.0))
    made.fill("r1", before, since)
    assert made.cell("r1", TableRow("10.1.0.0/16")).route == TableRoute(("10.8.0.2 r1-eth2",), "ospf", 20)
    assert made.cell("r1", TableRow("10.10.0.0/16")).route is None
    made.fill("r1", before, made.revision)
    assert made.cell("r1", TableRow("10.1.0.0/16")).route == OSPF


def test_the_order_of_next_hops_does_not_matter() -> None:
    made = book()
    made.mark()
    made.take(came("r2", "10.5.0.0/16", "10.9.0.9 r2-eth1", "10.9.0.1 r2-eth0"))
    before = made.revision
    made.take(came("r2", "10.5.0.0/16", "10.9.0.1 r2-eth0", "10.9.0.9 r2-eth1"))
    assert made.revision == before


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
    told = [
        {"dst": "default", "gateway": "10.0.0.1", "dev": "r1-eth0", "protocol": "bgp", "metric": 20},
        {"dst": "10.2.0.0/16", "protocol": "ospf", "metric": 20, "nexthops": [
            {"gateway": "10.9.1.2", "dev": "r1-eth2"}, {"gateway": "10.9.0.2", "dev": "r1-eth1"}]},
        {"dst": "10.2.0.0/16", "dev": "r1-eth9", "protocol": "static", "metric": 200},
        {"dst": "10.4.0.9", "dev": "r1-eth0", "protocol": "kernel", "table": "100"},
        {"type": "local", "dst": "10.0.0.2", "dev": "r1-eth0", "table": "local"},
        {"type": "unreachable", "dst": "10.6.0.0/16", "protocol": "static", "metric": 5},
        {"dst": "10.7.0.0/16", "via": {"family": "inet6", "host": "fe80::1"}, "dev": "r1-eth0", "protocol": "bgp"},
    ]  # fmt: skip
    assert parse_kernel_table(told) == {
        TableRow("0.0.0.0/0"): TableRoute(("10.0.0.1 r1-eth0",), "bgp", 20),
        TableRow("10.2.0.0/16"): TableRoute(("10.9.0.2 r1-eth1", "10.9.1.2 r1-eth2"), "ospf", 20),
        TableRow("10.4.0.9/32", 100): TableRoute(("r1-eth0",), "kernel"),
        TableRow("10.6.0.0/16"): TableRoute(("unreachable",), "static", 5),
        TableRow("10.7.0.0/16"): TableRoute(("fe80::1 r1-eth0",), "bgp"),
    }


def test_tables_are_exported_as_text_and_csv() -> None:
    made = book()
    rows = made.rows()
    read = list(csv.DictReader(io.StringIO(as_csv(made, rows, made.routers))))
    assert [(each["router"], each["prefix"], each["via"]) for each in read] == [
        ("r1", "10.1.0.0/16", "10.9.0.2 r1-eth0"),
        ("r2", "10.2.0.0/16", "10.9.0.1 r2-eth0"),
        ("r1", "10.10.0.0/16", "r1-eth1"),
    ]
    assert "10.1.0.0/16            10.9.0.2 r1-eth0             ospf metric 20" in as_text(made, rows, ["r1"])


def test_the_unreachable_route_of_a_vrf_is_ignored() -> None:
    last = {"type": "unreachable", "dst": "default", "table": 10, "metric": 4_278_198_272}
    assert parse_kernel_table([last, {**last, "metric": 20}]) == {
        TableRow("0.0.0.0/0", 10): TableRoute(("unreachable",), "", 20)
    }  # fmt: skip

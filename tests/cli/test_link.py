"""`miniedit-frr link` on a detached lab."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.network.network import Network, Shape
from tests.cli.commands import command_output, detached_lab, process_output


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A detached lab of two hosts with a unique name."""
    folder = tmp_path_factory.mktemp("links")
    net = Network("Two hosts")
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2", both=Shape(rate_mbit=10, queue_packets=50))
    with detached_lab(net.topology, folder, "link-cli") as name:
        yield name, folder


def _kernel_rate_mbit(name: str, folder: Path, node: str) -> float:
    """The rate of a node's qdisc, as `tc` prints it."""
    qdiscs_json = process_output("exec", name, node, "tc", "-json", "qdisc", "show", "dev", f"{node}-eth0", cwd=folder)
    return next(qdisc["options"]["rate"] for qdisc in json.loads(qdiscs_json) if "rate" in qdisc["options"]) * 8 / 1e6


def _kernel_kinds(name: str, folder: Path, node: str) -> list[str]:
    """The kinds of a node's qdiscs, as `tc` prints them."""
    qdiscs_json = process_output("exec", name, node, "tc", "-json", "qdisc", "show", "dev", f"{node}-eth0", cwd=folder)
    return [qdisc["kind"] for qdisc in json.loads(qdiscs_json)]


@pytest.mark.lab
def test_link_values_are_changed_in_a_running_lab_and_printed(lab: tuple[str, Path]) -> None:
    name, folder = lab
    original_text = command_output("link", name, "l1")
    assert "10 Mbit/s" in original_text and "50 packets" in original_text
    assert _kernel_rate_mbit(name, folder, "h1") == 10
    changed_text = process_output("link", name, "h1-h2", "--rate", "2500 kbit", "--towards", "h2", cwd=folder)
    assert "2.5 Mbit/s" in changed_text and "10 Mbit/s" in changed_text
    assert (_kernel_rate_mbit(name, folder, "h1"), _kernel_rate_mbit(name, folder, "h2")) == (2.5, 10)
    link_document = json.loads(command_output("link", name, "l1", "--rate", "4mbit", "--queue", "20ms", "--json"))
    assert [direction["rate_mbit"] for direction in link_document["directions"]] == [4, 4]
    assert [direction["queue_ms"] for direction in link_document["directions"]] == [20, 20]
    assert _kernel_rate_mbit(name, folder, "h1") == 4
    assert "with changed values: l1" in command_output("fault", name)


@pytest.mark.lab
def test_the_queueing_discipline_is_changed_in_a_running_lab_and_printed(lab: tuple[str, Path]) -> None:
    name, folder = lab
    command_output("link", name, "l1", "--queue", "40packets")
    assert _kernel_kinds(name, folder, "h1") == ["tbf", "pfifo"]
    changed_text = command_output("link", name, "l1", "--discipline", "bfifo", "--towards", "h2")
    assert "bfifo" in changed_text and "fifo" in changed_text
    assert [_kernel_kinds(name, folder, node) for node in ("h1", "h2")] == [["tbf", "bfifo"], ["tbf", "pfifo"]]
    link_document = json.loads(command_output("link", name, "l1", "--discipline", "fifo", "--json"))
    assert [direction["discipline"] for direction in link_document["directions"]] == ["fifo", "fifo"]
    assert _kernel_kinds(name, folder, "h1") == ["tbf", "pfifo"]


@pytest.mark.lab
@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("l1", "--rate", "fast"), "--rate: fast is not a number; expected one such as 10mbit"),
        (("l1", "--queue", "much"), "such as 100packets, 50kB, 20ms or 2bdp"),
        (("l1", "--discipline", "soon"), "'soon' is not a queueing discipline; choose one of fifo, pfifo"),
        (("l1", "--discipline", "codel,target_ms=500"), "target_ms is 500; it must be below interval_ms"),
        (("l9",), "is not a link of the lab; expected one of l1 (h1-h2)"),
        (("l1", "--delay", "5ms"), "cannot get delay or loss while it runs"),
        (("l1", "--rate", "5mbit", "--towards", "h3"), "h3"),
    ],
)
def test_invalid_link_values_are_refused_and_nothing_changes(
    lab: tuple[str, Path], argv: tuple[str, ...], words: str
) -> None:
    name, _ = lab
    original_text = command_output("link", name, "l1")
    refused = command_output("link", name, *argv, status=2)
    assert words in " ".join(refused.split()), refused
    assert command_output("link", name, "l1") == original_text

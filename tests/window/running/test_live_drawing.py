"""A user draws while a lab runs: the lab gets the edits when the user applies them, and undo works there, too."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from frrlib.edits.changes import replace_node
from frrlib.lab.detached import join_lab
from frrlib.lab_server import register
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.network.network import Bgp, BgpNeighbor, Network, Ospf
from frrlib.picture.scene import Key
from miniedit_frr.running_lab.changes_bar import APPLY, DETAILS, REVERT
from miniedit_frr.session.events import LabState
from tests.waiting import wait_for, wait_for_lab
from tests.window.hands_on_labs import Runner, choose, labels
from tests.window.widgets import texts


def ring() -> Topology:
    """Three OSPF routers in a ring, and a host at the first."""
    net, places = Network("ring"), {"r1": (200, 200), "r2": (500, 120), "r3": (500, 320), "h1": (60, 200)}
    for name in ("r1", "r2", "r3"):
        net.router(name, ospf=Ospf(hello_s=1, dead_s=4))
    net.host("h1")
    for ends in (("r1", "r2"), ("r2", "r3"), ("r1", "r3"), ("h1", "r1")):
        net.link(*ends, id="-".join(ends))
    topology = net.topology
    nodes = tuple(node.model_copy(update=dict(zip("xy", places[node.name], strict=True))) for node in topology.nodes)
    return topology.model_copy(update={"nodes": nodes})


LAB = ring()


def interfaces(runner: Runner, node: str) -> set[str]:
    """The interfaces of a node with an IPv4 address, as the kernel lists them."""
    listed = json.loads(runner.execute(node, "ip", "-j", "-4", "address").stdout)
    return {interface["ifname"] for interface in listed} - {"lo"}


def neighbors(runner: Runner, router: str) -> set[str]:
    """The interfaces over which OSPF has a full neighbor, as vtysh shows them."""
    text = runner.execute(router, "vtysh", "-c", "show ip ospf neighbor json").stdout
    return {
        neighbor["ifaceName"].partition(":")[0]
        for several in json.loads(text)["neighbors"].values()
        for neighbor in several
        if neighbor["nbrState"].startswith("Full")
    }


def bar(runner: Runner) -> Any:
    return runner.lab_controller.changes.bar.bar


def pending(runner: Runner, *words: str) -> None:
    """Wait until the line below the canvas has these words."""
    message = bar(runner).message
    wait_for(
        lambda: bar(runner).is_shown and all(word in message.cget("text") for word in words),
        lambda: message.cget("text"),
        runner.editor.window.update,
    )


def apply(runner: Runner, done: str) -> None:
    """Press F5, and wait until the lab has the changes."""
    runner.wait(lambda: APPLY in bar(runner).buttons)
    runner.press_key("<F5>")
    runner.wait(lambda: done in runner.log())
    runner.wait(lambda: not bar(runner).is_shown)


def begin_pings(runner: Runner, source: str, address: str) -> str:
    """Send twenty pings a second until `lost_pings`; returns their process."""
    command = f"ping -n -i 0.05 -w 170 {address} >/tmp/pings 2>&1 & echo $!"
    return runner.execute(source, "sh", "-c", command).stdout.strip()


def lost_pings(runner: Runner, source: str, process: str) -> list[int]:
    """Stop the pings. Returns the numbers of those before the last reply that got none."""
    runner.execute(source, "kill", "-INT", process)

    def summary() -> str:
        text = runner.execute(source, "cat", "/tmp/pings").stdout
        return text if "packets transmitted" in text else ""

    text = wait_for_lab(summary, "the summary of the pings")
    replied = set(map(int, re.findall(r"bytes from .*icmp_seq=(\d+)", text)))
    assert len(replied) > 20
    return sorted(set(range(1, max(replied) + 1)) - replied)


def with_session(runner: Runner, a: str, b: str) -> Topology:
    """The drawing with BGP between two neighbors, which have the AS numbers 65001 and 65002."""
    resolved, topology = runner.editor.resolved, runner.topology
    ends = next(link.ends for link in resolved.links if {end.node for end in link.ends} == {a, b})
    addresses = {end.node: next(address.ip for address in end.addresses if address.version == 4) for end in ends}
    numbers = {a: 65001, b: 65002}
    for name, peer in ((a, b), (b, a)):
        neighbor = BgpNeighbor(address=addresses[peer], remote_as=numbers[peer])
        router = topology.node(name)
        assert isinstance(router, Router)
        changed = router.model_copy(update={"bgp": Bgp(asn=numbers[name], neighbors=(neighbor,))})
        topology = replace_node(topology, name, changed)
    return topology


def set_at_once(runner: Runner, is_on: bool) -> None:
    """Have the lab get each edit at once, or only when F5 is pressed."""
    runner.editor.preferences.change(apply_at_once=is_on)


def has_neighbors(runner: Runner, expected: dict[str, set[str]]) -> None:
    wait_for_lab(
        lambda: all(neighbors(runner, name) == names for name, names in expected.items()),
        lambda: {name: neighbors(runner, name) for name in expected},
    )


@pytest.mark.gui
@pytest.mark.lab
@pytest.mark.timeout(180)
def test_a_running_ring_grows_shrinks_and_goes_back(shared_runner: Runner) -> None:
    runner = shared_runner
    begin = runner.topology
    runner.converge()
    whole = {"r1": {"r1-eth0", "r1-eth1"}, "r2": {"r2-eth0", "r2-eth1"}, "r3": {"r3-eth0", "r3-eth1"}}
    has_neighbors(runner, whole)
    # a flow over links that no edit is about
    near_r3 = next(str(end.addresses[0].ip) for link, end in runner.editor.resolved.ends_at("r3") if link.id == "r1-r3")
    pings = begin_pings(runner, "h1", near_r3)

    # a router, a host and their links are drawn; the lab gets them at once with F5
    runner.tool("o")
    runner.sweep(runner.at("r1"), (250, 400), (300, 450))
    runner.tool("h")
    runner.sweep((300, 450), (400, 450), (500, 450))
    runner.tool("l")
    runner.sweep(runner.at("r3"), (400, 400), (300, 450))
    runner.tool("v")
    pending(runner, "not in the running lab", "r4, h2 and 3 links")
    assert "r4" not in runner.states()
    menu = runner.right_click(runner.at("r4"))
    assert "vtysh" not in labels(menu), "the lab does not have it yet"
    assert interfaces(runner, "r1") == {"r1-eth0", "r1-eth1", "r1-eth2"}
    apply(runner, "Added r4, h2 and 3 links to the running lab")
    assert set(runner.states().values()) == {"up"}
    grown = {**whole, "r1": {*whole["r1"], "r1-eth3"}, "r3": {*whole["r3"], "r3-eth2"}, "r4": {"r4-eth0", "r4-eth2"}}
    assert interfaces(runner, "r4") == {"r4-eth0", "r4-eth1", "r4-eth2"}
    has_neighbors(runner, grown)

    # what the window shows about a lab works for the new node
    menu = runner.right_click(runner.at("r4"))
    assert "vtysh" in labels(menu)
    choose(menu, "Interfaces")
    table = runner.lab_controller.windows.tables["Interfaces of r4"]
    runner.wait(lambda: "r4-eth2" in {row[0] for row in table.sheet.rows()})
    runner.wait(lambda: runner.lab_controller.routing.adjacencies.counts().get("r4", (0, 0, ""))[:2] == (2, 2))
    runner.view.select([Key("node", "r4")])
    panel = runner.lab_controller.now_view.panel
    runner.wait(lambda: any(line.name == "to h2" and "↑" in line.text for line in panel.lines))

    # a BGP session with the new router comes up
    runner.editor.document.apply("Add BGP Session", with_session(runner, "r3", "r4"))
    pending(runner, "2 changes", "changed", "r3", "r4")
    apply(runner, "Changed r3 and r4 in the running lab")
    wait_for_lab(
        lambda: '"state":"Established"' in runner.execute("r4", "vtysh", "-c", "show bgp summary json").stdout,
        lambda: runner.execute("r4", "vtysh", "-c", "show bgp summary").stdout,
    )

    # a link is deleted, and its neighbors with it; other interfaces keep their names
    link = next(link.id for link in runner.topology.links if {link.a.node, link.b.node} == {"r1", "r2"})
    runner.view.select([Key("link", link)])
    runner.press_key("<Delete>")
    pending(runner, "One change", "removed the link r1 to r2")
    apply(runner, "Removed the link r1 to r2 from the running lab")
    kept = {"r1-eth1", "r1-eth2", "r1-eth3"}
    assert interfaces(runner, "r1") == kept
    runner.wait(lambda: {end.interface for _, end in runner.editor.resolved.ends_at("r1")} == kept)
    has_neighbors(runner, {**grown, "r1": {"r1-eth1", "r1-eth3"}, "r2": {"r2-eth1"}})

    # an edit that the lab cannot follow says why, and the drawing keeps it
    runner.put("s", (700, 200))
    pending(runner, "cannot follow", "add switch s1", "Open vSwitch")
    assert list(bar(runner).buttons) == [REVERT, DETAILS]
    bar(runner).buttons[REVERT].invoke()
    runner.wait(lambda: not bar(runner).is_shown)
    assert runner.topology.node("s1") is None

    # on request the lab gets each edit at once, also an undo
    set_at_once(runner, True)
    runner.tool("h")
    runner.sweep(runner.at("r2"), (600, 120), (680, 120))
    runner.tool("v")
    runner.wait(lambda: "Added h3 and the link r2 to h3 to the running lab" in runner.log())
    assert interfaces(runner, "r2") == {"r2-eth0", "r2-eth1"}
    runner.press_key("<Control-z>")
    runner.wait(lambda: "removed h3" in runner.log().lower())
    assert interfaces(runner, "r2") == {"r2-eth1"}
    set_at_once(runner, False)

    # undo of everything is an edit of the lab, too
    while runner.topology != begin:
        runner.press_key("<Control-z>")
    pending(runner, "removed r4, h2 and 3 links", "added the link r1 to r2")
    apply(runner, "Added the link r1 to r2 to the running lab; removed r4, h2 and 3 links")
    assert interfaces(runner, "r1") == {"r1-eth0", "r1-eth1", "r1-eth2"}
    has_neighbors(runner, whole)
    assert set(runner.states()) == {"r1", "r2", "r3", "h1", *(link.id for link in begin.links)}
    assert lost_pings(runner, "h1", pings) == []
    assert "router bgp" not in runner.execute("r3", "vtysh", "-c", "show running-config").stdout

    # another program changes the lab; the window draws that on request
    other = Network("other")
    other.host("h9")
    other.link("h9", "r1", id="h9-r1")
    with join_lab(next(card.name for card in register.labs() if card.title == begin.title)) as lab:
        parts = {name: (*getattr(begin, name), *getattr(other.topology, name)) for name in ("nodes", "links")}
        lab.apply(begin.model_copy(update=parts))
    pending(runner, "Another program has changed the running lab", "removed h9")
    assert runner.topology == begin
    runner.wait(lambda: runner.states().get("h9") == "up")
    bar(runner).buttons[REVERT].invoke()
    runner.wait(lambda: not bar(runner).is_shown)
    assert {node.name for node in runner.topology.nodes} == {"r1", "r2", "r3", "h1", "h9"}
    assert runner.topology.link("r1-r2") == begin.link("r1-r2")

    table.reload()  # about a node that is gone
    runner.wait(lambda: "no node 'r4'" in " ".join(texts(table)))
    assert runner.lab_controller.state is LabState.RUNNING

"""Right and double clicks on nodes and links of a running lab: tables, queues, daemons, terminals, captures."""

from __future__ import annotations

import os
import shutil
import subprocess
import tkinter as tk
from pathlib import Path

import pytest

from frrlib.edits.changes import add_node
from frrlib.edits.router_tools import connect
from frrlib.model.nodes import Router
from frrlib.model.sealed import seal
from frrlib.picture.scene import Key
from miniedit_frr.running_lab import actions
from miniedit_frr.session.events import LabState
from tests.processes import runs
from tests.window.hands_on_labs import Runner, choose, labels

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(180)]


def test_a_right_click_on_a_router_shows_its_routes_and_interfaces(runner: Runner) -> None:
    runner.run()
    runner.converge()
    menu = runner.right_click(runner.at("r1"))
    first = ["vtysh", "Terminal", "Ping and Path to…", "Routing", "Routing Table", "Interfaces", "Run Start Command"]
    assert labels(menu)[: len(first)] == first
    choose(menu, "Routing Table")
    routes = runner.lab_controller.windows.tables["Routing table of r1"]
    runner.wait(routes.sheet.rows)
    learned = ["10.1.0.0/16", "10.9.0.2", "r1-eth0", "bgp", "20", "0", "✓"]  # external BGP's distance is 20
    assert learned in [row[:7] for row in routes.sheet.rows()]
    assert ["10.9.0.0/16", "connected", "✓"] in [[row[0], row[3], row[6]] for row in routes.sheet.rows()]
    choose(menu, "Interfaces")
    ports = runner.lab_controller.windows.tables["Interfaces of r1"]
    runner.wait(ports.sheet.rows)
    assert {row[0]: row[1:3] for row in ports.sheet.rows()}["r1-eth0"][0] == "UP"
    assert "10.9.0.1/16" in {row[0]: row[2] for row in ports.sheet.rows()}["r1-eth0"]
    # Refresh shows changes since then.
    runner.execute("r1", "ip", "link", "set", "r1-eth0", "down")
    ports.refresh.invoke()
    runner.wait(lambda: ["r1-eth0", "DOWN"] in [row[:2] for row in ports.sheet.rows()])
    labels_of_host = labels(runner.right_click(runner.at("h1")))
    assert "vtysh" not in labels_of_host
    assert "Daemons" not in labels_of_host


def test_frr_is_started_on_a_router_without_it(runner: Runner) -> None:
    document = runner.editor.document
    topology, name = add_node(document.topology, "legacy-router", 300, 60)
    topology, _ = connect(topology, "r1", name)
    document.apply("Draw", topology)
    runner.run()
    runner.editor.view.fit()
    runner.editor.window.update()
    menu = runner.right_click(runner.at(name))
    assert "vtysh" not in labels(menu)
    choose(menu, "Start FRR")
    runner.wait(lambda: runner.lab_controller.lab.daemons(name))
    assert "FRRouting" in runner.execute(name, "vtysh", "-c", "show version").stdout
    assert labels(runner.right_click(runner.at(name)))[0] == "vtysh"
    assert not runner.lab_controller.lab.differs


def test_a_sealed_router_has_no_shell_and_shows_no_settings(runner: Runner) -> None:
    document = runner.editor.document
    nodes = tuple(
        seal(node) if isinstance(node, Router) and node.name == "r2" else node for node in document.topology.nodes
    )
    document.apply("Seal", document.topology.model_copy(update={"nodes": nodes}))
    runner.editor.view.select([Key("node", "r2")])
    runner.editor.window.update()
    properties = runner.editor.properties
    assert "Sealed: the settings of r2" in str(properties.notice.cget("text"))
    runner.run()
    runner.converge()
    menu = runner.right_click(runner.at("r2"))
    disabled = [menu.entrycget(label, "state") for label in ("vtysh", "Terminal")]
    assert disabled == ["disabled", "disabled"]
    assert "Running Configuration" not in routing_lines(menu)
    assert "Running Configuration" in routing_lines(runner.right_click(runner.at("r1")))
    runner.lab_controller.windows.open("r2")  # as a double click does
    runner.wait(lambda: "r2 is sealed" in runner.editor.log.text.get("1.0", "end"))


def routing_lines(menu: tk.Menu) -> list[str]:
    """The labels in the submenu Routing."""
    submenu = menu.nametowidget(menu.entrycget("Routing", "menu"))
    return labels(submenu)


def test_a_link_goes_down_and_up_by_a_right_click(runner: Runner) -> None:
    runner.run()
    middle = runner.middle("r1", "r2")
    menu = runner.right_click(middle)
    assert labels(menu) == [
        "Link Up", "Link Down", "Fault", "Capture", "Show Queue", "Adjacency Details", "Properties…",
    ]  # fmt: skip
    assert menu.entrycget("Link Up", "state") == "disabled"
    choose(menu, "Link Down")
    link = next(iter(runner.view.selection)).name
    runner.wait(lambda: runner.states()[link] == "down")
    line = runner.view.items_of(Key("link", link))[0]
    assert runner.view.itemcget(line, "dash")
    menu = runner.right_click(middle)
    assert menu.entrycget("Link Down", "state") == "disabled"
    choose(menu, "Link Up")
    runner.wait(lambda: runner.states()[link] == "up")
    line = runner.view.items_of(Key("link", link))[0]
    assert not runner.view.itemcget(line, "dash")
    choose(menu, "Show Queue")
    (queues,) = runner.lab_controller.windows.tables.values()
    runner.wait(queues.sheet.rows)
    assert {row[1] for row in queues.sheet.rows()} == {"tbf", "bfifo"}
    assert any("10 Mbit/s" in row[2] for row in queues.sheet.rows())


def test_the_death_of_a_daemon_is_shown_on_its_node(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions.Messagebox, "show_question", lambda *_, **__: "Kill")
    runner.run()
    choose(runner.right_click(runner.at("r2")), "Daemons", "Kill bgpd…")
    runner.wait(lambda: runner.states()["r2"] == "failed")
    assert runner.states()["r1"] == "up"
    # The reason is first the kill command, and then the end of the daemon.
    runner.wait(lambda: "bgpd was ended by SIGKILL" in runner.lab_controller.display.tip_text(Key("node", "r2")))
    assert "r2: bgpd was ended by SIGKILL" in runner.log()
    assert runner.lab_controller.state is LabState.RUNNING


def test_terminals_open_by_double_click_and_close_with_the_lab(runner: Runner) -> None:
    if shutil.which("xterm") is None:
        pytest.skip("xterm is not installed")
    runner.run()
    windows = runner.lab_controller.windows
    for count, name in enumerate(("r1", "h1"), start=1):
        runner.double_click(runner.at(name))
        runner.wait(lambda count=count: len(windows.terminals) == count)  # type: ignore[misc]
    argvs = [" ".join(map(str, terminal.args)) for terminal in windows.terminals._open]
    assert list(windows.tabs.tabs) == ["r1 vtysh", "h1"]
    assert " -into " in argvs[0]
    assert argvs[0].endswith("vtysh")
    assert argvs[1].endswith("bash")
    pids = {terminal.pid for terminal in windows.terminals._open}
    runner.lab_controller.stop()
    runner.until(LabState.IDLE)
    runner.wait(lambda: not any(map(runs, pids)) and not windows.tabs.tabs)


def test_packets_on_a_link_are_captured_into_a_file(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("tcpdump") is None:
        pytest.skip("tcpdump is not installed")
    from miniedit_frr.running_lab import windows

    path = tmp_path / "link.pcap"
    monkeypatch.setattr(windows.filedialog, "asksaveasfilename", lambda **_: str(path))
    runner.run()
    runner.converge()
    choose(runner.right_click(runner.middle("r1", "r2")), "Capture", "tcpdump into a File at r1…")
    runner.wait(lambda: path.exists() and path.stat().st_size >= 24)  # the header: tcpdump listens
    runner.lab_controller.session.ask(lambda lab: lab.ping("h1", "h2", 4))

    def count_echoes(kind: str) -> int:
        # The last packet may be half written, which is no fault of the others.
        output = subprocess.run(["tcpdump", "-n", "-r", path], capture_output=True, text=True, check=False).stdout
        return output.count(f"ICMP echo {kind}")

    # and one before them, which resolves hardware addresses
    runner.wait(lambda: (count_echoes("request"), count_echoes("reply")) == (5, 5))
    runner.lab_controller.stop()
    runner.until(LabState.IDLE)
    assert len(runner.lab_controller.windows.captures) == 0


def test_a_live_capture_goes_to_wireshark(runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("tcpdump") is None:
        pytest.skip("tcpdump is not installed")
    runner.run()
    menu = runner.right_click(runner.middle("h1", "r1"))
    captures = menu.nametowidget(menu.entrycget("Capture", "menu"))
    has_one = shutil.which("wireshark") is not None
    assert captures.entrycget("Wireshark at h1", "state") == ("normal" if has_one else "disabled")
    # A program of that name which keeps its input, to see that it gets packets as they pass.
    capture = tmp_path / "kept.pcap"
    program = tmp_path / "bin" / "wireshark"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/words\nexec cat > {capture}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    choose(runner.right_click(runner.middle("h1", "r1")), "Capture", "Wireshark at h1")
    runner.wait(lambda: capture.exists() and capture.stat().st_size >= 24)
    size = capture.stat().st_size
    runner.lab_controller.session.ask(lambda lab: lab.ping("h1", "r1", 1))
    runner.wait(lambda: capture.stat().st_size > size)  # the capture is still running
    assert len(runner.lab_controller.windows.captures) == 1
    assert (tmp_path / "words").read_text().split() == ["-k", "-i", "-"]
    assert capture.read_bytes()[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1")  # pcap's mark

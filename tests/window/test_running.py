"""A lab behind the real window: run, looked at, asked and stopped with real events, in this machine's namespaces."""

from __future__ import annotations

import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import tkinter as tk
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats import mn
from frrlib.model.edits.arrange import shift
from frrlib.model.edits.changes import add_node, replace_link
from miniedit_frr.canvas.scene import Key
from miniedit_frr.document import Document
from miniedit_frr.running import gate
from miniedit_frr.session_events import State
from tests.window.conftest import User

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(180)]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "two-as-no-delay.mn"
#: How long to work at random; a soak raises it.
ROUNDS = int(os.environ.get("MINIEDIT_FRR_KILLS", "5"))


def processes_below(pid: int) -> set[int]:
    """All descendants of a process."""
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        with suppress(OSError):
            for thread in Path(f"/proc/{waiting.pop()}/task").iterdir():
                children = {int(each) for each in (thread / "children").read_text().split()} - found
                found |= children
                waiting += children
    return found


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has collected has ended, too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def is_empty(folder: Path) -> bool:
    """Whether nothing is in a folder."""
    return not any(folder.iterdir())


class Runner(User):
    """Somebody who runs labs."""

    def __init__(self, editor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(editor)
        self.running = editor.running
        self.running.places.choose("namespace")
        self.menus: list[tk.Menu] = []
        # A menu that is posted waits for the pointer; here it is only kept, to be worked by its entries.
        monkeypatch.setattr(tk.Menu, "tk_popup", lambda menu, *_, **__: self.menus.append(menu))

    def run(self) -> None:
        """Press F5, and wait until the lab is up."""
        self.press_key("<F5>")
        self.until(State.RUNNING)

    def until(self, *states: State) -> None:
        end = time.monotonic() + 60
        self.wait(lambda: self.running.state in states or time.monotonic() > end, 70)
        assert self.running.state in states, self.log()

    def states(self) -> dict[str, str]:
        """What the canvas shows of nodes and links."""
        return {key.name: state for key, state in self.view._states.items()}

    def log(self) -> str:
        return str(self.editor.log.text.get("1.0", "end"))

    def right_click(self, at: tuple[float, float]) -> tk.Menu:
        x, y = self.view.to_widget(at)
        self.view.event_generate("<ButtonPress-3>", x=x, y=y)
        self.editor.window.update()
        return self.menus[-1]

    def double_click(self, at: tuple[float, float]) -> None:
        self.click(at)
        self.click(at)

    def middle(self, a: str, b: str) -> tuple[float, float]:
        (x0, y0), (x1, y1) = self.at(a), self.at(b)
        return (x0 + x1) / 2, (y0 + y1) / 2


def labels(menu: tk.Menu) -> list[str]:
    """What a menu offers, without its separators."""
    return [
        str(menu.entrycget(index, "label"))
        for index in range((menu.index("end") or 0) + 1)
        if menu.type(index) != "separator"
    ]


def choose(menu: tk.Menu, *path: str) -> None:
    """Choose an entry by what it says, through submenus."""
    for name in path[:-1]:
        menu = menu.nametowidget(menu.entrycget(menu.index(name), "menu"))
    menu.invoke(menu.index(path[-1]))


@pytest.fixture
def runner(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runner]:
    """Somebody at a window with the two-AS example, whose lab ends with the test."""
    from miniedit_frr.app import Editor

    document = Document()
    document.open(EXAMPLE)
    editor = Editor(document, tmp_path / "window.json")
    raised: list[BaseException] = []
    editor.window.report_callback_exception = lambda kind, error, trace: raised.append(error)  # type: ignore[assignment]
    editor.window.geometry("1200x850+0+0")
    runner = Runner(editor, monkeypatch)
    runner.wait(lambda: editor.view.winfo_width() > 400)
    try:
        yield runner
        assert not raised, raised
    finally:
        editor.running.session.close()
        with suppress(tk.TclError):
            runner.wait(lambda: not editor.running.is_alive)
            editor.close()


def test_a_lab_is_run_looked_at_and_stopped(runner: Runner) -> None:
    before = processes_below(os.getpid())
    seen: list[str] = []
    wait = runner.editor.view.show_states
    runner.editor.view.show_states = lambda states: (seen.extend(states.values()), wait(states))[1]
    runner.run()
    assert "starting" in seen
    runner.wait(lambda: "All routers have all routes" in runner.log())
    assert runner.states() == dict.fromkeys(["h1", "h2", "r1", "r2", "l1", "l2", "l3"], "up")
    steps = {row[0]: row[1] for row in runner.running.showing.panel.steps.rows()}
    assert {"place", "boot", "build", "routes"} <= set(steps)
    assert set(steps.values()) == {"✓"}
    assert [row[:2] for row in runner.running.showing.panel.nodes.rows()] == [
        [name, "✓ up"] for name in ("h1", "h2", "r1", "r2")
    ]
    of_lab = processes_below(os.getpid()) - before
    assert len(of_lab) > 4
    runner.press_key("<Shift-F5>")
    runner.until(State.IDLE)
    assert runner.states() == {}
    runner.wait(lambda: all(map(is_gone, of_lab)))
    assert "The lab has ended." in runner.log()


def test_a_right_click_on_a_router_shows_its_routes_and_interfaces(runner: Runner) -> None:
    runner.run()
    runner.wait(lambda: "All routers have all routes" in runner.log())
    menu = runner.right_click(runner.at("r1"))
    assert labels(menu)[:5] == ["vtysh", "Terminal", "Routing Table", "Interfaces", "Run Start Command"]
    choose(menu, "Routing Table")
    routes = runner.running.windows.tables["Routing table of r1"]
    runner.wait(routes.sheet.rows)
    assert ["10.1.0.0/16", "10.9.0.2", "r1-eth0", "bgp"] in [row[:4] for row in routes.sheet.rows()]
    choose(menu, "Interfaces")
    ports = runner.running.windows.tables["Interfaces of r1"]
    runner.wait(ports.sheet.rows)
    assert {row[0]: row[1:3] for row in ports.sheet.rows()}["r1-eth0"][0] == "UP"
    assert "10.9.0.1/16" in {row[0]: row[2] for row in ports.sheet.rows()}["r1-eth0"]
    # Refresh asks again: what has changed meanwhile is seen.
    done: list[object] = []
    runner.running.asking.then(
        runner.running.session.execute("r1", "ip", "link", "set", "r1-eth0", "down"), done.append
    )
    runner.wait(lambda: done)
    ports.refresh.invoke()
    runner.wait(lambda: ["r1-eth0", "DOWN"] in [row[:2] for row in ports.sheet.rows()])
    labels_of_host = labels(runner.right_click(runner.at("h1")))
    assert "vtysh" not in labels_of_host
    assert "Daemons" not in labels_of_host


def test_a_link_goes_down_and_up_by_a_right_click(runner: Runner) -> None:
    runner.run()
    middle = runner.middle("r1", "r2")
    menu = runner.right_click(middle)
    assert labels(menu) == ["Link Up", "Link Down", "Capture", "Show Queue", "Properties…"]
    assert menu.entrycget("Link Up", "state") == "disabled"
    choose(menu, "Link Down")
    link = next(iter(runner.view.selection)).name
    runner.wait(lambda: runner.states()[link] == "down")
    line = runner.view._items[Key("link", link)][0]
    assert runner.view.itemcget(line, "dash")
    menu = runner.right_click(middle)
    assert menu.entrycget("Link Down", "state") == "disabled"
    choose(menu, "Link Up")
    runner.wait(lambda: runner.states()[link] == "up")
    line = runner.view._items[Key("link", link)][0]
    assert not runner.view.itemcget(line, "dash")
    choose(menu, "Show Queue")
    (queues,) = runner.running.windows.tables.values()
    runner.wait(queues.sheet.rows)
    assert {row[1] for row in queues.sheet.rows()} == {"tbf", "bfifo"}
    assert any("10 Mbit/s" in row[2] for row in queues.sheet.rows())


def test_what_passes_a_link_is_captured_into_a_file(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("tcpdump") is None:
        pytest.skip("tcpdump is not installed")
    from miniedit_frr.running import windows

    path = tmp_path / "link.pcap"
    monkeypatch.setattr(windows.filedialog, "asksaveasfilename", lambda **_: str(path))
    runner.run()
    runner.wait(lambda: "All routers have all routes" in runner.log())
    choose(runner.right_click(runner.middle("r1", "r2")), "Capture", "tcpdump into a File at r1…")
    runner.wait(lambda: path.exists() and path.stat().st_size >= 24)  # the header: tcpdump listens
    runner.running.asking.then(runner.running.session.ping("h1", "h2", 4), lambda told: None)

    def seen(what: str) -> int:
        # The last packet may be half written, which is no fault of the others.
        told = subprocess.run(["tcpdump", "-n", "-r", path], capture_output=True, text=True, check=False).stdout
        return told.count(f"ICMP echo {what}")

    runner.wait(lambda: (seen("request"), seen("reply")) == (4, 4))
    runner.running.stop()
    runner.until(State.IDLE)
    assert len(runner.running.windows.captures) == 0


def test_a_live_capture_goes_to_wireshark(runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("tcpdump") is None:
        pytest.skip("tcpdump is not installed")
    runner.run()
    menu = runner.right_click(runner.middle("h1", "r1"))
    captures = menu.nametowidget(menu.entrycget("Capture", "menu"))
    has_one = shutil.which("wireshark") is not None
    assert captures.entrycget("Wireshark at h1", "state") == ("normal" if has_one else "disabled")
    # A program of that name which keeps what it is given, to see that it gets packets as they pass.
    kept = tmp_path / "kept.pcap"
    program = tmp_path / "bin" / "wireshark"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/words\nexec cat > {kept}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    choose(runner.right_click(runner.middle("h1", "r1")), "Capture", "Wireshark at h1")
    runner.wait(lambda: kept.exists() and kept.stat().st_size >= 24)
    size = kept.stat().st_size
    runner.running.asking.then(runner.running.session.ping("h1", "r1", 1), lambda told: None)
    runner.wait(lambda: kept.stat().st_size > size)  # while the capture goes on
    assert len(runner.running.windows.captures) == 1
    assert (tmp_path / "words").read_text().split() == ["-k", "-i", "-"]
    assert kept.read_bytes()[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1")  # pcap's mark


def test_the_window_works_on_while_the_lab_hangs(runner: Runner) -> None:
    before = processes_below(os.getpid())
    runner.run()
    runner.wait(lambda: "All routers have all routes" in runner.log())
    of_lab = processes_below(os.getpid()) - before
    for pid in of_lab:
        os.kill(pid, signal.SIGSTOP)
    try:
        choose(runner.right_click(runner.at("r1")), "Routing Table")
        table = runner.running.windows.tables["Routing table of r1"]
        at = runner.at("h1")
        runner.sweep(at, (at[0], at[1] + 30), (at[0], at[1] + 60))
        assert runner.at("h1") == pytest.approx((at[0], at[1] + 60), abs=2)
        assert not table.sheet.rows()
        runner.press_key("<Shift-F5>")
        runner.until(State.STOPPING)
        runner.sweep((at[0], at[1] + 60), (at[0], at[1] + 30), at)
        assert runner.at("h1") == pytest.approx(at, abs=4)
    finally:
        for pid in of_lab:
            with suppress(OSError):
                os.kill(pid, signal.SIGCONT)
    runner.until(State.IDLE)
    runner.wait(lambda: all(map(is_gone, of_lab)))


def test_two_clicks_light_the_way(runner: Runner) -> None:
    runner.tool("t")
    assert runner.editor.hands.tool is not runner.running.mode.two_nodes  # not before a lab runs
    runner.run()
    runner.wait(lambda: "All routers have all routes" in runner.log())
    runner.tool("t")
    runner.click(runner.at("h1"))
    runner.click(runner.at("h2"))
    way = runner.running.probes.way
    runner.wait(lambda: len(way.hops.rows()) == 3 and "came back" in str(way.ping.cget("text")))
    assert [row[:3] for row in way.hops.rows()] == [
        ["1", "r1", "10.0.0.1"],
        ["2", "r2", "10.9.0.2"],
        ["3", "h2", "10.1.0.10"],
    ]
    assert {key.name for key in runner.view._lit} == {"h1", "r1", "r2", "h2", "l1", "l2", "l3"}
    way.destroy()
    assert not runner.view._lit
    assert runner.document.is_saved  # the tool edits nothing


def test_a_ping_matrix_fills_and_is_exported(runner: Runner, tmp_path: Path) -> None:
    runner.run()
    runner.wait(lambda: "All routers have all routes" in runner.log())
    runner.press_key("<F6>")
    matrix = runner.running.probes.matrix
    runner.wait(lambda: str(matrix.button.cget("text")) == "Again")
    assert set(matrix.found) == {("h1", "h2"), ("h2", "h1")}
    assert None not in matrix.found.values()
    matrix.export(tmp_path / "matrix.csv")
    with (tmp_path / "matrix.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["source"], row["destination"]) for row in rows] == [("h1", "h2"), ("h2", "h1")]
    assert all(float(row["rtt_ms"]) > 0 for row in rows)
    runner.running.set_link("l2", up=False)
    runner.wait(lambda: runner.states()["l2"] == "down")
    matrix.button.invoke()
    runner.wait(lambda: str(matrix.button.cget("text")) == "Again")
    assert set(matrix.found.values()) == {None}


def test_while_a_lab_runs_nodes_move_and_nothing_else_changes(runner: Runner) -> None:
    runner.run()
    drawn = runner.topology
    runner.tool("h")
    assert runner.editor.hands.tool.icon == "select"
    runner.click(runner.at("r1"))
    runner.press_key("<Delete>")
    assert runner.topology == drawn
    assert gate.REFUSAL in runner.log()
    at = runner.at("r1")
    runner.sweep(at, (at[0], at[1] + 30), (at[0], at[1] + 60))
    assert runner.at("r1") == pytest.approx((at[0], at[1] + 60), abs=2)
    assert runner.states()["r1"] == "up"
    runner.press_key("<Control-Key-z>")
    assert runner.topology == drawn
    runner.tool("a")  # a rectangle is for people only
    runner.sweep((at[0], at[1] + 150), (at[0] + 60, at[1] + 200))
    assert runner.topology.annotations
    runner.press_key("<Control-Key-z>")
    assert runner.topology == drawn
    runner.tool("v")
    runner.running.stop()
    runner.until(State.IDLE)
    runner.click(runner.at("r1"))
    runner.press_key("<Delete>")
    assert runner.topology.node("r1") is None


def test_a_daemon_that_dies_is_seen_on_its_node(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    from miniedit_frr.running import running

    monkeypatch.setattr(running.Messagebox, "show_question", lambda *_, **__: "Kill")
    runner.run()
    choose(runner.right_click(runner.at("r2")), "Daemons", "Kill bgpd…")
    runner.wait(lambda: runner.states()["r2"] == "failed")
    assert runner.states()["r1"] == "up"
    assert "bgpd ended with status -9" in runner.running.showing._text_of(Key("node", "r2"))
    assert "r2: bgpd ended with status -9" in runner.log()
    assert runner.running.state is State.RUNNING


def test_a_lab_that_fails_says_why_and_another_can_be_run(runner: Runner) -> None:
    broken = runner.topology.node("r1").model_copy(update={"frr_conf": "router nonsense"})
    nodes = tuple(broken if node.name == "r1" else node for node in runner.topology.nodes)
    runner.document.apply("Break r1", runner.topology.model_copy(update={"nodes": nodes}))
    runner.press_key("<F5>")
    runner.until(State.FAILED)
    assert "nonsense" in str(runner.running.failure.text.get("1.0", "end"))
    assert runner.states() == {"r1": "failed"}
    runner.press_key("<Control-Key-z>")
    runner.run()
    assert runner.states()["r1"] == "up"
    assert runner.running.failure is None


def test_a_drawing_with_errors_is_not_run(runner: Runner) -> None:
    drawn = runner.topology
    first, *others = drawn.links
    same = first.b.addresses if first.a.node == "h1" else first.a.addresses
    ends = {side: getattr(first, side).model_copy(update={"addresses": same}) for side in "ab"}
    twice = first.model_copy(update=ends)
    wrong = drawn.model_copy(update={"links": (twice, *others)})
    runner.document.apply("One address for two", wrong)
    runner.wait(lambda: not runner.editor.checker.is_busy)
    assert runner.editor.problems.errors
    runner.press_key("<F5>")
    assert runner.running.state is State.IDLE
    assert "see Problems" in runner.log()
    assert runner.editor.bottom.select() == str(runner.editor.problems)
    runner.press_key("<Control-Key-z>")
    # Before the checks have an answer a lab is tried: what is wrong is then said by the lab, not by the window.
    runner.document.apply("One address for two", wrong)
    assert runner.editor.checker.is_busy
    runner.running.run()
    runner.until(State.FAILED)
    assert "10.0.0." in str(runner.running.failure.text.get("1.0", "end"))


def test_cancel_ends_a_start_at_once(runner: Runner) -> None:
    runner.running.places.choose("labkernel")
    before = processes_below(os.getpid())
    runner.press_key("<F5>")
    runner.wait(lambda: any(row[0] == "boot" for row in runner.running.showing.panel.steps.rows()))
    runner.editor.status.cancel.invoke()
    runner.until(State.IDLE)
    assert "build" not in [row[0] for row in runner.running.showing.panel.steps.rows()]
    runner.wait(lambda: processes_below(os.getpid()) <= before)
    assert runner.states() == {}


def test_a_run_with_flows_is_listed_with_its_figure(runner: Runner, tmp_path: Path) -> None:
    flow = runner.topology.flows[0].model_copy(update={"start_s": 0.0, "duration_s": 1.0, "size_bytes": None})
    runner.document.apply("Flow", runner.topology.model_copy(update={"flows": (flow,)}))
    runner.press_key("<Control-F5>")
    dialog = next(each for each in runner.editor.window.winfo_children() if hasattr(each, "stays"))
    (tmp_path / "something").touch()
    dialog.folder.set(str(tmp_path))
    assert str(dialog.ok.cget("state")) == "disabled"
    dialog.folder.set(str(tmp_path / "out"))
    dialog.ok.invoke()
    runner.until(State.RUNNING)
    runner.until(State.IDLE, State.FAILED)
    (row,) = runner.running.runs.panel.sheet.rows()
    assert row[2:] == ["namespace", "finished", str(tmp_path / "out")], runner.log()
    tree = runner.running.runs.panel.sheet.tree
    tree.selection_set(tree.get_children()[0])
    x, y, width, height = tree.bbox(tree.get_children()[0])
    for _ in range(2):
        tree.event_generate("<ButtonPress-1>", x=x + width // 2, y=y + height // 2)
        tree.event_generate("<ButtonRelease-1>", x=x + width // 2, y=y + height // 2)
    runner.editor.window.update()
    assert [each for each in runner.editor.window.winfo_children() if type(each).__name__ == "FigureWindow"]
    from miniedit_frr import run_memory

    assert run_memory.load(tmp_path / "runs.json") == runner.running.runs.rows


def test_terminals_open_by_double_click_and_close_with_the_lab(runner: Runner) -> None:
    if shutil.which("xterm") is None:
        pytest.skip("xterm is not installed")
    runner.run()
    runner.double_click(runner.at("r1"))
    runner.double_click(runner.at("h1"))
    windows = runner.running.windows
    runner.wait(lambda: len(windows.terminals) == 2)
    argvs = [" ".join(map(str, each.args)) for each in windows.terminals._open]
    assert "r1 vtysh - MiniEdit-FRR" in argvs[0]
    assert argvs[0].endswith("vtysh")
    assert argvs[1].endswith("bash")
    pids = {each.pid for each in windows.terminals._open}
    runner.running.stop()
    runner.until(State.IDLE)
    runner.wait(lambda: all(map(is_gone, pids)))


def test_closing_the_window_asks_and_leaves_nothing(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    from miniedit_frr.running import leaving

    answers = iter(["Cancel", "Stop the Lab"])
    asked: list[list[str]] = []

    def question(*_: Any, buttons: list[str], **__: Any) -> str:
        asked.append(buttons)
        return next(answers)

    monkeypatch.setattr(leaving.Messagebox, "show_question", question)
    before = processes_below(os.getpid())
    runner.run()
    of_lab = processes_below(os.getpid()) - before
    runner.editor.quit()
    assert runner.running.state is State.RUNNING  # cancelled
    runner.editor.quit()
    with pytest.raises(tk.TclError):
        runner.editor.window.winfo_exists()
    end = time.monotonic() + 30
    while not all(map(is_gone, of_lab)) and time.monotonic() < end:
        time.sleep(0.02)
    assert all(map(is_gone, of_lab))
    assert asked == [["Cancel:secondary-outline", "Keep Running:info", "Stop the Lab:danger"]] * 2


def test_another_drawing_comes_when_the_lab_has_ended(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    from miniedit_frr.running import leaving

    monkeypatch.setattr(leaving.Messagebox, "show_question", lambda *_, **__: "Stop the Lab")
    runner.run()
    runner.editor.files.new()
    assert runner.topology.nodes == ()
    assert runner.running.state is State.IDLE


def test_whatever_is_done_at_whatever_moment_nothing_breaks(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from miniedit_frr.running import leaving

    dice = random.Random(ROUNDS)

    def answer(question: str, title: str, **_: Any) -> str:
        return {"The lab": dice.choice(["Cancel", "Stop the Lab"]), "Kill a daemon": "Kill"}.get(title, "Discard")

    monkeypatch.setattr(leaving.Messagebox, "show_question", answer)
    before = processes_below(os.getpid())
    session, probes, windows = runner.running.session, runner.running.probes, runner.running.windows

    def picks() -> None:
        if {"h1", "h2"} <= {node.name for node in runner.topology.nodes}:
            runner.tool("t")
            runner.click(runner.at("h1"))
            runner.click(runner.at("h2"))

    actions: list[Callable[[], object]] = [
        lambda: runner.press_key("<F5>"), lambda: runner.press_key("<F5>"), lambda: runner.press_key("<F5>"),
        lambda: runner.press_key("<Shift-F5>"), runner.running.cancel, runner.editor.status.cancel.invoke,
        lambda: runner.press_key("<F6>"), picks, lambda: probes.follow("h1", "r2"),
        lambda: windows.routes("r1"), lambda: windows.queues("l2"), lambda: windows.interfaces("nobody"),
        lambda: runner.running.set_link("l2", up=dice.random() < 0.5), lambda: runner.running.kill("r2", "bgpd"),
        lambda: windows.capture_into("l2", "r1", tmp_path / "x.pcap"), windows.stop_captures,
        runner.editor.preferring.switch_theme, lambda: runner.press_key("<Control-Key-z>"),
        lambda: runner.press_key("<Control-Key-a>"), lambda: runner.press_key("<Delete>"),
        lambda: runner.editor.files.open(EXAMPLE), runner.running.places.show, lambda: session.routes("r9"),
    ]  # fmt: skip
    for _ in range(8 * ROUNDS):
        dice.choice(actions)()
        end = time.monotonic() + dice.choice([0.0, 0.05, 0.4])
        runner.wait(lambda end=end: time.monotonic() >= end)  # type: ignore[misc]
    runner.running.cancel()
    runner.until(State.IDLE, State.FAILED)
    runner.wait(lambda: not runner.running.asking)
    runner.wait(lambda: all(is_gone(pid) for pid in processes_below(os.getpid()) - before))
    runner.editor.files.open(EXAMPLE)
    runner.wait(lambda: not runner.editor.checker.is_busy)
    runner.running.run()  # and it still works; a key would go to whatever window has the keyboard now
    runner.until(State.RUNNING)


PROGRAM = """
import sys
from pathlib import Path
from miniedit_frr import app
from miniedit_frr.session_events import State

class Runs(app.Editor):
    def __init__(self, document):
        super().__init__(document)
        self.running.places.choose("namespace")
        self.window.after(100, self.start)

    def start(self):
        self.running.run()
        self.look()

    def look(self):
        if self.running.state in (State.RUNNING, State.FAILED):
            print(self.running.state, flush=True)
        else:
            self.window.after(50, self.look)

app.Editor = Runs
app.edit(Path(sys.argv[1]))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_an_editor_that_is_ended_leaves_nothing_of_its_lab(display: str, tmp_path: Path, number: int) -> None:
    labs, register = tmp_path / "labs", tmp_path / "register"
    for folder in (labs, register):
        folder.mkdir(mode=0o700)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(labs), "XDG_RUNTIME_DIR": str(register)}
    environment |= {"XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    argv = [sys.executable, "-c", PROGRAM, str(EXAMPLE)]
    with subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "running\n"
        of_lab = processes_below(program.pid)
        assert len(of_lab) > 4
        program.send_signal(number)
        assert program.wait(60) == (-number if number == signal.SIGKILL else 0)
    end = time.monotonic() + 30
    left = [labs, register / "miniedit-frr"]
    while not (all(map(is_gone, of_lab)) and all(map(is_empty, left))) and time.monotonic() < end:
        time.sleep(0.02)
    assert [pid for pid in of_lab if not is_gone(pid)] == []
    assert all(map(is_empty, left)), [*labs.rglob("*"), *register.rglob("*")]


# --- without a lab ----------------------------------------------------------------------------------------------------


def test_only_looks_may_change_while_a_lab_runs() -> None:
    topology = mn.load(EXAMPLE).topology
    moved = shift(topology, ["r1"], 10, 20)
    renamed = moved.model_copy(update={"title": "other", "flows": ()})
    assert gate.why_not(topology, moved) == gate.why_not(topology, renamed) == ""
    grown, _ = add_node(topology, "host", 0, 0)
    slower = replace_link(topology, "l2", topology.links[1].model_copy(update={"up": False}))
    assert gate.why_not(topology, grown)
    assert gate.why_not(topology, slower)


def test_a_lab_that_is_kept_goes_on_and_is_joined_again(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from miniedit_frr.running import leaving

    monkeypatch.setattr(leaving.Messagebox, "show_question", lambda *_, **__: "Keep Running")
    path = tmp_path / "kept-by-a-test.mn"
    runner.document.save(path)
    runner.run()
    runner.running.set_link("l2", up=False)
    runner.wait(lambda: runner.states()["l2"] == "down")
    runner.editor.files.new()
    assert runner.running.state is State.IDLE
    assert runner.states() == {}
    assert "goes on by itself" in runner.log()
    (line,) = [entry for entry in runner.running.submenus()["Join"]() if entry[0].startswith("kept-by-a-test")]
    try:
        line[1]()
        runner.until(State.RUNNING)
        assert runner.document.path == path
        assert runner.states() == {"l2": "down"} | dict.fromkeys(["h1", "h2", "r1", "r2", "l1", "l3"], "up")
        told: list[Any] = []
        runner.running.asking.then(runner.running.session.execute("h1", "hostname"), told.append)
        runner.wait(lambda: told)
        assert told[0].stdout == "h1\n"
    finally:
        runner.running.stop()  # for good: whoever has joined a lab ends it for everybody
        runner.until(State.IDLE, State.FAILED)
    assert not [entry for entry in runner.running.submenus()["Join"]() if entry[0].startswith("kept-by-a-test")]

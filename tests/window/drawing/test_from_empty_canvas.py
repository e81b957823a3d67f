"""From the empty canvas to a routing table: the two-AS example, drawn, filled in, saved and run by pointer and keys.

The editor is a separate program, started as by `./run edit`; the test calls none of its code. The test sees its
effects from outside: windows and their titles, the saved file, the labs that `miniedit-frr labs` lists, and the text in
the terminal that it opened.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from PIL import Image

from frrlib.formats import mn
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.results.palette import BLUE, VERMILION
from frrlib.results.statistics.summary import load_summary
from tests.desktop import Desktop, desktop, rest, wait_for
from tests.examples.data import two_as_bgp

pytestmark = [pytest.mark.gui, pytest.mark.lab, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[3]
#: The places of the nodes, in pixels of the screen: anywhere on the canvas that is not under another.
PLACES = {"h1": (200, 300), "r1": (400, 300), "r2": (600, 300), "h2": (800, 300)}
#: The first terminal in PATH for the editor: a real xterm that logs its text.
XTERM = """#!/bin/sh
exec {xterm} -l -lf {log} "$@"
"""
MAIN = r"MiniEdit-FRR$"


class Person:
    """A user with a screen, a pointer and a keyboard, and with a shell to look at files and labs."""

    editor: subprocess.Popen[bytes]
    said: Path

    def __init__(self, hands: Desktop, home: Path) -> None:
        self.hands, self.home = hands, home
        self.log = home / "xterm.log"
        binaries = home / "bin"
        binaries.mkdir()
        (binaries / "xterm").write_text(XTERM.format(xterm=shutil.which("xterm"), log=self.log))
        (binaries / "xterm").chmod(0o755)
        self.env = {
            "DISPLAY": hands.display,
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "PATH": f"{binaries}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "XDG_CACHE_HOME": str(platformdirs.user_cache_path()),  # places need not be tried again
            "XDG_RUNTIME_DIR": str(home),  # so that the labs of this person are all that there are
        }

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run `miniedit-frr WORDS`."""
        argv = [sys.executable, "-P", "-m", "miniedit_frr", *words]
        return subprocess.run(
            argv, env=self.env, cwd=self.home, capture_output=True, text=True, timeout=240, check=False
        )

    def cards(self) -> list[dict[str, Any]]:
        """The facts about each lab, as it writes them beside its socket."""
        cards = []
        for card in (self.home / "miniedit-frr").glob("*/card.json"):
            with suppress(OSError, ValueError):  # the lab ends just now
                cards.append(json.loads(card.read_bytes()))
        return cards

    def labs(self) -> list[dict[str, Any]]:
        """The labs that there are now."""
        done = self.command("labs", "--json")
        assert done.returncode == 0, done.stderr
        cards: list[dict[str, Any]] = json.loads(done.stdout)
        return cards

    def rest(self, is_at_button: bool = False) -> None:
        """Wait until the editor has handled all its events."""
        rest(self.editor, is_at_button)

    def dialog(self, *keys: str) -> None:
        """The widget with the keyboard gets these keys; words after = are typed.

        Keys go together up to one that presses a button, opens a page or closes the window.
        """
        together: list[str] = []
        for key in keys:
            together.append(key)
            if key in ("ctrl+Tab", "space", "Return"):
                self.hands.keys_and_texts(*together)
                together.clear()
                self.rest(is_at_button=key != "ctrl+Tab")
        if together:
            self.hands.keys_and_texts(*together)

    # --- drawing ---

    def put(self, tool: str, name: str) -> None:
        self.hands.point(*PLACES[name])
        self.hands.keys(tool)
        self.rest()  # the first page has gone when the tool is chosen: a click before that would be on it
        self.hands.click(*PLACES[name])
        self.rest()

    def link(self, source: str, target: str) -> None:
        self.hands.drag(PLACES[source], PLACES[target])

    def properties(self, at: tuple[float, float], title: str) -> None:
        """Open the dialog of the thing drawn there, with the keyboard in its first field."""
        self.hands.click(*at)
        self.rest()
        self.menu("alt+Return", title)

    def menu(self, shortcut: str, title: str) -> None:
        """Open a window with a menu's shortcut."""
        self.hands.keys(shortcut)
        self.hands.window_with_keyboard(title)
        self.rest()

    def confirm(self, title: str) -> None:
        self.hands.keys("ctrl+Return")
        self.hands.gone(title)
        self.rest()


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    if not shutil.which("xterm"):
        pytest.skip("needs xterm")
    # Names of sockets must be short.
    with desktop() as hands, tempfile.TemporaryDirectory(prefix="person-", dir="/tmp") as home:
        someone = Person(hands, Path(home))
        someone.said = tmp_path / "editor.log"
        argv = [sys.executable, "-P", "-m", "miniedit_frr", "edit"]
        with open(someone.said, "w") as log:
            editor = subprocess.Popen(argv, env=someone.env, cwd=home, stdout=log, stderr=log)
        someone.editor = editor
        try:
            hands.window(MAIN)
            someone.rest()
            yield someone
        finally:
            if editor.poll() is None:
                hands.picture(tmp_path / "at-the-end.png")
                editor.terminate()
                try:
                    editor.wait(30)
                except subprocess.TimeoutExpired:
                    editor.kill()
                    editor.wait()


def draw(person: Person) -> None:
    """Four nodes and three links."""
    for tool, name in (("h", "h1"), ("h", "h2"), ("r", "r1"), ("r", "r2")):
        person.put(tool, name)
    person.hands.keys("l")
    person.rest()
    for source, target in (("h1", "r1"), ("r1", "r2"), ("r2", "h2")):
        person.link(source, target)
    person.hands.keys("Escape")
    person.rest()


def fill_in(person: Person) -> None:
    """Addresses, routes, BGP, the slow link and the flows, in the dialogs."""
    example = two_as_bgp()
    for host in example.hosts:
        person.properties(PLACES[host.name], f"^Host {host.name}$")
        person.dialog("Tab", f"={host.default_route}", "ctrl+Tab", *interfaces(example, host.name))
        person.confirm(f"^Host {host.name}$")
    for router in example.routers:
        person.properties(PLACES[router.name], f"^Router {router.name}$")
        person.dialog("ctrl+Tab", *interfaces(example, router.name, columns=5), *["ctrl+Tab"] * 6, *bgp(router))
        person.confirm(f"^Router {router.name}$")
    slow = example.links[1].a_to_b
    middle = ((PLACES["r1"][0] + PLACES["r2"][0]) / 2, PLACES["r1"][1])
    person.properties(middle, "^Link r1 - r2$")
    # both directions are equal at first; units may be typed
    person.dialog(f"={slow.rate_mbit * 1000:g} kbit", "Tab", f"={slow.delay_ms:g} ms")  # type: ignore[operator]
    person.dialog("Tab", "Tab", "Tab", "Tab", f"={slow.queue_bdp:g} BDP")  # past jitter, loss and discipline
    person.confirm("^Link r1 - r2$")
    person.hands.keys("Escape")
    person.menu("ctrl+l", "^Flows$")
    for number, flow in enumerate(example.flows):
        if number:
            person.dialog(*["Tab"] * 5)  # past the count, how far apart, More and the cross to the button
        # past both ends and the kind
        person.dialog("space", "shift+End", f"={flow.id}", *["Tab"] * 4, f"={flow.congestion_control}")
        person.dialog("Tab", f"={flow.start_s:g}", "Tab", f"={flow.duration_s:g} s")
    person.confirm("^Flows$")
    person.hands.keys("Escape")


def bgp(router: Router) -> list[str]:
    """Keys for the page of BGP: on, AS number, then the tables of sessions and of networks."""
    assert router.bgp is not None
    keys = ["space", "Tab", f"={router.bgp.asn}", "Tab", "Tab"]
    for neighbor in router.bgp.neighbors:
        keys += ["space", "Home", "shift+End", f"={neighbor.address}", "Tab", f"={neighbor.remote_as}"]
        keys += ["Tab", "Tab", "Tab", "Tab"]  # past the description, More and the cross to the button
    keys += ["Tab", "Tab"]  # past the button that adds all
    for network in router.bgp.networks:
        keys += ["space", "shift+End", f"={network}", "Tab", "Tab"]
    return keys


def interfaces(example: Topology, name: str, columns: int = 4) -> list[str]:
    """Keys for the table of interfaces, row by row: name and addresses; between rows past the other columns."""
    keys = []
    for _, end in example.ends_at(name):
        addresses = ", ".join(map(str, end.addresses))
        keys += [*["Tab"] * (columns - 1), f"={end.interface}", "Tab", f"={addresses}"]
    return keys[columns - 1 :]


def bare(topology: Topology) -> Topology:
    """Without the title, the places on the canvas, and the daemons and timers that every drawn router begins with."""
    nodes = []
    for node in sorted(topology.nodes, key=lambda node: node.name):
        some: dict[str, Any] = {}
        if isinstance(node, Router):
            timers = {"keepalive_s": None, "hold_s": None}
            some = {"daemons": (), "bgp": node.bgp.model_copy(update=timers) if node.bgp else None}
        nodes.append(node.model_copy(update={"x": 0.0, "y": 0.0, **some}))
    return topology.model_copy(update={"nodes": tuple(nodes), "title": ""})


def save(person: Person) -> Path:
    path = person.home / "drawn.mn"
    person.menu("ctrl+s", "^Save the topology$")
    person.dialog(f"={path}", "Return")
    wait_for(path.exists, "the saved file")
    person.hands.window(r"^drawn\.mn - MiniEdit-FRR$")
    return path


def briefly(path: Path) -> Path:
    """The same topology with flows of one second, in a file beside: its routes are compared, not its flows."""
    topology, brief = mn.load(path).topology, path.with_name("brief.mn")
    flows = [flow.model_copy(update={"start_s": 0.0, "duration_s": 1.0}) for flow in topology.flows]
    mn.save(topology.model_copy(update={"flows": tuple(flows)}), brief)
    return brief


def run(person: Person, path: Path) -> None:
    """Start the lab of a file in the editor, and wait until it runs."""

    def is_running(labs: list[dict[str, Any]]) -> bool:
        return any((lab["state"], lab["file"]) == ("running", str(path)) for lab in labs)

    person.hands.keys("Escape", "F5")
    # The command takes a second of a processor that the lab needs, so it runs once, in the end.
    wait_for(lambda: is_running(person.cards()), "the lab")
    assert is_running(person.labs())
    person.rest()


def ask_vtysh(person: Person) -> str:
    """Open vtysh on r1 from its menu, ask for the routes; returns the terminal's text."""
    person.hands.click(*PLACES["r1"], button=3)
    person.rest()
    person.hands.keys("Down", "Return")
    person.hands.window_with_keyboard("^r1 vtysh")
    wait_for(lambda: "r1# " in screen(person), "the prompt")

    def has_bgps() -> bool:
        prompt_count = screen(person).count("r1# ")
        person.hands.type("show ip route")
        person.hands.keys("Return")
        wait_for(lambda: screen(person).count("r1# ") > prompt_count, "the answer")
        return "B>*" in screen(person)

    wait_for(has_bgps, "the routes of BGP")
    output = screen(person)
    person.hands.type("exit")
    person.hands.keys("Return")
    person.hands.gone("^r1 vtysh")
    return output


def screen(person: Person) -> str:
    """The terminal's whole text, without escapes that move its cursor."""
    text = person.log.read_text(errors="replace") if person.log.exists() else ""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()][A-Z0-9]|\r", "", text)


def routes(text: str) -> set[str]:
    """Chosen routes without their age, as `show ip route` prints them."""
    return {line.rpartition(",")[0] for line in text.splitlines() if line[1:3] == ">*"}


def test_a_lab_drawn_from_an_empty_canvas_has_the_routes_of_the_example(person: Person, is_virtual: bool) -> None:
    draw(person)
    fill_in(person)
    path = save(person)
    assert bare(mn.load(path).topology).model_dump() == bare(two_as_bgp()).model_dump()
    with ThreadPoolExecutor() as beside:
        # A run of the topology mostly waits for its flows, so both labs can run at the same time.
        faster = ["--virtual-time"] if is_virtual else []
        measuring = beside.submit(person.command, "run", str(briefly(path)), *faster, "--out", "out")
        run(person, path)
        vtysh_routes = routes(ask_vtysh(person))
        assert "B>* 10.1.0.0/16 [20/0] via 10.9.0.2, r1-eth0, weight 1" in vtysh_routes
        person.hands.keys("shift+F5")
        wait_for(lambda: not person.cards(), "the end of the lab")
        assert person.labs() == []
        person.rest(is_at_button=True)  # the window has heard of the end, and does not ask about the lab
        person.hands.keys("ctrl+q")
        assert person.editor.wait(60) == 0
        assert "Traceback" not in person.said.read_text()
        done = measuring.result()
    assert done.returncode == 0, done.stderr
    assert routes((person.home / "out" / "logs" / "r1.routes.txt").read_text()) == vtysh_routes


def count_pixels(picture: Path, color: str) -> int:
    """The number of pixels of exactly this color ("#rrggbb")."""
    with Image.open(picture) as image:
        colors = image.convert("RGB").getcolors(maxcolors=1 << 24) or []
    return next((count for count, pixel in colors if "#{:02x}{:02x}{:02x}".format(*pixel) == color), 0)


def test_two_systems_with_bgp_and_live_plots_take_twelve_steps(person: Person, tmp_path: Path) -> None:
    """A click, a drag and a key are one step each."""
    hands, picture, ((x1, y), (x2, _), (x3, _), (x4, _)) = person.hands, tmp_path / "screen.png", PLACES.values()
    steps: list[tuple[Callable[..., object], tuple[Any, ...]]] = [
        (hands.keys, ("h",)),
        (hands.click, (x1, y)),
        (hands.keys, ("p",)),  # BGP routers
        (hands.drag, ((x1, y), (x2, y))),  # places r1, linked to h1
        (hands.drag, ((x2, y), (x3, y))),
        (hands.keys, ("h",)),
        (hands.drag, ((x3, y), (x4, y))),
        (hands.keys, ("f",)),
        (hands.drag, ((x1, y), (x4, y))),
        (hands.click, (x4 + 130, y + 80)),  # the third button below h2: CUBIC against BBR
        (hands.keys, ("ctrl+F5",)),
    ]
    assert len(steps) <= 12
    hands.point(x1, y)
    for step, arguments in steps:
        step(*arguments)
        person.rest(is_at_button=True)

    def curves() -> list[int]:
        hands.picture(picture)
        return [count_pixels(picture, color) for color in (VERMILION.lower(), BLUE.lower())]

    wait_for(lambda: min(curves()) > 100, lambda: f"curves of both flows: {curves()} pixels")
    hands.picture(tmp_path / "figure.png")
    (results,) = (person.home / "Documents" / "miniedit-frr").iterdir()
    wait_for((results / "summary.json").is_file, "the results")
    summary = load_summary(results)
    assert {(flow.congestion_control, flow.failure) for flow in summary.flows} == {("cubic", ""), ("bbr", "")}
    assert all(flow.goodput_mbit > 1 for flow in summary.flows)  # over two systems, by routes of BGP
    assert "B>* " in (results / "logs" / "r1.routes.txt").read_text()
    assert min(curves()) > 100  # the plots stay in front
    assert [lab["state"] for lab in person.cards()] == ["running"]  # and so does the lab
    hands.keys("shift+F5")
    wait_for(lambda: not person.cards(), "the end of the lab")


def test_bufferbloat_of_three_disciplines_takes_fifteen_steps(person: Person, tmp_path: Path, is_virtual: bool) -> None:
    """From the empty canvas to one figure of a flow through a FIFO, CoDel and FQ-CoDel queue."""
    if not is_virtual:
        pytest.skip("in real time its runs take half a minute")
    hands, ((x1, y), (x2, _), (x3, _), _) = person.hands, PLACES.values()
    steps: list[tuple[Callable[..., object], tuple[Any, ...]]] = [
        (hands.keys, ("h",)),
        (hands.click, (x1, y)),
        (hands.keys, ("s",)),
        (hands.drag, ((x1, y), (x2, y))),
        (hands.keys, ("h",)),
        (hands.drag, ((x2, y), (x3, y))),
        (hands.keys, ("f",)),
        (hands.drag, ((x1, y), (x3, y))),
        (hands.click, (x3 - 20, y + 80)),  # the first button below h2: CUBIC
        (hands.keys, ("alt+r",)),
        (hands.keys, ("q",)),  # Compare Queues
        (hands.keys, ("ctrl+Return",)),
    ]
    assert len(steps) <= 15
    hands.point(x1, y)
    for number, (step, arguments) in enumerate(steps):
        step(*arguments)
        person.rest(is_at_button=True)
        hands.picture(tmp_path / f"step{number}.png")
    below = person.home / "Documents" / "miniedit-frr"
    for number in range(1, 4):  # patience for each run: together they may take minutes beside other tests
        wait_for(
            lambda number=number: len([*below.glob("*/runs/*/summary.json")]) >= number, f"the end of run {number}"
        )
    hands.window("^Queues of the link s1 - h2$")
    hands.picture(tmp_path / "figure.png")
    (results,) = below.iterdir()
    queueing_ms = {}
    for run in (results / "runs").iterdir():
        summary = load_summary(run)
        (flow,) = summary.flows
        assert (flow.congestion_control, flow.failure) == ("cubic", "")
        topology = mn.load(run / "topology.mn").topology
        queueing_ms[topology.links[-1].a_to_b.discipline.kind] = (flow.srtt_p95_ms or 0) - 40
    assert queueing_ms["pfifo"] > 5 * queueing_ms["codel"] > 0
    assert queueing_ms["pfifo"] > 5 * queueing_ms["fq_codel"] > 0

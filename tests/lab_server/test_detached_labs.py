"""Detached labs in a lab server: programs leave, join, share and end them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from frrlib import wire
from frrlib.errors import Interrupted, LabFailed, PlaceError
from frrlib.formats import mn
from frrlib.lab.detached import DetachedLab
from frrlib.lab_server import register
from frrlib.lab_server.place import LabServerPlace
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Host
from frrlib.model.topology import Topology
from frrlib.place.base import Program
from frrlib.place.labkernel import LabKernel
from frrlib.run.run import RunOutcome, RunSettings, measure
from miniedit_frr.running_lab.detached_labs import origin_of
from tests.waiting import PATIENCE_S, pause, wait_for

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TOPOLOGY = mn.load(EXAMPLES / "two-as-no-delay.mn").topology


@pytest.fixture(autouse=True)
def register_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A register of labs for the test, which is empty again afterwards."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    yield folder
    for card in register.labs():
        DetachedLab.of_card(card).start()
    assert list(folder.glob("miniedit-frr/*")) == []


def detached(name: str = "lab", place: str = "namespace") -> DetachedLab:
    """A lab that is not started."""
    return DetachedLab(TOPOLOGY, place=place, name=name)


@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_a_lab_is_left_and_joined(place: str) -> None:
    with detached(place=place) as lab:
        lab.wait_routes()
        topology, facts, process = lab.topology, lab.facts, lab._held().pid
        lab.leave()
    with DetachedLab.join("lab") as again:
        assert again.topology == topology
        assert {key: again.facts[key] for key in ("place", "kernel")} == {
            key: facts[key] for key in ("place", "kernel")
        }
        assert again._held().pid == process
        assert "B>* 10.1.0.0/16" in again["r1"].vtysh("show ip route")
        assert again.ping("h1", "h2", 1)["received"] == 1
    assert register.labs() == []
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_lab_is_found_by_its_file_though_the_built_topology_differs(tmp_path: Path) -> None:
    """A switch's speedup, and shapers for a course, are in the built topology but not in the file."""
    shape = Shape(rate_mbit=10)
    topology = Topology(
        nodes=(Host(name="h1"), Bridge(name="s1")),
        links=(Link(id="l1", a=End(node="h1"), b=End(node="s1"), a_to_b=shape, b_to_a=shape, speedup_mbit=50),),
    )
    file = tmp_path / "fast.mn"
    mn.save(topology, file)
    with DetachedLab(mn.load(file).topology, place="labkernel", file=file) as lab:
        built = lab.topology
        lab.leave()
    assert [shape.rate_mbit for _, _, shape in built.links[0].directions] == [10, 50]
    card = register.find("fast")
    assert origin_of(card).path == file
    with DetachedLab.of_card(card) as again:
        assert again.topology == built


def test_two_programs_share_one_lab() -> None:
    with detached() as lab:
        second = DetachedLab.join("lab")
        second.start()
        names: dict[int, list[str]] = {0: [], 1: []}

        def ask(number: int, client: DetachedLab, node: str) -> None:
            names[number] = [client[node].run("hostname").strip() for _ in range(20)]

        threads = [threading.Thread(target=ask, args=arguments) for arguments in ((0, lab, "h1"), (1, second, "h2"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert names == {0: ["h1"] * 20, 1: ["h2"] * 20}
        second.leave()


def test_a_waiting_program_is_informed_that_the_lab_was_left() -> None:
    lab = detached()
    errors: list[str] = []

    def wait() -> None:
        with lab:
            ready.set()
            try:
                lab.wait()
            except LabFailed as error:
                errors.append(str(error))

    ready = threading.Event()
    waiting = threading.Thread(target=wait)
    waiting.start()
    assert ready.wait(PATIENCE_S)
    pause(0.1)
    lab.leave()
    waiting.join(PATIENCE_S)
    assert errors == ["the lab continues without this program"]
    with DetachedLab.join() as again:
        assert again["h1"].run("hostname") == "h1\n"


def test_a_program_that_joins_receives_earlier_events() -> None:
    link = TOPOLOGY.links[1].id
    daemon_died = threading.Event()
    lab = detached()
    lab.attach(listener=lambda message: daemon_died.set() if isinstance(message, wire.DaemonExit) else None)
    with lab:
        lab.set_link(link, up=False)
        lab.kill_daemon("r1", "bgpd")
        assert daemon_died.wait(PATIENCE_S)
        messages: list[wire.Message] = []
        second = DetachedLab.join("lab", messages.append)
        second.start()
        assert second.links_down == (link,)
        exits = [message for message in messages if isinstance(message, wire.DaemonExit)]
        assert [(daemon.router, daemon.daemon, daemon.status) for daemon in exits] == [("r1", "bgpd", -9)]
        steps = [(message.name, message.state) for message in messages if isinstance(message, wire.StepEvent)]
        assert ("build", "done") in steps
        second.leave()


def test_the_death_of_a_lab_is_reported_to_all_programs() -> None:
    lab = detached()
    with suppress(LabFailed), lab:
        second = DetachedLab.join("lab")
        second.start()
        os.kill(lab._held().pid, signal.SIGKILL)
        for client in (lab, second):
            with pytest.raises(LabFailed, match="has ended"):
                client.wait()
    lab.stop()
    second.stop()
    assert register.labs() == []


@pytest.mark.alone
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_an_interrupted_start_leaves_nothing(place: str) -> None:
    for delay_s in (0.02, 0.2, 0.5):
        lab = detached(place=place)
        timer = threading.Timer(delay_s, lab.interrupt)
        timer.start()
        with suppress(Interrupted), lab:
            lab.wait()
        timer.join()
        wait_for(lambda: not register.labs(), "the end of the lab server")  # it checks once the place has started


def test_an_error_of_the_place_is_raised_in_the_program(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel"
    kernel.write_text("#!/bin/sh\n# This is no User Mode Linux.\nexit 1\n")
    kernel.chmod(0o755)
    place = LabServerPlace(LabKernel(kernel), kernel, "lab")
    with pytest.raises(PlaceError, match="does not run") as caught:
        place.start(Program("nothing", EXAMPLES, tmp_path))
    assert "apt-get install" in caught.value.remedy
    assert register.labs() == []


def test_a_complete_run_in_a_lab_server(tmp_path: Path) -> None:
    flow = Flow(id="f", source="h1", destination="h2", duration_s=2)
    topology = TOPOLOGY.model_copy(update={"flows": (flow,)})
    lab = DetachedLab(topology, place="namespace")
    outcome = RunOutcome(tmp_path / "out")
    measure(lab, "", outcome, RunSettings("namespace"), lambda message: None)
    assert outcome.failures == []
    assert outcome.summary is not None
    assert len((tmp_path / "out" / "samples" / "tcp.csv").read_text().splitlines()) > 50

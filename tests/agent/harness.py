"""A lab driven over its wire: these tests need neither the model nor `frrlib.lab`."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import sysconfig
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from frrlib import wire
from frrlib.place.base import SYSTEM_PACKAGES, Program
from frrlib.place.labkernel import LabKernel
from frrlib.place.namespace import Namespace
from tests.waiting import comes

ROOT = Path(__file__).resolve().parents[2]
MODULES = (
    *("veth", "ipv6", "bridge", "8021q", "tcp_bbr", "cls_matchall", "act_mirred"),
    *("sch_ingress", "sch_netem", "sch_tbf", "sch_fq", "sch_fq_codel"),
)

E = TypeVar("E")


class RequestRefused(Exception):
    """The agent's reply was `Failed`."""

    def __init__(self, failed: wire.Failed) -> None:
        self.failed = failed
        super().__init__(f"{failed.kind}: {failed.reason}\n{failed.trace}")


class RunningAgent:
    """A running agent without a built lab."""

    def __init__(self, place: str = "namespace", module: str = "frrlib.agent.agent") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="frr-inside-", dir="/dev/shm"))
        os.chmod(self.folder, 0o777)
        site = (Path(sysconfig.get_path("purelib")), SYSTEM_PACKAGES)
        program = Program(module, ROOT, self.folder, site=site, modules=MODULES)
        self.habitat = LabKernel().start(program) if place == "labkernel" else Namespace().start(program)
        self.events: list[wire.Message] = []
        self._answers: dict[int, wire.Done | wire.Failed] = {}
        self._numbers = itertools.count(1)
        self._changed = threading.Condition()
        self._over = False
        threading.Thread(target=self._listen, daemon=True).start()
        self.ready = self.event(wire.Ready, lambda _: True)

    def __enter__(self) -> RunningAgent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.habitat.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def send(self, command: wire.Command) -> int:
        """Send a request without waiting. Returns its number."""
        number = next(self._numbers)
        data = wire.encode(wire.Request(number, command))
        while data:
            data = data[self.habitat.wire.writer.write(data) :]
        return number

    def answer(self, number: int, timeout_s: float = 60.0) -> dict[str, Any]:
        """The result of a request. Raises Refused if it failed."""
        with self._changed:
            self._changed.wait_for(lambda: number in self._answers or self._over, timeout_s)
            answer = self._answers.get(number)
        assert answer is not None, f"no answer; {self.habitat.console.read_text(errors='replace')[-2000:]}"
        if isinstance(answer, wire.Failed):
            raise RequestRefused(answer)
        return answer.result

    def do(self, command: wire.Command, timeout_s: float = 60.0) -> dict[str, Any]:
        """Send a request and wait for its result."""
        return self.answer(self.send(command), timeout_s)

    def run(self, node: str, *argv: str) -> str:
        """The output of a command in a node. The command must succeed."""
        result = self.do(wire.Execute(node, argv))
        assert result["status"] == 0, result
        return str(result["stdout"])

    def event(self, kind: type[E], matches: Callable[[E], bool], timeout_s: float = 20.0) -> E:
        """The first matching event of a kind, past or future."""

        def found() -> E | None:
            return next((event for event in self.events if isinstance(event, kind) and matches(event)), None)

        with self._changed:
            self._changed.wait_for(lambda: found() is not None or self._over, timeout_s)
            event = found()
        assert event is not None, f"no such {kind.__name__} among {self.events[-20:]}"
        return event

    def rows(self, table: str) -> list[dict[str, Any]]:
        """All samples of a table so far, as dictionaries."""
        columns = wire.TABLES[table]
        with self._changed:
            samples = [event for event in self.events if isinstance(event, wire.Samples) and event.table == table]
        return [dict(zip(columns, row, strict=True)) for sample in samples for row in sample.rows]

    def hang_up(self) -> None:
        """End the wire from outside, like a process that crashes."""
        near = socket.socket(fileno=os.dup(self.habitat.wire.writer.fileno()))
        near.shutdown(socket.SHUT_RDWR)
        near.close()

    def wait_ended(self) -> bool:
        """Whether the lab ends by itself."""
        return comes(lambda: not self.habitat.alive())

    def _listen(self) -> None:
        for line in wire.lines(self.habitat.wire.reader):
            message = wire.decode_message(line)
            with self._changed:
                if isinstance(message, wire.Done | wire.Failed):
                    self._answers[message.id] = message
                else:
                    self.events.append(message)
                self._changed.notify_all()
        with self._changed:
            self._over = True
            self._changed.notify_all()

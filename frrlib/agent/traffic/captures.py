"""Packet captures while flows run: tcpdump at interfaces, the first bytes of each packet, and counts of missed
packets."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from typing import Any

from frrlib.agent import processes
from frrlib.agent.network.network import LabNet
from frrlib.errors import LabFailed, PlaceError
from frrlib.wire.plan import CapturePlan

#: The folder of captures, below the lab's writable folder.
FOLDER = "captures"
START_TIMEOUT_S, END_TIMEOUT_S = 10.0, 5.0
#: The kernel delivers packets in blocks, the last one up to a second after its first packet.
BLOCK_S = 1.1
#: The size of the kernel's buffer, so that a busy processor loses no packets.
_BUFFER_KIB = 8192
_LISTENS = "listening on"


@contextlib.contextmanager
def capture_packets(net: LabNet, plans: Sequence[CapturePlan]) -> Iterator[dict[str, dict[str, Any]]]:
    """A context that captures packets. Afterwards its value has the results: see
    `wire.RunFlows`.

    Raises:
        PlaceError: tcpdump is not installed.
        LabFailed: an interface cannot be captured.
    """
    results: dict[str, dict[str, Any]] = {}
    if not plans:
        yield results
        return
    if not shutil.which("tcpdump"):
        raise PlaceError("tcpdump is not installed", "sudo apt-get install tcpdump")
    folder = os.path.join(os.path.dirname(net.logs), FOLDER)
    os.makedirs(folder, exist_ok=True)
    captures: list[_Capture] = []
    try:
        captures += [_Capture(net, plan, folder) for plan in plans]
        for capture in captures:
            capture.wait_listening()
        yield results
        time.sleep(BLOCK_S)
    finally:
        processes.end([capture.process for capture in captures], END_TIMEOUT_S)
        results |= {capture.name: capture.result() for capture in captures}


class _Capture:
    """A tcpdump at one interface."""

    def __init__(self, net: LabNet, plan: CapturePlan, folder: str) -> None:
        self.name = f"{plan.node}:{plan.interface}"
        self._file = f"{plan.node}-{plan.interface}.pcap"
        self._log_path = f"{net.logs}/capture-{plan.node}-{plan.interface}.log"
        # It writes to its output, since AppArmor may forbid it to write files.
        argv = ["tcpdump", "-n", "-p", "-i", plan.interface, "-s", str(plan.most_bytes), "-B", str(_BUFFER_KIB)]
        argv += ["-Z", "root", "--time-stamp-precision=nano", "-w", "-"]
        with open(f"{folder}/{self._file}", "wb") as file, open(self._log_path, "wb") as log:
            self.process = net.node(plan.node).spawn(argv, stdout=file, stderr=log)

    def wait_listening(self) -> None:
        """Wait until packets are captured. Raises LabFailed if the capture does not start."""
        deadline_s = time.monotonic() + START_TIMEOUT_S
        while _LISTENS not in (output := self._text()):
            if self.process.poll() is not None or time.monotonic() > deadline_s:
                raise LabFailed(
                    f"{self.name}: packets cannot be captured: {output.strip() or 'tcpdump does not respond'}"
                )
            time.sleep(0.01)

    def result(self) -> dict[str, Any]:
        """The file, and the numbers of captured and dropped packets; None for each if tcpdump did not print them."""
        counts = dict.fromkeys(("captured", "dropped"))
        for number, kind in re.findall(r"^(\d+) packets? (captured|dropped) ", self._text() + " ", re.MULTILINE):
            counts[kind] = int(number)
        return {"file": f"{FOLDER}/{self._file}", **counts}

    def _text(self) -> str:
        with open(self._log_path, encoding="utf-8", errors="replace") as file:
            return file.read().replace("\n", " \n")

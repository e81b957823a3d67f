"""DualPI2 in a kernel that has it: its options in the kernel's own layout, and the coupling of RFC 9332.

The kernel of these tests is the lab kernel in use; Linux has DualPI2 since 6.17.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.network.network import DualPi2, Network, Shape, Wait
from frrlib.place.labkernel import find_kernel
from tests.disciplines import DUALPI2

pytestmark = [pytest.mark.lab]

LASTS_S, SETTLED_S = 20.0, 5.0
#: Prints the options and the numbers of DualPI2 by a dump of RTM_GETQDISC, without any code of ours. Layout and names
#: are those of linux/pkt_sched.h.
READ = """
import json, socket, struct
opened = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
opened.send(struct.pack("=IHHII BxxxiIII", 36, 38, 0x301, 1, 0, 0, 0, 0, 0, 0))
def attributes(data):
    options = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        options[kind & 0x3fff] = data[4:length]
        data = data[(length + 3) & ~3:]
    return options
done = False
while not done:
    data = opened.recv(65536)
    while data:
        length, kind = struct.unpack_from("=IH", data)
        done |= kind == 3
        values = attributes(data[36:length]) if kind == 36 else {}
        if values.get(1) == b"dualpi2\\0":
            options = {n: int.from_bytes(v, "little") for n, v in attributes(values[2]).items()}
            basic = struct.unpack_from("=QI", attributes(values[7])[1])
            print(json.dumps([options, struct.unpack("=8Ii3I", values[4]), basic]))
        data = data[(length + 3) & ~3:]
"""


def _has_dualpi2() -> bool:
    configuration = subprocess.run([find_kernel(), "--showconfig"], capture_output=True, text=True, check=True).stdout
    return bool(re.search(r"^CONFIG_NET_SCH_DUALPI2=[ym]$", configuration, re.MULTILINE))


def _network(queue: DualPi2) -> Network:
    """h1 - r1 - h2, 20 Mbit/s and 20 ms; DCTCP and Reno share the link."""
    net = Network("DualPI2", wait=Wait(routes=False, ping_count=1))
    net.host("h1")
    net.router("r1")
    net.host("h2")
    net.link("h1", "r1", both=Shape(delay_ms=10))
    net.link("r1", "h2", a_to_b=Shape(rate_mbit=20, queue=queue))
    for name, control in (("scalable", "dctcp"), ("classic", "reno")):
        net.flow(name, "h1", "h2", congestion_control=control, duration_s=LASTS_S)
    return net


@pytest.fixture(scope="module")
def coupled() -> Iterator[SimpleNamespace]:
    """A run without step marks, so that all marks come from the coupling. ECT(0) uses the scalable queue, too."""
    if not _has_dualpi2():
        pytest.skip("the lab kernel in use lacks DualPI2")
    rows: list[tuple[float, str, float]] = []
    received: dict[str, list[tuple[float, int]]] = {}

    def keep(message: wire.Message) -> None:
        if isinstance(message, wire.Samples) and message.table in ("aqm", "tcp"):
            for row in (dict(zip(wire.TABLES[message.table], values, strict=True)) for values in message.rows):
                if message.table == "aqm":
                    rows.append((row["time_s"], row["statistic"], row["value"]))
                elif row["side"] == "sender":
                    received.setdefault(row["flow"], []).append((row["time_s"], row["bytes_acked"]))

    queue = DualPi2(any_ect=True, step_thresh_ms=1000)
    with Lab(_network(queue).topology, place="labkernel", listener=keep, virtual_time=True) as lab:
        assert lab.run_flows()["failures"] == {}
        kernel = json.loads(lab["r1"].run("/usr/bin/python3", "-I", "-c", READ))
    late_rows = [row for row in rows if row[0] > SETTLED_S]
    by_name: dict[str, list[float]] = {}
    for _, name, value in late_rows:
        by_name.setdefault(name, []).append(value)
    return SimpleNamespace(by_name=by_name, kernel=kernel, received=received)


def test_all_options_are_those_that_were_set() -> None:
    if not _has_dualpi2():
        pytest.skip("the lab kernel in use lacks DualPI2")
    with Lab(_network(DUALPI2).topology, place="labkernel") as lab:
        options, _, _ = json.loads(lab["r1"].run("/usr/bin/python3", "-I", "-c", READ))
    gains = {int(number): options.pop(number) / 256 for number in ("5", "6")}
    assert gains == {5: pytest.approx(0.2, abs=2 / 256), 6: pytest.approx(3.5, abs=2 / 256)}
    del options["1"]  # the limit of the link
    assert options == {"2": 2_000_000, "3": 16_000, "4": 20_000, "8": 2_000, "9": 3, "10": 3, "11": 0, "12": 1,
                       "13": 20, "14": 3, "15": 0}  # fmt: skip


def test_the_scalable_queue_marks_with_twice_the_base_probability(coupled: SimpleNamespace) -> None:
    """RFC 9332, section 2.1: p_CL = k p', with the default k = 2."""
    names = coupled.by_name
    marks, packets = (names[name][-1] - names[name][0] for name in ("marks", "scalable_packets"))
    assert max(names["step_marks"]) == 0 < marks
    assert marks / packets == pytest.approx(2 * statistics.fmean(names["drop_chance"]), rel=0.2)


def test_flows_of_both_queues_get_similar_rates(coupled: SimpleNamespace) -> None:
    """RFC 9332, section 2.1: the square of the probability for the classic queue balances both kinds of flows."""
    rates = []
    for rows in coupled.received.values():
        late_rows = [row for row in rows if row[0] > SETTLED_S]
        rates.append((late_rows[-1][1] - late_rows[0][1]) / (late_rows[-1][0] - late_rows[0][0]))
    assert len(rates) == 2 and max(rates) < 2 * min(rates)
    assert sum(rates) * 8e-6 == pytest.approx(20 * 1448 / 1514, rel=0.05)


def test_every_packet_was_counted_in_one_of_both_queues_and_sampled(coupled: SimpleNamespace) -> None:
    _, (_, _, _, classic, scalable, longest, marks, *_), (_, sent) = coupled.kernel
    sampled = {"classic_packets": classic, "scalable_packets": scalable, "most_packets": longest, "marks": marks}
    assert {name: coupled.by_name[name][-1] for name in sampled} == sampled
    assert classic + scalable == pytest.approx(sent, rel=0.01) and min(classic, scalable) > 1000

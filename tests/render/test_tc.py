"""Shapes as tc commands: the kernel accepts them, and reads them back."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Literal

import pytest

from frrlib.model.links import End, Shape, queue_limit_bytes
from frrlib.model.queues import Choke, Red
from frrlib.render import queues, tc

BACK = Shape(rate_mbit=10, delay_ms=20)
FRAME_BYTES = 1514
V0 = End(node="h1", interface="v0")


def in_a_namespace(batch: str, before: str = "true", after: str = "tc -d -j -r qdisc show") -> list[dict[str, object]]:
    """The qdiscs of two veth ends after a tc batch, in a namespace that an ordinary user may make.

    Args:
        before, after: shell commands before the ends are up, and after the batch.
    """
    script = (
        "PATH=$PATH:/usr/sbin:/sbin; "  # an ordinary user's path need not have them
        "ip link add v0 type veth peer name v1 && "
        f"{before} && ip link set v0 up && ip link set v1 up && tc -batch - && {after}"
    )
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", script],
        input=batch,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "shape",
    [
        Shape(rate_mbit=10, delay_ms=20, queue_bdp=1),
        Shape(rate_mbit=0.064, queue_packets=7),
        Shape(rate_mbit=1000, queue_bytes=1_000_000),
        Shape(rate_mbit=33.333333, queue_ms=50),
        Shape(rate_mbit=100),
    ],
)
def test_the_kernel_accepts_the_queue_and_has_the_requested_values(shape: Shape) -> None:
    requested = tc.queue_qdiscs(V0, shape, BACK)
    read_back = in_a_namespace("".join(q.command + "\n" for q in requested))
    assert tc.differences(requested, read_back) == []
    child = next(entry for entry in read_back if entry["handle"] == "10:")
    expected = shape.queue_packets or queue_limit_bytes(shape, BACK, FRAME_BYTES)
    assert child["options"] == {"limit": expected}


@pytest.mark.parametrize(
    ("shape", "burst_bytes"),
    [
        (Shape(rate_mbit=10), 4542),  # three full frames
        (Shape(rate_mbit=36), 4542),
        (Shape(rate_mbit=100), 13_626),  # 1 ms is 12,500 bytes: nine frames
        (Shape(rate_mbit=1000), 125_662),
        (Shape(rate_mbit=1000, burst_frames=2), 3028),
        (Shape(rate_mbit=100, burst_frames=1), 1514),
    ],
)
def test_a_bucket_holds_three_frames_or_a_millisecond(shape: Shape, burst_bytes: int) -> None:
    for shaper in ("tbf", "htb"):
        commands = [qdisc.command for qdisc in tc.queue_qdiscs(V0, shape.model_copy(update={"shaper": shaper}), BACK)]
        assert f" burst {burst_bytes}b " in "".join(f"{command} " for command in commands)


@pytest.mark.parametrize("mtu_bytes", [576, 1280, 4500, 9000, 65_535])
@pytest.mark.parametrize("rate_mbit", [0.5, 10, 60])
@pytest.mark.parametrize("shaper", ["tbf", "htb"])
def test_a_bucket_takes_full_frames_of_any_mtu(mtu_bytes: int, rate_mbit: float, shaper: Literal["tbf", "htb"]) -> None:
    sender = V0.model_copy(update={"mtu_bytes": mtu_bytes})
    for burst_frames in (None, 1):
        shape = Shape(rate_mbit=rate_mbit, queue_packets=20, shaper=shaper, burst_frames=burst_frames)
        requested = tc.queue_qdiscs(sender, shape, BACK)
        (bucket,) = [qdisc.expected["burst"][0] for qdisc in requested if "burst" in qdisc.expected]  # type: ignore[index]
        least_frames = 1 if burst_frames else 3
        assert bucket >= least_frames * (mtu_bytes + 14)
        assert requested[-1].arguments == "limit 20"


def test_large_frames_pass_the_kernels_bucket_and_it_reads_back_as_requested() -> None:
    """A full frame counts as sent at tbf and below it, not as dropped."""
    sender = V0.model_copy(update={"mtu_bytes": 9000})
    requested = tc.queue_qdiscs(sender, Shape(rate_mbit=10, queue_packets=20, burst_frames=1), BACK)
    send = (
        "import socket; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); s.bind(('v0', 0x88B5)); "
        "s.send(bytes(9014))"
    )
    read_back = in_a_namespace(
        "".join(f"{qdisc.command}\n" for qdisc in requested),
        before="ip link set v0 mtu 9000; echo 1 > /proc/sys/net/ipv6/conf/v0/disable_ipv6",
        after=f'{sys.executable} -c "{send}" && tc -s -d -j -r qdisc show',
    )
    assert tc.differences(requested, read_back) == []
    counters = [(entry["bytes"], entry["drops"]) for entry in read_back if entry["dev"] == "v0"]
    assert counters == [(9014, 0), (9014, 0)]


def test_chokes_marks_allow_an_average() -> None:
    """tc warns about a lower mark of one packet; formerly every limit below 24 packets had one."""
    for packets in (1, 4, 10, 23, 24, 100):
        command = tc.queue_qdiscs(V0, Shape(rate_mbit=10, queue_packets=packets, queue=Choke()), BACK)[-1].arguments
        words = command.split()
        low, high, burst = (int(words[words.index(word) + 1]) for word in ("min", "max", "burst"))
        assert 2 <= low < high and 1 <= queues.ewma(burst, low) < 10, command


@pytest.mark.parametrize(("rate_mbit", "mtu_bytes"), [(1000, 1500), (1000, 9000), (10_000, 9000), (1, 576)])
def test_reds_weight_fits_beside_its_marks(rate_mbit: float, mtu_bytes: int) -> None:
    """The kernel refuses a mark that has more than 31 bits after a shift by the weight (`red_check_params`)."""
    sender = V0.model_copy(update={"mtu_bytes": mtu_bytes})
    words = tc.queue_qdiscs(sender, Shape(rate_mbit=rate_mbit, queue=Red()), BACK)[-1].arguments.split()
    low, high, burst = (int(words[words.index(word) + 1].rstrip("b")) for word in ("min", "max", "burst"))
    exponent = queues.ewma(burst, low / 1000)
    assert 1 <= exponent < 10 and high.bit_length() + exponent < 32


def test_another_rate_or_a_missing_queue_is_reported() -> None:
    requested = tc.queue_qdiscs(V0, Shape(rate_mbit=10, queue_packets=50), BACK)
    different = tc.queue_qdiscs(V0, Shape(rate_mbit=11, queue_packets=50), BACK)
    read_back = in_a_namespace("".join(q.command + "\n" for q in different))
    assert tc.differences(requested, read_back) == ["v0: tbf has rate 1375000, asked was 1250000"]
    assert tc.differences(requested, []) == [
        "v0: tbf 1: was asked, nothing is there",
        "v0: pfifo 10: was asked, nothing is there",
    ]


def test_one_bdp_of_ten_megabit_and_forty_milliseconds_is_fifty_kilobytes() -> None:
    assert queue_limit_bytes(Shape(rate_mbit=10, delay_ms=20, queue_bdp=1), BACK, FRAME_BYTES) == 50_000


def test_netem_has_an_explicit_limit_that_holds_the_delay_line() -> None:
    qdisc = tc.link_qdisc("c0", Shape(rate_mbit=1000, delay_ms=100))
    assert qdisc is not None
    # One second holds 1e9 / 8 / 64 packets of the smallest size; the line of 100 ms holds a tenth of them.
    assert qdisc.expected["limit"][0] >= 1e9 / 8 / 64 * 0.1
    assert qdisc.command == "qdisc replace dev c0 root handle 1: netem limit 390625 delay 100ms"


def test_a_plain_direction_needs_no_qdisc() -> None:
    assert tc.queue_qdiscs(V0, Shape(), BACK) == ()
    assert tc.link_qdisc("v0", Shape(rate_mbit=10)) is None


@pytest.mark.parametrize(
    ("rate_mbit", "text"), [(10, "10mbit"), (0.5, "500kbit"), (1000, "1gbit"), (2.5, "2500kbit"), (1 / 3, "333333bit")]
)
def test_rates_are_exact_to_one_bit_a_second(rate_mbit: float, text: str) -> None:
    assert f"tbf rate {text} " in tc.queue_qdiscs(V0, Shape(rate_mbit=rate_mbit), BACK)[0].command


def test_netem_reads_back_as_the_kernel_prints_it() -> None:
    requested = tc.link_qdisc("v1", Shape(delay_ms=20, jitter_ms=1, loss_percent=0.5))
    assert requested is not None
    # As printed by `tc -d -j -r qdisc show` of a 6.1 kernel.
    printed = (
        '{"kind":"netem","handle":"1:","dev":"v1","root":true,"refcnt":2,"options":{"limit":%d,"delay":{"delay":0.02,'
        '"jitter":0.001,"correlation":0},"loss-random":{"loss":0.005,"correlation":0},"ecn":false,"gap":0}}'
    )
    limit = int(requested.expected["limit"][0])
    assert tc.differences([requested], [json.loads(printed % limit)]) == []
    assert tc.differences([requested], [json.loads(printed % 1000)]) == [f"v1: netem has limit 1000, asked was {limit}"]


@pytest.mark.parametrize(("read_back_us", "is_reported"), [(5, False), (4, False), (3, True), (7, True)])
def test_a_delay_may_be_read_back_with_an_error_of_one_step_of_the_kernels_clock(
    read_back_us: int, is_reported: bool
) -> None:
    """The kernel stores 5 us as 78 steps of 64 ns, which tc prints as 4 us."""
    requested = tc.netem_qdisc("v0", Shape(delay_ms=0.005))
    options = {"limit": requested.expected["limit"][0], "delay": {"delay": read_back_us / 1e6, "jitter": 0.0}}  # type: ignore[index]
    differences = tc.differences([requested], [{"dev": "v0", "kind": "netem", "handle": "1:", "options": options}])
    assert [difference for difference in differences if "delay" in difference] == differences
    assert bool(differences) is is_reported

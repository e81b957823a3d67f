"""Every discipline with each of its parameters set, and all that a cable can do to packets."""

from __future__ import annotations

from typing import Any

from frrlib.model.impairments import FourStates, GilbertElliott, Impairments
from frrlib.model.queues import (
    Bfifo,
    Cake,
    Choke,
    Codel,
    DualPi2,
    Fq,
    FqCodel,
    FqPie,
    Pfifo,
    Pie,
    Red,
    Sfb,
    Sfq,
)

#: By name, each field of each discipline given something other than the kernel's own.
QUEUES: dict[str, Any] = {
    "pfifo": Pfifo(),
    "bfifo": Bfifo(),
    "fq": Fq(
        flow_limit_packets=90, quantum_bytes=4542, initial_quantum_bytes=16_000, maxrate_mbit=9.5, buckets=512,
        pacing=False, low_rate_threshold_mbit=0.5, refill_delay_ms=30, timer_slack_us=5, horizon_ms=5000,
        horizon_drop=False, orphan_mask=511, ce_threshold_ms=2,
    ),
    "fq-paced": Fq(pacing=True, horizon_drop=True),
    "codel": Codel(target_ms=6, interval_ms=110, ecn=True, ce_threshold_ms=2),
    "fq_codel": FqCodel(
        target_ms=6, interval_ms=110, ecn=False, ce_threshold_ms=2, flows=512, quantum_bytes=300,
        memory_limit_bytes=8_000_000, drop_batch_packets=32,
    ),
    "pie": Pie(target_ms=16, tupdate_ms=20, alpha=3, beta=21, ecn=True, bytemode=True, dq_rate_estimator=True),
    "cake": Cake(
        diffserv="diffserv4", isolation="dual-srchost", rtt_ms=80, nat=True, wash=True, ack_filter="aggressive",
        split_gso=False, overhead_bytes=18, mpu_bytes=64, link_layer="atm",
    ),
    "cake-plain": Cake(diffserv="besteffort", isolation="flowblind", nat=False, ack_filter="no", split_gso=True,
                       overhead_bytes=-4, link_layer="noatm"),
    "red": Red(min_bytes=20_000, max_bytes=60_000, probability=0.05, avpkt_bytes=1200, burst_packets=40, ecn=True,
               harddrop=True),
    "red-adaptive": Red(ecn=True, adaptive=True, nodrop=True),
    "sfq": Sfq(quantum_bytes=3028, perturb_s=10, flows=100, divisor=2048, depth_packets=100, headdrop=True),
    "choke": Choke(min_packets=20, max_packets=60, probability=0.05, avpkt_bytes=1200, burst_packets=40, ecn=True),
    "sfb": Sfb(rehash_s=500, db_s=50, max_packets=30, target_packets=24, increment=0.001, decrement=0.0001,
               penalty_rate_packets_s=12, penalty_burst_packets=22),
}  # fmt: skip
#: Disciplines that a lab kernel may lack.
FQ_PIE = FqPie(
    target_ms=16, tupdate_ms=20, alpha=3, beta=21, ecn=True, bytemode=True, dq_rate_estimator=True, flows=512,
    quantum_bytes=3028, memory_limit_bytes=8_000_000, ecn_prob_percent=20,
)  # fmt: skip
DUALPI2 = DualPi2(
    target_ms=16, tupdate_ms=20, alpha=0.2, beta=3.5, coupling_factor=3, step_thresh_ms=2, min_qlen_step_packets=3,
    classic_protection_percent=20, any_ect=True, drop_on_overload=False, drop_early=True, split_gso=False,
    memory_limit_bytes=2_000_000,
)  # fmt: skip
#: Effects of the cable, each on packets of both directions.
CABLES: dict[str, tuple[float, Impairments]] = {
    "normal": (2, Impairments(jitter_distribution="normal", jitter_correlation_percent=25)),
    "pareto": (2, Impairments(jitter_distribution="pareto", duplicate_percent=1)),
    "paretonormal": (2, Impairments(jitter_distribution="paretonormal", corrupt_percent=0.5)),
    "measured": (2, Impairments(jitter_samples_ms=(1, 1.5, 2, 2.5, 90), jitter_correlation_percent=10)),
    "reorder": (0, Impairments(reorder_percent=3, reorder_correlation_percent=20, reorder_gap=5)),
    "gilbert": (0, Impairments(gilbert_elliott=GilbertElliott(
        to_bad_percent=1, to_good_percent=10, loss_in_bad_percent=70, loss_in_good_percent=0.1))),
    "states": (0, Impairments(four_states=FourStates(
        p13_percent=1, p31_percent=90, p32_percent=5, p23_percent=99, p14_percent=2))),
    "correlated": (0, Impairments(loss_correlation_percent=25, corrupt_percent=1)),
}  # fmt: skip
#: Commands of one's own as published set-ups have them.
OWN_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("root handle 1: netem delay 10ms", "parent 1:1 handle 10: tbf rate 80mbit buffer 1mbit limit 1000mbit"),
    (
        "root handle 5: htb default 1",
        "class parent 5: classid 5:1 htb rate 10mbit burst 15k",
        "parent 5:1 handle 10: netem delay 20ms limit 175",
    ),
    ("root netem rate 80mbit delay 10ms limit 1000",),
    ("root handle 1: tbf rate 80mbit burst 131072b limit 1mb peakrate 81mbit mtu 1500",),
    ("root fq maxrate 1000mbit",),
    ("root handle 1: tbf rate 20mbit burst 4542b limit 100kb", "parent 1:1 handle 2: pfifo limit 50"),
)
#: In a node: statistics of disciplines as we read them, and `tc`'s before and after; once nothing changes in between.
BOTH = """
import json, re, socket, subprocess, sys
sys.path.insert(0, sys.argv[1])
from frrlib.agent.sampling import aqm, kernel_statistics, sampled_node
def tc():
    # An older tc prints this amid its JSON.
    output = subprocess.run(["tc", "-s", "-j", "qdisc", "show"], capture_output=True, text=True).stdout
    return json.loads(re.sub(r"\\[Unknown qdisc, optlen=\\d+\\] ?", "", output))
opened = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
opened.bind((0, 0))
for _ in range(50):
    before = tc()
    request = kernel_statistics.qdisc_dump_request(1)
    statistics = [kernel_statistics.QdiscStatistics(body) for body in sampled_node.dump(opened.fileno(), request)]
    ours = {each.kind: [dict(aqm.statistics(each)), each.counts, aqm.marks(each)] for each in statistics}
    if tc() == before:
        break
print(json.dumps([ours, before]))
"""

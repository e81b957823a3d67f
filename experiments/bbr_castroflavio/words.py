"""Descriptions and lessons of the CF experiments."""

from __future__ import annotations

from miniedit_frr.experiments.bbr_castroflavio.lab import SOURCE

__all__ = ["LESSON_5", "LESSON_6", "LESSON_B", "SETUP_5", "SETUP_6", "SETUP_B", "SOURCE"]

_LAB = (
    "A sender and a receiver, and Mininet's `TCLink` between them: `fq pacing maxrate 1000mbit` at the sender, "
    "segments sent one by one (`ethtool` turned TSO, GSO and GRO off). In the middle was a switch. Since Linux 4.19 "
    "a packet that passes only bridges stays charged to its sender's socket, so that TCP stops sending before the "
    "queue is full. In their kernel, 4.10, it did not. So here a router replaces the switch: its packets no longer "
    "belong to the sender's socket."
)
_TCLINK = (
    "`TCLink` makes a link of `htb` with `netem` below it, at both ends. The shaper does not control netem's queue: "
    "its limit counts delayed packets as well as waiting ones, and the waiting time is a part of the delay. So the "
    "one-way time is the longer of both, and not their sum."
)
_SOUND = (
    "In a correct set-up the queue belongs to the shaper and holds only waiting packets, and the link delays packets "
    "after it. The RTT is then the configured delay plus the queueing delay."
)

SETUP_5 = f"""{_LAB}

One flow of 8 s over 10 Mbit/s, 20 ms each way and a queue of 175 packets; once BBR, once CUBIC. The round trip was
taken from a capture by tshark's `ack_rtt`. Published: CUBIC about 150 ms on the average and 400 ms at worst, BBR
about 50 ms in both."""

LESSON_5 = f"""{_TCLINK} So 175 full frames, which take 212 ms, end in a round trip of 232 ms and not of 252.

{_SOUND} Both set-ups agree on what matters: CUBIC fills whatever buffer there is and BBR does not, so CUBIC's round
trip is several times as long at the same goodput.

The published 400 ms are not queueing delay: a queue of 175 packets never takes that long. `ack_rtt` is the time from
the transmission of a packet to its acknowledgment, and packets behind a lost one are only acknowledged after its
retransmission, a whole round trip of a full queue later. The figure has both: dots for tshark's `ack_rtt`, lines for
TCP's own measurement. To learn how long packets wait, use the sender's own measurement or timestamps, not
`ack_rtt`."""

SETUP_6 = f"""{_LAB}

Five BBR flows over 100 Mbit/s and 5 ms each way, with a queue of 1024 packets, which is 124 ms or 12 bandwidth-delay
products. They start 2 s apart and end together at 55 s. Published: they reach fair shares within a few of BBR's cycles.
About every 10 s, the rates of all flows drop together in their common ProbeRTT."""

LESSON_6 = f"""A BBR flow keeps up to twice its estimated bandwidth-delay product in flight. Its estimate of the
path's RTT is the minimum of the last 10 s. A flow that starts later measures the queue of the other flows in every
RTT, so its estimate is too large, and each new flow makes the queue longer. Here the five flows fill the 1024
packets, the RTT reaches 130 ms, and packets are lost.

ProbeRTT, which measures the RTT without a queue, ends this: after 10 s without a smaller RTT, a flow sends four packets
per RTT for 200 ms. If only one flow does so, it still measures the queue of the others. They measure a somewhat smaller
RTT, which postpones their own ProbeRTT. About 10 s after the last of these phases, all flows enter ProbeRTT at the same
time. The queue drains, all flows measure 10 ms, and from then on they share the link evenly and stay synchronized: the
rates drop every 10 s.

Two or more flows still keep a queue of about one and a half bandwidth-delay products: the RTT is 27 ms rather than 10.

{_TCLINK} Once the queue is short it makes no difference. {_SOUND}"""

SETUP_B = f"""{_LAB}

A CUBIC flow and a BBR flow start together and share 10 Mbit/s for 100 s, 10 ms each way, with a queue of
{{packets}} packets: {{bdp}} bandwidth-delay products, {{ms}} ms. No numbers were published with the figures."""

LESSON_B = f"""In a deep buffer CUBIC determines the queueing delay, and BBR counts it as part of the path: BBR keeps
up to twice its rate times the smallest RTT of the last 10 s in flight, and this RTT contains CUBIC's queue. So BBR
gets a large share of the link and does not react to losses. The deeper the buffer, the later BBR measures a smaller
RTT, and the larger is CUBIC's share.

{_TCLINK} {_SOUND}"""

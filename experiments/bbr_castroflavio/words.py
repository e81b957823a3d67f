"""Descriptions and lessons of the CF experiments."""

from __future__ import annotations

from miniedit_frr.experiments.bbr_castroflavio.lab import SOURCE

__all__ = ["LESSON_5", "LESSON_6", "LESSON_B", "SETUP_5", "SETUP_6", "SETUP_B", "SOURCE"]

_LAB = (
    "A sender and a receiver, and Mininet's `TCLink` between them: `fq pacing maxrate 1000mbit` at the sender, "
    "segments sent one by one (`ethtool` turned TSO, GSO and GRO off). In the middle was a switch. Since Linux 4.19 "
    "a packet that only passes bridges still counts as its sender's own, so that TCP holds itself back before the "
    "queue is full; in their kernel, 4.10, it did not. So here the switch is replaced by a router, at which packets "
    "leave their sender's socket."
)
_TCLINK = (
    "`TCLink` makes a link of `htb` with `netem` below it, at both ends. The shaper does not control netem's queue: "
    "its limit counts delayed packets as well as waiting ones, and the waiting time is a part of the delay. So the "
    "one-way time is the longer of both, and not their sum."
)
_SOUND = (
    "Done right, the queue belongs to the shaper and holds only waiting packets, and the delay lies behind it in the "
    "cable. The round trip is then the configured delay plus the waiting time."
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
products. They begin 2 s after each other and end together at 55 s. Published: they come to a fair share within a few
of BBR's cycles, and dips of all flows together, some every 10 s, are their common ProbeRTT."""

LESSON_6 = f"""A flow of BBR allows itself twice its share of what the path holds, and takes for the path's round trip
the least that it has seen in 10 s. A flow that begins later sees the others' queue in every round trip and takes it for
a part of the path, so each new flow adds a longer queue: here all five fill the 1024 packets, round trips reach 130 ms,
and packets are lost.

ProbeRTT, the search for the round trip without queue, ends this: after 10 s without a shorter round trip a flow sends
four packets per round trip for 200 ms. A flow that does so alone still sees the others' queue, and they see it somewhat
shorter, which postpones their own search. Some 10 s after the last of these searches, all flows search at the same
time. The queue is empty, all see 10 ms, and from then on they share the link evenly and stay synchronized: the dips
every 10 s.

Two flows and more still keep a queue of about one and a half bandwidth-delay products: round trips are 27 ms rather
than 10.

{_TCLINK} Once the queue is short it makes no difference. {_SOUND}"""

SETUP_B = f"""{_LAB}

A flow of CUBIC and one of BBR begin together and share 10 Mbit/s for 100 s, 10 ms each way, with a queue of
{{packets}} packets: {{bdp}} bandwidth-delay products, {{ms}} ms. No numbers were published with the figures."""

LESSON_B = f"""In a deep buffer CUBIC decides how long packets wait, and BBR takes that for a part of the path: it
allows itself twice its rate times the least round trip that it has seen in 10 s, and CUBIC's queue is in that round
trip. So it gets a good part of the link without a loss ever telling it to; the deeper the buffer, the longer it takes
until BBR sees a shorter round trip, and the more goes to CUBIC.

{_TCLINK} {_SOUND}"""

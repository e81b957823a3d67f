"""Descriptions and lessons of the CT experiments."""

from __future__ import annotations

_TESTBED = (
    "Four Raspberry Pi computers send to four others by way of a Linux router, BBR on all of them. `tc` limits and "
    "delays at the router's interface towards the receivers, so it acts on data and not on ACKs. "
    "The flows start 2 s after each other and send for 120 s; throughput is that of the receivers. The post "
    "does not mention offloads, so they are on, the default: a packet at the router may have several frames."
)

SETUP_A = f"""{_TESTBED}

`netem delay 10ms` is the root and `tbf rate 80mbit buffer 1mbit limit 1000mbit` its child: first a delay, then the
rate. Published: the flows come to a fair share, which looked promising, and after each common search for the round
trip at rest throughput has a spike above the link's rate."""

LESSON_A = """To `tc`, 1mbit as a size is 131 072 bytes: 1.3 times what the path holds. While all flows hold still for
200 ms to see the round trip at rest, nothing drains the bucket, so it is full when they go on: up to 131 kB pass at
the speed of the wire, which is 10.5 Mbit/s more in a bin of 100 ms. BBR measures rates, takes the spike for a faster
link, and believes so for ten round trips.

`limit 1000mbit` is 131 MB, or 13 s. The actual limit of the queue is netem's own limit of 1000 packets, which counts
packets in the child as well as delayed ones.

A bucket must be small beside what the path holds: see CT-E, where it is two frames and the spikes are gone."""

SETUP_B = f"""{_TESTBED}

One qdisc instead of two: `netem rate 80mbit delay 10ms`. Published: the flows fall into step, but throughput is
erratic and never above 30 Mbit/s, even while the first flow is alone; the authors point to netem's manual page, which
warns of the timer's granularity."""

LESSON_B = """By its source netem sends each packet when the delay is over and the one before it has been sent at the
rate: a delay line and then a server, which should give 76 Mbit/s of data. A current kernel does so. Therefore the
published 30 Mbit/s are no property of `netem rate`. The reason may have been that router's kernel, its timers, or
bursts of packets that its network card had merged.

It has no bucket, so there are no spikes. For a queue with its own limit or statistics, still use a shaper with a queue,
and delay packets elsewhere: netem's limit counts delayed and waiting packets together."""

SETUP_C = f"""{_TESTBED}

As CT-A, and to be rid of the spikes `peakrate 81mbit mtu 1500` for tbf's second bucket, by which even a full first
one empties at 81 Mbit/s. Published: zero throughput once the bucket was drained, whatever value `mtu` had, and the
attempt was given up. Here one flow sends for 10 s with each of four values."""

LESSON_C = """tbf drops packets that are longer than the smaller of its two buckets, and the second holds `mtu` bytes.
tc counts frames with their Ethernet header of 14 bytes: a full one is 1514 bytes long, and no bucket of 1500 or of
1513 ever has room for it. Small packets pass, so the connection opens and the ping works, but no data arrive. With
1514 everything passes, and a full first bucket adds no more than 1 Mbit/s.

A qdisc that drops all packets of one length reports no error. Its count of drops (`tc -s qdisc`) reveals it: it grows
with every attempt while the backlog stays empty. The figure shows this count."""

SETUP_D = f"""{_TESTBED}

cake in the place of tbf. Graphs looked good, and the authors dropped it all the same, since cake does too much: it
limits each flow by itself. Its command was not published; here it is `cake bandwidth 80mbit` below the same delay,
and for comparison `flowblind besteffort`, which treats all packets as one flow."""

LESSON_D = """cake gives each flow a queue of its own and sends from them in turn, so the shares are equal whatever
congestion control does: that the flows agree says nothing of BBR. It also drops or marks early, which BBR takes no
notice of until a fifth of its packets are lost.

With `flowblind` there are no turns, but still early drops. A test whether BBR's flows come to a fair share by
themselves needs a queue that neither sorts nor drops before it is full, as in CT-E."""

SETUP_E = """The same flows over a set-up without the flaws: the delay lies in the cable, the bucket holds two frames,
the queue of 1000 full frames counts only waiting packets, `fq` paces at the senders, and a packet is one frame
everywhere. This set-up is ours and was not published.

Beside it, the set-up of CT-A with buckets from 2 kB to 131 kB and nothing else changed."""

LESSON_E = """The spikes after ProbeRTT come only from the bucket: the excess in a bin of 100 ms is the content of the
bucket, and with a bucket of a few frames the spikes are gone. The flows come to the same fair share without them.

So a bucket has to be small: some frames, or what the link carries in a millisecond. Smaller than a frame it cannot be
(CT-C), and much smaller than a timer's delay it loses rate."""

"""Descriptions and lessons of the CT experiments."""

from __future__ import annotations

_TESTBED = (
    "Four Raspberry Pi computers send to four others by way of a Linux router, BBR on all of them. What limits and "
    "delays is told to `tc` at the router's interface towards the receivers, so it acts on data and not on ACKs. "
    "The flows start 2 s after each other and send for 120 s; throughput is what receivers get. Nothing is said of "
    "offloads, so they are on, as systems have them: a packet at the router may be of several frames."
)

SETUP_A = f"""{_TESTBED}

`netem delay 10ms` is the root and `tbf rate 80mbit buffer 1mbit limit 1000mbit` its child: first a delay, then the
rate. Published: the flows come to a fair share, which looked promising, and after each common search for the round
trip at rest throughput has a spike above the link's rate."""

LESSON_A = """To `tc`, 1mbit as a size is 131 072 bytes: 1.3 times what the path holds. While all flows hold still for
200 ms to see the round trip at rest, nothing drains the bucket, so it is full when they go on: up to 131 kB pass at
the speed of the wire, which is 10.5 Mbit/s more in a bin of 100 ms. BBR measures rates, takes the spike for a faster
link, and believes so for ten round trips.

`limit 1000mbit` is 131 MB, or 13 s. What bounds the queue is netem's own limit of 1000 packets, which counts what is
in the child beside what is under way.

A bucket must be small beside what the path holds: see CT-E, where it is two frames and the spikes are gone."""

SETUP_B = f"""{_TESTBED}

One qdisc instead of two: `netem rate 80mbit delay 10ms`. Published: the flows fall into step, but throughput is
erratic and never above 30 Mbit/s, even while the first flow is alone; the authors point to netem's manual page, which
warns of the timer's granularity."""

LESSON_B = """By its source netem sends each packet when the delay is over and the one before it has been sent at the
rate: a line and then a server, which should give 76 Mbit/s of data. That is what a current kernel gives, so what held
the flows to 30 Mbit/s is no property of `netem rate`. It may have been that router's kernel, its timers, or lumps of
packets that its network card had put together.

It has no bucket, so there are no spikes. Whoever wants a queue of its own length, or statistics of it, still takes a
shaper with a queue and leaves the delay to somebody else: netem's limit counts what is under way and what waits as
one."""

SETUP_C = f"""{_TESTBED}

As CT-A, and to be rid of the spikes `peakrate 81mbit mtu 1500` for tbf's second bucket, by which even a full first
one empties at 81 Mbit/s. Published: zero throughput once the bucket was drained, whatever value `mtu` had, and the
attempt was given up. Here one flow sends for 10 s with each of four values."""

LESSON_C = """tbf drops whatever is longer than the smaller of its two buckets, and the second one holds `mtu` bytes.
tc counts frames with their Ethernet header of 14 bytes: a full one is 1514 bytes long, and no bucket of 1500 or of
1513 ever has room for it. Small packets pass, so the connection opens and the ping works; no data ever come. With
1514 everything passes, and a full first bucket adds no more than 1 Mbit/s.

A qdisc that drops all packets of one length tells nobody. What shows it is its own count of drops (`tc -s qdisc`),
which grows with every attempt while its backlog stays empty; it is in the figure."""

SETUP_D = f"""{_TESTBED}

cake in the place of tbf. Graphs looked good, and the authors dropped it all the same, since cake does too much: it
limits each flow by itself. Its command was not published; here it is `cake bandwidth 80mbit` below the same delay,
and for comparison `flowblind besteffort`, which treats all packets as one flow."""

LESSON_D = """cake gives each flow a queue of its own and sends from them in turn, so the shares are equal whatever
congestion control does: that the flows agree says nothing of BBR. It also drops or marks early, which BBR takes no
notice of until a fifth of its packets are lost.

`flowblind` takes the turns away and leaves the early drops. To see whether BBR's flows come to a fair share by
themselves takes a queue that neither sorts nor drops before it is full, as in CT-E."""

SETUP_E = """The same flows over a set-up that has none of the flaws: the delay lies in the cable, the bucket holds
two frames, the queue of 1000 full frames counts what waits and nothing else, `fq` paces at the senders, and a packet
is one frame everywhere. It is ours and was not published.

Beside it, the set-up of CT-A with buckets from 2 kB to 131 kB and nothing else changed."""

LESSON_E = """The spikes after ProbeRTT come from the bucket and from nothing else: what passes too fast in a bin of
100 ms is what the bucket holds, until it is as small as a few frames and nothing is left of them. The flows come to
the same fair share without them.

So a bucket has to be small: some frames, or what the link carries in a millisecond. Smaller than a frame it cannot be
(CT-C), and much smaller than a timer's delay it loses rate."""

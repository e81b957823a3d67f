"""Descriptions and lessons of the CT experiments."""

from __future__ import annotations

_TESTBED = (
    "Four Raspberry Pi computers send to four others through a Linux router, all with BBR. `tc` limits the rate and "
    "adds the delay at the router's interface towards the receivers, so it acts on data and not on ACKs. "
    "The flows start 2 s after each other and send for 120 s; throughput is that of the receivers. The post "
    "does not mention offloads, so they are on, as by default: a packet at the router may have several frames."
)

SETUP_A = f"""{_TESTBED}

`netem delay 10ms` is the root and `tbf rate 80mbit buffer 1mbit limit 1000mbit` its child: first a delay, then the
rate. Published: the flows reach fair shares, which looked promising, and after each common ProbeRTT the throughput has
a spike above the link's rate."""

LESSON_A = """As a size, 1mbit is 131 072 bytes to `tc`: 1.3 BDP. While all flows pause for 200 ms in ProbeRTT, the
bucket fills. When they continue, up to 131 kB pass at the speed of the wire, which is 10.5 Mbit/s more in a bin of 100
ms. BBR measures delivery rates, so it takes the spike for a faster link during ten round trips.

`limit 1000mbit` is 131 MB, or 13 s. The actual limit of the queue is netem's own limit of 1000 packets, which counts
packets in the child as well as delayed ones.

A bucket must be small compared with the BDP: see CT-E, with a bucket of two frames and no spikes."""

SETUP_B = f"""{_TESTBED}

One qdisc instead of two: `netem rate 80mbit delay 10ms`. Published: the flows synchronize, but throughput is erratic
and never above 30 Mbit/s, even while the first flow is alone; the authors refer to netem's manual page, which warns
about the timer's granularity."""

LESSON_B = """According to its source, netem sends each packet when its delay is over and the previous packet has been
sent at the rate: a delay followed by a server, which should give 76 Mbit/s of data. A current kernel does so, so the
published 30 Mbit/s are no property of `netem rate`. Possible reasons are the kernel of that router, its timers, or
packets that its network card had merged.

It has no bucket, so there are no spikes. For a queue with its own limit or statistics, still use a shaper with a queue,
and delay packets elsewhere: netem's limit counts delayed and waiting packets together."""

SETUP_C = f"""{_TESTBED}

As CT-A, with `peakrate 81mbit mtu 1500` to avoid the spikes: tbf's second bucket limits the rate to 81 Mbit/s while the
first one is full. Published: zero throughput once the bucket was empty, with any value of `mtu`, so the authors gave
up. Here one flow sends for 10 s with each of four values."""

LESSON_C = """tbf drops packets that are longer than the smaller of its two buckets, and the second holds `mtu` bytes.
tc counts frames with their Ethernet header of 14 bytes: a full one has 1514 bytes, more than a bucket of 1500 or 1513.
Small packets pass, so the connection opens and ping works, but no data arrive. With 1514 all packets pass, and a full
first bucket adds at most 1 Mbit/s.

A qdisc that drops all packets of one length reports no error. Its count of drops (`tc -s qdisc`) reveals it: it grows
with every attempt while the backlog stays empty. The figure shows this count."""

SETUP_D = f"""{_TESTBED}

cake instead of tbf. The graphs looked good, but the authors did not use it, because cake does too much: it limits each
flow on its own. Its command was not published; here it is `cake bandwidth 80mbit` below the same delay, and for
comparison `flowblind besteffort`, which treats all packets as one flow."""

LESSON_D = """cake has a queue for each flow and serves them in turn, so the shares are equal with any congestion
control, and say nothing about BBR. It also drops or marks early, to which BBR does not react until a fifth of its
packets are lost.

With `flowblind` all flows share one queue, but cake still drops early. To test whether BBR flows reach fair shares by
themselves, use a queue that neither separates flows nor drops before it is full, as in CT-E."""

SETUP_E = """The same flows over a corrected set-up: the delay is in the link, the bucket has two frames, the queue of
1000 full frames counts only waiting packets, `fq` paces at the senders, and each packet is one frame. This set-up is
ours and was not published.

For comparison, the set-up of CT-A with buckets from 2 kB to 131 kB and no other change."""

LESSON_E = """Only the bucket causes the spikes after ProbeRTT: the excess in a bin of 100 ms is the content of the
bucket, and a bucket of a few frames causes no spikes. The flows reach the same fair shares without them.

So a bucket has to be small: some frames, or one millisecond at the link's rate. A bucket smaller than a frame drops all
frames (CT-C), and one much smaller than a timer's delay reduces the rate."""

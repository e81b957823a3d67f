"""Descriptions, results and lessons of martinber's scenarios."""

SOURCE = "martinber: report (in Spanish), scripts and figures, 2020, https://github.com/martinber/bbr2-mininet"

QUEUE_UNITS = (
    "Queue: as published it is counted in the kernel's packets, which hold up to 64 kB while offloads are on; done "
    "right a packet is a frame."
)
NO_QUEUE = "The published plots of the queue are too dense to be read point by point."
NO_QUEUE_5 = f"{NO_QUEUE} They peak at 15 to 18 packets."
COLUMNS = "Lines are medians over a quarter of a second, areas reach from the least to the largest value in it."
BY_ROUND_TRIPS = "Throughput is averaged over a round trip: in shorter bins Reno's bursts would be seen one by one."
ONE_PROCESSOR = "in virtual time computing takes no time, so that no process lacks a processor"

_COMMON = """\
Host `h1` sends one flow to `h2` by a router. On the router's interface towards `h2`, and only there, `netem` delays
(and loses) packets, and below it `tbf` shapes them: `netem {netem}`, then `tbf {tbf}`. The way back has no delay, so
the round trip at rest is the delay. The sender's rate, window and round trip were sampled 100 times a second,
throughput in bins of 0.1 s at the sender, so in front of the bottleneck; one run for each congestion control, iperf
2, Linux 5.4 with BBRv2 of spring 2020 in a virtual machine, segmentation offloads on.
"""


def _setup(netem: str, tbf: str, findings: str) -> str:
    return f"{_COMMON.format(netem=netem, tbf=tbf)}\n{findings}"


SETUP_0 = _setup(
    "delay 30ms",
    "rate 100mbit burst 50kb latency 30ms",
    "Ten seconds of BBR and BBRv2, by which the scripts were tried out. Nothing was published of it.",
)
LESSON_0 = """\
This scenario shows start-up, draining and the first cycles of BBR, and nothing else, so it is a good first example.
Scenario 2 has the same path for a minute.
"""

SETUP_1 = _setup(
    "delay 100ms",
    "rate 10mbit burst 32kb latency 50ms",
    "20 s of each. Published means behind the start (Mbit/s): Reno 9.5, CUBIC 9.6, BBR 9.3, BBRv2 9.1; round trips "
    "of 134, 145, 117 and 110 ms. Reno's window swings between 72 and 143 packets.",
)
LESSON_1 = """\
The report asks for a buffer of 50 ms and gets 76 ms: `tbf` takes `latency` times the rate *and adds the burst*, here
62 500 + 32 768 = 95 268 bytes. The figures prove it: the round trip ends at 173 ms rather than at 150. Done right the
limit is said in bytes, and the kernel's own is read back before anything is sent.

From there everything can be computed. The window that just overflows is what the path holds, 125 000 bytes, and what
the queue holds: 145.5 frames. Half of it is less than the path holds, so Reno's link idles for some seconds after
each halving; that is what a buffer below one bandwidth-delay product costs (5 % here). BBR holds about two
bandwidth-delay products as its limit and about one in flight, so its queue is short but for the start.

The burst does harm of its own. A bucket of 32 kB is 26 % of what the path holds; while BBR waits it fills, and then
passes at line rate. BBR believes what it measures there for ten round trips and fills the queue: compare the colored
round trips after the start and after the pause at 10 s with the black ones, whose bucket holds three frames. The
published spikes are lower. So are ours in real time on a machine that is busy with other things (a mean of 118 ms, as
published, in place of 135): a sender that comes to its turn late does not send at the pace that it believes in.

With offloads on the kernel handles two frames as one packet at this rate, so that the published queue of "30 packets"
is as long as ours of 62 frames. Say bytes, or switch offloads off.
"""

SETUP_2 = _setup(
    "delay 30ms",
    "rate 100mbit burst 50kb latency 30ms",
    "60 s of BBR and BBRv2. Published means: 91.4 and 78.3 Mbit/s, round trips of 35.7 and 31.7 ms. BBR stops "
    "almost wholly at 10.5, 22, 34 and 45 s; BBRv2 halves its window more often, at 5.5, 12, 18, 24, 35, 43 and 55 "
    "s.",
)
LESSON_2 = """\
The round trip without queue is only visible if the queue is empty, and no other flow empties it: BBR goes down to four
packets for 200 ms when it has seen no smaller round trip for 10 s. Each of these pauses costs 2 % of ten seconds.
BBRv2 asks twice as often and keeps half of what the path holds in flight, so that it loses less each time.

The published buffer has 34.1 ms instead of 30, by the burst that `tbf` adds. The bucket matters more: full after each
pause, it lets BBR measure too much, and the round trip climbs to the buffer's end before it comes back.
"""

SETUP_3 = _setup(
    "loss 0.5% delay 100ms",
    "rate 100mbit burst 50kb latency 100ms (report: 50ms)",
    "10 s of each. Published means: Reno 2.7, CUBIC 2.4, BBR 64, BBRv2 34 Mbit/s. The report says that the loss is "
    "correlated by 25 %; in the command the 25 % belong to the delay's jitter, which is 0. Whether the buffer had "
    "50 or 100 ms cannot be read from the figures: both are run.",
)
LESSON_3 = """\
A congestion control that takes every loss for a full queue gets 1.22 · MSS / (RTT · √p) (Mathis and others): 2 Mbit/s
of 100 here, whatever the buffer. BBR goes by the rate of arrivals and tolerates loss until it comes near 20 %.

Two flaws of the set-up concern BBR. While offloads are on, a "packet" that netem loses is some nine frames: a round
trip in which two such die has lost 2 %, which is BBRv2's limit. And netem's own limit of 1000 packets counts the
delay line, which at 100 Mbit/s and 100 ms holds 826 frames by itself: a start of twice that is cut short where
nothing was drawn. Done right loss is per frame and the delay line never drops; then BBR has the link but for what it
takes to start.
"""

SETUP_4 = _setup(
    "delay 50ms",
    "rate 100mbit burst 50kb latency 50ms",
    "60 s of Reno, BBR and BBRv2 in a virtual machine of one processor, which also captured packets and polled "
    "queue and sockets 100 times a second. Published means: Reno 95.9, BBR 27.9, BBRv2 86.3 Mbit/s: BBR falls to 17 "
    "after 22 s and stays there.",
)
LESSON_4 = """\
This is no property of the path. BBR believes the largest rate at which packets were acknowledged within ten round
trips. If the sender does not get the processor for so long, its own pace is the largest it has seen, and nothing
tells it that there was more to have; a flow that fills a queue, as Reno's does, has a reserve that covers such
pauses. So a measurement of BBR has to say how busy the machine was.

A lab in virtual time has no such machine: computing takes no time in it, so it is the control run, and BBR fills the
link. In real time both hosts are held to one processor, which forwards their packets, too (a lab kernel has no
other). With that processor for itself a lab kernel of ours sends 93 Mbit/s by BBR; with a part of it, since the
machine was busy with other things, 18 by BBR and 70 by Reno, in runs that call themselves *doubtful*. So it is not
the number of processors but how much of one the sender gets. (Frame by frame, "done right", a lab kernel in real time
needs more of it than there is: look at its control run in virtual time.)
"""

SETUP_5 = _setup(
    "delay 50ms (report: 200ms)",
    "rate 100mbit burst 50kb limit 200000",
    "60 s of Reno, BBR and BBRv2. Published means: 81.3, 78.5 and 87.8 Mbit/s. The report says a delay of 200 ms "
    "and a buffer of 1 % of the bandwidth-delay product; the figures have round trips of 50 to 66 ms, so that the "
    "delay is 50 ms as in the scripts, and the buffer 16 ms, 32 % of the product. Both delays are run.",
)
LESSON_5 = """\
Look at the round trip before believing a caption: at rest it is the delay, and what a full queue adds is its limit at
the link's rate, 200 000 bytes at 100 Mbit/s = 16 ms. Where "1 % of the bandwidth-delay product" came from: the
product was computed in *bits*, and a hundredth of it was given to `tbf`, which takes *bytes*; at 200 ms that is 8 %.

With a third of a product as buffer Reno's window swings between 272 and 545 frames, the path holds 413, and the rate
after each halving is 63 Mbit/s, for seven of every fifteen seconds below the link's. At 200 ms a cycle takes nearly
three minutes: in a minute Reno hardly comes back from its start.
"""

"""Descriptions, results and lessons of martinber's scenarios."""

SOURCE = "martinber: report (in Spanish), scripts and figures, 2020, https://github.com/martinber/bbr2-mininet"

QUEUE_UNITS = (
    "Queue: the published one is counted in packets of the kernel, which hold up to 64 kB with offloads. In the "
    "corrected set-up a packet is a frame."
)
NO_QUEUE = "The published plots of the queue are too dense to be read point by point."
NO_QUEUE_5 = f"{NO_QUEUE} They peak at 15 to 18 packets."
COLUMNS = "Lines are medians over 0.25 s; areas show the smallest and the largest value in that time."
BY_ROUND_TRIPS = "Throughput is averaged over a round trip; shorter bins would show single bursts of Reno."
ONE_PROCESSOR = "in virtual time computing takes no time, so no process waits for a processor"

_COMMON = """\
Host `h1` sends one flow to `h2` through a router. Only the router's interface towards `h2` is shaped: `netem` delays
(and loses) packets, and its child `tbf` limits the rate: `netem {netem}`, then `tbf {tbf}`. The opposite direction has
no delay, so the base RTT is the delay. Rate, window and RTT of the sender were sampled 100 times a second. Throughput
was measured in bins of 0.1 s at the sender, in front of the bottleneck. There was one run for each congestion control,
with iperf 2 and Linux 5.4 with BBRv2 of spring 2020, in a virtual machine with segmentation offloads.
"""


def _setup(netem: str, tbf: str, findings: str) -> str:
    return f"{_COMMON.format(netem=netem, tbf=tbf)}\n{findings}"


SETUP_0 = _setup(
    "delay 30ms",
    "rate 100mbit burst 50kb latency 30ms",
    "Ten seconds of BBR and BBRv2, with which the scripts were tried. No results were published.",
)
LESSON_0 = """\
This scenario shows Startup, Drain and the first cycles of BBR only, so it is a good first example. Scenario 2 has the
same path for a minute.
"""

SETUP_1 = _setup(
    "delay 100ms",
    "rate 10mbit burst 32kb latency 50ms",
    "20 s of each. Published means after the start (Mbit/s): Reno 9.5, CUBIC 9.6, BBR 9.3, BBRv2 9.1; RTTs of 134, "
    "145, 117 and 110 ms. Reno's window varies between 72 and 143 packets.",
)
LESSON_1 = """\
The report requests a buffer of 50 ms, but the buffer has 76 ms: the limit of `tbf` is `latency` times the rate *plus
the burst*, here 62 500 + 32 768 = 95 268 bytes. The figures confirm this: the RTT reaches 173 ms instead of 150. In the
corrected set-up the limit is in bytes, and the kernel's value is read back before any flow starts.

All further values follow from that. The queue overflows when the window is as large as the BDP, 125 000 bytes, and the
buffer together: 145.5 frames. Half of that is less than the BDP, so Reno's link is idle for some seconds after each
loss. This is the cost of a buffer below one BDP, 5 % here. BBR limits its window to about two BDPs and keeps about one
in flight, so its queue is short after the start.

The burst has a second effect. A bucket of 32 kB is 26 % of the BDP. It fills while BBR waits, and then lets packets
pass at line rate. BBR takes the rate measured there for the bandwidth during ten round trips, and fills the queue:
compare the colored RTTs after the start and after the pause at 10 s with the black ones, whose bucket has three frames.
The published peaks are lower, as are ours in real time on a busy machine (a mean of 118 ms, as published, instead of
135): a sender that gets the processor late sends more slowly than its pacing rate.

With offloads the kernel handles two frames as one packet at this rate, so the published queue of "30 packets" is as
long as ours of 62 frames. State queues in bytes, or switch offloads off.
"""

SETUP_2 = _setup(
    "delay 30ms",
    "rate 100mbit burst 50kb latency 30ms",
    "60 s of BBR and BBRv2. Published means: 91.4 and 78.3 Mbit/s, RTTs of 35.7 and 31.7 ms. BBR nearly stops at "
    "10.5, 22, 34 and 45 s. BBRv2 halves its window more often: at 5.5, 12, 18, 24, 35, 43 and 55 s.",
)
LESSON_2 = """\
The base RTT can be measured only with an empty queue, and no other flow empties it. So BBR reduces its window to four
packets for 200 ms if it has measured no smaller RTT for 10 s. Each of these pauses costs 2 % of ten seconds. BBRv2
does so twice as often, but keeps half a BDP in flight, so that it loses less each time.

The published buffer has 34.1 ms instead of 30, because `tbf` adds the burst. The bucket matters more: it is full after
each pause, so BBR overestimates the bandwidth, and the RTT rises to its maximum before it falls again.
"""

SETUP_3 = _setup(
    "loss 0.5% delay 100ms",
    "rate 100mbit burst 50kb latency 100ms (report: 50ms)",
    "10 s of each. Published means: Reno 2.7, CUBIC 2.4, BBR 64, BBRv2 34 Mbit/s. The report states a loss "
    "correlation of 25 %; in the command this is the correlation of the jitter, which is 0. The figures do not show "
    "whether the buffer had 50 or 100 ms, so both are run.",
)
LESSON_3 = """\
A congestion control that takes each loss for a full queue reaches 1.22 · MSS / (RTT · √p) (Mathis and others): 2 of
100 Mbit/s here, with any buffer. BBR follows the delivery rate and tolerates losses up to nearly 20 %.

Two flaws of the set-up affect BBR. With offloads, a "packet" that netem drops is some nine frames: two of them in a
round trip are 2 % of losses, which is BBRv2's threshold. Also, netem's own limit of 1000 packets includes the delayed
packets, and a path of 100 Mbit/s and 100 ms alone has 826 frames. So netem drops packets when Startup sends twice that,
although the drawing has no such limit. In the corrected set-up each frame is lost on its own, and netem never drops:
then BBR uses the whole link after its start.
"""

SETUP_4 = _setup(
    "delay 50ms",
    "rate 100mbit burst 50kb latency 50ms",
    "60 s of Reno, BBR and BBRv2 in a virtual machine with one processor, which also captured packets and read queue "
    "and sockets 100 times a second. Published means: Reno 95.9, BBR 27.9, BBRv2 86.3 Mbit/s. BBR falls to 17 Mbit/s "
    "after 22 s and stays there.",
)
LESSON_4 = """\
The path does not explain this. BBR takes the largest delivery rate of ten round trips for the bandwidth. If the sender
gets too little of the processor for that long, its own rate is the largest, and no signal shows that the path could
carry more. A flow that fills the queue, as Reno's does, has a reserve for such pauses. So a measurement of BBR must
state the load of the machine.

In virtual time computing takes no time, so this run is the control: BBR fills the link. In real time both hosts have
one processor, which also forwards their packets; a lab kernel never has more. If the machine is otherwise idle, BBR
sends 93 Mbit/s in our lab kernel. If other programs run, BBR sends 18 and Reno 70 Mbit/s, and these runs have the
verdict *doubtful*. So the number of processors is not the cause, but the share that the sender gets. (In the corrected
set-up each frame is a packet, which takes more processor time than a lab kernel in real time has. See its control run
in virtual time.)
"""

SETUP_5 = _setup(
    "delay 50ms (report: 200ms)",
    "rate 100mbit burst 50kb limit 200000",
    "60 s of Reno, BBR and BBRv2. Published means: 81.3, 78.5 and 87.8 Mbit/s. The report states a delay of 200 ms "
    "and a buffer of 1 % of the BDP. The figures have RTTs of 50 to 66 ms, so the delay was 50 ms, as in the scripts, "
    "and the buffer 16 ms, 32 % of the BDP. Both delays are run.",
)
LESSON_5 = """\
Compare a caption with the RTT: at rest it is the delay, and a full queue adds its limit at the link's rate, 200 000
bytes at 100 Mbit/s = 16 ms. The "1 % of the bandwidth-delay product" is an error of units: the BDP was computed in
*bits*, and a hundredth of it was the limit of `tbf`, which is in *bytes*. At 200 ms that is 8 %.

With a buffer of a third of a BDP, Reno's window varies between 272 and 545 frames, and the BDP is 413. The rate after
each loss is 63 Mbit/s, and for seven of fifteen seconds it is below that of the link. At 200 ms a cycle takes nearly
three minutes, so Reno hardly recovers from its start within a minute.
"""

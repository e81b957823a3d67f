"""Descriptions, results and lessons of M. Girondi's experiments."""

_STAR = """\
Mininet's star: hosts around one switch, each link with 1000 Mbit/s and 5 ms. Mininet sets rate, delay and loss on
*both* interfaces of a link (`htb` with the child `netem`, whose limit is 1000 packets by default), the sender's own
included. So data and acknowledgments cross two interfaces each, and the RTT is four times 5 ms. If the slides state a
loss of L on the server's link, the data lose 1 - (1 - L)², and so do the acknowledgments. Segmentation offloads were
on, so a packet has up to 64 kB and is lost as a whole. Debian 9 in a virtual machine, Linux 4.9.
"""

SETUP_LOSS = f"""\
{_STAR}
`iperf` sends for 20 s with Reno, CUBIC and BBR in turn, 11 times. Published medians (Mbit/s) of Reno, CUBIC, BBR: 746,
670, 710 without loss; 5.3, 5.6, 744 at 1 %; 1.1, 0.9, 501 at 5 %; 0.25, 0.07, 274 at 10 %; all below 0.1 at 30 %. Runs
that did not end within 24 s were not recorded, so 4 to 9 of the 11 runs remain at high loss.
"""
LESSON_LOSS = """\
**Count all interfaces.** The formula of Mathis gives 7.1 Mbit/s for Reno with 1 % of loss and 20 ms. With the two
interfaces on the path of the data it gives 5.0. The published values and ours are 5 to 7.

**The limit of BBR.** A probe of BBR sends 25 % more than the estimated bandwidth. With a loss of p, 1.25 (1 - p) of it
arrives, which is more than before only if p is below 20 %, or 10.6 % at each interface. At 10 %
the estimate grows by 1.2 % in eight round trips, so it stays near its value after Startup, between 2 and 190 Mbit/s. So
the median of such runs says little; the violin plot shows the distribution. The published BBR works up to 20 to 30 %.
On Linux 4.9 without the discipline `fq`, BBR was not paced (TCP paces itself since 4.13). It then has two BDPs in
flight, and 2 (1 - p) is above 1 up to 50 %, or 29.3 % at each interface. There the published curve falls to the level
of the others.

**Missing runs.** With 30 % and more at each interface many connections fail: address resolution (ARP) finds no
neighbor, or the handshake takes too long. Here they count as 0. If only successful runs are recorded, the curve rises
again at its end, as the published one does. Its values also have a lower bound: they are multiples of 0.034 Mbit/s,
which fits blocks of 128 KiB that iperf had written to its socket, whether or not they arrived.

**Loss detection.** Linux 6.12 detects losses by time (RACK), also those of retransmissions. With three duplicate
acknowledgments, as mostly in 4.9, CUBIC has 0.1 instead of 0.2 Mbit/s at 10 %, which is the published value.

**In the corrected set-up** the loss is behind the switch's queue, applies to data only, and drops single frames;
buffers are large. With buffers of the usual size (6 MB for receiving, 4 MB for sending) BBR reaches some 500 Mbit/s at
1 %, and 912 without this limit: data behind a lost segment fill the buffer.
"""

SETUP_DELAY = f"""\
{_STAR}
No loss. The delay of each interface is 5 to 200 ms, so the RTT is 20 to 800 ms. Published medians of Reno (Mbit/s):
699, 675, 585, 268, 128, 54. Those of BBR are the same within a few percent; those of CUBIC are lower (698 to 20), and
its runs form two groups. The slides conclude that BBR is better over long links; its medians do not support that.
"""
LESSON_DELAY = """\
Two limits could explain the long links. The 1000 packets of each `netem` would allow 6 MB in each round trip, near the
published 5.4 to 6.7 MB, and so would a window of that size. Each limit is raised in turn:

* `netem limit 100000` changes nothing: with offloads a packet has several frames, so 1000 are enough;
* buffers of 64 MiB give Reno nearly five times as much at 100 ms (RTT 400 ms).

So the limit is the window. Mininet lets TCP's buffers grow to 16 MiB (`fixLimits` in `mininet/util.py`), and Linux 4.9
uses half of that for the window: 8 MiB. With W = 8.39 MB and one doubling in each round trip of T seconds, the rate
over 20 s is W (1 - 0.41 T) / T: 308, 140 and 56 Mbit/s for the three longest. Linux 6.6 and later compute the window
from the memory that packets use, here three quarters of the buffer. Earlier ones use a fixed share
(`tcp_adv_win_scale`). So the receiver has two thirds of 16 MiB here.

**In the corrected set-up** (delay in the middle, buffers of 256 MiB) only slow start costs time: at 800 ms it takes ten
seconds to reach a window of 100 MB. CUBIC has no second group here: with jitter its slow start ends early, and virtual
time has no jitter. BBR is no better than Reno; it loses two or three round trips to its measurement of the base RTT.
"""

SETUP_PAGE = f"""\
{_STAR}
A page of 73 files, 2.9 MB in all, a saved page of a news site: 57 files below 38 KB, the largest with 380 KB. `nginx`
serves it. `wget` fetches one file after the other over one connection, 8 to 11 times, and is ended after 120 s.
Published medians of the time (Reno, CUBIC, BBR): 2.1, 2.2, 2.0 s without loss; 7.8, 8.6, 4.0 at 1 %; 40, 43, 12 at 5 %.
At 10 % Reno and CUBIC never finish, and BBR always does, in 33 s.
"""
LESSON_PAGE = """\
73 sequential requests take 73 round trips: 1.5 s of the 1.6 s without loss. No congestion control shortens that; fewer
or parallel requests, or a shorter path, would.

With loss, the last packets of short files matter: no later packet reveals their loss, so the sender waits for a
timeout. This has improved since: where losses are detected by time (RACK, the cross at 5 %), the page takes 26 instead
of 40 s with Reno and 10 instead of 19 s with BBR, on the same links. So notes on a benchmark should name the kernel.
Apart from the cross and the corrected set-up, the figures use `net.ipv4.tcp_recovery=0`; they then have the published
values.

`wget` also prints a speed, which leaves out the time between files, in which it waits for responses: the published
speed is 160 Mbit/s for a page that takes 2.1 s, which is 11.6 Mbit/s. Check what a tool measures before you use its
number.
"""

SETUP_FILE = f"""\
{_STAR}
`nginx` serves files of 500K, 1M, 2M, 5M, 10M and 100M. `wget` fetches each over a new connection, 3 to 11 times; after
120 s it is ended, and the run counts as 0.
"""
LESSON_FILE = """\
**Two errors in the published figure.** Files were fetched in the order of `ls`: 100M, 10M, 1M, 2M, 500K, 5M. The figure
labels these columns 500K, 1M, 2M, 5M, 10M, 100M, so each panel shows another file than its title states ("500K" is the
largest). Also, the largest file does not have 100 MB: `dd bs=100M count=1` reads /dev/urandom once, which gives at most
32 MiB less one byte; `iflag=fullblock` would have read on. Both errors follow from the smallest speed above 0 in each
column: multiplied by 120 s it is the size of the file.

The first figure has the published labels, the second the true sizes, with a true 100 MB beside them. With these the
numbers are plausible: without loss the speed grows with the size, because slow start takes round trips. With loss Reno
and CUBIC have the same few Mbit/s for every size, those of the formula of Mathis, and BBR still grows. A file of 1 or
2 MB may lose nothing: with offloads it has some hundred packets, each of which is lost as a whole.

Without loss all published speeds end at 150 Mbit/s, while iperf had 700 on the same links. The limit was the share of a
processor that each host had: `nginx` and `wget` copy the data, and iperf only counts them. In virtual time computing
takes no time, so only slow start limits the speed: 650 Mbit/s for 32 MiB.
"""

SETUP_LAN = """\
Two machines on a switched LAN of 1 Gbit/s (ping below 1 ms, Linux 4.18). Published for Reno and CUBIC (Mbit/s): 947 and
942 without further settings, 201 and 196 with 100 ms, 944 and 942 with 5 % of loss, 943 and 913 with 10 %. The slides
conclude that Reno is up to 5 Mbit/s faster than CUBIC. They do not state where loss and delay were set.
"""
LESSON_LAN = """\
944 Mbit/s with 5 % of the data lost is impossible: the formula of Mathis gives at most 158 Mbit/s with an RTT of 0.4
ms. But it is the expected value if 5 % of the *acknowledgments* are lost: each acknowledges all earlier data, so the
loss of one in twenty has no effect. Both are run here. So the loss was on the wrong interface, and the comparison says
nothing about congestion controls under loss.

With 100 ms the limit is not the congestion control, but the window that the usual buffers of 6 MB allow: 3 MB for each
100 ms, less slow start, are 200 Mbit/s. Differences of half a percent between single runs are no result. 942 Mbit/s is
the goodput of 1 Gbit/s: a frame of 1514 bytes takes 24 more on the wire, and has 1448 bytes of data.
"""

SETUP_SLOW = f"""\
{_STAR}
A file of the repository has one more case: 10 Mbit/s and 10 % at each interface, five seconds of iperf. The receiver
reports 0.143 Mbit/s with CUBIC and 8.65 with BBR.
"""
LESSON_SLOW = """\
`netem` drops a packet before `htb` counts it. So losses at the first interface cost no rate, and those at the second
one do: at most 9.56 · 0.9 = 8.6 Mbit/s arrive, which is the published value of BBR. The data lose 19 %, at which a
probe of a paced BBR gains nearly nothing (1.25 · 0.81 = 1.01). So it keeps the bandwidth of its start, here 2 to 7
Mbit/s. The published BBR was not paced, see the experiment about loss.
"""

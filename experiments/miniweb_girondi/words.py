"""Descriptions, results and lessons of M. Girondi's experiments."""

_STAR = """\
Mininet's star: hosts around one switch, each link with 1000 Mbit/s and 5 ms. Mininet puts rate, delay and loss on
*both* interfaces of a link (`htb`, below it `netem` with its usual limit of 1000 packets), the sender's own among
them. So data cross two interfaces and acknowledgments two: the round trip is four times 5 ms, and of what the slides
call a loss of L on the server's link data lose 1 - (1 - L)², and acknowledgments as much. Segmentation offloads were
on, so that a packet is up to 64 kB, and lost as one. Debian 9 in a virtual machine, Linux 4.9.
"""

SETUP_LOSS = f"""\
{_STAR}
`iperf` sends for 20 s: Reno, CUBIC, BBR in turn, and again, 11 times. Published medians (Mbit/s) of Reno,
CUBIC, BBR: 746, 670, 710 without loss; 5.3, 5.6, 744 at 1 %; 1.1, 0.9, 501 at 5 %; 0.25, 0.07, 274 at 10 %; all below
0.1 at 30 %. A run that did not end within 24 s was not written down, so that of 11 runs 4 to 9 are left where loss is
high.
"""
LESSON_LOSS = """\
**Count every interface.** By Mathis' formula Reno with 1 % of loss and 20 ms would have 7.1 Mbit/s; with the two
interfaces that data cross, 5.0. Both the published numbers and ours say 5 to 7.

**Where BBR breaks.** Its probe sends a quarter more than it believes in. Of that 1.25 (1 - p) arrives, which is more
than before only if p is below 20 %: 10.6 % at each interface. At 10 % it gains 1.2 % in eight round trips, so it
stays wherever its start has left it, anywhere between 2 and 190 Mbit/s: the median of such runs says little, the
violin all. The published BBR goes on until 20 to 30 %. On Linux 4.9 without the discipline `fq` nothing paced it (TCP
paces by itself since 4.13): then it has twice its estimate under way, and 2 (1 - p) is more than 1 up to 50 %, which
is 29.3 % at each interface. That is where the published curve falls to the level of the others.

**Missing runs.** With 30 % and more at each interface many connections never come about: the name of the other host
in the LAN (ARP) is not found, or the handshake takes too long. Here they count as 0. If only successful runs are
recorded, the curve rises again at its end, as the published one does. Its values have a floor, too: they come in
steps of 0.034 Mbit/s, which fits blocks of 128 KiB that iperf had passed to its socket, whether or not they arrived.

**How losses are found.** Linux 6.12 goes by time (RACK), which also finds what was sent again and lost again. With
three duplicate acknowledgments instead, as mostly in 4.9, CUBIC has 0.1 rather than 0.2 Mbit/s at 10 %, which is as
published.

**Done right** the loss is behind the switch's queue, on data alone, one frame at a time, and buffers are ample. With
those that are usual (6 MB to receive, 4 to send) BBR stays at some 500 Mbit/s at 1 %, where 912 arrive without that
limit: what waits behind a hole takes room.
"""

SETUP_DELAY = f"""\
{_STAR}
No loss; the delay of each interface is 5 to 200 ms, so the round trip 20 to 800 ms. Published medians of Reno
(Mbit/s): 699, 675, 585, 268, 128, 54; BBR as much within a few percent; CUBIC's are lower (698 to 20) and its runs
fall into two heaps. The slides conclude that BBR does better over long links; its medians do not.
"""
LESSON_DELAY = """\
The limit of the long links could be the 1000 packets in each `netem`: they would explain 6 MB for each round trip, near
the published 5.4 to 6.7 MB. A window would do so, too. Each limit is raised in turn:

* `netem limit 100000` changes nothing: with offloads on a packet is of several frames, and 1000 of them are enough;
* buffers of 64 MiB give Reno nearly five times as much at 100 ms (RTT 400 ms).

It is the window. Mininet lets TCP's buffers grow to 16 MiB (`fixLimits` in `mininet/util.py`), of which Linux 4.9
gives half to the window: 8 MiB. From W = 8.39 MB and one doubling each round trip of T seconds follow W (1 - 0.41 T)
/ T over 20 s: 308, 140 and 56 Mbit/s for the three longest. Linux 6.6 and later give the window what packets really
take, here three quarters of the buffer, and earlier ones are told to (`tcp_adv_win_scale`); so the receiver has two
thirds of 16 MiB here.

**Done right** (delay in the middle, buffers of 256 MiB) the time of slow start is all that is missing: at 800 ms it
takes ten seconds to fill 100 MB. CUBIC has no second heap here: its slow start ends early where round trips jitter,
and in virtual time they do not. BBR is no better than Reno; it loses two or three round trips to a look at the empty
path.
"""

SETUP_PAGE = f"""\
{_STAR}
A page of 73 files, 2.9 MB in all, a saved page of a news site: 57 files below 38 KB, the largest one of 380
KB. `nginx` serves it, `wget` fetches one file after the other over one connection, 8 to 11 times; after 120 s it is
ended. Published medians of the time (Reno, CUBIC, BBR): 2.1, 2.2, 2.0 s without loss; 7.8, 8.6, 4.0 at 1 %; 40, 43,
12 at 5 %; at 10 % Reno and CUBIC never finish, BBR always, in 33 s.
"""
LESSON_PAGE = """\
73 questions, one after the other, take 73 round trips: 1.5 s of the 1.6 without loss. No congestion control shortens
that; fewer questions, several at a time, or a shorter way would.

With loss it is the last packets of short files that count: nothing comes behind them that would tell of the gap, so
that a timeout has to. That has become better since: where losses are found by time (RACK, the cross at 5 %) the page
takes 26 s rather than 40 with Reno, 10 rather than 19 with BBR, on the same links. Bench notes should name the kernel;
the figures, but for the cross and the right set-up, are drawn with `net.ipv4.tcp_recovery=0`, and then they are those
that were published.

`wget` tells a speed, too. It leaves out the time between files, in which it waits for answers: 160 Mbit/s are
published for a page that takes 2.1 s, which is 11.6. Ask what a tool's number is of.
"""

SETUP_FILE = f"""\
{_STAR}
`nginx` serves files of 500K, 1M, 2M, 5M, 10M and 100M, `wget` fetches each by a new connection, 3 to 11
times; after 120 s it is ended, and counts as 0.
"""
LESSON_FILE = """\
**Two errors in the published figure.** Files were fetched in the order in which `ls` lists them: 100M, 10M, 1M, 2M,
500K, 5M. The figure labels these columns 500K, 1M, 2M, 5M, 10M, 100M, so that each panel shows another file than its
title says ("500K" is the largest). And the largest one is not of 100 MB: `dd bs=100M count=1` reads /dev/urandom
once, which gives 32 MiB less one byte at most; `iflag=fullblock` would have read on. What gives both away is the
least speed in each column that is not 0: times 120 s it is the file's size.

The first figure has the published labels, the second the true sizes, with a true 100 MB beside them. Then the numbers
make sense: without loss speed grows with size, as slow start is a matter of round trips; with loss Reno and CUBIC
have the same few Mbit/s for every size, those of Mathis' formula, and BBR still grows. A lucky file of 1 or 2 MB loses
nothing at all: with offloads on it is some hundred packets, each lost or not as one.

Without loss the published speeds end at 150 Mbit/s for all three, while iperf had 700 on the same links: a fraction of
a processor for each host was the limit, for `nginx` and `wget` copy what iperf only counts. In virtual time computing
takes no time, so that slow start is all there is: 650 Mbit/s for 32 MiB.
"""

SETUP_LAN = """\
Two machines on a switched LAN of 1 Gbit/s (ping below 1 ms, Linux 4.18). Published for Reno and CUBIC (Mbit/s): 947
and 942 with nothing else, 201 and 196 with 100 ms, 944 and 942 with 5 % of loss, 943 and 913 with 10 %. From it the
slides conclude that Reno is up to 5 Mbit/s faster than CUBIC. Where loss and delay were put is not said.
"""
LESSON_LAN = """\
944 Mbit/s with 5 % of the data lost cannot be: Mathis' formula has 158 Mbit/s at most with 0.4 ms there and back. But
it is just what comes of losing 5 % of the *acknowledgments*: each tells all that came before, so nobody misses one of
twenty. Both are run here. So the loss was on the wrong interface, and the comparison of congestion controls says
nothing about loss.

With 100 ms neither is a matter of congestion control: the window is what the usual buffers of 6 MB leave of it, and 3
MB for each 100 ms, less slow start, are 200 Mbit/s. Differences of half a percent between single runs are no result.
942 Mbit/s is what 1 Gbit/s carries: each frame of 1514 bytes takes 24 more on the wire, and has 1448 of data.
"""

SETUP_SLOW = f"""\
{_STAR}
A file of the repository has one more: 10 Mbit/s and 10 % at each interface, five seconds of iperf. The
receiver tells 0.143 Mbit/s with CUBIC and 8.65 with BBR.
"""
LESSON_SLOW = """\
`netem` loses a packet when it comes, before `htb` has counted it. So losses at the first interface cost no rate,
those of the second do: at most 9.56 · 0.9 = 8.6 Mbit/s arrive, and the published BBR has just that. Of data 19 % are
lost, which is where a paced BBR gains next to nothing from a probe (1.25 · 0.81 = 1.01): it has what its start has
reached, here 2 to 7 Mbit/s. The published one was not paced, see the experiment over loss.
"""

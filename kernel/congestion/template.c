/* SPDX-License-Identifier: GPL-2.0 */
/* The congestion control NAME: additive increase, multiplicative decrease.
 *
 * Edit this file, then run a lab. Flows choose it by the name NAME. The kernel calls the functions of `operations`:
 * for each acknowledgment, when losses begin, and when they turn out to be none. Other functions are optional, such as
 * .init, .release, .pkts_acked (with the RTT) and .cong_control (instead of .cong_avoid, with a sample of the rate).
 */

#include <linux/module.h>
#include <net/tcp.h>

/* A topology can set constants, and a sweep can vary them: kernel parameter tcp_NAME.increase. */
static int increase = 1;
module_param(increase, int, 0644);
MODULE_PARM_DESC(increase, "growth of the window in packets per round trip");

static int keep_percent = 50;
module_param(keep_percent, int, 0644);
MODULE_PARM_DESC(keep_percent, "share of the window that remains after losses, in percent");

/* An acknowledgment of `acked` packets has arrived. The window is counted in packets. */
static void NAME_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;	/* the window was not used up, so it need not grow */
	if (tcp_in_slow_start(tp))
		tcp_slow_start(tp, acked);
	else	/* one packet more for each (window / increase) acknowledged packets */
		tcp_cong_avoid_ai(tp, max(tcp_snd_cwnd(tp) / max(increase, 1), 1U), acked);
}

/* Packets are lost. The result is the window that the flow then has. */
static u32 NAME_ssthresh(struct sock *sk)
{
	return max(tcp_snd_cwnd(tcp_sk(sk)) * keep_percent / 100, 2U);
}

static struct tcp_congestion_ops operations __read_mostly = {
	.name = "NAME",
	.owner = THIS_MODULE,
	.cong_avoid = NAME_cong_avoid,
	.ssthresh = NAME_ssthresh,
	.undo_cwnd = tcp_reno_undo_cwnd,
};

static int __init NAME_register(void)
{
	return tcp_register_congestion_control(&operations);
}

static void __exit NAME_unregister(void)
{
	tcp_unregister_congestion_control(&operations);
}

module_init(NAME_register);
module_exit(NAME_unregister);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A congestion control of one's own");

/* SPDX-License-Identifier: GPL-2.0 */
/* Prague congestion control, after draft-briscoe-iccrg-prague-congestion-control.
 *
 * The sender reacts to the share of marked packets, as DCTCP does, and sends ECT(1), so that DualPI2 puts its packets
 * into the low-latency queue (RFC 9332). It needs accurate ECN feedback (AccECN), which Linux has since 7.0.
 *
 * - Once in each virtual round trip, alpha moves by `gain` (1/16) towards the share of marked packets.
 * - A mark reduces the window by alpha/2, at most once in each virtual round trip. Alpha begins at 1, so the first mark
 *   halves the window.
 * - Unmarked packets increase the window by one packet for each round trip, also after a reduction.
 * - Flows with round trips shorter than `virtual_rtt_us` increase more slowly, by the square of the ratio. So flows with
 *   different short round trips get similar rates.
 * - A loss halves the window, as in Reno.
 *
 * It was not compared with the draft section by section. Not included: the optional parts of the draft, such as the
 * detection of a classic queue that marks.
 */

#include <linux/inet_diag.h>
#include <linux/module.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>
#include <net/net_namespace.h>
#include <net/tcp.h>

#define ONE_SHIFT 20			/* alpha and fractions of a packet are in units of 2^-20 */
#define ONE (1U << ONE_SHIFT)
#define GAIN_SHIFT 4
#define LEAST_WINDOW 2U

static unsigned int virtual_rtt_us = 25000;
module_param(virtual_rtt_us, uint, 0644);
MODULE_PARM_DESC(virtual_rtt_us, "shortest round trip that the flow assumes, in microseconds; 0 for its own");

struct prague {
	u64 round_begun_us;	/* begin of the virtual round trip in which marks are counted */
	u64 reduced_us;		/* time of the last reduction by a mark; 0 for none */
	u32 delivered;		/* tp->delivered at the begin of the round */
	u32 delivered_ce;	/* tp->delivered_ce at that time */
	u32 seen_ce;		/* tp->delivered_ce at the last ACK */
	u32 alpha;		/* smoothed share of marked packets */
	u32 credit;		/* fraction of a packet by which the window should be larger */
	u32 prior_cwnd;		/* window before the last loss */
};

static u32 own_rtt_us(const struct sock *sk)
{
	return max(tcp_sk(sk)->srtt_us >> 3, 1U);
}

static u32 long_rtt_us(const struct sock *sk)
{
	return max(own_rtt_us(sk), virtual_rtt_us);
}

static void prague_init(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct prague *ca = inet_csk_ca(sk);

	memset(ca, 0, sizeof(*ca));
	ca->round_begun_us = tp->tcp_mstamp;
	ca->delivered = tp->delivered;
	ca->delivered_ce = ca->seen_ce = tp->delivered_ce;
	ca->alpha = ONE;
	ca->prior_cwnd = tcp_snd_cwnd(tp);
	cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
}

/* At the end of a virtual round trip: smooth the share of marks. Alpha stays 1 until the first mark. */
static void update_alpha(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct prague *ca = inet_csk_ca(sk);
	u32 delivered = tp->delivered - ca->delivered, marked = tp->delivered_ce - ca->delivered_ce;
	s64 share;

	if (tp->tcp_mstamp - ca->round_begun_us < long_rtt_us(sk) || !delivered)
		return;
	if (tp->delivered_ce != 0 && ca->reduced_us) {
		share = min_t(u64, div_u64((u64)marked << ONE_SHIFT, delivered), ONE);
		ca->alpha = (s64)ca->alpha + ((share - (s64)ca->alpha) >> GAIN_SHIFT);
	}
	ca->round_begun_us = tp->tcp_mstamp;
	ca->delivered = tp->delivered;
	ca->delivered_ce = tp->delivered_ce;
}

/* A mark has arrived. */
static void reduce(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct prague *ca = inet_csk_ca(sk);
	u64 window, less;

	if (ca->reduced_us && tp->tcp_mstamp - ca->reduced_us < long_rtt_us(sk))
		return;
	window = ((u64)tcp_snd_cwnd(tp) << ONE_SHIFT) + ca->credit;
	less = ((window >> 1) * ca->alpha) >> ONE_SHIFT;
	window = max(window - less, (u64)LEAST_WINDOW << ONE_SHIFT);
	tcp_snd_cwnd_set(tp, window >> ONE_SHIFT);
	ca->credit = window & (ONE - 1);
	tp->snd_ssthresh = tcp_snd_cwnd(tp);
	ca->reduced_us = tp->tcp_mstamp;
}

/* `acked` unmarked packets have arrived. */
static void increase(struct sock *sk, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct prague *ca = inet_csk_ca(sk);
	u64 step = ONE, own = own_rtt_us(sk), assumed = long_rtt_us(sk);

	if (!acked || !tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp)) {
		tcp_slow_start(tp, acked);
		return;
	}
	if (own < assumed)
		step = div64_u64((u64)ONE * own * own, assumed * assumed);
	step = (u64)ca->credit + div_u64(step * acked, tcp_snd_cwnd(tp));
	tcp_snd_cwnd_set(tp, min_t(u64, tcp_snd_cwnd(tp) + (step >> ONE_SHIFT), tp->snd_cwnd_clamp));
	ca->credit = step & (ONE - 1);
}

static void pace(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u64 rate = (u64)tp->mss_cache * tcp_snd_cwnd(tp) * USEC_PER_SEC;

	rate = div_u64(rate, own_rtt_us(sk)) << (tcp_in_slow_start(tp) ? 1 : 0);
	WRITE_ONCE(sk->sk_pacing_rate, min_t(u64, rate, READ_ONCE(sk->sk_max_pacing_rate)));
}

static void prague_cong_control(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct prague *ca = inet_csk_ca(sk);
	u32 marked = tp->delivered_ce - ca->seen_ce;

	ca->seen_ce = tp->delivered_ce;
	update_alpha(sk);
	if (marked)
		reduce(sk);
	if (inet_csk(sk)->icsk_ca_state < TCP_CA_Recovery) {
		increase(sk, rs->acked_sacked > marked ? rs->acked_sacked - marked : 0);
	} else {	/* as many packets leave as arrive, until the window is that after the loss */
		u32 room = tcp_packets_in_flight(tp) + max(rs->acked_sacked, 1U);

		tcp_snd_cwnd_set(tp, max(min(room, tp->snd_ssthresh), 1U));
	}
	pace(sk);
}

/* Packets are paced one by one: two at once exceed the step threshold of DualPI2, 1 ms, below 24 Mbit/s. */
static u32 prague_min_tso_segs(struct sock *sk)
{
	return 1;
}

/* The kernel asks at marks, for which reduce() is responsible, and before losses. */
static u32 prague_ssthresh(struct sock *sk)
{
	struct prague *ca = inet_csk_ca(sk);

	ca->prior_cwnd = tcp_snd_cwnd(tcp_sk(sk));
	return tcp_sk(sk)->snd_ssthresh;
}

static void prague_set_state(struct sock *sk, u8 state)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct prague *ca = inet_csk_ca(sk);

	if (state < TCP_CA_Recovery || inet_csk(sk)->icsk_ca_state >= TCP_CA_Recovery)
		return;
	if (state == TCP_CA_Recovery)
		ca->prior_cwnd = tcp_snd_cwnd(tp);
	tp->snd_ssthresh = max(ca->prior_cwnd / 2, LEAST_WINDOW);
	ca->credit = 0;
}

static u32 prague_undo_cwnd(struct sock *sk)
{
	return max(tcp_snd_cwnd(tcp_sk(sk)), ((struct prague *)inet_csk_ca(sk))->prior_cwnd);
}

/* For `ss -ti`, which shows it as that of DCTCP. */
static size_t prague_get_info(struct sock *sk, u32 ext, int *attr, union tcp_cc_info *info)
{
	const struct prague *ca = inet_csk_ca(sk);

	if (!(ext & (1 << (INET_DIAG_DCTCPINFO - 1))) && !(ext & (1 << (INET_DIAG_VEGASINFO - 1))))
		return 0;
	memset(&info->dctcp, 0, sizeof(info->dctcp));
	info->dctcp.dctcp_enabled = 1;
	info->dctcp.dctcp_alpha = ca->alpha >> (ONE_SHIFT - 10);
	*attr = INET_DIAG_DCTCPINFO;
	return sizeof(info->dctcp);
}

static struct tcp_congestion_ops operations __read_mostly = {
	.name = "prague",
	.owner = THIS_MODULE,
	.flags = TCP_CONG_NEEDS_ECN | TCP_CONG_NEEDS_ACCECN | TCP_CONG_ECT_1_NEGOTIATION |
		 TCP_CONG_NO_FALLBACK_RFC3168,
	.init = prague_init,
	.cong_control = prague_cong_control,
	.min_tso_segs = prague_min_tso_segs,
	.ssthresh = prague_ssthresh,
	.set_state = prague_set_state,
	.undo_cwnd = prague_undo_cwnd,
	.get_info = prague_get_info,
};

/* TCP of Linux 7.2 sets ECT(0) in each packet of a connection with AccECN. Here it becomes ECT(1). */
static bool is_ours(const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;

	return sk && sk_fullsock(sk) && sk->sk_protocol == IPPROTO_TCP && inet_csk(sk)->icsk_ca_ops == &operations;
}

static unsigned int set_ect1_ipv4(void *unused, struct sk_buff *skb, const struct nf_hook_state *state)
{
	if (is_ours(skb) && (ip_hdr(skb)->tos & INET_ECN_MASK) == INET_ECN_ECT_0)
		ipv4_change_dsfield(ip_hdr(skb), (u8)~INET_ECN_MASK, INET_ECN_ECT_1);
	return NF_ACCEPT;
}

static unsigned int set_ect1_ipv6(void *unused, struct sk_buff *skb, const struct nf_hook_state *state)
{
	if (is_ours(skb) && (ipv6_get_dsfield(ipv6_hdr(skb)) & INET_ECN_MASK) == INET_ECN_ECT_0)
		ipv6_change_dsfield(ipv6_hdr(skb), (u8)~INET_ECN_MASK, INET_ECN_ECT_1);
	return NF_ACCEPT;
}

static const struct nf_hook_ops hooks[] = {
	{ .hook = set_ect1_ipv4, .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_OUT, .priority = NF_IP_PRI_LAST },
	{ .hook = set_ect1_ipv6, .pf = NFPROTO_IPV6, .hooknum = NF_INET_LOCAL_OUT, .priority = NF_IP6_PRI_LAST },
};

static int __net_init add_hooks(struct net *net)
{
	return nf_register_net_hooks(net, hooks, ARRAY_SIZE(hooks));
}

static void __net_exit remove_hooks(struct net *net)
{
	nf_unregister_net_hooks(net, hooks, ARRAY_SIZE(hooks));
}

static struct pernet_operations in_namespaces = { .init = add_hooks, .exit = remove_hooks };

static int __init prague_register(void)
{
	int error;

	BUILD_BUG_ON(sizeof(struct prague) > ICSK_CA_PRIV_SIZE);
	error = register_pernet_subsys(&in_namespaces);
	if (error)
		return error;
	error = tcp_register_congestion_control(&operations);
	if (error)
		unregister_pernet_subsys(&in_namespaces);
	return error;
}

static void __exit prague_unregister(void)
{
	tcp_unregister_congestion_control(&operations);
	unregister_pernet_subsys(&in_namespaces);
}

module_init(prague_register);
module_exit(prague_unregister);
MODULE_DESCRIPTION("Prague congestion control");
MODULE_LICENSE("GPL");

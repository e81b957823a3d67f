/* SPDX-License-Identifier: GPL-2.0 */
/* The path model that BBRv2 and BBRv3 share.
 *
 * Sources: draft-cardwell-iccrg-bbr-congestion-control-02 (version 2) and draft-ietf-ccwg-bbr (version 3). Functions have
 * the names that the drafts give to their pseudocode, with underscores. tcp_bbr2.c and tcp_bbr3.c include this file; each
 * defines BBR_NAME and one `struct bbr_constants` named `constants`, which holds all that differs.
 *
 * A stock kernel lacks three signals that the drafts use. They are reconstructed here:
 *
 * - The volume in flight when a packet was sent. On a path that keeps the order of packets, all that was in flight then
 *   has been delivered or lost once this packet is acknowledged, so the volume is rs->delivered plus the losses since.
 * - The losses since a packet was sent. rs->prior_delivered is tp->delivered at the time of sending, so a short history of
 *   (tp->delivered, tp->lost) gives tp->lost at that time. It has an entry for each ACK that reported losses.
 * - A call for each lost packet. The losses of an ACK are handled together, with the sample of that ACK.
 *
 * ECN marks are not used: the draft of version 3 specifies no response of its own, and version 2's is off by default.
 */

#include <linux/inet_diag.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <net/tcp.h>

/* Bandwidths are in packets per microsecond, times 2^24; gains and shares are times 2^8. */
#define BW_SCALE	24
#define BBR_SCALE	8
#define BBR_UNIT	(1 << BBR_SCALE)
/* The value of a bound that does not exist. */
#define INFINITE	(~0U)

/* What differs between the versions, and what a user may change. Gains and shares are times 256. */
struct bbr_constants {
	int startup_pacing_gain, startup_cwnd_gain;
	int drain_pacing_gain;
	int drain_rounds;		/* Drain ends after more rounds than this; 0: only when the queue is empty */
	int up_pacing_gain, down_pacing_gain;
	int cwnd_gain, up_cwnd_gain;
	int up_ends_by_inflight;	/* UP ends at 1.25 BDP in flight (v2), not on a plateau of the bandwidth (v3) */
	int probe_rtt_cwnd_gain;
	int loss_thresh;		/* share of lost packets that is too much */
	int beta;			/* share that is kept of a bound after losses */
	int headroom;			/* share of inflight_longterm that is left free while cruising */
	int startup_loss_events;	/* Startup ends after a round with that many losses */
	int startup_keeps_latest;	/* then inflight_longterm is the volume of this round (v3), or the BDP (v2) */
	int conserve_packets;		/* fast recovery begins with a round of packet conservation */
	int probe_wait_ms, probe_wait_random_ms;
	int probe_rounds;		/* the longest wait in rounds, so that Reno flows get their share */
	int probe_rtt_interval_ms, probe_rtt_ms, min_rtt_window_ms;
};

static struct bbr_constants constants;

#define BBR_PARAMETER(name, text)				\
	module_param_named(name, constants.name, int, 0644);	\
	MODULE_PARM_DESC(name, text)

BBR_PARAMETER(startup_pacing_gain, "pacing gain of Startup, times 256");
BBR_PARAMETER(startup_cwnd_gain, "cwnd gain of Startup and Drain, times 256");
BBR_PARAMETER(drain_pacing_gain, "pacing gain of Drain, times 256");
BBR_PARAMETER(drain_rounds, "rounds after which Drain ends in any case; 0: never");
BBR_PARAMETER(up_pacing_gain, "pacing gain of ProbeBW_UP, times 256");
BBR_PARAMETER(down_pacing_gain, "pacing gain of ProbeBW_DOWN, times 256");
BBR_PARAMETER(cwnd_gain, "cwnd gain of ProbeBW, times 256");
BBR_PARAMETER(up_cwnd_gain, "cwnd gain of ProbeBW_UP, times 256");
BBR_PARAMETER(up_ends_by_inflight, "1: ProbeBW_UP ends at 1.25 BDP in flight; 0: on a plateau of the bandwidth");
BBR_PARAMETER(probe_rtt_cwnd_gain, "BDPs in flight in ProbeRTT, times 256");
BBR_PARAMETER(loss_thresh, "share of losses that is too much, times 256");
BBR_PARAMETER(beta, "share that remains of a bound after losses, times 256");
BBR_PARAMETER(headroom, "free share of inflight_longterm while cruising, times 256");
BBR_PARAMETER(startup_loss_events, "losses in a round that end Startup");
BBR_PARAMETER(startup_keeps_latest, "1: losses in Startup leave the bound at the delivered volume; 0: at one BDP");
BBR_PARAMETER(conserve_packets, "1: fast recovery begins with a round of packet conservation");
BBR_PARAMETER(probe_wait_ms, "shortest wait between two probes for bandwidth, in ms");
BBR_PARAMETER(probe_wait_random_ms, "largest random addition to this wait, in ms");
BBR_PARAMETER(probe_rounds, "longest wait between two probes for bandwidth, in rounds");
BBR_PARAMETER(probe_rtt_interval_ms, "interval between two visits to ProbeRTT, in ms");
BBR_PARAMETER(probe_rtt_ms, "duration of ProbeRTT, in ms");
BBR_PARAMETER(min_rtt_window_ms, "window of the minimum RTT, in ms");

/* NO_STATE is for undo_state only: the losses have ended no probe. */
enum bbr_state { STARTUP, DRAIN, PROBE_BW_DOWN, PROBE_BW_CRUISE, PROBE_BW_REFILL, PROBE_BW_UP, PROBE_RTT, NO_STATE };

/* How the ACKs of now relate to the last probe for bandwidth. */
enum bbr_ack_phase { ACKS_INIT, ACKS_REFILLING, ACKS_PROBE_STARTING, ACKS_PROBE_FEEDBACK, ACKS_PROBE_STOPPING };

#define MIN_PIPE_CWND		4	/* packets */
#define PACING_MARGIN_PERCENT	1
#define FULL_BW_THRESH		(BBR_UNIT * 5 / 4)
#define FULL_BW_COUNT		3
#define EXTRA_ACKED_ROUNDS	5	/* each of two windows has that many rounds */
#define EXTRA_ACKED_MAX_US	(100 * USEC_PER_MSEC)
#define LOSS_HISTORY		32
#define MIN_TSO_RATE_BYTES	150000	/* per second: 1.2 Mbit/s */

/* tp->lost once tp->delivered was reached. */
struct bbr_losses {
	u32 delivered, lost;
};

struct bbr {
	/* Rounds. */
	u32 round_count, next_round_delivered;
	bool round_start;
	/* Signals of the last loss round. */
	u32 loss_round_delivered, bw_latest, inflight_latest, loss_events;
	bool loss_round_start, loss_in_round;
	/* The model: bandwidths of the last two probes, and bounds. */
	u32 max_bw[2], bw_shortterm, inflight_shortterm, inflight_longterm;
	/* Their values before the last losses, which may turn out to be none. */
	u32 undo_bw_shortterm, undo_inflight_shortterm, undo_inflight_longterm;
	u32 min_rtt_us, probe_rtt_min_us;
	u64 min_rtt_stamp, probe_rtt_min_stamp;
	/* The state machine. Stamps are in microseconds of tp->tcp_mstamp; 0 is unset. */
	enum bbr_state state, undo_state;
	enum bbr_ack_phase ack_phase;
	int pacing_gain, window_gain;
	u32 full_bw, full_bw_count, drain_start_round;
	bool full_bw_reached, full_bw_now, idle_restart;
	u64 cycle_stamp, probe_rtt_done_stamp;
	bool probe_rtt_round_done;
	/* Probes for bandwidth. */
	u32 probe_wait_us, rounds_since_probe, probe_up_rounds, probe_up_acks, probe_up_cnt;
	bool is_probe_sample, prev_probe_too_high, stopped_risky_probe;
	/* Aggregation of ACKs. */
	u32 extra_acked[2], extra_acked_rounds, extra_acked_index, epoch_acked;
	u64 epoch_stamp;
	/* Recovery. */
	u32 prior_cwnd;
	u8 prev_ca_state;
	bool packet_conservation;
	/* The history of losses, the newest at `losses_end` - 1. */
	struct bbr_losses losses[LOSS_HISTORY];
	u32 losses_end;
};

/* What the current ACK says. */
struct bbr_sample {
	const struct rate_sample *rs;
	u32 bw;			/* 0 without a valid sample */
	u32 tx_in_flight, lost;	/* of the newest acknowledged packet: in flight at its sending, and lost since */
};

/* The state is larger than the room in a socket, which holds a pointer to it. Without memory, it is NULL, and the flow
 * keeps its first window.
 */
static struct bbr *bbr_of(const struct sock *sk)
{
	return *(struct bbr **)inet_csk_ca(sk);
}

static u32 in_flight(const struct sock *sk)
{
	return tcp_packets_in_flight(tcp_sk(sk));
}

static u64 now_us(const struct sock *sk)
{
	return tcp_sk(sk)->tcp_mstamp;
}

static bool has_passed(const struct sock *sk, u64 stamp, u32 interval_us)
{
	return now_us(sk) > stamp + interval_us;
}

static bool is_in_probe_bw(const struct bbr *bbr)
{
	return bbr->state >= PROBE_BW_DOWN && bbr->state <= PROBE_BW_UP;
}

static bool is_probing_bw(const struct bbr *bbr)
{
	return bbr->state == STARTUP || bbr->state == PROBE_BW_REFILL || bbr->state == PROBE_BW_UP;
}

static u32 max_bw(const struct bbr *bbr)
{
	return max(bbr->max_bw[0], bbr->max_bw[1]);
}

static u32 bounded_bw(const struct bbr *bbr)
{
	return min(max_bw(bbr), bbr->bw_shortterm);
}

/* Volumes. */

static u32 bdp(const struct sock *sk, u32 bw, int gain)
{
	const struct bbr *bbr = bbr_of(sk);
	u64 packets;

	if (bbr->min_rtt_us == INFINITE)
		return TCP_INIT_CWND;	/* no RTT sample yet */
	packets = (((u64)bw * bbr->min_rtt_us * gain >> BBR_SCALE) + (1ULL << BW_SCALE) - 1) >> BW_SCALE;
	return min_t(u64, packets, 1U << 28);
}

static u32 tso_segs_goal(const struct sock *sk)
{
	u32 bytes = min_t(unsigned long, READ_ONCE(sk->sk_pacing_rate) >> READ_ONCE(sk->sk_pacing_shift),
			  GSO_LEGACY_MAX_SIZE - 1 - MAX_TCP_HEADER);

	return max_t(u32, bytes / tcp_sk(sk)->mss_cache, sk->sk_pacing_rate < MIN_TSO_RATE_BYTES ? 1 : 2);
}

/* Room for the bursts in which a sender with offloading sends, and for delayed ACKs. */
static u32 quantization_budget(const struct sock *sk, u32 packets)
{
	packets = max3(packets, 3 * tso_segs_goal(sk), (u32)MIN_PIPE_CWND);
	return packets + (bbr_of(sk)->state == PROBE_BW_UP ? 2 : 0);
}

static u32 inflight(const struct sock *sk, u32 bw, int gain)
{
	return quantization_budget(sk, bdp(sk, bw, gain));
}

static u32 inflight_with_headroom(const struct bbr *bbr)
{
	u32 headroom;

	if (bbr->inflight_longterm == INFINITE)
		return INFINITE;
	headroom = max(1U, (u32)((u64)bbr->inflight_longterm * constants.headroom >> BBR_SCALE));
	return max_t(s32, bbr->inflight_longterm - headroom, MIN_PIPE_CWND);
}

static u32 target_inflight(const struct sock *sk)
{
	return min(bdp(sk, bounded_bw(bbr_of(sk)), BBR_UNIT), tcp_snd_cwnd(tcp_sk(sk)));
}

/* The history of losses. */

static void record_losses(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *bbr = bbr_of(sk);
	struct bbr_losses *last = &bbr->losses[(bbr->losses_end - 1) % LOSS_HISTORY];

	if (bbr->losses_end && last->lost == tp->lost)
		return;
	if (!bbr->losses_end || last->delivered != tp->delivered)
		last = &bbr->losses[bbr->losses_end++ % LOSS_HISTORY];
	last->delivered = tp->delivered;
	last->lost = tp->lost;
}

/* tp->lost when tp->delivered was `delivered`. If the history is too short, its oldest entry answers. */
static u32 lost_at(const struct bbr *bbr, u32 delivered)
{
	u32 count = min_t(u32, bbr->losses_end, LOSS_HISTORY), back;
	const struct bbr_losses *entry = NULL;

	for (back = 1; back <= count; back++) {
		entry = &bbr->losses[(bbr->losses_end - back) % LOSS_HISTORY];
		if (!after(entry->delivered, delivered))
			return entry->lost;
	}
	return entry ? entry->lost : 0;
}

static bool is_inflight_too_high(const struct bbr_sample *sample)
{
	return sample->lost > ((u64)sample->tx_in_flight * constants.loss_thresh >> BBR_SCALE);
}

/* The volume in flight at which the share of losses passed the threshold: losses of this ACK came one by one. */
static u32 inflight_at_loss(const struct bbr_sample *sample)
{
	s64 size = sample->rs->losses, sent_before = sample->tx_in_flight - size, lost_before = sample->lost - size, prefix;

	if (sent_before < 0)
		return sample->tx_in_flight;
	if (lost_before < 0)
		lost_before = 0;
	prefix = ((sent_before * constants.loss_thresh) >> BBR_SCALE) - lost_before;
	if (prefix <= 0)
		return sent_before;
	return sent_before + div_s64(prefix << BBR_SCALE, BBR_UNIT - constants.loss_thresh);
}

/* Pacing. */

/* In bytes of payload per second, by which TCP computes the departure time of each packet. */
static unsigned long rate_bytes(const struct sock *sk, u32 bw, int gain)
{
	u64 rate = ((u64)bw * tcp_sk(sk)->mss_cache >> 4) * gain >> BBR_SCALE;

	rate = rate * (USEC_PER_SEC / 100) * (100 - PACING_MARGIN_PERCENT) >> (BW_SCALE - 4);
	return min_t(u64, rate, READ_ONCE(sk->sk_max_pacing_rate));
}

static void init_pacing_rate(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 rtt_us = tp->srtt_us ? max(tp->srtt_us >> 3, 1U) : USEC_PER_MSEC;
	u64 bw = div_u64((u64)tcp_snd_cwnd(tp) << BW_SCALE, rtt_us);

	WRITE_ONCE(sk->sk_pacing_rate, rate_bytes(sk, min_t(u64, bw, U32_MAX), constants.startup_pacing_gain));
}

static void set_pacing_rate(struct sock *sk)
{
	struct bbr *bbr = bbr_of(sk);
	unsigned long rate = rate_bytes(sk, bounded_bw(bbr), bbr->pacing_gain);

	if (bbr->full_bw_reached || rate > READ_ONCE(sk->sk_pacing_rate))
		WRITE_ONCE(sk->sk_pacing_rate, rate);
}

/* Changes of state. */

static void start_round(struct sock *sk)
{
	bbr_of(sk)->next_round_delivered = tcp_sk(sk)->delivered;
}

static void enter_state(struct bbr *bbr, enum bbr_state state, int pacing_gain, int window_gain)
{
	bbr->state = state;
	bbr->pacing_gain = pacing_gain;
	bbr->window_gain = window_gain;
}

static void reset_full_bw(struct bbr *bbr)
{
	bbr->full_bw = 0;
	bbr->full_bw_count = 0;
	bbr->full_bw_now = false;
}

static void reset_congestion_signals(struct bbr *bbr)
{
	bbr->loss_in_round = false;
	bbr->bw_latest = 0;
	bbr->inflight_latest = 0;
}

static void reset_short_term_model(struct bbr *bbr)
{
	bbr->bw_shortterm = INFINITE;
	bbr->inflight_shortterm = INFINITE;
}

static void enter_startup(struct bbr *bbr)
{
	enter_state(bbr, STARTUP, constants.startup_pacing_gain, constants.startup_cwnd_gain);
}

static void enter_drain(struct bbr *bbr)
{
	enter_state(bbr, DRAIN, constants.drain_pacing_gain, constants.startup_cwnd_gain);
	bbr->drain_start_round = bbr->round_count;
}

static void start_probe_bw_down(struct sock *sk)
{
	struct bbr *bbr = bbr_of(sk);

	reset_congestion_signals(bbr);
	bbr->probe_up_cnt = INFINITE;	/* inflight_longterm does not grow */
	bbr->rounds_since_probe = get_random_u32() & 1;
	bbr->probe_wait_us = constants.probe_wait_ms * USEC_PER_MSEC +
		(u32)((u64)get_random_u32() * constants.probe_wait_random_ms * USEC_PER_MSEC >> 32);
	bbr->cycle_stamp = now_us(sk);
	bbr->ack_phase = ACKS_PROBE_STOPPING;
	start_round(sk);
	enter_state(bbr, PROBE_BW_DOWN, constants.down_pacing_gain, constants.cwnd_gain);
}

static void start_probe_bw_cruise(struct bbr *bbr)
{
	if (bbr->inflight_shortterm != INFINITE)
		bbr->inflight_shortterm = min(bbr->inflight_shortterm, bbr->inflight_longterm);
	enter_state(bbr, PROBE_BW_CRUISE, BBR_UNIT, constants.cwnd_gain);
}

static void start_probe_bw_refill(struct sock *sk)
{
	struct bbr *bbr = bbr_of(sk);

	reset_short_term_model(bbr);
	bbr->probe_up_rounds = 0;
	bbr->probe_up_acks = 0;
	bbr->stopped_risky_probe = false;
	bbr->ack_phase = ACKS_REFILLING;
	start_round(sk);
	enter_state(bbr, PROBE_BW_REFILL, BBR_UNIT, constants.cwnd_gain);
}

static void raise_inflight_longterm_slope(struct sock *sk)
{
	struct bbr *bbr = bbr_of(sk);
	u32 growth = 1U << bbr->probe_up_rounds;

	bbr->probe_up_rounds = min(bbr->probe_up_rounds + 1, 30U);
	bbr->probe_up_cnt = max(tcp_snd_cwnd(tcp_sk(sk)) / growth, 1U);
}

static void start_probe_bw_up(struct sock *sk, const struct bbr_sample *sample)
{
	struct bbr *bbr = bbr_of(sk);

	bbr->ack_phase = ACKS_PROBE_STARTING;
	start_round(sk);
	reset_full_bw(bbr);
	bbr->full_bw = sample->bw;
	bbr->cycle_stamp = now_us(sk);
	enter_state(bbr, PROBE_BW_UP, constants.up_pacing_gain, constants.up_cwnd_gain);
	raise_inflight_longterm_slope(sk);
}

/* Signals of an ACK. */

static struct bbr_sample sample_of(struct sock *sk, const struct rate_sample *rs)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct bbr_sample sample = { .rs = rs };

	record_losses(sk);
	if (rs->delivered <= 0 || rs->interval_us <= 0)
		return sample;
	sample.bw = min_t(u64, div_u64((u64)rs->delivered << BW_SCALE, rs->interval_us), U32_MAX);
	sample.lost = tp->lost - lost_at(bbr_of(sk), rs->prior_delivered);
	sample.tx_in_flight = rs->delivered + sample.lost;
	return sample;
}

static void update_latest_delivery_signals(struct sock *sk, const struct bbr_sample *sample)
{
	struct bbr *bbr = bbr_of(sk);

	bbr->loss_round_start = false;
	if (!sample->bw)
		return;
	bbr->bw_latest = max(bbr->bw_latest, sample->bw);
	bbr->inflight_latest = max_t(u32, bbr->inflight_latest, sample->rs->delivered);
	if (!before(sample->rs->prior_delivered, bbr->loss_round_delivered)) {
		bbr->loss_round_delivered = tcp_sk(sk)->delivered;
		bbr->loss_round_start = true;
	}
}

static void advance_latest_delivery_signals(struct bbr *bbr, const struct bbr_sample *sample)
{
	if (!bbr->loss_round_start)
		return;
	bbr->bw_latest = sample->bw;
	bbr->inflight_latest = sample->rs->delivered;
}

static void update_round(struct sock *sk, const struct bbr_sample *sample)
{
	struct bbr *bbr = bbr_of(sk);

	bbr->round_start = false;
	if (!sample->bw || before(sample->rs->prior_delivered, bbr->next_round_delivered))
		return;
	start_round(sk);
	bbr->round_count++;
	bbr->rounds_since_probe++;
	bbr->round_start = true;
	bbr->packet_conservation = false;
}

static void update_max_bw(struct sock *sk, const struct bbr_sample *sample)
{
	struct bbr *bbr = bbr_of(sk);

	update_round(sk, sample);
	if (sample->bw && (sample->bw >= max_bw(bbr) || !sample->rs->is_app_limited))
		bbr->max_bw[1] = max(bbr->max_bw[1], sample->bw);
}

static void advance_max_bw_filter(struct bbr *bbr)
{
	if (!bbr->max_bw[1])
		return;	/* no sample in this cycle */
	bbr->max_bw[0] = bbr->max_bw[1];
	bbr->max_bw[1] = 0;
}

static void save_state_upon_loss(struct bbr *bbr)
{
	bbr->undo_state = NO_STATE;
	bbr->undo_bw_shortterm = bbr->bw_shortterm;
	bbr->undo_inflight_shortterm = bbr->inflight_shortterm;
	bbr->undo_inflight_longterm = bbr->inflight_longterm;
}

static void note_losses(struct sock *sk, const struct bbr_sample *sample)
{
	struct bbr *bbr = bbr_of(sk);

	if (sample->rs->losses <= 0)
		return;
	if (!bbr->loss_in_round) {
		bbr->loss_round_delivered = tcp_sk(sk)->delivered;
		save_state_upon_loss(bbr);
	}
	bbr->loss_in_round = true;
	bbr->loss_events++;
}

/* At the end of a round with losses, the bounds follow what was delivered in it. */
static void adapt_lower_bounds(struct sock *sk)
{
	struct bbr *bbr = bbr_of(sk);

	if (is_probing_bw(bbr) || !bbr->loss_in_round)
		return;
	if (bbr->bw_shortterm == INFINITE)
		bbr->bw_shortterm = max_bw(bbr);
	if (bbr->inflight_shortterm == INFINITE)
		bbr->inflight_shortterm = tcp_snd_cwnd(tcp_sk(sk));
	bbr->bw_shortterm = max_t(u32, bbr->bw_latest, (u64)bbr->bw_shortterm * constants.beta >> BBR_SCALE);
	bbr->inflight_shortterm =
		max_t(u32, bbr->inflight_latest, (u64)bbr->inflight_shortterm * constants.beta >> BBR_SCALE);
}

static void update_congestion_signals(struct sock *sk, const struct bbr_sample *sample)
{
	struct bbr *bbr = bbr_of(sk);

	update_max_bw(sk, sample);
	if (!bbr->loss_round_start)
		return;
	adapt_lower_bounds(sk);
	bbr->loss_in_round = false;
}

/* How much more than expected was acknowledged at once: the window grows by it, so that it does not stop the flow. */
static void update_ack_aggregation(struct sock *sk, const struct bbr_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *bbr = bbr_of(sk);
	const struct rate_sample *rs = sample->rs;
	u32 expected, extra, rounds = bbr->full_bw_reached ? EXTRA_ACKED_ROUNDS : 1;

	if (!rs->acked_sacked || rs->delivered < 0)
		return;
	if (bbr->round_start && ++bbr->extra_acked_rounds >= rounds) {
		bbr->extra_acked_rounds = 0;
		bbr->extra_acked_index ^= 1;
		bbr->extra_acked[bbr->extra_acked_index] = 0;
	}
	expected = (u64)bounded_bw(bbr) * min_t(u64, now_us(sk) - bbr->epoch_stamp, USEC_PER_SEC) >> BW_SCALE;
	if (bbr->epoch_acked <= expected || bbr->epoch_acked + rs->acked_sacked > 0xfffff) {
		bbr->epoch_acked = 0;
		bbr->epoch_stamp = tp->delivered_mstamp;
		expected = 0;
	}
	bbr->epoch_acked += rs->acked_sacked;
	extra = min(bbr->epoch_acked - expected, tcp_snd_cwnd(tp));
	bbr->extra_acked[bbr->extra_acked_index] = max(bbr->extra_acked[bbr->extra_acked_index], extra);
}

static u32 extra_acked(const struct bbr *bbr)
{
	u32 most = (u64)bounded_bw(bbr) * EXTRA_ACKED_MAX_US >> BW_SCALE;

	return min(most, max(bbr->extra_acked[0], bbr->extra_acked[1]));
}

/* Startup and Drain. */

static void check_full_bw_reached(struct bbr *bbr, const struct bbr_sample *sample)
{
	if (bbr->full_bw_now || !sample->bw || sample->rs->is_app_limited)
		return;
	if (sample->bw >= (u64)bbr->full_bw * FULL_BW_THRESH >> BBR_SCALE) {
		reset_full_bw(bbr);
		bbr->full_bw = sample->bw;
		return;
	}
	if (!bbr->round_start)
		return;
	bbr->full_bw_now = ++bbr->full_bw_count >= FULL_BW_COUNT;
	bbr->full_bw_reached |= bbr->full_bw_now;
}

/* A round in recovery with several losses and more than 2 % of them in all: the path is full. */
static void check_startup_high_loss(struct sock *sk, const struct bbr_sample *sample)
{
	struct bbr *bbr = bbr_of(sk);

	if (!bbr->full_bw_reached && bbr->loss_round_start && inet_csk(sk)->icsk_ca_state == TCP_CA_Recovery &&
	    bbr->loss_events >= constants.startup_loss_events && is_inflight_too_high(sample)) {
		bbr->undo_state = STARTUP;
		bbr->full_bw_reached = true;
		bbr->inflight_longterm = max(inflight(sk, max_bw(bbr), BBR_UNIT),
					     constants.startup_keeps_latest ? bbr->inflight_latest : 0);
	}
	if (bbr->loss_round_start)
		bbr->loss_events = 0;
}

static void check_startup_done(struct sock *sk, const struct bbr_sample *sample)
{
	struct bbr *bbr = bbr_of(sk);

	check_startup_high_loss(sk, sample);
	if (bbr->state == STARTUP && bbr->full_bw_reached)
		enter_drain(bbr);
}

static void check_drain_done(struct sock *sk)
{
	struct bbr *bbr = bbr_of(sk);
	bool is_late;

	if (bbr->state != DRAIN)
		return;
	is_late = constants.drain_rounds && bbr->round_count - bbr->drain_start_round > constants.drain_rounds;
	if (is_late || in_flight(sk) <= inflight(sk, max_bw(bbr), BBR_UNIT))
		start_probe_bw_down(sk);
}

/* ProbeBW. */

static void handle_inflight_too_high(struct sock *sk, const struct bbr_sample *sample, u32 tx_in_flight)
{
	struct bbr *bbr = bbr_of(sk);

	bbr->prev_probe_too_high = true;
	bbr->is_probe_sample = false;	/* react once for each probe */
	if (!sample->rs->is_app_limited)
		bbr->inflight_longterm =
			max_t(u32, tx_in_flight, (u64)target_inflight(sk) * constants.beta >> BBR_SCALE);
	if (bbr->state == PROBE_BW_UP) {
		bbr->undo_state = PROBE_BW_UP;
		start_probe_bw_down(sk);
	}
}

static void probe_inflight_longterm_upward(struct sock *sk, const struct bbr_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *bbr = bbr_of(sk);
	u32 delta;

	if (!tp->is_cwnd_limited || tcp_snd_cwnd(tp) < bbr->inflight_longterm)
		return;
	bbr->probe_up_acks += sample->rs->acked_sacked;
	if (bbr->probe_up_acks >= bbr->probe_up_cnt) {
		delta = bbr->probe_up_acks / bbr->probe_up_cnt;
		bbr->probe_up_acks -= delta * bbr->probe_up_cnt;
		bbr->inflight_longterm += delta;
	}
	if (bbr->round_start)
		raise_inflight_longterm_slope(sk);
}

/* Returns whether a new probe has begun. */
static bool adapt_long_term_model(struct sock *sk, const struct bbr_sample *sample)
{
	struct bbr *bbr = bbr_of(sk);

	if (bbr->ack_phase == ACKS_PROBE_STARTING && bbr->round_start)
		bbr->ack_phase = ACKS_PROBE_FEEDBACK;
	if (bbr->ack_phase == ACKS_PROBE_STOPPING && bbr->round_start) {
		bbr->is_probe_sample = false;
		bbr->ack_phase = ACKS_INIT;
		if (is_in_probe_bw(bbr) && !sample->rs->is_app_limited)
			advance_max_bw_filter(bbr);
		/* A probe that stopped at the bound as a precaution met no losses, so the next one may go further. */
		if (is_in_probe_bw(bbr) && bbr->stopped_risky_probe && !bbr->prev_probe_too_high) {
			start_probe_bw_refill(sk);
			return true;
		}
	}
	if (!sample->bw)
		return false;
	if (is_inflight_too_high(sample)) {
		if (bbr->is_probe_sample)
			handle_inflight_too_high(
				sk, sample, sample->rs->losses ? inflight_at_loss(sample) : sample->tx_in_flight);
		return false;
	}
	if (bbr->inflight_longterm == INFINITE)
		return false;
	bbr->inflight_longterm = max(bbr->inflight_longterm, sample->tx_in_flight);
	if (bbr->state == PROBE_BW_UP)
		probe_inflight_longterm_upward(sk, sample);
	return false;
}

static bool is_time_to_probe_bw(struct sock *sk)
{
	struct bbr *bbr = bbr_of(sk);

	return has_passed(sk, bbr->cycle_stamp, bbr->probe_wait_us) ||
	       bbr->rounds_since_probe >= min_t(u32, target_inflight(sk), constants.probe_rounds);
}

static bool is_time_to_cruise(struct sock *sk)
{
	struct bbr *bbr = bbr_of(sk);

	return in_flight(sk) <= inflight_with_headroom(bbr) && in_flight(sk) <= inflight(sk, max_bw(bbr), BBR_UNIT);
}

static bool is_time_to_go_down(struct sock *sk, const struct bbr_sample *sample)
{
	struct bbr *bbr = bbr_of(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	if (bbr->prev_probe_too_high && in_flight(sk) >= bbr->inflight_longterm) {
		bbr->stopped_risky_probe = true;
		return true;
	}
	if (constants.up_ends_by_inflight)
		return has_passed(sk, bbr->cycle_stamp, bbr->min_rtt_us) &&
		       in_flight(sk) >= inflight(sk, max_bw(bbr), constants.up_pacing_gain);
	if (tp->is_cwnd_limited && tcp_snd_cwnd(tp) >= bbr->inflight_longterm) {
		/* inflight_longterm limits the flow, so the bandwidth cannot grow before it does. */
		reset_full_bw(bbr);
		bbr->full_bw = sample->bw;
		return false;
	}
	return bbr->full_bw_now;
}

static void update_probe_bw_cycle_phase(struct sock *sk, const struct bbr_sample *sample)
{
	struct bbr *bbr = bbr_of(sk);

	if (!bbr->full_bw_reached || adapt_long_term_model(sk, sample) || !is_in_probe_bw(bbr))
		return;
	switch (bbr->state) {
	case PROBE_BW_DOWN:
		if (is_time_to_probe_bw(sk))
			start_probe_bw_refill(sk);
		else if (is_time_to_cruise(sk))
			start_probe_bw_cruise(bbr);
		break;
	case PROBE_BW_CRUISE:
		if (is_time_to_probe_bw(sk))
			start_probe_bw_refill(sk);
		break;
	case PROBE_BW_REFILL:
		if (bbr->round_start) {
			bbr->is_probe_sample = true;
			start_probe_bw_up(sk, sample);
		}
		break;
	case PROBE_BW_UP:
		if (is_time_to_go_down(sk, sample)) {
			bbr->prev_probe_too_high = false;	/* no loss so far */
			start_probe_bw_down(sk);
		}
		break;
	default:
		break;
	}
}

/* ProbeRTT. */

static u32 probe_rtt_cwnd(const struct sock *sk)
{
	return max_t(u32, bdp(sk, bounded_bw(bbr_of(sk)), constants.probe_rtt_cwnd_gain), MIN_PIPE_CWND);
}

static void save_cwnd(struct sock *sk)
{
	struct bbr *bbr = bbr_of(sk);

	if (bbr->prev_ca_state < TCP_CA_Recovery && bbr->state != PROBE_RTT)
		bbr->prior_cwnd = tcp_snd_cwnd(tcp_sk(sk));
	else
		bbr->prior_cwnd = max(bbr->prior_cwnd, tcp_snd_cwnd(tcp_sk(sk)));
}

static void restore_cwnd(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	tcp_snd_cwnd_set(tp, max(tcp_snd_cwnd(tp), bbr_of(sk)->prior_cwnd));
}

static void check_probe_rtt_done(struct sock *sk)
{
	struct bbr *bbr = bbr_of(sk);

	if (!bbr->probe_rtt_done_stamp || now_us(sk) < bbr->probe_rtt_done_stamp)
		return;
	bbr->probe_rtt_min_stamp = now_us(sk);
	restore_cwnd(sk);
	reset_short_term_model(bbr);
	if (bbr->full_bw_reached) {
		start_probe_bw_down(sk);
		start_probe_bw_cruise(bbr);
	} else {
		enter_startup(bbr);
	}
}

static void handle_probe_rtt(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *bbr = bbr_of(sk);

	/* The flow limits itself, so samples of this time say nothing about the bandwidth. */
	tp->app_limited = (tp->delivered + in_flight(sk)) ? : 1;
	if (!bbr->probe_rtt_done_stamp && in_flight(sk) <= probe_rtt_cwnd(sk)) {
		bbr->probe_rtt_done_stamp = now_us(sk) + constants.probe_rtt_ms * USEC_PER_MSEC;
		bbr->probe_rtt_round_done = false;
		start_round(sk);
	} else if (bbr->probe_rtt_done_stamp) {
		bbr->probe_rtt_round_done |= bbr->round_start;
		if (bbr->probe_rtt_round_done)
			check_probe_rtt_done(sk);
	}
}

static void update_min_rtt(struct sock *sk, const struct bbr_sample *sample)
{
	struct bbr *bbr = bbr_of(sk);
	const struct rate_sample *rs = sample->rs;
	bool is_expired = has_passed(sk, bbr->probe_rtt_min_stamp, constants.probe_rtt_interval_ms * USEC_PER_MSEC);

	if (rs->rtt_us >= 0 &&
	    (rs->rtt_us < bbr->probe_rtt_min_us || (is_expired && !rs->is_ack_delayed))) {
		bbr->probe_rtt_min_us = rs->rtt_us;
		bbr->probe_rtt_min_stamp = now_us(sk);
	}
	if (bbr->probe_rtt_min_us <= bbr->min_rtt_us ||
	    has_passed(sk, bbr->min_rtt_stamp, constants.min_rtt_window_ms * USEC_PER_MSEC)) {
		bbr->min_rtt_us = bbr->probe_rtt_min_us;
		bbr->min_rtt_stamp = bbr->probe_rtt_min_stamp;
	}
	if (is_expired && bbr->state != PROBE_RTT && !bbr->idle_restart) {
		save_cwnd(sk);
		enter_state(bbr, PROBE_RTT, BBR_UNIT, constants.probe_rtt_cwnd_gain);
		bbr->probe_rtt_done_stamp = 0;
		bbr->ack_phase = ACKS_PROBE_STOPPING;
		start_round(sk);
	}
	if (bbr->state == PROBE_RTT)
		handle_probe_rtt(sk);
	if (rs->delivered > 0)
		bbr->idle_restart = false;
}

/* The window. */

/* With packet conservation, the first round of a fast recovery sends one packet for each that was delivered. */
static void conserve_packets(struct sock *sk, const struct bbr_sample *sample, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *bbr = bbr_of(sk);

	if (sample->rs->losses > 0)
		tcp_snd_cwnd_set(tp, max_t(s32, tcp_snd_cwnd(tp) - sample->rs->losses, 1));
	if (inet_csk(sk)->icsk_ca_state == TCP_CA_Recovery && bbr->prev_ca_state != TCP_CA_Recovery) {
		bbr->packet_conservation = true;
		start_round(sk);
		tcp_snd_cwnd_set(tp, in_flight(sk) + acked);
	}
	if (bbr->packet_conservation)
		tcp_snd_cwnd_set(tp, max(tcp_snd_cwnd(tp), in_flight(sk) + acked));
}

static void modulate_cwnd_for_recovery(struct sock *sk, const struct bbr_sample *sample, u32 acked)
{
	struct bbr *bbr = bbr_of(sk);
	u8 state = inet_csk(sk)->icsk_ca_state;

	if (bbr->prev_ca_state >= TCP_CA_Recovery && state < TCP_CA_Recovery) {
		bbr->packet_conservation = false;
		restore_cwnd(sk);
	}
	if (constants.conserve_packets)
		conserve_packets(sk, sample, acked);
	bbr->prev_ca_state = state;
}

static void bound_cwnd_for_model(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *bbr = bbr_of(sk);
	u32 cap = INFINITE;

	if (bbr->state == PROBE_RTT || bbr->state == PROBE_BW_CRUISE)
		cap = inflight_with_headroom(bbr);
	else if (is_in_probe_bw(bbr))
		cap = bbr->inflight_longterm;
	cap = max_t(u32, min(cap, bbr->inflight_shortterm), MIN_PIPE_CWND);
	tcp_snd_cwnd_set(tp, min(tcp_snd_cwnd(tp), cap));
}

static void set_cwnd(struct sock *sk, const struct bbr_sample *sample)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *bbr = bbr_of(sk);
	u32 acked = sample->rs->acked_sacked, target, cwnd;

	if (acked) {
		modulate_cwnd_for_recovery(sk, sample, acked);
		if (!bbr->packet_conservation) {
			target = quantization_budget(sk, bdp(sk, bounded_bw(bbr), bbr->window_gain) + extra_acked(bbr));
			cwnd = tcp_snd_cwnd(tp);
			if (bbr->full_bw_reached)
				cwnd = min(cwnd + acked, target);
			else if (cwnd < target || tp->delivered < TCP_INIT_CWND)
				cwnd += acked;
			tcp_snd_cwnd_set(tp, max_t(u32, cwnd, MIN_PIPE_CWND));
		}
	}
	if (bbr->state == PROBE_RTT)
		tcp_snd_cwnd_set(tp, min(tcp_snd_cwnd(tp), probe_rtt_cwnd(sk)));
	bound_cwnd_for_model(sk);
	tcp_snd_cwnd_set(tp, min(tcp_snd_cwnd(tp), tp->snd_cwnd_clamp));
}

/* Congestion control operations. */

static void bbr_on_ack(struct sock *sk, const struct rate_sample *rs)
{
	struct bbr *bbr = bbr_of(sk);
	struct bbr_sample sample;

	if (!bbr)
		return;
	sample = sample_of(sk, rs);
	update_latest_delivery_signals(sk, &sample);
	note_losses(sk, &sample);
	update_congestion_signals(sk, &sample);
	update_ack_aggregation(sk, &sample);
	check_full_bw_reached(bbr, &sample);
	check_startup_done(sk, &sample);
	check_drain_done(sk);
	update_probe_bw_cycle_phase(sk, &sample);
	update_min_rtt(sk, &sample);
	advance_latest_delivery_signals(bbr, &sample);
	set_pacing_rate(sk);
	set_cwnd(sk, &sample);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
static void bbr_cong_control(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs)
{
	bbr_on_ack(sk, rs);
}
#else
static void bbr_cong_control(struct sock *sk, const struct rate_sample *rs)
{
	bbr_on_ack(sk, rs);
}
#endif

static void bbr_init(struct sock *sk)
{
	struct bbr **place = inet_csk_ca(sk), *bbr;

	*place = bbr = kzalloc(sizeof(*bbr), GFP_NOWAIT | __GFP_NOWARN);
	cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
	tcp_sk(sk)->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	if (!bbr)
		return;
	bbr->min_rtt_us = INFINITE;
	bbr->probe_rtt_min_us = INFINITE;
	bbr->min_rtt_stamp = bbr->probe_rtt_min_stamp = bbr->epoch_stamp = now_us(sk);
	bbr->inflight_longterm = INFINITE;
	bbr->probe_up_cnt = INFINITE;
	bbr->next_round_delivered = bbr->loss_round_delivered = tcp_sk(sk)->delivered;
	bbr->prev_ca_state = TCP_CA_Open;
	reset_short_term_model(bbr);
	save_state_upon_loss(bbr);
	record_losses(sk);
	enter_startup(bbr);
	init_pacing_rate(sk);
}

static void bbr_release(struct sock *sk)
{
	struct bbr **place = inet_csk_ca(sk);

	kfree(*place);
	*place = NULL;
}

/* A restart after idle time paces at the estimated bandwidth, so it needs no burst and no new Startup. */
static void bbr_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	struct bbr *bbr = bbr_of(sk);

	if (!bbr || event != CA_EVENT_TX_START || !tcp_sk(sk)->app_limited)
		return;
	bbr->idle_restart = true;
	bbr->epoch_stamp = now_us(sk);
	bbr->epoch_acked = 0;
	if (is_in_probe_bw(bbr))
		WRITE_ONCE(sk->sk_pacing_rate, rate_bytes(sk, bounded_bw(bbr), BBR_UNIT));
	else if (bbr->state == PROBE_RTT)
		check_probe_rtt_done(sk);
}

/* BBR has no slow-start threshold. This is called when losses begin. */
static u32 bbr_ssthresh(struct sock *sk)
{
	if (bbr_of(sk))
		save_cwnd(sk);
	return tcp_sk(sk)->snd_ssthresh;
}

/* The losses were none: packets were only late. */
static u32 bbr_undo_cwnd(struct sock *sk)
{
	struct bbr *bbr = bbr_of(sk);

	if (!bbr)
		return tcp_snd_cwnd(tcp_sk(sk));
	bbr->loss_in_round = false;
	reset_full_bw(bbr);
	bbr->bw_shortterm = max(bbr->bw_shortterm, bbr->undo_bw_shortterm);
	bbr->inflight_shortterm = max(bbr->inflight_shortterm, bbr->undo_inflight_shortterm);
	bbr->inflight_longterm = max(bbr->inflight_longterm, bbr->undo_inflight_longterm);
	if (bbr->undo_state == STARTUP && bbr->state != STARTUP) {
		bbr->full_bw_reached = false;
		if (bbr->state != PROBE_RTT)
			enter_startup(bbr);
	} else if (bbr->undo_state == PROBE_BW_UP && bbr->state != PROBE_BW_UP && is_in_probe_bw(bbr)) {
		start_probe_bw_refill(sk);
	}
	bbr->undo_state = NO_STATE;
	return max(tcp_snd_cwnd(tcp_sk(sk)), bbr->prior_cwnd);
}

static void bbr_set_state(struct sock *sk, u8 new_state)
{
	struct bbr *bbr = bbr_of(sk);

	if (!bbr || new_state != TCP_CA_Loss)
		return;
	record_losses(sk);
	if (!bbr->loss_in_round)
		save_state_upon_loss(bbr);
	bbr->prev_ca_state = TCP_CA_Loss;
	reset_full_bw(bbr);
	if (!is_probing_bw(bbr) && bbr->inflight_shortterm == INFINITE)
		bbr->inflight_shortterm = max(tcp_snd_cwnd(tcp_sk(sk)), bbr->prior_cwnd);
}

static u32 bbr_min_tso_segs(struct sock *sk)
{
	return READ_ONCE(sk->sk_pacing_rate) < MIN_TSO_RATE_BYTES ? 1 : 2;
}

static u32 bbr_sndbuf_expand(struct sock *sk)
{
	return 3;	/* windows beyond the one that fills the path, also in recovery */
}

/* What `ss -i` and other programs read: the structure of version 1, and the fields that later versions append to it. */
struct bbr_report {
	struct tcp_bbr_info v1;
	u32 max_bw_lo, max_bw_hi, shortterm_bw_lo, shortterm_bw_hi;	/* bytes per second */
	u8 mode, phase, unused, version;
	u32 inflight_shortterm, inflight_longterm, extra_acked;		/* packets */
};

enum { MODE_STARTUP, MODE_DRAIN, MODE_PROBE_BW, MODE_PROBE_RTT };
/* The numbering that programs know which read the phase. */
enum { PHASE_STARTUP = 1, PHASE_DRAIN, PHASE_PROBE_RTT, PHASE_UP, PHASE_DOWN, PHASE_CRUISE, PHASE_REFILL };

static u64 bytes_per_second(const struct sock *sk, u32 bw)
{
	return bw == INFINITE ? ~0ULL : (u64)bw * tcp_sk(sk)->mss_cache * USEC_PER_SEC >> BW_SCALE;
}

static void split_u64(u64 value, u32 *lo, u32 *hi)
{
	*lo = (u32)value;
	*hi = (u32)(value >> 32);
}

static struct bbr_report report_of(const struct sock *sk, const struct bbr *bbr)
{
	static const u8 modes[] = {
		[STARTUP] = MODE_STARTUP, [DRAIN] = MODE_DRAIN, [PROBE_BW_DOWN] = MODE_PROBE_BW,
		[PROBE_BW_CRUISE] = MODE_PROBE_BW, [PROBE_BW_REFILL] = MODE_PROBE_BW, [PROBE_BW_UP] = MODE_PROBE_BW,
		[PROBE_RTT] = MODE_PROBE_RTT,
	};
	static const u8 phases[] = {
		[STARTUP] = PHASE_STARTUP, [DRAIN] = PHASE_DRAIN, [PROBE_BW_DOWN] = PHASE_DOWN,
		[PROBE_BW_CRUISE] = PHASE_CRUISE, [PROBE_BW_REFILL] = PHASE_REFILL, [PROBE_BW_UP] = PHASE_UP,
		[PROBE_RTT] = PHASE_PROBE_RTT,
	};
	struct bbr_report report = {
		.v1.bbr_min_rtt = bbr->min_rtt_us,
		.v1.bbr_pacing_gain = bbr->pacing_gain,
		.v1.bbr_cwnd_gain = bbr->window_gain,
		.mode = modes[bbr->state],
		.phase = phases[bbr->state],
		.version = BBR_VERSION,
		.inflight_shortterm = bbr->inflight_shortterm,
		.inflight_longterm = bbr->inflight_longterm,
		.extra_acked = extra_acked(bbr),
	};

	split_u64(bytes_per_second(sk, bounded_bw(bbr)), &report.v1.bbr_bw_lo, &report.v1.bbr_bw_hi);
	split_u64(bytes_per_second(sk, max_bw(bbr)), &report.max_bw_lo, &report.max_bw_hi);
	split_u64(bytes_per_second(sk, bbr->bw_shortterm), &report.shortterm_bw_lo, &report.shortterm_bw_hi);
	return report;
}

/* A kernel whose `union tcp_cc_info` has no room for the appended fields reports the first ones. */
static size_t bbr_get_info(struct sock *sk, u32 ext, int *attr, union tcp_cc_info *info)
{
	const struct bbr *bbr = bbr_of(sk);
	const size_t size = sizeof(*info) < sizeof(struct bbr_report) ? sizeof(info->bbr) : sizeof(struct bbr_report);
	struct bbr_report report;

	if (!bbr || !(ext & (1 << (INET_DIAG_BBRINFO - 1) | 1 << (INET_DIAG_VEGASINFO - 1))))
		return 0;
	report = report_of(sk, bbr);
	memcpy(info, &report, size);
	*attr = INET_DIAG_BBRINFO;
	return size;
}

static struct tcp_congestion_ops bbr_operations __read_mostly = {
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = BBR_NAME,
	.owner = THIS_MODULE,
	.init = bbr_init,
	.release = bbr_release,
	.cong_control = bbr_cong_control,
	.cwnd_event = bbr_cwnd_event,
	.ssthresh = bbr_ssthresh,
	.undo_cwnd = bbr_undo_cwnd,
	.set_state = bbr_set_state,
	.min_tso_segs = bbr_min_tso_segs,
	.sndbuf_expand = bbr_sndbuf_expand,
	.get_info = bbr_get_info,
};

static int __init bbr_register(void)
{
	return tcp_register_congestion_control(&bbr_operations);
}

static void __exit bbr_unregister(void)
{
	tcp_unregister_congestion_control(&bbr_operations);
}

module_init(bbr_register);
module_exit(bbr_unregister);
MODULE_LICENSE("GPL");

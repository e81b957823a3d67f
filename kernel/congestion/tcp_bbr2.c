/* SPDX-License-Identifier: GPL-2.0 */
/* BBR congestion control, version 2
 *
 * Source: draft-cardwell-iccrg-bbr-congestion-control-02. bbr_model.h has the algorithm; this file has the
 * constants of this version. `bbr` is version 1, which Linux contains.
 */

#define BBR_NAME "bbr2"
#define BBR_VERSION 2
#include "bbr_model.h"

static struct bbr_constants constants = {
	.startup_pacing_gain = 739,	/* 2/ln 2 = 2.885 */
	.startup_cwnd_gain = 739,
	.drain_pacing_gain = 88,	/* its inverse */
	.drain_rounds = 0,
	.up_pacing_gain = 320,		/* 1.25 */
	.down_pacing_gain = 192,	/* 0.75 */
	.cwnd_gain = 512,		/* 2 */
	.up_cwnd_gain = 512,
	.up_ends_by_inflight = 1,
	.probe_rtt_cwnd_gain = 128,	/* 0.5 */
	.loss_thresh = 5,		/* 2 % */
	.beta = 179,			/* 0.7 */
	.headroom = 38,			/* 15 % */
	.startup_loss_events = 8,
	.startup_keeps_latest = 0,
	.conserve_packets = 0,
	.probe_wait_ms = 2000,
	.probe_wait_random_ms = 1000,
	.probe_rounds = 63,
	.probe_rtt_interval_ms = 5000,
	.probe_rtt_ms = 200,
	.min_rtt_window_ms = 10000,
};

MODULE_DESCRIPTION("BBR congestion control, version 2");

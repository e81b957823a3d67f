/* SPDX-License-Identifier: GPL-2.0 */
/* BBR congestion control, version 3
 *
 * Source: draft-ietf-ccwg-bbr. bbr_model.h has the algorithm; this file has the
 * constants of this version. `bbr` is version 1, which Linux contains.
 */

#define BBR_NAME "bbr3"
#define BBR_VERSION 3
#include "bbr_model.h"

static struct bbr_constants constants = {
	.startup_pacing_gain = 709,	/* 4 ln 2 = 2.77 */
	.startup_cwnd_gain = 512,	/* 2 */
	.drain_pacing_gain = 128,	/* 0.5 */
	.drain_rounds = 3,
	.up_pacing_gain = 320,		/* 1.25 */
	.down_pacing_gain = 230,	/* 0.9 */
	.cwnd_gain = 512,		/* 2 */
	.up_cwnd_gain = 576,		/* 2.25 */
	.up_ends_by_inflight = 0,
	.probe_rtt_cwnd_gain = 128,	/* 0.5 */
	.loss_thresh = 5,		/* 2 % */
	.beta = 179,			/* 0.7 */
	.headroom = 38,			/* 15 % */
	.startup_loss_events = 6,
	.startup_keeps_latest = 1,
	.conserve_packets = 0,
	.probe_wait_ms = 2000,
	.probe_wait_random_ms = 1000,
	.probe_rounds = 63,
	.probe_rtt_interval_ms = 5000,
	.probe_rtt_ms = 200,
	.min_rtt_window_ms = 10000,
};

MODULE_DESCRIPTION("BBR congestion control, version 3");

"""The defaults of the kernel, and of `tc` for RED and CHOKe, for the parameters of queueing disciplines.

The defaults of the kernel that runs a lab may differ; they are read back and recorded. A parameter without a default
here follows from the limit of the queue. `render.queues.early_drop_values` computes those of RED and CHOKe.
"""

from __future__ import annotations

from frrlib.model.frames import FULL_FRAME_BYTES

#: A default; None if the function of the parameter is off.
Default = float | bool | str | None

#: The default limit in packets of each discipline with a limit of its own; None if it depends on other parameters.
LIMITS_PACKETS: dict[str, int | None] = {
    "fq_codel": 10_240, "codel": 1000, "pie": 1000, "fq_pie": 10_240, "fq": 10_000, "sfq": 127, "dualpi2": 10_000,
    "cake": None,
}  # fmt: skip

_CODEL: dict[str, Default] = {"target_ms": 5.0, "interval_ms": 100.0, "ce_threshold_ms": None}
_PIE: dict[str, Default] = {
    "target_ms": 15.0, "tupdate_ms": 15.0, "alpha": 2, "beta": 20, "ecn": False, "bytemode": False,
    "dq_rate_estimator": False,
}  # fmt: skip
#: An early drop's probability and average packet are defaults of `tc`.
_EARLY: dict[str, Default] = {"probability": 0.02, "avpkt_bytes": 1000, "ecn": False}
_FLOW_QUEUES: dict[str, Default] = {"flows": 1024, "quantum_bytes": FULL_FRAME_BYTES, "memory_limit_bytes": 32 << 20}
#: Quanta, which the kernel counts in full frames of the interface. The table has them for an MTU of 1500 bytes.
_QUANTA = ("quantum_bytes", "initial_quantum_bytes")

#: By kind of discipline and field of its class in `queues`.
DEFAULTS: dict[str, dict[str, Default]] = {
    "pfifo": {},
    "bfifo": {},
    "fq": {
        "flow_limit_packets": 100, "quantum_bytes": 2 * FULL_FRAME_BYTES,
        "initial_quantum_bytes": 10 * FULL_FRAME_BYTES, "maxrate_mbit": None, "buckets": 1024, "pacing": True,
        "low_rate_threshold_mbit": 0.55, "refill_delay_ms": 40.0, "timer_slack_us": 10.0, "horizon_ms": 10_000.0,
        "horizon_drop": True, "orphan_mask": 1023, "ce_threshold_ms": None,
    },
    "codel": {**_CODEL, "ecn": False},
    "fq_codel": {**_CODEL, "ecn": True, **_FLOW_QUEUES, "drop_batch_packets": 64},
    "pie": _PIE,
    "fq_pie": {**_PIE, **_FLOW_QUEUES, "ecn_prob_percent": 10},
    "cake": {
        "diffserv": "diffserv3", "isolation": "triple-isolate", "rtt_ms": 100.0, "nat": False, "wash": False,
        "ack_filter": "no", "split_gso": True, "overhead_bytes": 0, "mpu_bytes": 0, "link_layer": "noatm",
    },
    "red": {**_EARLY, "harddrop": False, "adaptive": False, "nodrop": False},
    "sfq": {
        "quantum_bytes": FULL_FRAME_BYTES, "perturb_s": 0, "flows": 128, "divisor": 1024, "depth_packets": 127,
        "headdrop": False,
    },
    "choke": _EARLY,
    "sfb": {
        "rehash_s": 600.0, "db_s": 60.0, "max_packets": 25, "target_packets": 20, "increment": 0.0005,
        "decrement": 0.00005, "penalty_rate_packets_s": 10, "penalty_burst_packets": 20,
    },
    "dualpi2": {
        "target_ms": 15.0, "tupdate_ms": 16.0, "alpha": 0.16, "beta": 3.2, "coupling_factor": 2, "step_thresh_ms": 1.0,
        "min_qlen_step_packets": 0, "classic_protection_percent": 10, "any_ect": False, "drop_on_overload": True,
        "drop_early": False, "split_gso": True,
    },
}  # fmt: skip


def has_default(kind: str, parameter: str) -> bool:
    """Whether a parameter has a default; False if its value follows from the limit of the queue."""
    return parameter in DEFAULTS[kind]


def default(kind: str, parameter: str, frame_bytes: int = FULL_FRAME_BYTES) -> Default:
    """The default of a parameter that has one (`has_default`).

    Args:
        kind: kind of the discipline ("fq_codel").
        parameter: its field in the class of the discipline.
        frame_bytes: a full frame of the sending interface.
    """
    value = DEFAULTS[kind][parameter]
    return int(value or 0) * frame_bytes // FULL_FRAME_BYTES if parameter in _QUANTA else value

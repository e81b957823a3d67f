"""The quality of a call by the E-model of ITU-T G.107 with its default values (04/2009, clause 7).

Only the parameters of the network are not at their defaults: delay and lost packets. The result is a prediction for
planning, computed from means, and not the opinion of a listener.
"""

from __future__ import annotations

import math

#: Equipment impairment and robustness against random loss, by codec (ITU-T G.113, appendix I, 05/2007): G.711 with
#: concealment, G.729A and G.723.1 at 6.3 kbit/s with silence suppression. There are no values for Opus.
CODECS: dict[str, tuple[float, float]] = {"G.711": (0.0, 25.1), "G.729": (11.0, 19.0), "G.723.1": (15.0, 16.1)}

# Default values of table 3, and the values that follow from them alone: the sum of noise powers in dBm0p, and the
# simultaneous impairments.
_TELR_DB, _WEPL_DB, _RLR_DB, _SLR_DB = 65.0, 110.0, 2.0, 8.0
_NOISE_DBM0P = -61.18
_SIMULTANEOUS = 1.41


def rating(codec: str, delay_ms: float, loss_percent: float) -> float | None:
    """The transmission rating R.

    Args:
        codec: one of `CODECS`.
        delay_ms: the one-way delay from mouth to ear, with all buffers.
        loss_percent: packets that are not played, lost at random.

    Returns:
        None for a codec without values.
    """
    if codec not in CODECS:
        return None
    impairment, robustness = CODECS[codec]
    effective = impairment + (95 - impairment) * loss_percent / (loss_percent + robustness)
    return _basic_ratio() - _SIMULTANEOUS - _delay_impairment(delay_ms) - effective


def opinion(codec: str, delay_ms: float, loss_percent: float) -> float | None:
    """The mean opinion score of the rating R, from 1 to 4.5 (annex B); None as in `rating`."""
    r = rating(codec, delay_ms, loss_percent)
    if r is None:
        return None
    if r <= 0:
        return 1.0
    return 4.5 if r >= 100 else max(1.0, 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6)


def _basic_ratio() -> float:
    return 15 - 1.5 * (_SLR_DB + _NOISE_DBM0P)


def _delay_impairment(delay_ms: float) -> float:
    """The impairment by talker echo, listener echo, and absolute delay."""
    return _talker_echo(delay_ms) + _listener_echo(2 * delay_ms) + _absolute_delay(delay_ms)


def _talker_echo(delay_ms: float) -> float:
    if delay_ms < 1:
        return 0.0
    level_db = _TELR_DB - 40 * math.log10((1 + delay_ms / 10) / (1 + delay_ms / 150)) + 6 * math.exp(-0.3 * delay_ms**2)
    gap = -1.5 * (_NOISE_DBM0P - _RLR_DB) - (80 + 2.5 * (level_db - 14))
    return (gap / 2 + math.sqrt(gap**2 / 4 + 100) - 1) * (1 - math.exp(-delay_ms))


def _listener_echo(round_trip_ms: float) -> float:
    gap = _basic_ratio() - 10.5 * (_WEPL_DB + 7) * math.pow(round_trip_ms + 1, -0.25)
    return gap / 2 + math.sqrt(gap**2 / 4 + 169)


def _absolute_delay(delay_ms: float) -> float:
    if delay_ms <= 100:
        return 0.0
    x = math.log2(delay_ms / 100)
    return float(25 * ((1 + x**6) ** (1 / 6) - 3 * (1 + (x / 3) ** 6) ** (1 / 6) + 2))

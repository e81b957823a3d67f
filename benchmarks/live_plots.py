"""The cost of live plots: the processor time of a window that plots six flows, sampled at 100 Hz, while they go on.

    python benchmarks/live_plots.py [--seconds 20] [--flows 6] [--hz 100]

Needs a display, such as one of Xvfb. Samples of made-up flows are told as a lab tells them, in batches, in real time.
Of each way of looking it prints how many frames a second there were, how many of them drew the axes anew, how long a
frame took, and which share of one processor the whole process used; "no plots" is what taking the samples costs.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import ttkbootstrap as ttk

from frrlib import wire
from frrlib.picture.theme import LIGHT
from frrlib.results.layout import FlowInfo, QueueInfo
from miniedit_frr.live.quantities import USUAL
from miniedit_frr.live.samples import LiveRun
from miniedit_frr.live_plots.panel import PlotPanel

_BATCH_S = 0.1
_CONTROLS = ("cubic", "bbr", "reno")


def rows(flow: int, from_s: float, to_s: float, hz: float) -> list[list[Any]]:
    """Samples of both ends of a flow whose window is a saw."""
    samples = []
    for index in range(math.ceil(from_s * hz), math.ceil(to_s * hz)):
        at_s = index / hz
        saw = 40 + 30 * ((at_s * (1 + flow / 5)) % 3) + (index * 7919 % 11)
        for side in ("sender", "receiver"):
            values = {
                "time_s": at_s, "flow": f"f{flow}", "side": side, "cwnd_packets": saw, "ssthresh_packets": 40,
                "srtt_ms": 20 + saw / 4, "min_rtt_ms": 20.0, "pacing_rate_mbit": saw / 4, "bytes_received": at_s * 2e6,
                "bytes_acked": at_s * 2e6, "retransmits": int(at_s * 3), "congestion_control": _CONTROLS[flow % 3],
                "bbr_pacing_gain": 1.0, "bbr_cwnd_gain": 2.0,
            }  # fmt: skip
            samples.append([values.get(name) for name in wire.TABLES["tcp"]])
    return samples


def queue_rows(from_s: float, to_s: float, hz: float) -> list[list[Any]]:
    """Samples of the queue that they share."""
    moments = [index / hz for index in range(math.ceil(from_s * hz), math.ceil(to_s * hz))]
    return [
        [t, "l1:r1-r2", 120_000 + 90_000 * math.sin(t), 100, t * 12.5e6, t * 8000, int(t * 5), None, 0, 0]
        for t in moments
    ]


def measure(window: ttk.Window, options: argparse.Namespace, name: str, frame_ms: int, span: str, docked: bool) -> None:
    """View the plots in one way, and print the cost."""
    flows = [FlowInfo(id=f"f{n}", congestion_control=_CONTROLS[n % 3]) for n in range(options.flows)]
    run = LiveRun(flows, {"l1:r1-r2": QueueInfo(rate_mbit=100, limit_bytes=250_000)})
    panel = PlotPanel(window, 1.0, LIGHT, (*USUAL, "phases"), is_docked=docked) if frame_ms else None
    if panel is not None:
        panel.frame_ms = frame_ms
        panel.pack(fill="both", expand=True)
        panel.follow(span)
        panel.show(run)
    window.geometry("1200x290" if docked else "1040x860")
    window.update()
    began_s, used_s, told_s = time.monotonic(), time.process_time(), 0.0
    frames, redraws, spent_s = (panel.plots.frames, panel.plots.redraws, panel.spent_s) if panel else (0, 0, 0.0)
    while (now_s := time.monotonic() - began_s) < options.seconds:
        if now_s - told_s >= _BATCH_S:
            for flow in range(options.flows):
                run.take("tcp", rows(flow, told_s, now_s, options.hz))
            run.take("queue", queue_rows(told_s, now_s, options.hz))
            told_s = now_s
        window.update()
        time.sleep(0.005)
    share = (time.process_time() - used_s) / options.seconds
    if panel is None:
        print(f"{name:34} {'':34}{share:6.1%} of a processor")
        return
    drawn_frames = panel.plots.frames - frames
    print(
        f"{name:34} {drawn_frames / options.seconds:4.1f} frames/s,"
        f" {(panel.plots.redraws - redraws) / options.seconds:4.2f} anew,"
        f" {1000 * (panel.spent_s - spent_s) / max(1, drawn_frames):5.1f} ms each,{share:6.1%} of a processor"
    )
    panel.destroy()


def main() -> None:
    """Look in several ways, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--flows", type=int, default=6)
    parser.add_argument("--hz", type=float, default=100.0)
    options = parser.parse_args()
    window = ttk.Window("Live plots", LIGHT.base)
    measure(window, options, "no plots", 0, "All", False)
    for frame_ms in (200, 100):
        measure(window, options, f"window, all, {1000 / frame_ms:.0f} Hz", frame_ms, "All", False)
        measure(window, options, f"window, the last 10 s, {1000 / frame_ms:.0f} Hz", frame_ms, "10 s", False)
    measure(window, options, "panel, all, 10 Hz", 100, "All", True)
    window.destroy()


if __name__ == "__main__":
    main()

"""Waits for the routes of the running lab, and reports how long they took."""

from __future__ import annotations

from frrlib.lab.convergence import ConvergenceTimes
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.running_lab.lab import LiveLab

#: A network that needs less, such as after a change without new routes, is not worth a message.
_LEAST_S = 0.05


def report_convergence(main: MainWindow, lab: LiveLab) -> None:
    """Say when the network has converged, if the topology waits for its routes."""

    def converged(convergence: ConvergenceTimes) -> None:
        if convergence.routers and convergence.seconds >= _LEAST_S:
            slowest = max(convergence.routers, key=lambda name: convergence.routers[name])
            main.say(f"The network converged after {convergence.seconds:.1f} s; {slowest} was last.")

    if lab.topology.wait.routes:
        lab.session.ask(lambda lab: lab.wait_converged()).then(converged)

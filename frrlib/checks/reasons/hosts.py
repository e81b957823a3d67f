"""Reasons for problems of hosts and their commands."""

from __future__ import annotations

from frrlib.checks.reason import Reason

REASONS: dict[str, Reason] = {
    "illegal-directory": Reason(
        "A private folder is not valid: its path is not absolute, it is listed twice, or the lab itself needs the "
        "folder.",
        "The node would not start.",
        "Use an absolute path, such as `/var/run/mine`.",
    ),
    "kept-directory": Reason(
        "The topology requests a folder that outlives the lab.",
        "A topology cannot choose a place on your machine. The content of that folder is kept with the results.",
        "Look for it in `files/kept` of the results folder.",
    ),
    "illegal-cores": Reason(
        "The list of CPUs is not valid.",
        "The host cannot be pinned to CPUs.",
        "Enter numbers from 0 and ranges, such as `0,2-3`. Leave the field empty for all CPUs.",
    ),
    "no-cpu": Reason(
        "The CPU share is 0 %.",
        "A share of 0 % does not limit the host.",
        "Enter a share above 0 %, or remove it.",
    ),
    "cpu-not-limited": Reason(
        "A CPU share is set together with a scheduler that enforces no limit.",
        "The host uses as much of the CPU as it can get.",
        "Choose `cfs` as its scheduler.",
    ),
    "rt-as-cfs": Reason(
        "The scheduler is set to `rt`.",
        "Kernels no longer divide real-time scheduling among groups, so the host is limited as with `cfs`.",
        "No action is needed. Choose `cfs` if the topology is to show the actual scheduler.",
    ),
    "illegal-congestion-control": Reason(
        "The name is not a valid name of a congestion control.",
        "Names consist of lowercase letters, digits and `_`. The kernel refuses others.",
        "Enter a name such as `bbr`, `cubic` or `reno`.",
    ),
    "congestion-control-place": Reason(
        "A congestion control is set at a link end that does not belong to a host.",
        "It is an attribute of a host's routes and has no effect elsewhere.",
        "Set it at the host's end of the link, at the host, or at the flow.",
    ),
    "external-interface": Reason(
        "An interface of this machine is moved into the lab.",
        "Only root can do this, and this machine cannot use the interface while the lab runs.",
        "Run the lab in the place `root`.",
    ),
    "command": Reason(
        "A node has a command that runs when it starts or stops.",
        "Before you run a topology from someone else, you should see its commands. They run in the lab only, with the "
        "permissions of the lab.",
        "Read the command.",
    ),
    "tc-command": Reason(
        "A start command changes queueing disciplines with `tc`.",
        "Rate, delay and queue then differ from the topology, but the lab compares links with the topology and figures "
        "use its values as labels. In Mininet scripts such commands often put rate and delay into one queue, where the "
        "limit of the queue also counts packets in flight.",
        "Set rate, delay, loss and queue at the link, and remove the command.",
    ),
    "offload-command": Reason(
        "A start command enables segmentation or receive offloads.",
        "Packets of up to 64 kB then cross the link as one: a queue of 10 packets holds 640 kB, and one loss drops 44 "
        "segments.",
        "Remove the command. A lab disables offloads if it has shaped links.",
    ),
    "tcp-command": Reason(
        "A start command sets a value for which the topology has a field.",
        "The topology, the results and the exported script then show another value than the one in use.",
        "Set the field of the host, and remove the command.",
    ),
}

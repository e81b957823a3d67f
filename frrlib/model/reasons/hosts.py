"""Hosts and their commands."""

from __future__ import annotations

from frrlib.model.reasons.reason import Reason

REASONS: dict[str, Reason] = {
    "illegal-directory": Reason(
        "A private folder cannot be one: no absolute path, there twice, or a folder that the lab itself needs.",
        "The node would not start.",
        "Take an absolute path, such as `/var/run/mine`.",
    ),
    "kept-directory": Reason(
        "The drawing asks for a folder that outlives the lab.",
        "A drawing chooses no place on your machine: what is in that folder is kept with the results.",
        "Look for it in `files/kept` of the results folder.",
    ),
    "illegal-cores": Reason(
        "The list of CPUs cannot be read.",
        "The host cannot be pinned to anything.",
        "Write numbers from 0 on and ranges, such as `0,2-3`; leave it empty for all.",
    ),
    "no-cpu": Reason(
        "A share of 0 % of the CPU is stated.",
        "It limits nothing, though it looks as if it did.",
        "State a share, or none.",
    ),
    "cpu-not-limited": Reason(
        "A share of the CPU is stated with the scheduler that limits nothing.",
        "The host takes as much of the CPU as it can get.",
        "Choose `cfs` as its scheduler.",
    ),
    "rt-as-cfs": Reason(
        "The scheduler `rt` is stated.",
        "Kernels no longer share real time out among groups, so the host is limited as with `cfs`.",
        "Nothing, or choose `cfs` so that the drawing says what happens.",
    ),
    "illegal-congestion-control": Reason(
        "No congestion control has such a name.",
        "Names have small letters, digits and `_`; the kernel refuses others.",
        "Write a name such as `bbr`, `cubic` or `reno`.",
    ),
    "congestion-control-place": Reason(
        "A congestion control is stated at the end of a link that is no host's.",
        "It is an attribute of a host's routes; elsewhere nobody looks at it.",
        "State it at the host's end, at the host, or at the flow.",
    ),
    "external-interface": Reason(
        "An interface of this machine is to be moved into the lab.",
        "Only root can do so, and while the lab runs this machine does not have it.",
        "Run the lab in the place `root`.",
    ),
    "command": Reason(
        "A node has a command that runs when it starts or stops.",
        "You should know what a drawing that you were given will run. It runs in the lab only, with the lab's rights.",
        "Read it.",
    ),
    "tc-command": Reason(
        "A start command changes queueing disciplines with `tc`.",
        "Rate, delay and queue are then not what the drawing says: the lab compares links with the drawing, and "
        "figures are labelled from it. In Mininet scripts such lines often put rate and delay into one queue, "
        "where the queue's limit counts packets that are under way.",
        "Draw rate, delay, loss and queue at the link, and take the line out.",
    ),
    "offload-command": Reason(
        "A start command switches segmentation or receive offloads on.",
        "Packets of up to 64 kB then cross the link as one: a queue of 10 packets holds 640 kB, and one loss takes "
        "44 segments.",
        "Take the line out. A lab has offloads off where links are shaped.",
    ),
    "tcp-command": Reason(
        "A start command sets what the drawing has a field for.",
        "The drawing, the results and the exported script then name another value than was used.",
        "Use the field of the host, and take the line out.",
    ),
}

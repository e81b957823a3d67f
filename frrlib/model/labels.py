"""The labels of a topology's fields in dialogs, and the texts of problems and errors with these labels.

All texts for people use these labels. Values for programs use the names of the model: the fields `node` and `field` of
`Problem` and of `TopologyError`, JSON, and the texts of exceptions in scripts, since their authors use these names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from frrlib.errors import TopologyError
from frrlib.model.links import Link
from frrlib.model.problem import About, Problem
from frrlib.model.topology import Topology

#: Field of the model, without its node or its end of a link, to its label; fields of a protocol have the page's first.
#: `tests/window/dialogs/test_labels.py` holds it against the forms, from which the labels of a new form are copied.
LABELS = {
    "name": "Hostname", "default_route": "Default route",
    "congestion_control": "Congestion control", "cpu_percent": "Share", "scheduler": "Scheduler", "cores": "Cores",
    "start_command": "At the start", "stop_command": "At the end", "label": "Label", "colour": "Color",
    "x": "Position, from left", "y": "from top", "number": "Number", "original_name": "Original name",
    "interfaces": "Interfaces",
    "tcp.pacing": "fq pacing", "tcp.initial_window_packets": "Initial window",
    "tcp.slow_start_after_idle": "Slow start after idle", "tcp.notsent_lowat_bytes": "Unsent data",
    "tcp.initial_receive_window_packets": "Initial receive window", "tcp.ecn": "ECN", "tcp.sack": "SACK",
    "tcp.buffer": "Maximum buffer", "tcp.buffer_bytes": "Maximum buffer", "tcp.buffer_bdp": "Maximum buffer",
    "tcp.saves_metrics": "Cache metrics", "vlan_interfaces": "VLAN Interfaces",
    "external_interfaces": "External Interfaces", "private_directories": "Private Directories",
    "loopbacks": "Loopbacks", "ospf": "OSPF, Run OSPF on this router", "ospf.router_id": "OSPF, Router ID",
    "ospf.area": "OSPF, Area", "ospf_interfaces": "OSPF, Interfaces", "ospf.interfaces": "OSPF, Interfaces",
    "ospf.hello_s": "OSPF, Hello interval", "ospf.dead_s": "OSPF, Dead interval",
    "ospf.lab_timers": "OSPF, React at once", "ospf.point_to_point": "OSPF, Point-to-point links",
    "ospf.bfd": "OSPF, BFD", "ospf.reference_mbit": "OSPF, Reference bandwidth",
    "ospf.maximum_paths": "OSPF, Equal paths", "ospf.default_originate": "OSPF, Announce a default route",
    "ospf.redistribute": "OSPF, Redistribution", "ospf.areas": "OSPF, Areas",
    "ospf6": "OSPFv3, Run OSPFv3 on this router", "ospf6.router_id": "OSPFv3, Router ID",
    "ospf6.area": "OSPFv3, Area", "ospf6_interfaces": "OSPFv3, Interfaces", "ospf6.interfaces": "OSPFv3, Interfaces",
    "ospf6.hello_s": "OSPFv3, Hello interval", "ospf6.dead_s": "OSPFv3, Dead interval",
    "ospf6.lab_timers": "OSPFv3, React at once", "ospf6.point_to_point": "OSPFv3, Point-to-point links",
    "ospf6.bfd": "OSPFv3, BFD", "ospf6.reference_mbit": "OSPFv3, Reference bandwidth",
    "ospf6.maximum_paths": "OSPFv3, Equal paths", "ospf6.default_originate": "OSPFv3, Announce a default route",
    "ospf6.redistribute": "OSPFv3, Redistribution", "ospf6.areas": "OSPFv3, Areas",
    "isis": "IS-IS, Run IS-IS on this router", "isis.area": "IS-IS, Area", "isis.system_id": "IS-IS, System ID",
    "isis.level": "IS-IS, Level", "isis.ipv4": "IS-IS, IPv4", "isis.ipv6": "IS-IS, IPv6",
    "isis_interfaces": "IS-IS, Interfaces", "isis.interfaces": "IS-IS, Interfaces",
    "isis.hello_s": "IS-IS, Hello interval", "isis.hello_multiplier": "IS-IS, Hello multiplier",
    "isis.lab_timers": "IS-IS, React at once", "isis.point_to_point": "IS-IS, Point-to-point links",
    "isis.bfd": "IS-IS, BFD", "isis.key": "IS-IS, Key", "isis.lsp_mtu_bytes": "IS-IS, LSP MTU",
    "isis.overload": "IS-IS, Overload",
    "isis.default_originate": "IS-IS, Announce a default route", "isis.redistribute": "IS-IS, Redistribution",
    "rip": "RIP, Run RIP on this router", "rip_interfaces": "RIP, Interfaces", "rip.interfaces": "RIP, Interfaces",
    "rip.update_s": "RIP, Update", "rip.timeout_s": "RIP, Timeout", "rip.garbage_s": "RIP, Garbage collection",
    "rip.default_originate": "RIP, Announce a default route", "rip.redistribute": "RIP, Redistribution",
    "ripng": "RIPng, Run RIPng on this router", "ripng_interfaces": "RIPng, Interfaces",
    "ripng.interfaces": "RIPng, Interfaces", "ripng.update_s": "RIPng, Update", "ripng.timeout_s": "RIPng, Timeout",
    "ripng.garbage_s": "RIPng, Garbage collection", "ripng.default_originate": "RIPng, Announce a default route",
    "ripng.redistribute": "RIPng, Redistribution", "bgp": "BGP, Run BGP on this router", "bgp.asn": "BGP, AS number",
    "bgp.router_id": "BGP, Router ID", "bgp.neighbors": "BGP, Neighbors", "bgp.networks": "BGP, Networks",
    "bgp.unnumbered": "BGP, Unnumbered", "bgp.peer_groups": "BGP, Peer groups", "bgp.aggregates": "BGP, Aggregates",
    "bgp.redistribute": "BGP, Redistribution", "bgp.requires_policy": "BGP, Require a policy",
    "bgp.maximum_paths": "BGP, Equal paths, external", "bgp.maximum_paths_internal": "BGP, Equal paths, internal",
    "bgp.multipath_relax": "BGP, Multipath relax", "bgp.local_preference": "BGP, Local preference",
    "bgp.always_compare_med": "BGP, Always compare MED", "bgp.connect_retry_s": "BGP, Connect retry",
    "bgp.coalesce_ms": "BGP, Coalesce time", "bgp.advertisement_s": "BGP, Advertisement interval",
    "bgp.keepalive_s": "BGP, Keepalive", "bgp.hold_s": "BGP, Hold time", "bgp.log_changes": "BGP, Log changes",
    "bgp.cluster_id": "BGP, Cluster ID", "bgp.confederation_id": "BGP, Confederation ID",
    "bgp.confederation_members": "BGP, Other members", "bfd": "BFD, Set BFD's intervals and peers",
    "bfd.transmit_ms": "BFD, Transmit interval", "bfd.receive_ms": "BFD, Receive interval",
    "bfd.detect_multiplier": "BFD, Detect multiplier", "bfd.peers": "BFD, Peers",
    "pim": "PIM, Run PIM on this router", "pim.rendezvous_points": "PIM, Rendezvous points",
    "pim.hello_s": "PIM, Hello interval", "pim_interfaces": "PIM, Interfaces", "pim.interfaces": "PIM, Interfaces",
    "ldp": "LDP, Run LDP on this router", "ldp.router_id": "LDP, Router ID", "ldp.interfaces": "LDP, Interfaces",
    "ldp.hello_s": "LDP, Hello interval", "ldp.hold_s": "LDP, Hold time", "static_routes": "Static Routes",
    "route_maps": "Route maps", "prefix_lists": "Prefix lists", "community_lists": "Community lists",
    "as_path_lists": "AS path lists", "vrfs": "VRFs", "daemons": "Daemons", "frr_conf": "Lines of your own",
    "switch_type": "Switch type", "dpid": "DPID", "controllers": "Controllers", "management_address": "IP address",
    "dpctl_port": "DPCTL port", "netflow": "Enable NetFlow", "sflow": "Enable sFlow", "stp": "Spanning tree (STP)",
    "controller_type": "Controller type", "protocol": "Protocol", "port": "Controller port", "address": "IP address",
    "rate_mbit": "Rate", "delay_ms": "Delay", "jitter_ms": "Jitter", "loss_percent": "Loss", "queue": "Queue",
    "queue.kind": "Queue", "queue_limit": "Queue limit", "queue_packets": "Queue limit",
    "queue_bytes": "Queue limit", "queue_ms": "Queue limit", "queue_bdp": "Queue limit", "up": "Up at start",
    "shaper": "Shaper", "burst_frames": "Burst", "peak_rate_mbit": "Peak rate",
    "peak_frames": "Peak burst", "queue.target_ms": "Target", "queue.interval_ms": "Interval",
    "queue.step_thresh_ms": "Step", "queue.tupdate_ms": "Update", "queue.alpha": "Alpha", "queue.beta": "Beta",
    "queue.coupling_factor": "Coupling", "queue.classic_protection_percent": "Classic share",
    "queue.min_qlen_step_packets": "Step from", "queue.any_ect": "All ECN", "queue.drop_on_overload": "On overload",
    "queue.drop_early": "Drop early", "queue.rtt_ms": "Round-trip time", "queue.diffserv": "Tins",
    "queue.isolation": "Fair between", "queue.min_bytes": "Lower threshold", "queue.max_bytes": "Upper threshold",
    "queue.min_packets": "Lower threshold", "queue.max_packets": "Upper threshold",
    "queue.probability": "Drop probability",
    "queue.avpkt_bytes": "Average packet", "queue.burst_packets": "Average burst", "queue.target_packets": "Target",
    "queue.increment": "Step up", "queue.decrement": "Step down", "queue.penalty_rate_packets_s": "Penalty rate",
    "queue.penalty_burst_packets": "Penalty burst", "queue.rehash_s": "Rehash", "queue.db_s": "Warm-up",
    "queue.ecn": "ECN", "queue.ce_threshold_ms": "Mark above", "queue.ecn_prob_percent": "Mark up to",
    "queue.bytemode": "By size", "queue.dq_rate_estimator": "Estimate rate", "queue.harddrop": "Hard drop",
    "queue.adaptive": "Adaptive", "queue.nodrop": "No drop", "queue.flows": "Queues",
    "queue.flow_limit_packets": "Flow limit", "queue.depth_packets": "Depth", "queue.quantum_bytes": "Quantum",
    "queue.initial_quantum_bytes": "First quantum", "queue.memory_limit_bytes": "Memory",
    "queue.drop_batch_packets": "Drop batch", "queue.maxrate_mbit": "Flow rate", "queue.pacing": "Pacing",
    "queue.low_rate_threshold_mbit": "Low rate", "queue.refill_delay_ms": "Refill",
    "queue.timer_slack_us": "Timer slack", "queue.horizon_ms": "Horizon", "queue.horizon_drop": "Beyond horizon",
    "queue.buckets": "Buckets", "queue.orphan_mask": "Orphan mask", "queue.divisor": "Hash size",
    "queue.perturb_s": "Perturb", "queue.headdrop": "Head drop", "queue.nat": "NAT", "queue.wash": "Wash",
    "queue.ack_filter": "ACK filter", "queue.split_gso": "Split GSO", "queue.overhead_bytes": "Overhead",
    "queue.mpu_bytes": "Minimum size", "queue.link_layer": "Link layer", "jitter_kind": "Jitter distribution",
    "impairments.jitter_distribution": "Jitter distribution", "jitter_samples": "Measured delays",
    "impairments.jitter_samples_ms": "Measured delays",
    "impairments.jitter_correlation_percent": "Jitter correlation", "loss_model": "Loss model",
    "impairments.gilbert_elliott": "Loss model", "impairments.four_states": "Loss model",
    "impairments.loss_correlation_percent": "Loss correlation",
    "impairments.gilbert_elliott.to_bad_percent": "Good to bad",
    "impairments.gilbert_elliott.to_good_percent": "Bad to good",
    "impairments.gilbert_elliott.loss_in_bad_percent": "Loss when bad",
    "impairments.gilbert_elliott.loss_in_good_percent": "Loss when good",
    "impairments.four_states.p13_percent": "1 to 3", "impairments.four_states.p31_percent": "3 to 1",
    "impairments.four_states.p32_percent": "3 to 2", "impairments.four_states.p23_percent": "2 to 3",
    "impairments.four_states.p14_percent": "1 to 4", "impairments.duplicate_percent": "Duplicate",
    "impairments.corrupt_percent": "Corrupt", "impairments.reorder_percent": "Reorder",
    "impairments.reorder_correlation_percent": "Reorder correlation", "impairments.reorder_gap": "Gap",
    "qdiscs": "Commands", "node": "Node", "mac": "MAC address", "ospf_cost": "OSPF cost", "offloads": "Offloads",
    "id": "Link ID", "speedup_mbit": "Speedup (Mbit/s)", "source": "From", "destination": "To", "traffic": "Sends",
    "traffic.kind": "Sends", "start_s": "Starts at", "count": "Count", "stagger_s": "Apart",
    "traffic.tool": "Sent by", "traffic.protocol": "Over", "traffic.on_s": "Burst", "traffic.off_s": "Pause",
    "traffic.spread": "Lengths", "traffic.rate_mbit": "Rate", "traffic.paced_by": "Paced by",
    "traffic.notsent_lowat_bytes": "Unsent data",
    "traffic.request_bytes": "Request", "traffic.response_bytes": "Response", "traffic.think_ms": "Think time",
    "traffic.connection": "Connection", "traffic.requests": "Ends after", "traffic.payload_bytes": "Payload",
    "traffic.interval_ms": "Every", "traffic.codec": "Codec", "traffic.packet_ms": "Packet interval",
    "traffic.spurts": "Silence suppression", "traffic.playout_ms": "Playout delay",
    "traffic.sizes_bytes": "Object sizes", "traffic.objects": "Objects", "traffic.mean_bytes": "Mean size",
    "traffic.client": "Client", "traffic.connections": "Connections", "traffic.keep_alive": "Keep connections",
    "traffic.loads": "Loads", "traffic.pause_s": "Between loads", "traffic.timeout_s": "Load timeout",
    "traffic.ladder_mbit": "Qualities", "traffic.chunk_s": "Chunk", "traffic.buffer_s": "Buffer",
    "traffic.choice": "Quality by", "traffic.command": "Command", "traffic.server": "Server",
    "traffic.reads": "Output", "traffic.pattern": "Pattern", "traffic.seed": "Seed", "streams": "Streams",
    "opened_by": "Opened by", "dscp": "DSCP", "ecn": "ECN", "title": "Title", "preferences.ip_base": "IP base",
    "preferences.switch_type": "Default switch", "shown_folders": "Folders shown",
    "copied_folders": "Folders copied", "kernel_modules": "Kernel modules", "intended_problems": "Intended problems",
    "kernel_parameters": "Kernel parameters", "preferences.openflow.of10": "OpenFlow 1.0",
    "preferences.openflow.of11": "OpenFlow 1.1", "preferences.openflow.of12": "OpenFlow 1.2",
    "preferences.openflow.of13": "OpenFlow 1.3", "preferences.dpctl": "DPCTL port",
    "preferences.terminal_type": "Default terminal", "preferences.start_cli": "Start CLI",
    "preferences.sflow.target": "Target", "preferences.sflow.sampling": "Sampling",
    "preferences.sflow.header": "Header", "preferences.sflow.polling": "Polling",
    "preferences.netflow.target": "Target", "preferences.netflow.active_timeout": "Active timeout",
    "preferences.netflow.add_id_to_interface": "Add ID to interface",
}  # fmt: skip
#: Fields of no form: tables beside the forms, or names of the model for what forms call something else.
_OTHERS = {
    "addresses": "Addresses", "interface": "Interface name", "mtu_bytes": "MTU", "until": "Until",
    "duration_s": "Duration", "size_bytes": "Size", "id": "ID", "flows": "Flows",
    "faults": "Faults", "faults.time_s": "Faults, At",
    "faults.duration_s": "Faults, How", "faults.target": "Faults, Where", "faults.course": "Faults, How",
    "preferences.openflow": "OpenFlow versions",
}  # fmt: skip
_ENDS, _DIRECTIONS = ("a", "b"), ("a_to_b", "b_to_a")
#: First words of a remedy that is an instruction. Other remedies describe the expected value.
_ORDERS = frozenset(
    ("add", "allow", "announce", "assign", "change", "choose", "configure", "connect", "copy", "correct", "define",
     "delete", "disable", "draw", "enable", "enter", "extend", "give", "leave", "let", "link", "look", "lower", "make",
     "match", "move", "name", "plan", "put", "raise", "reduce", "remove", "rename", "run", "say", "select", "set",
     "shorten", "show", "start", "state", "stop", "switch", "take", "turn", "update", "use", "wait", "write")
)  # fmt: skip


#: First words of a remedy that is already a sentence, and of one that gives an example or a range.
_SENTENCES, _EXAMPLES = frozenset(("did", "it", "there")), frozenset(("such", "as", "from"))


def label_of(field: str) -> str:
    """The label of a field of the model ("ospf.dead_s"), with the page if it belongs to a protocol.

    The end or direction of a link is left out. A field that no form has is returned unchanged; no field gives an empty
    text.
    """
    plain = re.sub(r"\[.*?\]", "", field)
    side, _, tail = plain.partition(".")
    plain = tail if tail and side in (*_ENDS, *_DIRECTIONS) else plain
    known_field = plain
    while known_field and known_field not in LABELS and known_field not in _OTHERS:
        known_field = known_field.rpartition(".")[0]
    return _OTHERS.get(known_field) or LABELS.get(known_field) or plain


def link_title(topology: Topology, link: Link) -> str:
    """A link by its ends, "r1 - r2", as the canvas shows it. Its ID is added if several links have these ends."""
    return f"{link.a.node} - {link.b.node}{_which(topology, link)}"


def place_words(topology: Topology | None, node: str, field: str, about: About = "") -> str:
    """The place of a field in a topology, in the words of the dialogs.

    Args:
        topology: the topology; without it, a link is named by its ID.
        node: name of a node or flow, or ID of a link; empty for the whole topology.
        field: field of the model, empty for none in particular.
        about: whether it is a node, a link or a flow; without it, the first of these with this name is meant.

    Returns:
        "h1, Default route"; for links "r1 - r2, MTU at r1", and "r1 → r2, Rate" for the direction from r1; "flow f1"
        for a flow if a node has its name; empty for the whole topology.
    """
    label = label_of(field)
    link = topology.link(node) if topology is not None and about in ("", "link") else None
    named = topology.node(node) if topology is not None else None
    if topology is None or link is None or (not about and named is not None and not _is_of_link(field)):
        title = f"flow {node}" if about == "flow" and named is not None else node
        return ", ".join(filter(None, (title, label)))
    side = field.partition(".")[0]
    if side in _DIRECTIONS:
        first, second = link.ends if side == _DIRECTIONS[0] else link.ends[::-1]
        return f"{first.node} → {second.node}{_which(topology, link)}, {label}"
    end = f" at {link.ends[_ENDS.index(side)].node}" if side in _ENDS else ""
    return ", ".join(filter(None, (link_title(topology, link), f"{label}{end}" if label else "")))


def place_of(problem: Problem, topology: Topology | None) -> str:
    """The place of a problem, as `place_words`; "topology" for the whole."""
    return place_words(topology, problem.node, problem.field, problem.about) or "topology"


def remedy(instruction: str) -> str:
    """A remedy as a sentence without its full stop: "Expected another address", "Set a rate too"."""
    first = instruction.partition(" ")[0]
    if first in _ORDERS | _SENTENCES:
        return instruction[0].upper() + instruction[1:]
    return f"Expected a value {instruction}" if first in _EXAMPLES else f"Expected {instruction}" if instruction else ""


def with_remedy(finding: str, instruction: str) -> str:
    """A finding and its remedy as one text that can follow a name: "is taken; expected another address"."""
    advice = remedy(instruction)
    return f"{finding}; {advice[0].lower()}{advice[1:]}" if advice else finding


def error_words(error: Exception, topology: Topology | None = None) -> str:
    """The text of an error for people. A topology error has its place in the words of the dialogs, and its remedy.

    Args:
        topology: the topology, from which links get their names.
    """
    if not isinstance(error, TopologyError):
        return str(error)
    place = ", ".join(filter(None, (f"line {error.line}" if error.line else "",
                                    place_words(topology, error.node, error.field, error.about))))  # fmt: skip
    return f"{place}: {with_remedy(error.message, error.remedy)}" if place else with_remedy(error.message, error.remedy)


def sentences(place: str, finding: str, instruction: str) -> str:
    """A finding and its remedy in full: "h1, Default route: 10.0.0.1 is an address of the host itself. Choose ..."."""
    return " ".join(_ended(sentence) for sentence in (f"{place}: {finding}", remedy(instruction)) if sentence)


def listed(fields: Iterable[str]) -> str:
    """Labels of fields, in a list for people."""
    return ", ".join(label_of(field) for field in fields)


def _is_of_link(field: str) -> bool:
    return field.partition(".")[0] in (*_ENDS, *_DIRECTIONS)


def _which(topology: Topology, link: Link) -> str:
    ends = {link.a.node, link.b.node}
    twins = sum({twin.a.node, twin.b.node} == ends for twin in topology.links)
    return f" ({link.id})" if twins > 1 else ""


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."

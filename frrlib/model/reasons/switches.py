"""OpenFlow switches and controllers."""

from __future__ import annotations

from frrlib.model.reasons.reason import Reason

REASONS: dict[str, Reason] = {
    "no-controller": Reason(
        "A switch has no controller, or names one that is not there.",
        "Without any it forwards as a bridge does; one that is missing cannot be connected to.",
        "Draw the controller, or take it off the switch's list.",
    ),
    "illegal-dpid": Reason(
        "A datapath id is not 1 to 16 hexadecimal digits, or is 0.",
        "Open vSwitch refuses it.",
        "Write hexadecimal digits, or leave it empty for the number in the name.",
    ),
    "no-dpid": Reason(
        "A switch has no number in its name, from which a datapath id could be made.",
        "Open vSwitch takes one at random, different each time.",
        "State one, such as 1.",
    ),
    "duplicate-dpid": Reason(
        "Two switches have one datapath id.",
        "A controller takes them for one switch.",
        "State another one at one of them.",
    ),
    "illegal-port": Reason(
        "A passive listening port is no number from 1 to 65535, or switches count beyond it.",
        "The switch cannot listen there.",
        "Take a number with room above it, such as 6634.",
    ),
    "duplicate-port": Reason(
        "Two of the lab's switches or controllers listen at one port.",
        "They are in one namespace: only the first one can.",
        "Take another port.",
    ),
    "illegal-address": Reason(
        "The address of a switch or of a controller cannot be read.",
        "Nothing can be connected to it.",
        "Write an address, such as 10.0.0.100/24 for a switch or 127.0.0.1 for a controller.",
    ),
    "switch-type": Reason(
        "The drawing asks for a switch that is no longer to be had.",
        "Open vSwitch stands in for it, and does what it did.",
        "Nothing.",
    ),
    "no-collector": Reason(
        "sFlow or NetFlow is on, and the preferences name nobody to tell.",
        "Nothing is told.",
        "State a target in the preferences, such as 10.0.0.9:6343.",
    ),
    "illegal-target": Reason(
        "The target of sFlow or NetFlow is no address with a port.",
        "Open vSwitch refuses it.",
        "Write it as in 10.0.0.9:6343.",
    ),
    "illegal-number": Reason(
        "A setting of sFlow or NetFlow is no whole number.",
        "Open vSwitch refuses it.",
        "Write a whole number.",
    ),
    "no-openflow-version": Reason(
        "No version of OpenFlow is on in the preferences.",
        "Open vSwitch offers all that it has.",
        "Nothing, or switch on the one that your controller speaks.",
    ),
    "shared-port": Reason(
        "Two controllers of the lab have one port.",
        "Each then gets an address of its own, and the switches are told so.",
        "Nothing.",
    ),
    "ssl": Reason(
        "A controller is reached by SSL.",
        "Both sides need a key and a certificate; the lab makes a pair.",
        "Have the controller use `/run/openvswitch/lab-key.pem` and `lab-cert.pem`.",
    ),
    "unreachable-controller": Reason(
        "A remote controller's address is of no node, or a switch has no address in its network.",
        "A lab reaches nothing outside of it but what a person allows.",
        "Allow it when the lab is run (the window asks; `run`, `start` and exported scripts take `--allow-controller "
        "ADDRESS:PORT`); or run the controller in the lab: at 127.0.0.1 in a terminal, or on a host beside the "
        "switch's own address.",
    ),
}

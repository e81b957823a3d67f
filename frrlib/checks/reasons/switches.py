"""Reasons for problems of OpenFlow switches and controllers."""

from __future__ import annotations

from frrlib.checks.reason import Reason

REASONS: dict[str, Reason] = {
    "no-controller": Reason(
        "A switch has no controller, or lists one that is not in the topology.",
        "Without a controller it forwards like a bridge. It cannot connect to a controller that does not exist.",
        "Draw the controller, or remove it from the list of the switch.",
    ),
    "illegal-dpid": Reason(
        "A datapath ID does not have 1 to 16 hexadecimal digits, or is 0.",
        "Open vSwitch refuses it.",
        "Enter hexadecimal digits, or leave the field empty to use the number in the name.",
    ),
    "no-dpid": Reason(
        "The name of a switch contains no number from which a datapath ID could be derived.",
        "Open vSwitch chooses a random one at each start.",
        "Enter a datapath ID, such as 1.",
    ),
    "duplicate-dpid": Reason(
        "Two switches have the same datapath ID.",
        "A controller treats them as one switch.",
        "Change one of the two datapath IDs.",
    ),
    "illegal-port": Reason(
        "A passive listening port is not a number from 1 to 65535, or the ports counted up from it exceed 65535.",
        "The switch cannot listen there.",
        "Choose a port with enough free ports above it, such as 6634.",
    ),
    "duplicate-port": Reason(
        "Two switches or controllers of the lab listen on the same port.",
        "They share one namespace, so only the first one can use the port.",
        "Choose another port.",
    ),
    "illegal-address": Reason(
        "The address of a switch or controller is not valid.",
        "Connections to it are impossible.",
        "Enter an address, such as 10.0.0.100/24 for a switch or 127.0.0.1 for a controller.",
    ),
    "switch-type": Reason(
        "The topology requests a kind of switch that is no longer available.",
        "Open vSwitch replaces it and behaves the same.",
        "No action is needed.",
    ),
    "no-collector": Reason(
        "sFlow or NetFlow is enabled, and the preferences have no collector for it.",
        "No samples are sent.",
        "Enter a target in the preferences, such as 10.0.0.9:6343.",
    ),
    "illegal-target": Reason(
        "The target of sFlow or NetFlow is not an address with a port.",
        "Open vSwitch refuses it.",
        "Enter a target such as 10.0.0.9:6343.",
    ),
    "illegal-number": Reason(
        "A setting of sFlow or NetFlow is not a whole number.",
        "Open vSwitch refuses it.",
        "Enter a whole number.",
    ),
    "no-openflow-version": Reason(
        "No OpenFlow version is selected in the preferences.",
        "Open vSwitch offers all versions that it supports.",
        "No action is needed. You can select the version that your controller supports.",
    ),
    "shared-port": Reason(
        "Two controllers of the lab use the same port.",
        "Each of them gets its own address, and the switches use that address.",
        "No action is needed.",
    ),
    "ssl": Reason(
        "A controller is reached by SSL.",
        "Both sides need a key and a certificate. The lab creates a pair.",
        "Configure the controller to use `/run/openvswitch/lab-key.pem` and `lab-cert.pem`.",
    ),
    "unreachable-controller": Reason(
        "No node has the address of a remote controller, or a switch has no address in the controller's network.",
        "A lab reaches no address outside of it unless the user allows that address.",
        "Allow it when you run the lab (the window asks for it; `run`, `start` and exported scripts have the option "
        "`--allow-controller ADDRESS:PORT`). Otherwise run the controller in the lab: at 127.0.0.1 in a terminal, or "
        "on a host in the network of the switch's own address.",
    ),
}

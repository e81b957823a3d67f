"""The lab of the topology, as seen from the window: actions, requests, progress and windows about its nodes."""

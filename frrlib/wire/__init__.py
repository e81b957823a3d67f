"""Typed messages between a `Lab` and its agent: the plan, requests, replies and events."""

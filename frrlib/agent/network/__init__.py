"""Nodes, links, queues and switches in the lab."""

"""Flows in the lab: the processes that send and receive, and packet captures."""

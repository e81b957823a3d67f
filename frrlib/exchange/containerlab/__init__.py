"""Topologies of containerlab (`.clab.yml`) with the configurations of FRR beside them."""

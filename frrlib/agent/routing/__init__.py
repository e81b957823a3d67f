"""The state of routing in the lab: adjacencies, routes, and convergence."""

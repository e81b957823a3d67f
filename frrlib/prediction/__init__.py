"""Expected adjacencies, routes and flow paths of a topology."""

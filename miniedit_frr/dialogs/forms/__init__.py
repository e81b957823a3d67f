"""The forms of nodes, links, flows and protocols."""

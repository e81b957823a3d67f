"""Graphs in GraphML, such as those of the Internet Topology Zoo, as networks of routers."""

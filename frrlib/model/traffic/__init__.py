"""The kinds of traffic that a flow can carry."""

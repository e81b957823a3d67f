"""The code that runs in the lab: the only room with Mininet."""

"""The current state of the node, link or flow under the pointer, as lines below its properties."""

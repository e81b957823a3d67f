"""The present state of the thing under the pointer, as lines below its properties."""

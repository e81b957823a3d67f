"""Output in a terminal: a lab's progress and its results."""

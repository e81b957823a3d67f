"""The parts of the window as one value, and the joints between them."""

"""The parts of the window, and what joins one thing each with them."""

"""The parts of the window, and the controllers that connect them."""

"""A lab in a worker thread, with its events in a queue for the window."""

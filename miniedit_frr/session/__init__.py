"""A lab in a worker thread, its events in a queue: what a window needs to run one."""

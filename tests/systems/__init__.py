"""The systems on which the project is tried, each from nothing: `python -m tests.systems`."""

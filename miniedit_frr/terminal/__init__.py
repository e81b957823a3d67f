"""Progress and reports as text in a terminal."""

"""Labs for pytest: a fixture, the report of a failed test, and the leftovers of a lab."""

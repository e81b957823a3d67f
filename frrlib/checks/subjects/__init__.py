"""The rules of `check`: each function finds one kind of problem."""

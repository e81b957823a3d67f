"""The rules of `check`: small functions, each of which looks for one kind of problem."""

"""The places where labs run, and the processes and walls that they are made of."""

"""The places where labs run."""

"""Many runs of one topology with varying values, on this machine or on many."""

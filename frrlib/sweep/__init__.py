"""Many runs of one drawing whose values vary, on this machine or on many, and one table of what came of them."""

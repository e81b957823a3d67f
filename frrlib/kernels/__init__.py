"""Lab kernels: built from the sources of any Linux, kept in the user's cache, chosen by name."""

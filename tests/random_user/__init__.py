"""A random user of the window: steps from a seed by real mouse and keys, and invariants that are checked after each."""

"""Fields of a topology that vary from run to run: paths of fields, lists of values, and all combinations."""
